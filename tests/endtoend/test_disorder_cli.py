"""`vastus disorder`: a body and a list of changes in, findings before and after out."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from vastus.cli import main
from vastus.files.curve_file import read_columns

pytest.importorskip("mujoco", reason="bodies of MJCF are placed by MuJoCo")

ARM = Path(__file__).parents[2] / "examples" / "little_arm.xml"
CHANGES = """\
disorders:
  - {kind: weakness, muscles: flexor, force: 0.5}
  - {kind: contracture, muscles: [extensor], length: 0.9}
"""


def call(*words: object, code: int = 0) -> Result:
    """Run a command in this process."""
    done = CliRunner().invoke(main, [str(word) for word in words])
    assert done.exit_code == code, done.output
    return done


@pytest.fixture
def changes(tmp_path: Path) -> Path:
    """A file of two disorders."""
    path = tmp_path / "changes.yaml"
    path.write_text(CHANGES)
    return path


def test_findings_before_and_after(tmp_path: Path, changes: Path) -> None:
    folder = tmp_path / "found"
    words = ["disorder", ARM, "--disorders", changes, "-o", folder]
    hold = ["--pose", "elbow=60", "--hold", 0.5, "--at", 0, 0, -0.2]
    done = call(*words, *hold)
    assert "1. weakness of flexor: force 0.5" in done.stderr
    with (folder / "findings.csv").open() as file:
        rows = {(row["measure"], row["of"]): row for row in csv.DictReader(file)}
    strength = rows["strength raising", "elbow"]
    assert float(strength["after"]) == pytest.approx(0.5 * float(strength["before"]))
    held = rows["holding 0.5 kg", "flexor"]
    assert f"{float(held['after']):.3f}" in done.stdout
    assert float(held["after"]) > 2.0 * float(held["before"])  # the extensor pulls against it
    curves = read_columns(folder / "elbow.csv")
    assert np.nanmax(curves["angle_deg"]) == pytest.approx(100.0)
    assert curves["raising_after_Nm"] == pytest.approx(0.5 * curves["raising_before_Nm"], rel=0.05)
    record = json.loads((folder / "provenance.json").read_text())
    assert record["disorders"][1] == "contracture of extensor: length 0.9"
    assert record["status"] == "finished"
    assert (folder / "elbow.png").stat().st_size > 10_000
    refused = call(*words, "--no-plot", code=2)
    assert "holds findings; --overwrite replaces them" in refused.stderr
    again = ["disorder", ARM, "--disorders", folder / "disorders.yaml", "-o", tmp_path / "again"]
    call(*again, *hold, "--no-plot")
    kept = (tmp_path / "again" / "findings.csv").read_text()
    assert kept == (folder / "findings.csv").read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--hold", "1"], "no palm: say where 'lower' holds the weight by --at X Y Z"),
        (["--at", "0", "0", "0"], "give the weight by --hold KG"),
        (["--joint", "knee"], "no hinge 'knee'; hinges: elbow"),
        (["--pose", "elbow"], "--pose 'elbow' is not of the form JOINT=DEG"),
        (["--pose", "elbow=x"], "--pose 'elbow=x' is not of the form JOINT=DEG"),
        (["--pose", "knee=3"], "no hinge 'knee'; hinges: elbow"),
        (["--hand", "foot"], "has no hand 'foot': no site and no body has that name"),
    ],
)
def test_what_is_asked_wrongly_writes_nothing(
    tmp_path: Path, changes: Path, words: list[str], said: str
) -> None:
    done = call("disorder", ARM, "--disorders", changes, "-o", tmp_path / "o", *words, code=2)
    assert said in done.stderr
    assert not (tmp_path / "o").exists()


def test_a_wrong_muscle_is_told_with_its_line(tmp_path: Path, changes: Path) -> None:
    changes.write_text(CHANGES.replace("extensor", "triceps"))
    done = call("disorder", ARM, "--disorders", changes, "-o", tmp_path / "o", code=2)
    assert "changes.yaml, line 3 (disorders.1.muscles): no muscle 'triceps'" in done.stderr
    assert not (tmp_path / "o").exists()
