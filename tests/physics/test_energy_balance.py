"""The account of energy in motion closes: what is missing falls with the square of the step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from builders import box, hinge, pair, solid
from vastus.inputs import Inputs
from vastus.materials import NeoHookean
from vastus.measure.outputs import Outputs
from vastus.model import Model
from vastus.numerics.rotation import exp_map
from vastus.parts import Drive, Load, Pin
from vastus.skeleton.passive import Passive
from vastus.solvers.motion.dynamic import Dynamic
from vastus.solvers.motion.energy_account import Account
from vastus.solvers.motion.integrators import Scheme
from vastus.solvers.newton import Newton
from vastus.state import rest

SECONDS = 0.08


def smooth(time: float) -> float:
    """From 0 to 1 without a jerk."""
    return 0.5 * (1 - float(np.cos(np.pi * time / SECONDS)))


def lever() -> Model:
    """A muscle that lifts a bone about a hinge with a spring and a damper."""
    springy = Passive(stiffness=3.0, damping=0.02)
    return pair(replace(hinge(), passive=(springy,)), (6, 1, 1))


def activated(model: Model, time: float) -> Inputs:
    return replace(Inputs.rest(model, time), excitation=np.array([0.3 * smooth(time)]))


def scripted() -> Model:
    """The same, whose other bone is moved too."""
    model = lever()
    return model.with_(bones=(replace(model.bones[0], drive=Drive.SCRIPTED), *model.bones[1:]))


def carried(model: Model, time: float) -> Inputs:
    inputs, part = Inputs.rest(model, time), smooth(time)
    poses = inputs.poses.copy()
    poses[0, :, :3] = exp_map(part * np.array([0.0, 0.5, 0.15]))
    poses[0, :, 3] = [0.02 * part, 0.0, 0.0]
    return replace(inputs, poses=poses)


def turned(model: Model, time: float) -> Inputs:
    driven = replace(activated(model, time), joints=np.array([0.4 * smooth(time)]))
    return replace(driven, torques=np.array([0.1]))


def gripped() -> Model:
    """A soft bar between a wall and a grip that pulls and bends it."""
    mesh = box((4, 1, 1), (0.06, 0.02, 0.02))
    ends = [np.flatnonzero(mesh.X[:, 0] == x) for x in (mesh.X[:, 0].min(), mesh.X[:, 0].max())]
    middle = np.flatnonzero(np.isclose(mesh.X[:, 0], 0.03))
    return solid(
        mesh,
        (NeoHookean(1e5, 0.4),),
        pins=(Pin("wall", ends[0]), Pin("grip", ends[1])),
        loads=(Load("pull", middle, np.full(len(middle), 1 / len(middle)), np.zeros(3)),),
    )


def pulled(model: Model, time: float) -> Inputs:
    part = smooth(time)
    shifts = np.array([[0.0, 0.0, 0.0], [0.02 * part, 0.01 * part, 0.0]])
    return replace(Inputs.rest(model, time), shifts=shifts, loads=np.array([[0.0, part, 0.0]]))


Drives = Callable[[Model, float], Inputs]


def account(model: Model, drive: Drives, solver: Dynamic) -> Account:
    """The account of a motion from rest."""
    stepper = solver.prepare(model)
    state = stepper.begin(rest(model))
    for k in range(round(SECONDS / solver.step)):
        state = stepper.step(state, drive(model, (k + 1) * solver.step))[0]
    found = Account.of(state.memory)
    assert found is not None
    return found


CASES: dict[str, tuple[Callable[[], Model], Drives, tuple[str, ...]]] = {
    "muscle": (lever, activated, ("kinetic", "stored", "muscles", "loads", "dampers")),
    "scripted bone": (scripted, carried, ("kinetic", "stored", "loads", "drives", "dampers")),
    "driven joint": (lever, turned, ("muscles", "loads", "drives", "dampers", "viscosity")),
    "moved pin": (gripped, pulled, ("stored", "loads", "drives", "viscosity")),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_missing_falls_with_the_square_of_the_step(name: str) -> None:
    """Of all that comes in and goes out, `bdf2` loses a part of second order."""
    make, drive, parts = CASES[name]
    model = make()
    found = [account(model, drive, Dynamic(step=h, viscosity=2e-3)) for h in (4e-3, 2e-3)]
    for part in parts:
        assert abs(getattr(found[1], part)) > 10 * abs(found[1].lost)
    assert found[1].error < 4e-3
    assert 3.0 < found[0].lost / found[1].lost < 5.5


@pytest.mark.filterwarnings("ignore:rayleigh")
def test_what_damping_by_the_stiffness_at_rest_takes_is_counted() -> None:
    model = gripped()
    found = [account(model, pulled, Dynamic(step=h, rayleigh=2e-3)) for h in (4e-3, 2e-3)]
    assert found[1].viscosity > 10 * abs(found[1].lost)
    assert 3.0 < found[0].lost / found[1].lost < 5.5


def test_newmark_keeps_what_it_gets() -> None:
    """Without dampers, where backward differences lose what the account says."""
    model = pair(hinge(), (6, 1, 1))
    kept, lost = (
        account(model, activated, Dynamic(scheme, 4e-3)) for scheme in (Scheme.NEWMARK, Scheme.BDF2)
    )
    assert kept.dissipated == 0.0
    assert kept.error < 1e-3
    assert lost.error > 5 * kept.error


def test_the_columns_are_those_of_motion_only() -> None:
    model = lever()
    stepper = Dynamic(step=1e-2).prepare(model)
    first = stepper.begin(rest(model))
    second = stepper.step(first, activated(model, 1e-2))[0]
    rows = [Outputs(model).of(state) for state in (first, second)]
    assert rows[0].keys() == rows[1].keys()
    assert rows[0]["energy_kinetic_J"] == 0.0 < rows[1]["energy_kinetic_J"]
    done = sum(rows[1][f"energy_{part}_J"] for part in ("muscles", "loads", "drives"))
    kept = sum(rows[1][f"energy_{part}_J"] for part in ("kinetic", "stored", "contact"))
    gone = sum(rows[1][f"energy_{part}_J"] for part in ("viscosity", "drag", "dampers", "friction"))
    assert done - gone - kept == pytest.approx(rows[1]["energy_lost_J"], abs=1e-15)
    still = Newton().prepare(model).step(second, activated(model, 2e-2))[0]
    assert not [name for name in Outputs(model).of(still) if name.startswith("energy")]
