"""The demo keeps its promises: a well bent elbow, and a law of one's own as good as a built-in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from vastus.cli import main
from vastus.cli.demo import Figure, figures_of
from vastus.materials.base import LAWS
from vastus.modelling.build import build
from vastus.results.result import read_result
from vastus.scene.read import read

# The energy of the how-to and of the example, to the letter: it is compiled once for all of them.
OWN = """\
import numpy as np, vastus
@vastus.law
def my_neo_hookean(F, young=2e5, poisson=0.49):
    (mu, lam), log_J = vastus.materials.base.lame(young, poisson), np.log(vastus.materials.det(F))
    return mu / 2 * (np.sum(F * F) - 3) - mu * log_J + lam / 2 * log_J**2
"""


def demo(output: Path, *words: str) -> Result:
    """The demo in this process, small and without pictures."""
    small = ["--tets", "1000", "--no-pictures"]
    return CliRunner().invoke(main, ["demo", "-o", str(output), *small, *words])


@pytest.fixture(scope="module")
def bent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the demo's result."""
    folder = tmp_path_factory.mktemp("demo") / "out"
    done = demo(folder)
    assert done.exit_code == 0, done.output
    assert done.stdout.count(" good") == 5
    return folder


def test_the_elbow_is_bent_well(bent: Path) -> None:
    found = {figure.what: figure for figure in figures_of(read_result(bent).model, bent)}
    assert found["elbow flexion"].value > 40
    assert found["gap over bone length"].value < 1e-6
    assert found["strain of bones"].value < 1e-6
    assert found["volume change of muscle"].value < 0.05
    assert found["inverted tets"].value == 0
    assert all(figure.good for figure in found.values())


def test_the_scene_of_the_demo_is_that_of_its_result(bent: Path) -> None:
    scene, result = read(bent / "scene.yaml"), read_result(bent)
    model = build(scene)
    assert model.digest == result.model.digest
    assert [inputs.time for inputs in scene.inputs(model)] == pytest.approx(result.times)


@pytest.mark.slow  # the quick one builds it
def test_the_scene_of_the_demo_repeats_it(bent: Path, tmp_path: Path) -> None:
    words = ["run", str(bent / "scene.yaml"), "-o", str(tmp_path / "out"), "--no-pictures"]
    assert CliRunner().invoke(main, words).exit_code == 0
    first, second = (read_result(f).frame(-1).mesh.X for f in (bent, tmp_path / "out"))
    np.testing.assert_allclose(first, second, atol=1e-12)


def test_the_demo_fails_if_a_figure_is_not_good(
    bent: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lazy = Figure("elbow flexion", 10.0, 40.0, "{:.1f} deg", True)
    monkeypatch.setattr("vastus.cli.demo.figures", lambda *_: [lazy])
    monkeypatch.setattr("vastus.cli.demo.solve", lambda *_, **__: None)
    (tmp_path / "out").symlink_to(bent)
    done = demo(tmp_path / "out")
    assert done.exit_code == 1
    assert "NOT GOOD" in done.stdout
    last = done.stderr.splitlines()[-1]
    assert last == "error: elbow flexion 10.0 deg wanted above 40.0 deg"


@pytest.fixture
def own_law(tmp_path: Path) -> Iterator[Path]:
    """The file of a law, which is forgotten at the end."""
    (tmp_path / "own.py").write_text(OWN)
    yield tmp_path / "own.py"
    LAWS.pop("my_neo_hookean")


@pytest.mark.slow
def test_a_law_of_five_lines_bends_the_elbow_like_the_built_in(
    own_law: Path, tmp_path: Path
) -> None:
    options = {"neo_hookean": (), "my_neo_hookean": ("--laws", str(own_law))}
    for name, more in options.items():
        done = demo(tmp_path / name, "--muscle-law", name, *more)
        assert done.exit_code == 0, done.output
    first, second = (read_result(tmp_path / name).frame(-1).mesh.X for name in options)
    np.testing.assert_allclose(first, second, atol=1e-8)
