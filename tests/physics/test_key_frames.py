"""Activations from key poses: volumes that hold themselves, and arm26 beside OpenSim."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from builders import ladder
from vastus.control.activations.body_files import coordinates_of, read_line_body
from vastus.control.activations.key_frames import (
    Activations,
    Poses,
    driven_by,
    line_activations,
    poses_of,
)
from vastus.control.activations.volume_body import VolumeBody, volume_activations
from vastus.errors import ModelError
from vastus.files.motion_files import Motion, read_motion, write_motion
from vastus.inputs import Inputs
from vastus.measure.outputs import Outputs
from vastus.model import Model
from vastus.modelling.shapes import elbow
from vastus.solvers.newton import Newton
from vastus.solvers.problem import Equilibrium, Problem, Reduction
from vastus.state import rest

DATA = Path(__file__).parents[3] / "shared" / "data" / "opensim_arm26"
SOLVER = Newton(tolerance=1e-10)


@pytest.fixture(scope="module")
def arm() -> Model:
    return elbow(tets=1_000)


def held(*degrees: float) -> Poses:
    """Key poses of one hinge, a second apart."""
    return Poses(np.arange(len(degrees), dtype=float), np.radians(degrees)[:, None])


def test_volumes_hold_key_poses_with_nothing_but_muscles(arm: Model) -> None:
    """At the activations found dE/dq = 0: no reaction is left to hold the joint."""
    body = VolumeBody(arm, SOLVER, ("elbow",))
    found = volume_activations(body, held(10.0, 45.0))
    assert (np.abs(found.reserves) < 1e-6 * np.abs(found.torques)).all()
    assert (found.activations[:, 0] > 0.02).all()
    assert (found.activations[:, 1] == 0.0).all()  # the triceps would only work against it
    assert np.abs(found.torques - found.arms[:, 0, :1] * _tension(body, found)).max() < 1e-6


def _tension(body: VolumeBody, found: Activations) -> np.ndarray:
    """(k, 1) the active tension of the biceps in each pose [N]."""
    state, outputs, rows = rest(body.model), Outputs(body.model), []
    for time, q, a in zip(found.times.tolist(), found.values, found.activations, strict=True):
        state = body.reached(state, time, q, a)
        rows.append([outputs.of(state)["biceps_active_N"]])
    return np.array(rows)


def test_straight_lines_in_place_of_volumes_leave_a_reaction(arm: Model) -> None:
    """The reserve is what the volumes leave unbalanced at the activations of the lines."""
    body = VolumeBody(arm, SOLVER, ("elbow",))
    lines = volume_activations(body, held(45.0), lines=True)
    state = body.reached(rest(body.model), 0.0, lines.values[0], lines.activations[0])
    assert lines.reserves[0] == pytest.approx(body.reactions(state), rel=1e-6)
    assert 0.01 < abs(float(lines.reserves[0, 0] / lines.torques[0, 0])) < 0.5


def test_a_muscle_that_is_too_weak_leaves_a_reserve(arm: Model) -> None:
    weak = arm.with_(muscles=tuple(replace(m, limit=0.03) for m in arm.muscles))
    found = volume_activations(VolumeBody(weak, SOLVER, ("elbow",)), held(20.0))
    assert found.activations[0].tolist() == [0.03, 0.0]
    assert found.reserves[0, 0] > 0.3 * found.torques[0, 0] > 0


def test_two_joints_are_balanced_by_muscles_that_cross_one_and_both() -> None:
    """Both reactions are zero at once: with the joints free, no force acts on any unknown."""
    model = ladder().with_(gravity=np.array([0.0, 0.0, -9.81]))
    body, q = VolumeBody(model, SOLVER, ("AB", "BC")), np.radians([[2.0, 3.0]])
    found = volume_activations(body, Poses(np.zeros(1), q))
    assert (np.abs(found.reserves) < 1e-6 * np.abs(found.torques).max()).all()
    assert (found.activations > 0).all()
    left = []
    for activations in (found.activations[0], np.zeros(2)):
        state = body.reached(rest(body.model), 0.0, q[0], activations)
        free = Equilibrium(
            Problem(model, Reduction()), replace(Inputs.rest(model), excitation=activations)
        )
        here = free.problem.configure(state.x, state.poses)
        left.append(float(np.abs(free.gradient(here)).max()))
    assert left[0] < 1e-5 * left[1]


def test_volumes_are_not_moved_fast(arm: Model) -> None:
    one = np.zeros((1, 1))
    with pytest.raises(ModelError, match="must be static"):
        volume_activations(VolumeBody(arm, SOLVER, ("elbow",)), Poses(np.zeros(1), one, one, one))
    with pytest.raises(ModelError, match="no hinge 'knee'; hinges: elbow"):
        volume_activations(VolumeBody(arm, SOLVER, ("knee",)), held(1.0))


def test_a_motion_drives_the_coordinates_that_it_has_columns_for(tmp_path: Path) -> None:
    pytest.importorskip("mujoco", reason="bodies of MJCF are placed by MuJoCo")
    path = Path(__file__).parents[2] / "examples" / "little_arm.xml"
    motion = Motion(np.array([0.0, 1.0]), {"Forearm.X": np.array([20.0, -50.0])})
    with pytest.raises(ModelError, match="is called as a coordinate of the model: elbow"):
        driven_by(motion, coordinates_of(path), {})
    columns = {"elbow": "-Forearm.X"}
    driven = driven_by(motion, coordinates_of(path), columns)
    poses = poses_of(motion, driven, columns, rest={"elbow": np.radians(-30)}, static=True, fps=2)
    assert poses.times.tolist() == [0.0, 0.5, 1.0]
    assert np.degrees(poses.values[:, 0]) == pytest.approx([10.0, 45.0, 80.0])
    found = line_activations(read_line_body(path, ["elbow"]), poses)
    moment = (found.arms[:, 0] * found.activations * [200.0, 150.0]).sum(axis=1)
    assert moment == pytest.approx(found.torques[:, 0], abs=1e-8)


def test_arm26_follows_a_motion_with_the_activations_of_opensim(tmp_path: Path) -> None:
    """Within 0.005 of its static optimisation, arms within 1e-4 m, torques within 2e-3 N m.

    The table of OpenSim's was made with its filter at 6 Hz.
    """
    opensim: Any = pytest.importorskip("opensim", reason="the extra 'osim' is absent")
    if not DATA.exists():
        pytest.skip(f"there is no {DATA}")
    motion = read_motion(DATA / "arm26_InverseKinematics.mot")
    driven = driven_by(motion, coordinates_of(DATA / "arm26.osim"), {})
    body = read_line_body(DATA / "arm26.osim", [c.name for c in driven])
    every = poses_of(motion, driven, {}, cutoff=6.0)
    some = slice(0, None, 10)
    assert every.speeds is not None
    assert every.accelerations is not None
    poses = Poses(
        every.times[some], every.values[some], every.speeds[some], every.accelerations[some]
    )
    found = line_activations(body, poses)
    with (DATA / "arm26_so_nonphysiological_opensim46.csv").open() as file:
        rows = list(csv.DictReader(file))[some]
    activations = [[float(row[f"a_{m}"]) for m in found.muscles] for row in rows]
    torques = [[float(row[f"tau_{c.name}"]) for c in driven] for row in rows]
    arms = [[[float(r[f"r_{c.name}_{m}"]) for m in found.muscles] for c in driven] for r in rows]
    assert np.abs(found.activations - activations).max() < 0.005
    assert np.abs(found.torques - torques).max() < 2e-3
    assert np.abs(found.arms - np.array(arms)).max() < 1e-4
    write_motion(tmp_path / "a.sto", found.motion())
    table = opensim.TimeSeriesTable(str(tmp_path / "a.sto"))
    assert tuple(table.getColumnLabels()) == found.muscles
    back = [[row[k] for k in range(6)] for row in map(table.getRowAtIndex, range(len(rows)))]
    assert np.abs(found.activations - back).max() < 1e-9
