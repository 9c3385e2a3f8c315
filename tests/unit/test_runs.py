"""How near a solver is to the truth, iteration by iteration."""

from __future__ import annotations

import numpy as np
import pytest

from builders import hinge, pair
from vastus.bench.runs import Trajectory, follow
from vastus.schedules import ramp
from vastus.solvers.emu.baselines import Admm
from vastus.solvers.emu.emu import Emu
from vastus.solvers.newton import Newton
from vastus.solvers.quasi_newton import QuasiNewton
from vastus.state import rest

MODEL = pair(hinge())
INPUTS = ramp(MODEL, m=1.0, fps=1)[-1]


def test_the_time_to_an_error_is_the_one_after_which_it_stays_below() -> None:
    trajectory = Trajectory([0.0, 1.0, 2.0, 3.0], [1.0, 0.05, 0.2, 0.01])
    assert trajectory.until(0.1) == (3, 3.0)
    assert trajectory.until(0.3) == (1, 1.0)
    assert trajectory.until(2.0) == (0, 0.0)
    assert trajectory.until(0.001) == (-1, np.inf)


@pytest.mark.parametrize("solver", [Newton(), QuasiNewton(1e-3), Emu(1e4), Admm(tolerance=1e-2)])
def test_every_solver_can_be_followed_to_its_answer(solver) -> None:
    truth = Newton().prepare(MODEL).step(rest(MODEL), INPUTS)[0].x
    trajectory = follow(solver.prepare(MODEL), rest(MODEL), INPUTS, truth, 1.0)
    assert not trajectory.failure
    assert trajectory.errors[-1] < 0.02 * trajectory.errors[0]
    left = np.linalg.norm(trajectory.state.x - truth, axis=1).max()
    assert trajectory.errors[-1] == pytest.approx(left, rel=1e-6)
    assert (np.diff(trajectory.seconds) > 0).all()
