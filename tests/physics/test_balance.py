"""Conservation: forces and moments balance, rotating the world rotates the result."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from builders import (
    SOFT,
    box,
    carve,
    hinge,
    inputs_of,
    ladder,
    nodal_forces,
    pair,
    shaken,
    solid,
    solve,
    vertices_of,
)
from vastus.energies.loads import external_force
from vastus.geometry.tetmesh import TetMesh
from vastus.inputs import Inputs
from vastus.model import Model
from vastus.numerics.jit import thread_count
from vastus.numerics.rotation import exp_map
from vastus.numerics.types import Floats
from vastus.parts import Drive, Load, Pin
from vastus.skeleton.joints import Ball
from vastus.solvers.newton import Newton
from vastus.state import State, rest

Q = exp_map(np.array([0.5, -1.1, 0.8]))


def loaded_pair() -> Model:
    """The two bones without a joint, with gravity and a load on the free one."""
    model = pair()
    tip = vertices_of(model, "B")[-1:]
    return model.with_(loads=(Load("tip", tip, np.ones(1), np.array([0.1, 0.2, -0.1])),))


def test_the_held_bone_carries_every_force_and_moment() -> None:
    """sum f + sum b = 0 and sum x x f + sum x x b = 0, f on the held bone, b all dead loads."""
    model = loaded_pair()
    state, report = solve(model, m=0.3)
    applied = external_force(model)
    held = vertices_of(model, "A")
    # What the bone gives: the tissue's pull on it and its own weight.
    f = nodal_forces(model, state)[held]
    scale = report.load
    np.testing.assert_allclose(f.sum(axis=0) + applied.sum(axis=0), 0.0, atol=1e-11 * scale)
    moment = np.cross(state.x[held], f).sum(axis=0) + np.cross(state.x, applied).sum(axis=0)
    np.testing.assert_allclose(moment, 0.0, atol=1e-11 * scale)


def test_pins_carry_the_load_of_a_body() -> None:
    """The reactions at the pins are minus the weight and the loads."""
    mesh = box((4, 2, 2), (0.1, 0.03, 0.03))
    clamp = Pin("clamp", np.flatnonzero(mesh.X[:, 0] == 0))
    load = Load("tip", np.array([mesh.n_vertices - 1]), np.ones(1), np.array([0.1, 0.3, -0.2]))
    model = solid(mesh, SOFT, pins=(clamp,), loads=(load,), gravity=np.array([0.0, 0.0, -9.81]))
    state, report = solve(model, body=0.2)
    reactions = nodal_forces(model, state)[clamp.vertices].sum(axis=0)
    weight = 1060.0 * 0.1 * 0.03**2 * 9.81
    wanted = -load.force + np.array([0.0, 0.0, weight])
    np.testing.assert_allclose(reactions, wanted, atol=1e-11 * report.load)


def test_a_free_body_makes_no_net_force_or_moment() -> None:
    """sum f = 0 and sum x x f = 0 for any deformation and activation: the energy is objective."""
    mesh = shaken(box((2, 2, 2), (0.1, 0.1, 0.1)), 0.01)
    model = solid(mesh, SOFT)
    x = mesh.X + 0.01 * np.random.default_rng(1).standard_normal(mesh.X.shape)
    f = nodal_forces(model, State.still(0.0, x, rest(model).poses, np.array([0.8])))
    scale = np.abs(f).max()
    np.testing.assert_allclose(f.sum(axis=0), 0.0, atol=1e-13 * scale)
    np.testing.assert_allclose(np.cross(x, f).sum(axis=0), 0.0, atol=1e-13 * scale)


def turned(model: Model) -> Model:
    """The same model in a world turned by Q."""
    joints = tuple(
        replace(j, centre=Q @ j.centre, **({"axis": Q @ j.axis} if hasattr(j, "axis") else {}))
        for j in model.joints
    )
    return model.with_(
        mesh=TetMesh(model.mesh.X @ Q.T, model.mesh.T),
        fibre=model.fibre @ Q.T,
        joints=joints,
        loads=tuple(replace(load, force=Q @ load.force) for load in model.loads),
        gravity=Q @ model.gravity,
    )


@pytest.mark.parametrize(
    ("model", "activation"),
    [
        (loaded_pair(), {"m": 0.3}),
        (pair(hinge()), {"m": 0.5}),
        (pair(Ball("ball", ("A", "B"), np.array([0.12, 0.015, -0.03]))), {"m": 0.5}),
        (ladder(), {"m": 0.3, "n": 0.6}),
    ],
    ids=["free", "hinge", "ball", "two hinges"],
)
def test_turning_the_world_turns_the_equilibrium(
    model: Model, activation: dict[str, float]
) -> None:
    """x(Q world) = Q x(world) and R(Q world) = Q R Q^T."""
    first, _ = solve(model, **activation)
    second, _ = solve(turned(model), **activation)
    np.testing.assert_allclose(second.x, first.x @ Q.T, atol=1e-9)
    np.testing.assert_allclose(second.poses[:, :, :3], Q @ first.poses[:, :, :3] @ Q.T, atol=1e-8)


def scripted(model: Model) -> Model:
    """The model with every bone moved by an animation."""
    bones = tuple(replace(bone, drive=Drive.SCRIPTED) for bone in model.bones)
    return model.with_(bones=bones, joints=(), gravity=np.zeros(3))


@pytest.mark.parametrize("angle", [0.3, 2.5])
def test_moving_all_bones_rigidly_moves_everything_rigidly(angle: float) -> None:
    """x = R X + t and no energy: the tissue follows a rigid motion without strain."""
    model = scripted(pair())
    R, t = exp_map(np.array([0.2, -angle, 0.1])), np.array([0.1, 0.2, -0.3])
    poses = np.tile(np.column_stack([R, t]), (2, 1, 1))
    stepper = Newton(tolerance=1e-10).prepare(model)
    state, report = stepper.step(rest(model), inputs_of(model, poses=poses))
    np.testing.assert_allclose(state.x, model.mesh.X @ R.T + t, atol=1e-11)
    stretched = 1e-3 * 6e4 * model.mesh.volumes.sum()  # [J] at a few per cent of strain
    assert abs(report.energy) < 1e-12 * stretched


def contraction(model: Model, threads: int) -> Floats:
    """The vertices after a contraction on so many threads."""
    with thread_count(threads):
        return solve(model, m=0.5)[0].x


def test_the_number_of_threads_changes_nothing_but_round_off() -> None:
    """The same equilibrium on one thread and on two."""
    model = pair(hinge())
    first, second = contraction(model, 1), contraction(model, 2)
    np.testing.assert_allclose(first, second, atol=1e-12)


def test_a_frame_reached_in_one_step_or_many_is_the_same() -> None:
    """An equilibrium does not depend on the path: elasticity has no memory."""
    model = pair(hinge())
    direct, _ = solve(model, m=0.6)
    stepper, state = Newton(tolerance=1e-12).prepare(model), rest(model)
    for share in (0.2, 0.4, 0.6):
        state, _ = stepper.step(
            state, replace(Inputs.rest(model, share), excitation=np.array([share]))
        )
    np.testing.assert_allclose(state.x, direct.x, atol=1e-10)


def test_tissue_without_a_free_vertex_still_moves_its_bones() -> None:
    """One layer of tets between two bones: the closed hinge angle balances as with more layers."""
    mesh = box((3, 1, 1), (0.09, 0.03, 0.03))
    labels = np.array(["A", "m", "B"])[np.searchsorted([0.03, 0.06], mesh.centroids[:, 0])]
    model = carve(mesh, labels, joints=(hinge(x=0.045),))
    state, report = solve(model, m=0.5)
    turn = model.joints[0].angle(state.poses[1, :, :3])
    assert abs(turn) > 0.01
    force = nodal_forces(model, state)[vertices_of(model, "B")]
    arm = state.x[vertices_of(model, "B")] - model.joints[0].centre
    assert np.cross(arm, force)[:, 1].sum() == pytest.approx(0.0, abs=1e-12 * report.load)


def test_a_body_held_everywhere_stays() -> None:
    """With no unknown there is nothing to solve."""
    mesh = box((1, 1, 1), (0.1, 0.1, 0.1))
    state, report = solve(solid(mesh, SOFT, pins=(Pin("all", np.arange(8)),)), body=0.5)
    assert report.iterations == 0
    np.testing.assert_array_equal(state.x, mesh.X)
