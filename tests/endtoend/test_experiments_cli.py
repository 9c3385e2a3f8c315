"""`vastus experiment` and `vastus plot`: from a file to a table, a plot and a sentence."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from bent_bar import hinged
from vastus.cli import main
from vastus.experiments import EXPERIMENTS
from vastus.experiments.trial import Question
from vastus.files.curve_file import read_columns
from vastus.files.model_file import save_model
from vastus.model import Model
from vastus.results.result import read_result
from vastus.skeleton.passive import Passive
from vastus.solvers.quasi_newton import QuasiNewton

STRAP = "vastus: 1\nname: strap\nmodel: {shape: bar, tets: 1000}\n"


def vastus(*words: object) -> tuple[int, str, str]:
    """The exit code, the output and the errors of a command."""
    told = CliRunner().invoke(main, [str(word) for word in words])
    return told.exit_code, told.stdout, told.stderr


@pytest.fixture(scope="module")
def place(bar_model: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a scene of a strap, and the hinged bar as a model."""
    folder = tmp_path_factory.mktemp("experiments")
    (folder / "strap.yaml").write_text(STRAP, encoding="utf-8")
    (folder / "reference.csv").write_text("length,force\n0.5,0\n1,1\n1.5,0\n", encoding="utf-8")
    save_model(folder / "bar.npz", hinged(bar_model))
    return folder


@pytest.mark.parametrize("name", [name for name, trial in EXPERIMENTS.items() if not trial.jointed])
def test_every_experiment_on_a_muscle_gives_a_table_a_plot_and_its_provenance(
    place: Path, name: str
) -> None:
    scene, folder = place / "strap.yaml", place / name
    over = ["--over", place / "reference.csv"]
    code, out, err = vastus("experiment", name, scene, "-o", folder, "--steps", 3, *over)
    assert code == 0, err
    assert f"table: {folder / 'curve.csv'}" in out
    assert (folder / "plot.png").read_bytes().startswith(b"\x89PNG")
    told = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
    assert told["experiment"]["name"] == name
    assert told["status"] == "finished"
    table = read_columns(folder / "curve.csv")
    assert len(next(iter(table.values()))) == 3
    for run in told["experiment"]["runs"]:
        assert read_result(folder / run).times.size >= 3


def test_a_muscle_taken_out_of_its_model_follows_its_law(place: Path) -> None:
    """The law of the bar gives T = a sigma A lam, where its joint would let it turn."""
    folder = place / "lengths"
    words = ["--from", 0.9, "--to", 1.2, "--steps", 3, "--no-plot"]
    code, _, err = vastus("experiment", "force-length", place / "bar.npz", "-o", folder, *words)
    assert code == 0, err
    table = read_columns(folder / "curve.csv")
    np.testing.assert_allclose(table["stretch"], table["length"], rtol=0.1)
    np.testing.assert_allclose(table["active_F0"], table["stretch"], rtol=1e-9)
    assert np.isnan(table["rest_N"][0])
    assert table["rest_N"][2] > 1.0
    assert not (folder / "plot.png").exists()


def test_the_moment_that_holds_a_joint_is_that_of_the_muscles(place: Path) -> None:
    folder = place / "moments"
    words = ["--muscle", "belly", "--from", -10, "--to", 10, "--steps", 3]
    code, out, err = vastus("experiment", "moment-angle", place / "bar.npz", "-o", folder, *words)
    assert code == 0, err
    assert "the largest moment about 'knee' is -" in out
    table = read_columns(folder / "curve.csv")
    np.testing.assert_allclose(table["angle_deg"], [-10.0, 0.0, 10.0])
    np.testing.assert_allclose(table["moment_Nm"], -table["reaction_Nm"], rtol=1e-6)
    np.testing.assert_allclose(table["belly_excursion_m"][1], -0.06, rtol=1e-6)


def test_the_range_of_a_joint_is_that_of_its_limits(bar_model: Model) -> None:
    model = hinged(bar_model)
    stop = Passive(range=(-0.2, 0.3))
    limited = model.with_(joints=(replace(model.joints[0], passive=(stop,)),))
    trial = EXPERIMENTS["moment-angle"]
    found = trial(Question(limited, QuasiNewton(), rest_angle=10.0)).range
    assert found[[0, -1]] == pytest.approx(10.0 + np.degrees([-0.2, 0.3]))
    assert trial(Question(model, QuasiNewton())).range[[0, -1]].tolist() == [0.0, 130.0]
    assert trial(Question(limited, QuasiNewton(), high=5.0)).range[-1] == 5.0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["isometric", "nowhere.txt"], "neither a scene (.yaml) nor a saved model (.npz)"),
        (["isometric", "strap.yaml", "--muscle", "x"], "no muscle 'x'; muscles: bar"),
        (["isometric", "strap.yaml", "--steps", "1"], "--steps 1 make no curve"),
        (["passive", "strap.yaml", "--from", "2"], "the range is from 2 to 1.4; it must rise"),
        (["force-length", "strap.yaml", "--activation", "nan"], "--activation is nan; it must be"),
        (["force-length", "strap.yaml", "--activation", "2"], "it must be between 0 and 1"),
        (["isometric", "strap.yaml", "--activation", "0.5"], "isometric has no --activation"),
        (["moment-angle", "strap.yaml"], "name one hinge by --joint: there is none"),
        (["moment-angle", "bar.npz", "--joint", "hip"], "no hinge 'hip'; hinges: knee"),
        (["moment-angle", "bar.npz"], "no muscle enlarges the angle of joint 'knee'"),
        (["passive", "strap.yaml", "--over", "reference.csv:1:q"], "no column of 'reference.csv' "),
    ],
)
def test_what_is_wrong_is_one_sentence(
    place: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], says: str
) -> None:
    monkeypatch.chdir(place)
    code, _, err = vastus("experiment", *words, "-o", "none")
    assert code == 2
    assert says in err
    assert not (place / "none").exists()


def test_an_experiment_is_not_replaced_unasked(place: Path, tmp_path: Path) -> None:
    (tmp_path / "curve.csv").write_text("old", encoding="utf-8")
    code, _, err = vastus("experiment", "isometric", place / "strap.yaml", "-o", tmp_path)
    assert code == 2
    assert "--overwrite replaces it" in err


def test_any_column_is_drawn_against_any_other(place: Path) -> None:
    folder, over = place / "isometric", place / "reference.csv"
    code, out, err = vastus(
        "plot", folder, "--x", "activation", "--y", "pull_N", "--y", "tension_N", "--over", over
    )
    assert code == 0, err
    picture = folder / "pull_N_tension_N_over_activation.png"
    assert out == f"plot: {picture}\n"
    assert picture.read_bytes().startswith(b"\x89PNG")
    listed = vastus("plot", folder / "isometric", "--list")[1].splitlines()
    assert "bar_force_N" in listed
    assert "time_s" in listed
    code, _, err = vastus("plot", folder, "--x", "activation", "--y", "nothing")
    assert code == 2
    assert "no column 'nothing'" in err
    assert "give --y" not in err
    code, _, err = vastus("plot", folder / "isometric", "--y", "bar_forceN")
    assert code == 2
    assert "no column 'bar_forceN'; did you mean 'bar_force_N'" in err
    assert "bar_work_J" not in err
    assert "name at least one column by --y" in vastus("plot", folder)[2]
