"""Every energy: its forces are its slope, and its stiffness is theirs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest

from builders import hinge, made, pair
from vastus import Cable, Cavity, Energy, Model
from vastus.energies.actuators.cable_friction import CableFriction
from vastus.energies.collapse import Collapse
from vastus.energies.force_velocity import ForceVelocity, Over, paces
from vastus.energies.joints import JointDamping
from vastus.inputs import Inputs
from vastus.materials.fibres.published import velocity_curve
from vastus.muscle import ForceLength
from vastus.parts import Floor, Load, Volume
from vastus.skeleton.affine import Affine
from vastus.skeleton.ball_range import BallRange
from vastus.skeleton.guides import Ring, Wrap
from vastus.skeleton.joints import JOINTS
from vastus.skeleton.passive import Passive
from vastus.solvers.hessian import Hessian
from vastus.solvers.problem import Configuration, Equilibrium, Problem, Reduction

RNG = np.random.default_rng(11)


@dataclass(frozen=True)
class Cord(Energy):
    """A cord over some vertices: stiffness [N/m] times half the square of its stretch."""

    over: tuple[int, ...]
    stiffness: float
    length: float  # [m]

    def value(self, q) -> float:
        return 0.5 * self.stiffness * (self._now(q)[1].sum() - self.length) ** 2

    def add_forces(self, q, forces) -> float:
        d, lengths = self._now(q)
        pull = self.stiffness * (lengths.sum() - self.length) * d / lengths[:, None]
        np.add.at(forces.nodes, list(self.over[1:]), pull)
        np.add.at(forces.nodes, list(self.over[:-1]), -pull)
        return float(np.linalg.norm(pull))

    def add_stiffness(self, q, stiffness) -> None:
        d, lengths = self._now(q)
        u = d / lengths[:, None]
        slope = np.zeros((len(self.over), 3))
        slope[1:] += u
        slope[:-1] -= u
        tension = self.stiffness * (lengths.sum() - self.length)
        across = np.eye(3) - u[:, :, None] * u[:, None, :]
        stiffness.add_between(
            self.over[1:], self.over[:-1], tension * across / lengths[:, None, None]
        )
        first, second = np.triu_indices(len(self.over))
        outer = self.stiffness * slope[first][:, :, None] * slope[second][:, None, :]
        over = np.array(self.over)
        stiffness.add(over[first], over[second], outer)

    def _now(self, q):
        d = np.diff(q.x[list(self.over)], axis=0)
        return d, np.linalg.norm(d, axis=1)


def with_cable() -> Model:
    model = pair(hinge())
    bone = np.flatnonzero(model.bone_of_vertex == model.bone("B"))
    soft = np.flatnonzero(model.bone_of_vertex < 0)
    return model.with_(energies=(Cord((int(soft[0]), int(soft[-1]), int(bone[-1])), 800.0, 0.05),))


def loaded() -> Model:
    model = pair()
    soft = np.flatnonzero(model.bone_of_vertex < 0)[:2]
    return model.with_(loads=(Load("weight", soft, np.array([0.5, 0.5]), np.zeros(3)),))


def jointed(model: Model) -> Inputs:
    return replace(Inputs.rest(model), torques=np.full(len(model.joints), 0.3))


def pulled(model: Model) -> Inputs:
    return replace(Inputs.rest(model), loads=np.array([[1.0, -2.0, 3.0]]))


def resisting(kind: str) -> Model:
    """A pair whose joint has a spring, and a range that the tests go beyond."""
    near = Passive(range=(-1e-4, 1e-4), stiffness=2.0, neutral=0.05)
    return pair(replace(made(kind), passive=(near,) * JOINTS[kind].coordinates))


def within(neutral: tuple[float, float, float]) -> BallRange:
    """Limits of a ball that the pose it is made in nearly reaches, all of them."""
    free = BallRange(axis=(0.3, -0.5, 1.0), neutral=neutral)
    here = free.at_rest
    twist = (here["twist"] - 1e-4, here["twist"] + 1e-4)
    return replace(free, swing=here["swing"] + 1e-4, twist=twist, turn=here["turn"] + 1e-4)


def limited_ball(*neutral: float) -> Model:
    """A pair whose ball is limited about a neutral pose."""
    limits = within((neutral[0], neutral[1], neutral[2]))
    return pair(replace(made("ball"), range=limits))  # type: ignore[call-arg]


def flattened() -> Model:
    """A pair all of whose tets count as flat."""
    model = pair(hinge()).with_(volume=Volume.AVERAGED)
    return model.with_(energies=(Collapse(model, flat=1.5),))


def floored() -> Model:
    """A pair with a tilted floor just below it."""
    model, up = pair(hinge()), np.array([0.2, -0.3, 1.0])
    low = model.mesh.X[np.argmin(model.mesh.X @ up)] - 8e-3 * up
    return model.with_(floor=Floor(tuple(low), tuple(up), gap=3e-2))


def shortening(model: Model) -> Inputs:
    return replace(Inputs.rest(model), excitation=np.full(len(model.muscles), 0.7))


def pulling(curve: str) -> Model:
    """A pair whose force follows its belly, on the falling side of the curve."""
    model = pair(hinge())
    said = {"force_length": ForceLength.BELLY, "curve": curve, "optimal": 0.8}
    return model.with_(muscles=tuple(replace(m, **said) for m in model.muscles))


def moving(problem: Problem) -> tuple[Energy, ...]:
    """What velocity does to the force of heads that shorten and are stretched, over a step."""
    X = problem.model.mesh.X
    F, before = (problem.elastic.deformation(s * X) for s in (1.0, 1.002))
    over = Over(150.0, (4 / 3, -1 / 3), 0.01)
    curved = [replace(h, velocity=velocity_curve("hill")) for h in problem.bellies.heads]
    return (ForceVelocity(paces(curved, over, F, 0 * F - 2.0 * np.eye(3), before)),)


def guided(kind: str) -> Model:
    """A pair whose muscle a guide on the free bone keeps off its way."""
    model = pair(hinge())
    soft = np.flatnonzero(model.bone_of_vertex < 0)
    X = model.mesh.X
    order = soft[np.argsort(X[soft] @ np.array([1.0, 1e-3, 1e-6]), kind="stable")]
    sections = order[: 6 * (len(order) // 6)].reshape(6, -1)
    middle = X[sections].mean(axis=1)
    off = middle[2:4].mean(axis=0) + np.array([1e-3, 2e-3, -1e-3])
    given = ("guide", model.muscles[0].name, "B", sections, off, 5e3)
    if kind == Ring.kind:
        return model.with_(guides=(Ring(*given),))
    axis = np.array([0.0, 0.6, 0.8]) if kind == "cylinder" else np.zeros(3)
    return model.with_(guides=(Wrap(*given, axis, np.full(6, 5e-2)),))


def inflated(**given: object) -> Model:
    """A pair in whose surface, of tissue and of bones, there is a pressure."""
    model = pair(hinge())
    return model.with_(cavities=(Cavity("hull", model.mesh.boundary, **given),))  # type: ignore[arg-type]


def drawn(**given: object) -> Model:
    """A pair with a cable through means of vertices that share some, in tissue and in bones."""
    model = pair(hinge())
    tets = model.mesh.T[[*model.soft[:2], *model.tets_of(["B"])[:1], model.soft[-1]]]
    weights = np.tile([0.1, 0.2, 0.3, 0.4], (4, 1))
    return model.with_(cables=(Cable("tendon", tets, weights, **given),))  # type: ignore[arg-type]


CASES: dict[str, tuple[Callable[[], Model], Callable[[Model], Inputs], Reduction]] = {
    "tissue and gravity": (pair, Inputs.rest, Reduction()),
    "an averaged volume": (lambda: pair().with_(volume=Volume.AVERAGED), Inputs.rest, Reduction()),
    "tets that are flat": (flattened, Inputs.rest, Reduction()),
    "a torque in a hinge": (lambda: pair(hinge()), jointed, Reduction()),
    "a force in a slider": (lambda: pair(made("slider")), jointed, Reduction()),
    "limits of a hinge": (lambda: resisting("hinge"), Inputs.rest, Reduction()),
    "limits of a slider": (lambda: resisting("slider"), Inputs.rest, Reduction()),
    "limits of a universal joint": (lambda: resisting("universal"), Inputs.rest, Reduction()),
    "a damper of a universal joint": (
        lambda: pair(replace(made("universal"), passive=(Passive(damping=0.3),) * 2)),
        Inputs.rest,
        Reduction(),
    ),
    "limits of a ball": (lambda: limited_ball(0, 0, 0), Inputs.rest, Reduction()),
    "a ball from another pose": (lambda: limited_ball(0.7, -0.4, 1.1), Inputs.rest, Reduction()),
    "a ball of affine bones": (
        lambda: limited_ball(0.7, -0.4, 1.1),
        Inputs.rest,
        Reduction(Affine(1e6)),
    ),
    "affine bones": (lambda: pair(hinge()), Inputs.rest, Reduction(Affine(1e6))),
    "joints that springs tie": (lambda: pair(hinge()), Inputs.rest, Reduction(joint_stiffness=3e3)),
    "force that follows a belly": (lambda: pulling("blemker"), shortening, Reduction()),
    "force that follows the velocity of a belly": (
        lambda: pulling("blemker"),
        shortening,
        Reduction(),
    ),
    "another curve": (lambda: pulling("millard"), shortening, Reduction()),
    "loads that change": (loaded, pulled, Reduction()),
    "a floor": (floored, Inputs.rest, Reduction()),
    "a ring": (lambda: guided("ring"), Inputs.rest, Reduction()),
    "a wrap about an axis": (lambda: guided("cylinder"), Inputs.rest, Reduction()),
    "a wrap about a point": (lambda: guided("sphere"), Inputs.rest, Reduction()),
    "an energy of one's own": (with_cable, Inputs.rest, Reduction()),
    "a cavity held at a pressure": (lambda: inflated(pressure=2e4), Inputs.rest, Reduction()),
    "a cavity of gas": (lambda: inflated(pressure=5e3, gas=True), Inputs.rest, Reduction()),
    "a cable with a tension": (lambda: drawn(tension=3.0), Inputs.rest, Reduction()),
    "a cable on a spool": (
        lambda: drawn(stiffness=2e3, shortening=2e-3),
        Inputs.rest,
        Reduction(),
    ),
    "a rod that is pressed": (
        lambda: drawn(stiffness=2e3, shortening=-2e-3, slack=False),
        Inputs.rest,
        Reduction(),
    ),
    "friction of a cable": (lambda: drawn(tension=3.0, friction=0.2), Inputs.rest, Reduction()),
}


def dampened(problem: Problem) -> tuple[Energy, ...]:
    """A damper, as if its joint had turned."""
    return (JointDamping(problem.model, 200.0, np.full(len(problem.coordinates), 0.02)),)


# Energies of a step, by the names of the cases that have some.
FURTHER = {
    "friction of a cable": lambda problem: (CableFriction(problem.cables, problem.model.mesh.X),),
    "force that follows the velocity of a belly": moving,
    "a damper of a universal joint": dampened,
}


@pytest.fixture(params=CASES, scope="module")
def case(request: pytest.FixtureRequest) -> tuple[Equilibrium, Configuration]:
    make, drive, reduction = CASES[request.param]
    model = make()
    problem = Problem(model, reduction)
    further = FURTHER[request.param](problem) if request.param in FURTHER else ()
    objective = Equilibrium(problem, drive(model), further)
    from vastus.state import rest

    state = rest(model)
    moved = problem.place(state.x + 2e-4 * RNG.standard_normal(state.x.shape), state.poses)
    k = moved.chart.size
    step = np.zeros(k + len(problem.unknowns.free))
    step[:k] = 1e-2 * RNG.standard_normal(k)
    return objective, objective.retract(moved, step)


def along(objective: Equilibrium, q: Configuration, kind: str) -> np.ndarray:
    """A direction of bones or of vertices."""
    k = q.chart.size
    d = np.zeros(k + len(objective.problem.unknowns.free))
    part = slice(0, k) if kind == "bones" else slice(k, None)
    d[part] = RNG.standard_normal(len(d[part]))
    return d


@pytest.mark.parametrize("kind", ["bones", "vertices"])
def test_forces_are_the_slope_of_the_energy(case, kind: str) -> None:
    objective, q = case
    d, h = along(objective, q, kind), 1e-7
    ahead, behind = (objective.value(objective.retract(q, s * h * d)) for s in (1, -1))
    slope = objective.gradient(q) @ d
    size = np.linalg.norm(objective.gradient(q)) * np.linalg.norm(d)
    assert slope == pytest.approx((ahead - behind) / (2 * h), abs=1e-5 * size)


def test_stiffness_is_the_slope_of_the_forces_on_the_vertices(case) -> None:
    objective, q = case
    d, h, k = along(objective, q, "vertices"), 1e-7, q.chart.size
    ahead, behind = (objective.gradient(objective.retract(q, s * h * d)) for s in (1, -1))
    slope = (ahead - behind) / (2 * h)
    found = Hessian(objective.problem).operator(objective, q)(d)
    # An averaged volume leaves out what would make its matrix indefinite, and nothing near rest.
    np.testing.assert_allclose(found[k:], slope[k:], atol=2e-5 * np.abs(slope).max())


def test_stiffness_is_the_second_slope_of_the_energy_along_the_bones(case) -> None:
    """At any place, joint reactions included."""
    objective, q = case
    if objective.problem.bones.young:
        pytest.skip("an affine bone's step bends, which matters away from equilibrium")
    d, h = along(objective, q, "bones"), 2e-5
    d /= np.linalg.norm(d)
    ahead, behind = (objective.value(objective.retract(q, s * h * d)) for s in (1, -1))
    second = (ahead + behind - 2 * objective.value(q)) / h**2
    found = d @ Hessian(objective.problem).operator(objective, q)(d)
    noise = 8 * objective.noise / h**2
    assert found == pytest.approx(second, rel=1e-4, abs=noise)


def test_the_hessian_is_symmetric(case) -> None:
    objective, q = case
    multiply = Hessian(objective.problem).operator(objective, q)
    a, b = along(objective, q, "bones"), along(objective, q, "vertices")
    assert a @ multiply(b) == pytest.approx(b @ multiply(a), rel=1e-9, abs=1e-9)


def test_a_pattern_grows_when_an_energy_couples_more() -> None:
    model = with_cable()
    problem = Problem(model, Reduction())
    hessian = Hessian(problem)
    from vastus.state import rest

    q = problem.driven(rest(model), Inputs.rest(model))
    with_it = Equilibrium(problem, Inputs.rest(model))
    without = Equilibrium(problem, Inputs.rest(model))
    without.energies = without.energies[:-1]
    g = with_it.gradient(q)
    few = hessian.at(without, q).solve(g)
    many = hessian.at(with_it, q).solve(g)
    again = hessian.at(without, q).solve(g)
    assert np.abs(many - few).max() > 1e-3 * np.abs(few).max()
    np.testing.assert_allclose(again, few, rtol=1e-9, atol=1e-9 * np.abs(few).max())
