"""Torques shared out among muscles: closed forms, limits, and OpenSim's static optimisation."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from vastus.control.activations.static_optimisation import distribute

DATA = Path(__file__).parents[3] / "shared" / "data" / "opensim_arm26"
FORCES = {  # [N] of arm26
    "TRIlong": 798.52, "TRIlat": 624.3, "TRImed": 624.3,
    "BIClong": 624.3, "BICshort": 435.56, "BRA": 987.26,
}  # fmt: skip


def test_without_limits_in_reach_activations_are_those_of_the_pseudo_inverse() -> None:
    """a = C^T (C C^T)^-1 tau has the least sum of squares of all a with C a = tau."""
    C = np.array([[20.0, 12.0, -15.0, 3.0], [0.0, 9.0, -4.0, -8.0]])
    tau = np.array([5.0, 2.0])
    wanted = C.T @ np.linalg.solve(C @ C.T, tau)
    shared = distribute(C, tau, low=-1.0)
    assert shared.activations == pytest.approx(wanted, abs=1e-8)
    assert np.abs(shared.reserves).max() < 1e-6


def test_a_muscle_at_its_limit_leaves_the_rest_to_the_others() -> None:
    """Two flexors of 20 and 10 N m share as 2 to 1, until the stronger one is fully active."""
    for torque, wanted in ((15.0, [0.6, 0.3]), (25.0, [1.0, 0.5]), (28.0, [1.0, 0.8])):
        shared = distribute(np.array([[20.0, 10.0]]), np.array([torque]))
        assert shared.activations == pytest.approx(wanted, abs=1e-7)


@pytest.mark.parametrize(("torque", "level", "left"), [(35.0, 1.0, 5.0), (-4.0, 0.0, -4.0)])
def test_what_muscles_cannot_give_is_the_reserve(torque: float, level: float, left: float) -> None:
    shared = distribute(np.array([[20.0, 10.0]]), np.array([torque]))
    assert shared.activations.tolist() == [level, level]
    assert shared.reserves == pytest.approx([left])


def test_a_reserve_of_one_joint_does_not_touch_the_balance_of_another() -> None:
    C = np.array([[20.0, 0.0], [0.0, 0.5]])
    shared = distribute(C, np.array([10.0, 2.0]))
    assert shared.activations == pytest.approx([0.5, 1.0], abs=1e-7)
    assert shared.reserves == pytest.approx([0.0, 1.5], abs=1e-6)


def test_activations_of_arm26_are_those_of_opensim() -> None:
    """Its optimiser stops early; the exact optimum is within 0.005 of it in 121 poses."""
    path = DATA / "arm26_so_nonphysiological_opensim46.csv"
    if not path.exists():
        pytest.skip(f"there is no {path}")
    with path.open() as file:
        rows = list(csv.DictReader(file))
    joints = ("r_shoulder_elev", "r_elbow_flex")
    for row in rows:
        arms = [[float(row[f"r_{j}_{m}"]) for m in FORCES] for j in joints]
        tau = np.array([float(row[f"tau_{j}"]) for j in joints])
        shared = distribute(np.array(arms) * list(FORCES.values()), tau, low=0.01)
        theirs = [float(row[f"a_{m}"]) for m in FORCES]
        assert np.abs(shared.activations - theirs).max() < 0.005
        assert np.abs(shared.reserves).max() < 1e-5
        assert (shared.activations**2).sum() <= (np.array(theirs) ** 2).sum() + 1e-5
