"""Ball joints at their limits: where bones come to rest, and how Newton gets there."""

from __future__ import annotations

import numpy as np
import pytest

from builders import inputs_of, pair
from vastus.energies.ball_limits import BallLimits
from vastus.errors import ModelError
from vastus.measure.outputs import Outputs
from vastus.model import Model
from vastus.numerics.rotation import exp_map
from vastus.numerics.types import Floats
from vastus.reproduce.emu.paper import hinged_bones
from vastus.skeleton.affine import Affine
from vastus.skeleton.ball_range import BallRange
from vastus.skeleton.joints import Ball
from vastus.solvers.emu.space import refuse_resistance
from vastus.solvers.newton import Newton
from vastus.solvers.problem import Problem, Reduction
from vastus.solvers.quasi_newton import QuasiNewton
from vastus.state import State, rest

X = (1.0, 0.0, 0.0)


def hanging(limits: BallRange) -> Model:
    """Two bones and nothing else, the second hanging on a ball of the first, which is held."""
    ball = Ball("ball", ("upper", "lower"), np.zeros(3), range=limits)
    return hinged_bones().with_(joints=(ball,))


def mass_centre(model: Model) -> Floats:
    """(3,) the direction from the ball to the centre of mass of the second bone at rest."""
    tets = model.tets_of(["lower"])
    centre = model.mesh.volumes[tets] @ model.mesh.centroids[tets]
    return np.asarray(centre / np.linalg.norm(centre))


def tuple_of(v: Floats) -> tuple[float, float, float]:
    return float(v[0]), float(v[1]), float(v[2])


def settled(model: Model, solver: Newton | QuasiNewton | None = None) -> State:
    stepper = (solver or Newton(1e-10)).prepare(model)
    state, report = stepper.step(rest(model), inputs_of(model))
    assert report.converged
    return state


SOLVERS = {
    "Newton": Newton(1e-10),
    "QuasiNewton": QuasiNewton(),
    "affine": Newton(1e-10, reduction=Reduction(Affine())),
}


@pytest.mark.parametrize("name", SOLVERS)
def test_a_bone_hangs_at_the_edge_of_its_cone(name: str) -> None:
    """In the plane of the weight, less than the width of the soft zone before the end."""
    down = mass_centre(hinged_bones())
    limits = BallRange(axis=tuple_of(down), swing=np.radians(30.0))
    model = hanging(limits)
    state = settled(model, SOLVERS[name])
    out = Outputs(model).of(state)
    assert 28.5 < out["ball_swing_deg"] < 30.0
    now = state.poses[1, :, :3] @ down
    plane = np.cross(down, [0.0, 0.0, -1.0])
    assert now @ plane == pytest.approx(0.0, abs=1e-6)


def test_the_whole_turn_ends_as_well() -> None:
    model = hanging(BallRange(turn=np.radians(25.0)))
    out = Outputs(model).of(settled(model))
    assert 23.7 < out["ball_angle_deg"] < 25.0


def test_a_cone_about_another_direction_is_entered_from_its_edge() -> None:
    """The pose at the edge of the cone is at rest without weight: the limit begins there."""
    limits = BallRange(axis=X, swing=0.5, twist=(-0.2, 0.2), neutral=(0.0, 0.5, 0.0))
    model = hanging(limits).with_(gravity=np.zeros(3))
    state = settled(model)
    np.testing.assert_allclose(state.poses[1], np.eye(3, 4), atol=1e-12)
    heavy = settled(hanging(limits))
    angles = Outputs(model).of(heavy)
    assert angles["ball_swing_deg"] < np.degrees(0.5) + 1.0


def test_energy_is_smooth_at_no_swing_and_opposite_to_it() -> None:
    """No energy and no force where the axis points along the middle; finite ones behind."""
    model = hanging(BallRange(axis=X, swing=1.0, twist=(-0.5, 0.5)))
    problem = Problem(model, Reduction())
    (energy,) = [e for e in problem.energies if isinstance(e, BallLimits)]
    poses = rest(model).poses
    assert energy.value(problem.place(model.mesh.X, poses)) == 0.0
    assert energy.resisting(problem.place(model.mesh.X, poses)) == []

    def at(angle: float) -> float:
        poses[1, :, :3] = exp_map(np.array([0.0, angle, 0.0]))
        return energy.value(problem.place(model.mesh.X, poses))

    h = 1e-3  # the slope is continuous through the opposite direction: it vanishes there
    near, before = at(np.pi - h) - at(np.pi - 2 * h), at(np.pi - 0.5) - at(np.pi - 0.5 - h)
    assert at(np.pi + h) == pytest.approx(at(np.pi - h), rel=1e-9)
    assert 0 <= near < 0.01 * before


def test_newton_is_quadratic_at_the_limit_of_a_ball() -> None:
    """Digits double, with tissue across the joint that pulls it against its cone and twist."""
    limits = BallRange(axis=X, swing=np.radians(3.0), twist=(np.radians(-0.05), np.radians(0.05)))
    ball = Ball("ball", ("A", "B"), np.array([0.12, 0.013, -0.03]), range=limits)
    model = pair(ball)
    state, _ = Newton(1e-12).prepare(model).step(rest(model), inputs_of(model, m=0.4))
    out = Outputs(model).of(state)
    assert 1.0 < out["ball_swing_deg"] < 3.0
    _, report = Newton(1e-13).prepare(model).step(state, inputs_of(model, m=0.5))
    shares = np.array(report.history) / report.load
    last = shares[(shares < 1e-2) & (shares > 1e-12)]
    assert len(last) >= 2
    assert (last[1:] < 100 * last[:-1] ** 2 + 1e-12).all()


def test_emu_says_that_it_knows_no_limits() -> None:
    model = hanging(BallRange(axis=X, swing=np.radians(20.0)))
    problem, poses = Problem(model, Reduction()), rest(model).poses
    refuse_resistance(problem.place(model.mesh.X, poses))
    poses[1, :, :3] = exp_map(np.array([0.0, 0.4, 0.0]))
    with pytest.raises(ModelError, match=r"'ball' resists with \S+ Nm by its own spring or limit"):
        refuse_resistance(problem.place(model.mesh.X, poses))
