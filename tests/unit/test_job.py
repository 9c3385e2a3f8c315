"""A scene in one call, and runs that go on from disk."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import vastus
from vastus.errors import FileError, ModelError
from vastus.job import prepare, solve
from vastus.results.result import read_result

SCENE = """\
vastus: 1
name: small
model: {{shape: elbow, tets: 1000}}
muscles: {{biceps: {{force_velocity: millard, activation_rise: 0.015}}}}
inputs: {{seconds: 0.3, fps: 10, activation: {{biceps: 0.05}}}}
solver: {{kind: {kind}}}
"""
LONG_STEPS = "dynamic, step: 0.05"


def scene(folder: Path, kind: str = "newton") -> Path:
    path = folder / "scene.yaml"
    path.write_text(SCENE.format(kind=kind))
    return path


def test_a_scene_is_run_by_one_call(tmp_path: Path) -> None:
    result = vastus.run(scene(tmp_path), tmp_path / "out")
    assert len(result.times) == 4
    assert result.table["biceps_activation"][-1] == 0.05
    with pytest.raises(FileError, match="give resume=True to go on, overwrite=True to replace"):
        vastus.run(scene(tmp_path), tmp_path / "out")
    with pytest.raises(ModelError, match="only one of"):
        vastus.run(scene(tmp_path), tmp_path / "out", resume=True, overwrite=True)


@pytest.mark.parametrize(
    "kind", ["emu", pytest.param("newton", marks=pytest.mark.slow), "quasi_newton", LONG_STEPS]
)
def test_a_resumed_run_is_the_uninterrupted_one_to_the_last_bit(kind: str, tmp_path: Path) -> None:
    job = prepare(vastus.read(scene(tmp_path, kind)))
    whole = list(solve(job, tmp_path / "whole"))
    cut = solve(job, tmp_path / "cut")
    next(cut), next(cut)
    cut.close()
    list(solve(job, tmp_path / "cut", resume=True))
    one, other = read_result(tmp_path / "whole"), read_result(tmp_path / "cut")
    assert one.state is not None
    assert other.state is not None
    assert len(other.times) == len(whole) == 4
    np.testing.assert_array_equal(one.state.x, other.state.x)
    np.testing.assert_array_equal(one.poses, other.poses)
    np.testing.assert_array_equal(one.state.v, other.state.v)
    np.testing.assert_array_equal(one.state.activation, other.state.activation)
    assert one.state.memory.keys() == other.state.memory.keys()
    for name, values in one.state.memory.items():
        np.testing.assert_array_equal(values, other.state.memory[name])
    for name in ("biceps_activation", "biceps_excitation"):
        np.testing.assert_array_equal(one.table[name], other.table[name])
    assert [r["iterations"] for r in one.reports] == [r["iterations"] for r in other.reports]


def test_motion_in_time_has_no_referee(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="motion in time has none"):
        _ = prepare(vastus.read(scene(tmp_path, "dynamic"))).referee
