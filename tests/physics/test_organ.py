"""A muscle as a whole: force is strength times cross-section times its force-length curve.

Lengths are those of the belly between bones that are moved; forces are relative to the greatest.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from vastus.energies.belly import BellyForce, Pull
from vastus.inputs import Inputs
from vastus.measure.fields import Fields
from vastus.model import Model
from vastus.modelling.shapes import elbow, fusiform
from vastus.modelling.shapes.simple import box
from vastus.modelling.tissues import Materials
from vastus.muscle import ForceLength
from vastus.numerics.types import Floats
from vastus.parts import Bone, Drive, Load
from vastus.solvers.emu.emu import Emu
from vastus.solvers.newton import Newton
from vastus.solvers.quasi_newton import QuasiNewton
from vastus.state import Report, State, rest

SOLVERS: dict[str, Any] = {"newton": Newton(), "default": QuasiNewton()}
# Where it takes seconds, the default solver is quick, which Newton's method confirms anywhere.
BRIEFLY = [pytest.param("newton", marks=pytest.mark.slow), "default"]


def strap(cells: tuple[int, int, int] = (16, 4, 4)) -> Model:
    """A box of 200 x 40 x 40 mm between two bones that are its ends."""
    mesh, usual = box(cells, (0.2, 0.04, 0.04)), Materials()
    ends = [np.flatnonzero(np.isclose(mesh.X[:, 0], x)) for x in (0.0, 0.2)]
    return Model(
        mesh,
        np.zeros(mesh.n_tets, np.int64),
        (usual.belly("belly"),),
        np.tile([1.0, 0.0, 0.0], (mesh.n_tets, 1)),
        (usual.named("belly"),),
        (Bone("fixed", (), Drive.PINNED, ends[0]), Bone("moved", (), Drive.SCRIPTED, ends[1])),
        gravity=np.zeros(3),
        volume=usual.volume,
    )


def spindle(tets: int = 2_000) -> Model:
    """The fusiform muscle, its lower bone moved."""
    model = fusiform(tets)
    bones = [Bone("fixed", ("upper",), Drive.PINNED), Bone("moved", ("lower",), Drive.SCRIPTED)]
    return model.with_(bones=tuple(bones), gravity=np.zeros(3))


@dataclass(eq=False)
class Pulled:
    """A muscle on its way: its length over that at rest, its belly's length [m] and direction."""

    model: Model
    solver: Any
    way: Floats  # (3,) by which the moved bone goes when the length rises by 1

    def __post_init__(self) -> None:
        self.stepper, self.state = self.solver.prepare(self.model), rest(self.model)

    def to(self, length: float, activation: float = 1.0) -> Report:
        poses = np.tile(np.eye(3, 4), (len(self.model.bones), 1, 1))
        poses[self.model.bone("moved"), :, 3] = (length - 1.0) * self.way
        time = self.state.time + 1.0
        self.state, report = self.stepper.step(
            self.state, Inputs(time, np.array([activation]), poses)
        )
        return report

    @property
    def pull(self) -> Pull:
        heads = BellyForce.of(self.model).heads
        F = self.model.mesh.deformation(self.state.x)[self.model.soft]
        (pull,) = BellyForce(heads, self.state.activation).pulls(F)
        return pull

    @property
    def greatest(self) -> float:
        return float(self.model.stress[0] * self.model.fluxes[0].area)

    @property
    def end(self) -> float:
        """The force on the moved bone over the greatest."""
        model = self.model
        P = Fields(model).stress(model.mesh.deformation(self.state.x), self.state)
        held = (model.bone_of_vertex == model.bone("moved"))[model.mesh.T]
        rise = np.einsum("eai,ea->ei", model.mesh.gradients, held)
        force = np.einsum("e,eij,ej->i", model.mesh.volumes, P, rise)
        return float(np.linalg.norm(force)) / self.greatest

    @property
    def spread(self) -> float:
        lam, V = self.pull.lam, self.pull.head.volumes
        return float(np.sqrt(np.average((lam - np.average(lam, weights=V)) ** 2, weights=V)))


def pulled(shape: str, solver: str) -> Pulled:
    if shape == "strap":
        return Pulled(strap(), SOLVERS[solver], np.array([0.2, 0.0, 0.0]))
    return Pulled(spindle(), SOLVERS[solver], np.array([0.0, 0.0, -0.15]))


def law(length: float) -> float:
    """Active and passive curve of Blemker et al. 2005 at a length."""
    passive = 0.05 * np.expm1(6.6 * (length - 1.0)) if length > 1 else 0.0
    return 1.0 - 4.0 * (length - 1.0) ** 2 + passive


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_strap_pulls_with_its_section_and_follows_the_curve(solver: str) -> None:
    """The end pulls a little more than the law, by the matrix, which the ends hold sideways."""
    muscle = pulled("strap", solver)
    muscle.to(1.0)
    assert muscle.end * muscle.greatest == pytest.approx(480.0, rel=1e-6)
    assert muscle.spread < 1e-9
    for length in (1.05, 1.1, 1.15, 1.2, 1.225, 1.25, 1.3, 1.35, 1.4):
        before = muscle.state.poses[1, 0, 3] / 0.2
        report = muscle.to(length)
        assert report.projected == 0
        if solver == "newton" and length - 1 - before < 0.03:
            assert report.iterations <= 3
        # Fibres that bend inwards from the ends are a little longer, by up to 0.005.
        assert muscle.pull.stretch == pytest.approx(length, abs=0.005)
        assert 0 < muscle.end - law(length) < 0.06
        assert muscle.spread < 0.025


@pytest.mark.parametrize("solver", BRIEFLY)
def test_a_spindle_pulls_with_its_section_times_its_curve(solver: str) -> None:
    """Up to 1.4 and back under full activation: even fibres, and one state for one length."""
    muscle = pulled("spindle", solver)
    muscle.to(1.0)
    first = muscle.state
    assert muscle.end >= 0.97 * muscle.pull.force
    for length in (1.1, 1.2, 1.3, 1.4):
        muscle.to(length)
        pull = muscle.pull
        active = float(pull.tension @ pull.head.volumes) / pull.head.size
        assert active == pytest.approx(pull.force * muscle.model.stress[0], rel=1e-12)
        assert muscle.spread < 0.02
    for length in (1.3, 1.2, 1.1, 1.0):
        muscle.to(length)
    apart = np.abs(muscle.state.x - first.x).max()
    assert apart < (1e-6 if solver == "newton" else 2e-4)  # the default's accuracy is 1e-3 of 0.3 m


def test_activation_in_one_jump_leads_to_the_state_of_the_path() -> None:
    path, jump = pulled("spindle", "newton"), pulled("spindle", "newton")
    for length in (1.0, 1.1, 1.2):
        path.to(length)
    jump.to(1.2, 0.0)
    jump.to(1.2, 1.0)
    assert np.abs(path.state.x - jump.state.x).max() < 1e-6


def test_the_force_at_rest_does_not_depend_on_the_mesh() -> None:
    ends = []
    for tets in (2_000, 6_000):
        muscle = Pulled(spindle(tets), Newton(), np.array([0.0, 0.0, -0.15]))
        muscle.to(1.0)
        ends.append(muscle.end / muscle.pull.force)
    assert min(ends) >= 0.97
    assert ends[0] == pytest.approx(ends[1], rel=3e-3)


def test_tets_in_series_part_where_force_follows_each_tet() -> None:
    """What the belly's length cures: at 1.2 the stretch of a strap's tets spreads far more."""
    model = strap((8, 2, 2))
    local = tuple(replace(m, force_length=ForceLength.LOCAL) for m in model.muscles)
    muscle = Pulled(model.with_(muscles=local), Newton(1e-6), np.array([0.2, 0.0, 0.0]))
    muscle.to(1.1)
    muscle.to(1.2)
    F = model.mesh.deformation(muscle.state.x)
    lam = np.linalg.norm(F[:, :, 0], axis=1)
    assert np.std(lam) > 0.1


def test_emu_finds_the_same_belly() -> None:
    """Its error against full elements falls as 1/alpha."""
    model = spindle().with_(volume="tet")
    way = np.array([0.0, 0.0, -0.15])
    exact = Pulled(model, Newton(), way)
    exact.to(1.1)
    errors = []
    for alpha in (100.0, 1000.0):
        muscle = Pulled(model, Emu(alpha), way)
        report = muscle.to(1.1)
        assert report.iterations <= 8
        errors.append(float(np.abs(muscle.state.x - exact.state.x).max()))
    assert errors[1] < 1e-4
    assert errors[1] == pytest.approx(errors[0] / 10, rel=0.3)


def test_without_the_rank_one_term_the_stiffness_is_wrong() -> None:
    """Gradient and Hessian against finite differences, in the falling part of the curve."""
    from vastus.solvers.hessian import Hessian
    from vastus.solvers.problem import Equilibrium, Problem, Reduction

    muscle = pulled("spindle", "newton")
    muscle.to(1.0)
    muscle.to(1.2)
    problem = Problem(muscle.model, Reduction())
    objective = Equilibrium(problem, Inputs.of(muscle.state))
    q = problem.place(muscle.state.x, muscle.state.poses)
    d = np.zeros(len(problem.unknowns.free))
    (column, _), *_ = objective.stiffness(
        q, np.empty((len(problem.elastic.T), 9, 9)), definite=False
    ).columns
    d[:] = column.ravel()[problem.unknowns.free]
    d *= 1e-3 / np.abs(d).max()

    def difference(h: float) -> Floats:
        ahead, behind = (objective.gradient(objective.retract(q, s * h * d)) for s in (1, -1))
        return np.asarray((ahead - behind) / (2 * h))

    h = 2e-3
    slope = (4 * difference(h / 2) - difference(h)) / 3
    found = Hessian(problem).operator(objective, q)(d)
    size = np.abs(slope).max()
    assert np.abs(found - slope).max() < 1e-7 * size
    # Without the column the error is large.
    u = column.ravel()[problem.unknowns.free]
    (pull,) = next(e for e in objective.energies if isinstance(e, BellyForce)).pulls(q.F)
    without = found - pull.curvature * u * float(u @ d)
    assert np.abs(without - slope).max() > 1e-5 * size


@cache
def arm() -> Model:
    return elbow(12_000)


def flexed(model: Model, solver: Any, levels: tuple[float, ...]) -> list[tuple[float, State]]:
    """The angle of the elbow [deg] at each activation of the biceps, one after the other."""
    from vastus.measure.outputs import Outputs

    stepper, state, found = solver.prepare(model), rest(model), []
    outputs = Outputs(model)
    for index, level in enumerate(levels):
        inputs = replace(Inputs.rest(model, time=index + 1.0), excitation=np.array([level, 0.0]))
        state, _ = stepper.step(state, inputs)
        found.append((outputs.of(state)["elbow_angle_deg"], state))
    return found


@pytest.mark.parametrize("solver", BRIEFLY)
def test_the_elbow_flexes_as_an_elbow(solver: str) -> None:
    from vastus.measure.outputs import Outputs

    model = arm()
    *_, (angle, state) = flexed(model, SOLVERS[solver], (0.3, 1.0))
    assert 115 < angle < 125
    out = Outputs(model).of(state)
    assert 0.6 < out["biceps_stretch"] / 0.96 < 1.25
    assert 0.6 < out["triceps_stretch"] / 1.1 < 1.25


@pytest.mark.slow  # the quick ones flex it without a load
@pytest.mark.parametrize("solver", SOLVERS)
def test_the_elbow_holds_five_kilograms(solver: str) -> None:
    model = arm()
    hand = np.unique(model.mesh.T[model.tets_of(["hand"])])
    weight = np.array([0.0, 0.0, -5 * 9.81])
    even = np.full(len(hand), 1.0 / len(hand))
    loaded = model.with_(loads=(Load("weight", hand, even, weight),))
    (half, _), (more, _) = flexed(loaded, SOLVERS[solver], (0.5, 0.7))
    assert 20 < half < more < 55
