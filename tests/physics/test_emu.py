"""EMU against finite differences, dense algebra and Newton's method on the full elements."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from builders import SOFT, box, hinge, inputs_of, ladder, pair, row, solid
from vastus.energies.collapse import Collapse
from vastus.energies.volume import AveragedVolume
from vastus.errors import ModelError
from vastus.inputs import Inputs
from vastus.materials import StableNeoHookean
from vastus.model import Model
from vastus.modelling.shapes.elbow import elbow
from vastus.modelling.shapes.simple import fusiform
from vastus.modelling.tissues import Materials
from vastus.numerics.minimise import Outcome
from vastus.numerics.rotation import exp_map
from vastus.numerics.types import Floats
from vastus.parts import Drive, Pin, Volume
from vastus.schedules import ramp
from vastus.skeleton.affine import Affine
from vastus.skeleton.joints import Ball, Joint
from vastus.solvers.emu.baselines import Admm, DeformationLBFGS
from vastus.solvers.emu.directions import (
    DirectionChoice,
    ExactNewton,
    NewtonCG,
    Woodbury,
    WoodburyLBFGS,
)
from vastus.solvers.emu.emu import Emu, choose_alpha, search_alpha
from vastus.solvers.emu.pieces import Pieces, PiecesEnergy
from vastus.solvers.newton import Newton
from vastus.solvers.problem import Configuration
from vastus.state import State, rest
from vastus.timeloop import Solver, simulate

BALL = Ball("ball", ("A", "B"), np.array([0.12, 0.015, -0.03]))
TWO_HINGES = (hinge(("A", "B")), hinge(("B", "C"), 0.28))


def bent(model: Model, direction: DirectionChoice, alpha: float) -> tuple[PiecesEnergy, Pieces]:
    """EMU's energy and a point with random gradients, its bones nearly rigid."""
    stepper = Emu(alpha, direction).prepare(model)
    energy = stepper.energy(rest(model), inputs_of(model, m=0.5), alpha)
    noise = np.random.default_rng(0).standard_normal((len(energy.F0), 3, 3))
    noise[: energy.space.soft] *= 0.05
    noise[energy.space.soft :] *= 1e-6
    return energy, energy.at(np.eye(3) + noise)


def solved(solver: Solver, model: Model, inputs: Inputs) -> Outcome[Configuration]:
    """The outcome of one solve from rest, converged or not."""
    return solver.prepare(model).solve(rest(model), inputs, None)  # type: ignore[attr-defined]


def newton(model: Model, inputs: Inputs) -> State:
    """The referee's equilibrium."""
    return Newton(tolerance=1e-10).prepare(model).step(rest(model), inputs)[0]


def error(model: Model, found: Configuration | State, exact: State) -> float:
    """The largest distance of a vertex to its place, over the model's length."""
    length = np.ptp(model.mesh.X, axis=0).max()
    return float(np.linalg.norm(found.x - exact.x, axis=1).max() / length)


def test_the_gradient_is_the_slope_of_the_energy_along_curved_steps() -> None:
    """Central differences over steps on which the bones turn; error of order h^2."""
    energy, q = bent(pair(hinge()), ExactNewton(), 30.0)
    d = np.random.default_rng(1).standard_normal(q.F.size) * np.repeat(energy.space.length, 9)
    d.reshape(-1, 9)[energy.space.soft :] *= 1e-3
    h = 1e-5
    ahead, behind = (energy.value(energy.retract(q, s * d)) for s in (h, -h))
    assert (ahead - behind) / (2 * h) == pytest.approx(energy.gradient(q) @ d, rel=1e-5)


def test_the_distance_to_the_mesh_is_exact_along_a_step() -> None:
    """The scalar quadratic with its terms for turning bones equals a fresh solve."""
    energy, q = bent(pair(hinge()), ExactNewton(), 30.0)
    d = 0.1 * np.random.default_rng(1).standard_normal(q.F.size) * np.repeat(energy.space.length, 9)
    there = energy.retract(q, d)
    again = energy.at(there.F)
    assert there.distance == pytest.approx(again.distance, rel=1e-12)
    np.testing.assert_allclose(there.y, again.y, atol=1e-13)


@pytest.mark.parametrize("volume", Volume)
@pytest.mark.parametrize("choice", [ExactNewton(), NewtonCG(1e-12, 3000)], ids=["factor", "cg"])
def test_the_exact_direction_solves_with_the_true_hessian(
    choice: DirectionChoice, volume: Volume
) -> None:
    """(g(F + h d) - g(F - h d)) / 2 h = -g: a product with the Hessian by differences.

    The step balances the error h^2 against the round-off of a bone of 1e10 Pa: 2e-6 together.
    """
    energy, q = bent(pair(hinge(), volume=volume), choice, 30.0)
    g = energy.gradient(q)
    d = (energy.direction(q, g) / np.repeat(energy.space.length, 9)).reshape(-1, 3, 3)
    h = 3e-6 / np.abs(d).max()
    change = energy.gradient(energy.at(q.F + h * d)) - energy.gradient(energy.at(q.F - h * d))
    error = np.linalg.norm(change / (2 * h) + g) / np.linalg.norm(g)
    assert error < 1e-5


@pytest.mark.parametrize("joint", [None, hinge()], ids=["strap", "hinge"])
def test_an_averaged_volume_has_the_equilibrium_of_newton(joint: Joint | None) -> None:
    """The error falls as 1/alpha, as it does without."""
    model = pair(joint, volume=Volume.AVERAGED)
    inputs = inputs_of(model, m=0.5)
    exact = newton(model, inputs)
    found = [solved(Emu(alpha, tolerance=1e-8), model, inputs) for alpha in (1e3, 1e4)]
    assert all(outcome.converged for outcome in found)
    far, near = (error(model, outcome.point, exact) for outcome in found)
    assert near < 1e-4
    assert far / near == pytest.approx(10, rel=0.05)


def test_a_tet_that_is_pressed_flat_resists_as_with_newton() -> None:
    """Energies of tissue, patches and collapse, and their stress, at the same gradients."""
    model = pair(volume=Volume.AVERAGED)
    energy, q = bent(model, Woodbury(), 30.0)
    F = np.broadcast_to(np.eye(3), q.F.shape).copy()
    F[0, 0, 0] = 0.05
    tissue = F[: energy.space.soft]
    own = energy.problem.elastic.energy(tissue, energy.tension).sum()
    shared = [kind(model).energy(tissue).sum() for kind in (AveragedVolume, Collapse)]
    assert min(shared) > 0
    assert energy.elastic(F).sum() == pytest.approx(own + sum(shared), rel=1e-12)
    h, turn = 1e-6, np.zeros_like(F)
    turn[0] = np.random.default_rng(0).standard_normal((3, 3))
    ahead, behind = (energy.elastic(F + s * h * turn).sum() for s in (1, -1))
    slope = np.einsum("eij,eij->", energy.stress(F), turn)
    assert (ahead - behind) / (2 * h) == pytest.approx(slope, rel=1e-6)


def dense_inverse(energy: PiecesEnergy, q: Pieces, shapes: Floats) -> Floats:
    """The inverse of H - alpha W B (Bᵀ W B)⁻¹ Bᵀ W, every matrix written out."""
    space, m = energy.space, len(energy.F0)
    H = np.zeros((m, 9, m, 9))
    blocks = np.concatenate(energy.tangents(q.F)) * space.volumes[:, None, None]
    for e in range(m):
        H[e, :, e] = blocks[e] + energy.alpha * space.w[e] * np.eye(9)
    if energy.problem.volume:
        F = q.F[: space.soft]
        u, patch = energy.problem.volume.gradients(F), energy.problem.volume.patch
        for p, c in enumerate(energy.problem.volume.curvatures(F)):
            own = np.zeros((m, 9))
            own[: space.soft] = u.reshape(-1, 9) * (patch == p)[:, None]
            H += c * np.multiply.outer(own, own)
    B = (space.D @ shapes).reshape(m, 3, -1)
    wide = np.einsum("eci,rs->ercis", B, np.eye(3)).reshape(9 * m, -1)
    weighted = wide * np.repeat(space.w, 9)[:, None]
    low = weighted @ np.linalg.solve(wide.T @ weighted, weighted.T)
    return np.linalg.inv(H.reshape(9 * m, 9 * m) - energy.alpha * low)


@pytest.mark.parametrize("volume", Volume)
@pytest.mark.parametrize("alpha", [1.0, 1e4])
def test_the_woodbury_direction_equals_the_dense_inverse(alpha: float, volume: Volume) -> None:
    """EMU eq. 17 with its signs corrected, on 24 tets and a bone."""
    model = pair(hinge(), cells=(8, 1, 1), volume=volume)
    stepper = Emu(alpha, Woodbury(), modes=12).prepare(model)
    energy = stepper.energy(rest(model), inputs_of(model, m=0.5), alpha)
    noise = 0.02 * np.random.default_rng(0).standard_normal((len(energy.F0), 3, 3))
    noise[energy.space.soft :] *= 1e-6
    q = energy.at(np.eye(3) + noise)
    length = np.repeat(energy.space.length, 9)
    g = energy.gradient(q)
    d = energy.direction(q, g) / length
    shapes = stepper._direction.coarse.modes.shapes  # type: ignore[attr-defined]
    exact = -dense_inverse(energy, q, shapes) @ (g * length)
    np.testing.assert_allclose(d, exact, atol=2e-5 * np.abs(exact).max())


def test_exact_newton_tends_to_the_full_elements_as_alpha_grows() -> None:
    """The error falls as 1/alpha, below 0.1 % at 1e4, in under 12 iterations at every alpha."""
    passive = (StableNeoHookean(young=8e4, poisson=0.45),)
    model = fusiform(2000, materials=Materials(SOFT, passive, 1e5, volume=Volume.TET))
    inputs = inputs_of(model, belly=0.5)
    exact = newton(model, inputs)
    errors = []
    for alpha in (1.0, 1e1, 1e2, 1e3, 1e4):
        outcome = solved(Emu(alpha, tolerance=1e-6), model, inputs)
        assert outcome.converged
        assert len(outcome.history) - 1 < 12
        errors.append(error(model, outcome.point, exact))
    falls = np.array(errors[1:-1]) / np.array(errors[2:])
    np.testing.assert_allclose(falls[-2:], 10.0, rtol=0.25)
    assert errors[-1] < 1e-3


@pytest.mark.parametrize(
    ("model", "activation"),
    [
        (pair(hinge()), {"m": 1.0}),
        (pair(BALL), {"m": 0.5}),
        (row(TWO_HINGES), {"m": 0.5, "n": 0.5}),
        (ladder(), {"m": 0.3, "n": 0.6}),
        (ladder(biarticular=True), {"m": 0.6}),
    ],
    ids=["hinge", "ball", "three bones", "two muscles", "biarticular"],
)
def test_joints_move_as_with_full_elements(model: Model, activation: dict[str, float]) -> None:
    """Within 0.2 % of the length at alpha 1e3; joints closed and bones rigid to round-off."""
    inputs = inputs_of(model, **activation)
    state, report = Emu(1e3).prepare(model).step(rest(model), inputs)
    assert report.iterations < 20
    assert error(model, state, newton(model, inputs)) < 2e-3
    R = state.poses[:, :, :3]
    assert np.abs(np.swapaxes(R, 1, 2) @ R - np.eye(3)).max() < 1e-12
    for joint in model.joints:
        first, second = (state.poses[model.bone(name)] for name in joint.bones)
        points = joint.points(0.06)
        gap = points @ (first - second)[:, :3].T + (first - second)[:, 3]
        assert np.abs(gap).max() < 1e-13


def test_the_elbow_turns_as_with_full_elements() -> None:
    """The angle within 2 % of the referee's, by default and over frames."""
    model = elbow(3000, materials=Materials.early())
    inputs = ramp(model, biceps=0.4, fps=2)
    angles = [
        [f.outputs["elbow_angle_deg"] for f in simulate(model, solver, inputs)]
        for solver in (Emu(), Newton())
    ]
    assert angles[1][-1] - angles[1][0] > 5.0
    np.testing.assert_allclose(angles[0], angles[1], rtol=0.02)


@pytest.mark.parametrize(
    "direction", [Woodbury(), WoodburyLBFGS(), NewtonCG()], ids=["plain", "memory", "iterative"]
)
def test_other_directions_reach_the_same_minimum(direction: DirectionChoice) -> None:
    """The minimum does not depend on the direction: 0.1 % apart at a residual of 1e-3."""
    model = pair(hinge())
    inputs = inputs_of(model, m=0.5)
    exact = solved(Emu(3.0, tolerance=1e-8), model, inputs).point
    found = solved(Emu(3.0, direction, tolerance=1e-3), model, inputs)
    assert found.converged
    assert np.abs(found.point.x - exact.x).max() < 1e-3 * 0.24


def test_a_scripted_bone_carries_the_others() -> None:
    """A turned by 0.3 rad; B hangs on a hinge and the muscle pulls: as with full elements."""
    model = pair(hinge())
    model = model.with_(bones=(replace(model.bones[0], drive=Drive.SCRIPTED), model.bones[1]))
    R = exp_map(np.array([0.0, 0.3, 0.1]))
    poses = np.stack([np.column_stack([R, [0.0, 0.02, 0.0]]), np.eye(3, 4)])
    inputs = inputs_of(model, poses=poses, m=0.5)
    state, _ = Emu(1e3).prepare(model).step(rest(model), inputs)
    assert error(model, state, newton(model, inputs)) < 1e-3
    np.testing.assert_allclose(state.poses[0], poses[0], atol=1e-14)


def test_pins_and_loads_without_bones() -> None:
    """A body that a pin holds sags under its weight as with full elements."""
    mesh = box((6, 2, 2), (0.12, 0.03, 0.03))
    pin = Pin("wall", np.flatnonzero(mesh.X[:, 0] == 0.0))
    model = solid(mesh, SOFT, pins=(pin,), gravity=np.array([0.0, 0.0, -9.81]))
    inputs = inputs_of(model, body=0.3)
    found = solved(Emu(1e3, tolerance=1e-6), model, inputs).point
    assert error(model, found, newton(model, inputs)) < 1e-3


def test_affine_bones_stay_affine_if_asked() -> None:
    """At 1e6 Pa the bone strains; EMU's final bone follows its own gradient."""
    model = pair(hinge())
    inputs = inputs_of(model, m=0.5)
    state, _ = Emu(1e3, bones=Affine(1e6)).prepare(model).step(rest(model), inputs)
    A = state.poses[1, :, :3]
    assert 1e-6 < np.abs(A.T @ A - np.eye(3)).max() < 0.1


def test_a_second_frame_starts_where_the_first_ended() -> None:
    """The same inputs again need no iteration."""
    model = pair(hinge())
    stepper = Emu(100.0).prepare(model)
    state, _ = stepper.step(rest(model), inputs_of(model, m=0.5))
    _, report = stepper.step(state, inputs_of(model, m=0.5))
    assert report.iterations == 0


def test_alpha_is_the_last_before_iterations_rise_sharply() -> None:
    counts = {1.0: 7, 10.0: 11, 100.0: 40}
    choice = search_alpha(lambda alpha: (counts[alpha], True))
    assert choice.alpha == 10.0
    assert choice.iterations == counts
    assert choice.reason == "alpha 10: iterations rise from 11 to 40 between alpha 10 and 100"
    unsolved = search_alpha(lambda alpha: (200, alpha < 10.0))
    assert unsolved.alpha == 1.0
    assert "not enough at alpha 10" in unsolved.reason


def test_alpha_is_chosen_for_a_model_with_a_reason() -> None:
    choice = choose_alpha(pair(hinge()))
    assert choice.alpha == 1e4
    assert max(choice.iterations.values()) < 12
    assert choice.reason


@pytest.mark.parametrize("bad", [{"alpha": 0.0}, {"alpha": -1.0}, {"modes": 2}])
def test_settings_that_make_no_sense_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(ModelError, match=r"(alpha|modes) is"):
        Emu(**bad)  # type: ignore[arg-type]


def test_the_stopping_rule_of_the_paper_stops_early() -> None:
    model = pair(hinge())
    inputs = inputs_of(model, m=1.0)
    early = solved(Emu(100.0, Woodbury(), paper_stop=1e-3), model, inputs)
    assert early.converged
    assert early.history[-1] > 1e-4 * early.load


def test_lbfgs_over_uncoupled_elements_locks_at_a_joint() -> None:
    """EMU Fig. 3: EMU has converged when L-BFGS has not turned the hinge half as far."""
    model = pair(hinge())
    inputs = inputs_of(model, m=1.0)
    locked = solved(DeformationLBFGS(max_iterations=10), model, inputs)
    emu = solved(Emu(100.0, max_iterations=10), model, inputs)
    angle = [model.joints[0].angle(o.point.poses[1, :, :3]) for o in (locked, emu)]
    assert emu.converged
    assert not locked.converged
    assert abs(angle[0]) < 0.5 * abs(angle[1])


def test_admm_reaches_the_full_elements_where_it_converges() -> None:
    """Its elements and mesh agree in the end, so nothing depends on its weight."""
    model = pair(hinge())
    inputs = inputs_of(model, m=0.5)
    outcome = solved(Admm(weight=5.0), model, inputs)
    assert outcome.converged
    assert error(model, outcome.point, newton(model, inputs)) < 2e-3
