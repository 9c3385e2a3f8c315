"""Muscles that move a skeleton: forces of wires, stiffness, work around loops, stable steps."""

from __future__ import annotations

import numpy as np
import pytest

from vastus.bellies.law import Pull
from vastus.bellies.line import LineLaw
from vastus.bodies import Body, juggler
from vastus.control.plant import Payload, Plant
from vastus.control.tendons import OnTendons
from vastus.errors import ModelError
from vastus.numerics.types import Floats

mujoco = pytest.importorskip("mujoco", reason="bodies are placed by MuJoCo")


@pytest.fixture(scope="module")
def body() -> Body:
    return juggler()


def posed(body: Body, q: Floats, law: LineLaw | None = None) -> Plant:
    plant = Plant(body, law)
    plant.data.qpos[:] = q
    plant.refresh()
    return plant


def wire_torques(plant: Plant, tension: Floats) -> Floats:
    """(nv,) what wires under tension do to the bodies that they touch, point by point."""
    m, d = plant.model, plant.data
    tau = np.zeros(m.nv)
    for k, T in enumerate(tension):
        points = d.wrap_xpos.reshape(-1, 3)[d.ten_wrapadr[k] :][: d.ten_wrapnum[k]]
        wrapped = d.wrap_obj.reshape(-1)[d.ten_wrapadr[k] :][: d.ten_wrapnum[k]]
        path = range(m.tendon_adr[k], m.tendon_adr[k] + m.tendon_num[k])
        sites = [m.wrap_objid[w] for w in path if m.wrap_type[w] == mujoco.mjtWrap.mjWRAP_SITE]
        through = iter(m.site_bodyid[sites])
        bodies = [m.geom_bodyid[g] if g >= 0 else next(through) for g in wrapped]
        for a in range(len(points) - 1):
            if wrapped[a] >= 0 and wrapped[a] == wrapped[a + 1]:
                continue  # around a bone, on which it does not act but at its ends
            u = (points[a + 1] - points[a]) / np.linalg.norm(points[a + 1] - points[a])
            for end, sign in ((a, 1.0), (a + 1, -1.0)):
                mujoco.mj_applyFT(m, d, sign * T * u, np.zeros(3), points[end], bodies[end], tau)
    return tau


def test_a_pull_acts_as_a_wire_over_its_way_points(body: Body) -> None:
    rng = np.random.default_rng(0)
    for _ in range(5):
        plant = posed(body, body.home + rng.uniform(-0.2, 0.2, len(body.home)))
        tension = rng.uniform(0.0, 1.0, len(body.units))
        np.testing.assert_allclose(
            -tension @ plant.arms, wire_torques(plant, tension), atol=1e-12 * len(body.units)
        )


def test_stiffness_is_how_torques_change_with_angles(body: Body) -> None:
    rng = np.random.default_rng(1)
    q, a = body.home + 0.1, rng.uniform(0.0, 1.0, len(body.units))

    def torques(angles: Floats) -> Floats:
        plant = posed(body, angles)
        return -plant.pull(a).force @ plant.arms

    K, h = posed(body, q).stiffness(a), 1e-5
    for k in range(len(q)):
        step = h * np.eye(len(q))[k]
        slope = (torques(q + step) - torques(q - step)) / (2 * h)
        np.testing.assert_allclose(K[:, k], slope, atol=1e-6 * np.abs(K).max())
    assert np.abs(K - K.T).max() < 1e-6 * np.abs(K).max()  # lengths are a potential


def test_muscles_do_no_work_around_a_loop_of_poses(body: Body) -> None:
    a, n = np.full(len(body.units), 0.3), 2000  # a fine grid: passive curves and wraps have kinks
    turns = 2 * np.pi * np.arange(n) / n
    phase = np.linspace(0.0, 3.0, len(body.home))
    work = gone = 0.0
    plant = Plant(body)
    for s in turns:
        plant.data.qpos[:] = body.home + 0.25 * np.sin(s + phase)
        plant.refresh()
        power = -plant.pull(a).force @ plant.arms @ (0.25 * np.cos(s + phase)) * 2 * np.pi / n
        work, gone = work + power, gone + abs(power)
    assert gone > 10.0
    assert abs(work) < 1e-6


@pytest.mark.parametrize("step", [1e-3, 5e-3])
def test_fully_active_muscles_come_to_rest(body: Body, step: float) -> None:
    plant = Plant(body, step=step)
    for _ in range(round(1.0 / step)):
        plant.step(np.ones(len(body.units)))
    assert np.abs(plant.data.qvel).max() < 0.01


def test_work_of_muscles_is_the_energy_that_the_skeleton_gains(body: Body) -> None:
    model = body.model
    damping, flags = model.dof_damping.copy(), model.opt.enableflags
    model.dof_damping[:] = 0.0
    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    try:
        lost = []
        for step in (1e-3, 5e-4):
            plant = Plant(body, step=step)
            before = plant.data.energy.sum()
            while plant.time < 0.1 - 1e-9:
                plant.step(np.full(len(body.units), 0.1))
            plant.refresh()
            gained = plant.data.energy.sum() - before
            lost.append(abs(gained - plant.work.sum()))
            assert abs(gained) > 0.1
        assert lost[0] < 0.02 * abs(gained)
        assert lost[1] < 0.6 * lost[0]
    finally:
        model.dof_damping[:], model.opt.enableflags = damping, flags


class Rubber:
    """Bellies that pull with their stretch, as a law that knows nothing of tendons."""

    copies = 0

    def forces(self, length: Floats, speed: Floats, activation: Floats) -> Pull:
        return Pull(100.0 * length, 0 * length, 0 * length + 100.0, 0 * length)

    def copy(self) -> Rubber:
        Rubber.copies += 1
        return Rubber()


def test_bellies_on_tendons_are_shorter_than_their_paths(body: Body) -> None:
    plant = Plant(body, OnTendons(Rubber(), body.slack))
    pull = plant.pull(plant.activation)
    np.testing.assert_allclose(pull.force, 100.0 * (plant.length - body.slack))
    plant.copy()
    assert Rubber.copies == 1


def test_a_law_of_other_units_is_refused(body: Body) -> None:
    few = OnTendons(Rubber(), body.slack[:, None])
    with pytest.raises(ModelError, match=r"pulls have the shape \(70, 70\) for a body of 70 units"):
        Plant(body, few)


def test_a_copy_goes_its_own_way(body: Body) -> None:
    plant, a = Plant(body), np.full(len(body.units), 0.2)
    for _ in range(5):
        plant.step(a)
    other, q = plant.copy(), plant.data.qpos.copy()
    for _ in range(5):
        other.step(a)
    np.testing.assert_array_equal(plant.data.qpos, q)
    assert plant.model.tendon_damping.max() == 0.0
    for _ in range(5):
        plant.step(a)
    np.testing.assert_array_equal(plant.data.qpos, other.data.qpos)


def test_a_payload_weighs_as_a_body_welded_to_the_hand(body: Body) -> None:
    spec = body.spec.copy()
    spec.body("r_hand").add_body(
        name="load", pos=[0.0, 0.05, -0.08], ipos=[0.0] * 3, mass=2.0, inertia=[1e-9] * 3,
        explicitinertial=True,
    )  # fmt: skip
    heavy = Plant(Body(spec.compile(), body.units, body.arms, body.home, spec))
    plant = Plant(body)
    for p in (heavy, plant):
        p.data.qvel[:] = np.linspace(-2.0, 2.0, len(p.data.qvel))
        p.refresh()
    hand = int(plant.model.body("r_hand").id)
    J, force = plant.load(Payload(2.0, hand, np.array([0.0, 0.05, -0.08])))
    motion, wanted = plant.motion(), heavy.motion()
    np.testing.assert_allclose(motion.inertia + 2.0 * J.T @ J, wanted.inertia, atol=1e-7)
    np.testing.assert_allclose(motion.bias + J.T @ force, wanted.bias, atol=1e-6)
