"""Torques in joints and loads over time, against the balance of moments and forces."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from builders import pair
from vastus.errors import ModelError
from vastus.inputs import Inputs
from vastus.parts import Load
from vastus.reproduce.emu.paper import hinged_bones
from vastus.schedules import keyframes
from vastus.solvers.emu.emu import Emu
from vastus.solvers.newton import Newton
from vastus.state import rest
from vastus.timeloop import simulate


@pytest.mark.parametrize("share", [0.3, -0.6])
def test_a_torque_holds_a_bone_against_gravity(share: float) -> None:
    """tau = m g r sin(theta): moment of the weight about the hinge, theta from hanging down."""
    model = hinged_bones()
    lower = model.tets_of(["lower"])
    mass = model.mesh.volumes[lower] * model.regions[1].density
    centre = mass @ model.mesh.centroids[lower] / mass.sum()
    arm = np.linalg.norm(centre)  # the hinge is at the origin, its axis along y
    largest = mass.sum() * 9.81 * arm
    drive = replace(Inputs.rest(model, 1.0), torques=np.array([share * largest]))
    state, _ = Newton(1e-10).prepare(model).step(rest(model), drive)
    pose = state.poses[model.bone("lower")]
    hanging = pose[:, :3] @ centre + pose[:, 3]
    # A turn by the right-hand rule about y takes z to x, so it moves what hangs to -x.
    assert -hanging[0] / arm == pytest.approx(share, abs=1e-6)
    assert hanging[2] < 0


def test_loads_that_change_pull_as_they_say() -> None:
    """At rest of all forces, pins and bones carry what the loads pull."""
    model = pair()
    soft = np.flatnonzero(model.bone_of_vertex < 0)[:2]
    model = model.with_(loads=(Load("weight", soft, np.array([0.5, 0.5]), np.zeros(3)),))
    inputs = keyframes(
        model, loads={"weight": [(0.0, (0.0, 0.0, 0.0)), (0.2, (0.0, 0.0, -2.0))]}, seconds=0.2
    )
    frames = list(simulate(model, Newton(), inputs))
    sinks = [f.state.x[soft, 2].mean() for f in frames]
    assert sinks[0] > sinks[1] > sinks[2]
    loaded = model.with_(loads=(replace(model.loads[0], force=np.array([0.0, 0.0, -2.0])),))
    state, _ = Newton().prepare(loaded).step(rest(loaded), Inputs.rest(loaded, 0.2))
    np.testing.assert_allclose(frames[-1].state.x, state.x, atol=1e-7)


def test_emu_takes_loads_that_change_and_refuses_torques() -> None:
    model = pair()
    soft = np.flatnonzero(model.bone_of_vertex < 0)[:2]
    model = model.with_(loads=(Load("weight", soft, np.array([0.5, 0.5]), np.zeros(3)),))
    drive = replace(Inputs.rest(model, 1.0), loads=np.array([[0.0, 0.0, -2.0]]))
    emu, _ = Emu(1e4, tolerance=1e-8).prepare(model).step(rest(model), drive)
    newton, _ = Newton().prepare(model).step(rest(model), drive)
    moved = np.abs(newton.x - model.mesh.X).max()
    assert np.abs(emu.x - newton.x).max() < 0.02 * moved
    hinged = hinged_bones()
    turned = replace(Inputs.rest(hinged, 1.0), torques=np.array([1.0]))
    with pytest.raises(ModelError, match="EMU takes no torques"):
        Emu(10.0).prepare(hinged).step(rest(hinged), turned)
