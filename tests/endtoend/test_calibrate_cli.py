"""`vastus calibrate`: from the example's files to a table of parameters, in one sentence if not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from vastus.cli import main

EXAMPLES = Path(__file__).parents[2] / "examples" / "calibrate"
FILES = ("fit.yaml", "force_length.csv", "held_muscle.yaml", "held_muscle_active.yaml")


def vastus(*words: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(main, [str(word) for word in words])
    return done.exit_code, done.stdout, done.stderr


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for name in FILES:
        shutil.copy(EXAMPLES / name, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("muscles.belly.str", "muscles.bely.str", "no muscle 'bely'; muscles: belly (like"),
        ("column: passive_N", "column: passive", "has no column 'passive'; it has: time_s"),
        ("belly_on_lower_z_N, file", "belly_z_N, file", "no output 'belly_z_N'; did you mean"),
        ("start: 2e5, min: 5e4", "start: 2e4, min: 5e4", "starts at 20000 between 50000 and"),
        ("scene: held_muscle.yaml", "scene: none.yaml", "fit.yaml, line 4 (scene): there is no"),
        ("parameters:", "parameter:", "unknown key 'parameter'; did you mean 'parameters'?"),
        ("error: 0.5", "error: 0", "line 11 (targets.0.error): 0 was given, but it must be"),
    ],
)
def test_what_cannot_be_fitted_is_one_sentence(place: Path, old: str, new: str, said: str) -> None:
    path = place / "fit.yaml"
    path.write_text(path.read_text().replace(old, new, 1))
    code, _, err = vastus("calibrate", path, "-o", place / "out")
    assert code == 2
    assert said in err.splitlines()[-1]
    assert not (place / "out").exists()


@pytest.mark.slow
def test_the_example_is_fitted(place: Path) -> None:
    code, out, _ = vastus("calibrate", place / "fit.yaml", "-o", place / "out")
    assert code == 0
    assert "converged after" in out
    rows = (place / "out" / "parameters.csv").read_text().splitlines()[1:]
    for row, truth in zip(rows, (3.2e5, 1.06, 2.5e4, 4e5), strict=True):
        value, error = (float(cell) for cell in row.split(",")[1:3])
        assert abs(value - truth) < 3 * error
    assert (place / "out" / "fit.png").stat().st_size > 10_000
    code, _, err = vastus("calibrate", place / "fit.yaml", "-o", place / "out")
    assert (code, "--overwrite replaces it" in err) == (2, True)
