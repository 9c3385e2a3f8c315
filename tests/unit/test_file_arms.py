"""Measured arms beside those of the file: the same angles, and nothing where there is no file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from vastus.errors import FileError
from vastus.experiments.file_arms import side_by_side
from vastus.modelling.lines.line_arms import ARMS, ArmCurves, write_arms

TURNED = np.array([0.0, 15.0, 30.0])
TABLE = {"a_arm_m": np.array([0.011, 0.0165, np.nan]), "b_arm_m": np.zeros(3)}


def written(folder: Path) -> Path:
    """Arms of 'a' that grow from 10 to 30 mm between 20 and 60 degrees; grown at 30."""
    angles = np.radians([20.0, 40.0, 60.0])
    arms = np.array([[0.01], [0.02], [0.03]])
    curves = ArmCurves("elbow", np.radians(30.0), angles, ("a",), arms, arms, arms, 2 * arms)
    write_arms(folder / ARMS, [curves])
    return folder


def test_arms_are_compared_at_the_angles_of_the_file(tmp_path: Path) -> None:
    found = side_by_side(written(tmp_path), "elbow", TURNED, TABLE, ["a", "b"])
    assert found is not None
    np.testing.assert_allclose(found.angles, [30.0, 45.0, 60.0])
    assert list(found.file) == ["a"]
    np.testing.assert_allclose(found.file["a"], [0.015, 0.0225, 0.03])
    first = found.lines()[2].split()
    assert first == ["30.0", "11.0", "15.0", "0.73"]
    found.write(tmp_path)
    last = (tmp_path / "arms.csv").read_text(encoding="utf-8").splitlines()[-1]
    assert last == "60.0,,0.03"


def test_there_is_no_comparison_without_a_table_or_for_another_joint(tmp_path: Path) -> None:
    assert side_by_side(tmp_path, "elbow", TURNED, TABLE, ["a"]) is None
    assert side_by_side(written(tmp_path), "wrist", TURNED, TABLE, ["a"]) is None


def test_a_table_that_is_none_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / ARMS).write_text("joint,angle_deg\nelbow,up\n", encoding="utf-8")
    with pytest.raises(FileError, match="is no table of moment arms"):
        side_by_side(tmp_path, "elbow", TURNED, TABLE, ["a"])
