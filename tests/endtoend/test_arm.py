"""The anatomical arm from formulas to a bent elbow, as the README shows it."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from vastus.cli import main
from vastus.results.result import read_result

pytest.importorskip("wildmeshing", reason="the arm is meshed with wildmeshing")
pytest.importorskip("igl", reason="the arm's surfaces need libigl")


@pytest.mark.slow
def test_the_demo_bends_the_anatomical_arm(tmp_path: Path) -> None:
    folder = tmp_path / "arm"
    done = CliRunner().invoke(main, ["demo", "--arm", "--no-pictures", "-o", str(folder)])
    assert done.exit_code == 0, done.output
    assert done.stdout.count(" good") == 5
    result = read_result(folder)
    model = result.model
    assert {m.name for m in model.muscles} >= {"biceps", "triceps", "brachialis", "deltoid"}
    assert model.mesh.volumes.min() > 0
    assert model.mesh.quality().min_dihedral.min() > 8
    angle = result.table["elbow_angle_deg"]
    assert angle[-1] - angle[0] > 40
