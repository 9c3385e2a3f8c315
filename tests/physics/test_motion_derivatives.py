"""Derivatives of motions by the discrete adjoint: those of motions that are made again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from builders import hinge, pair
from vastus import Dynamic, Inputs, Model
from vastus.errors import ModelError
from vastus.inputs import Schedule, as_in
from vastus.measure.outputs import Outputs
from vastus.numerics.types import Floats
from vastus.sensitivity.motion import MotionDerivatives, _steps, motion_derivatives
from vastus.sensitivity.parameters.paths import parameter_of
from vastus.solvers.motion.integrators import Scheme
from vastus.state import rest

BOUND = 1e-7
STEP = 2e-3  # [s]
TIMES = (0.0, 0.004, 0.011)  # the second frame is divided into steps of another length
PATHS = ("inputs.activation.m", "muscles.m.strength", "materials.muscle.young", "gravity.z")
OUTPUTS = ("AB_angle_deg", "m_length_m", "m_stretch", "m_force_N", "vertex_80_z_m")


def contracted(model: Model) -> Schedule:
    levels = np.interp(TIMES, [0.0, 0.006], [0.0, 0.6])
    return Schedule(
        [
            replace(Inputs.rest(model, time), excitation=np.full(len(model.muscles), level))
            for time, level in zip(TIMES, levels, strict=True)
        ]
    )


def dynamic(scheme: Scheme, **given: float) -> Dynamic:
    return Dynamic(scheme=scheme, step=STEP, tolerance=1e-12, **given)


@cache
def found(scheme: Scheme, damped: bool) -> tuple[Model, Dynamic, MotionDerivatives]:
    model = pair(hinge())
    solver = dynamic(scheme, viscosity=5e-3, drag=2.0) if damped else dynamic(scheme)
    by = PATHS
    return model, solver, motion_derivatives(model, solver, contracted(model), by=by, of=OUTPUTS)


def end(model: Model, solver: Dynamic, inputs: Sequence[Inputs], names: Sequence[str]) -> Floats:
    """(o,) outputs where the motion ends."""
    state = list(_steps(solver.prepare(model), Schedule(inputs), rest(model)))[-1].state
    row = Outputs(model).of(state)
    places = {f"vertex_80_{a}_m": state.x[80, k] for k, a in enumerate("xyz") if len(state.x) > 80}
    return np.array([(row | places)[name] for name in names])


def again(model: Model, solver: Dynamic, path: str, names: Sequence[str]) -> Callable[..., Floats]:
    """The outputs of the motion with a parameter changed, in all of its inputs if it is one."""
    parameter, inputs = parameter_of(path), contracted(model)

    def outputs(change: float) -> Floats:
        varied = [
            parameter.varied(model, one, parameter.value(model, one) + change)
            for one in (each.whole(as_in(model)) for each in inputs)
        ]
        return end(varied[0][0], solver, [one for _, one in varied], names)

    return outputs


def richardson(outputs: Callable[..., Floats], h: float) -> Floats:
    a, b, c = ((outputs(s) - outputs(-s)) / (2 * s) for s in (h, h / 2, h / 4))
    return ((16 * (4 * c - b) / 3) - (4 * b - a) / 3) / 15


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("damped", [False, True])
@pytest.mark.parametrize("scheme", [Scheme.EULER, Scheme.BDF2])
def test_derivatives_are_those_of_motions_made_again(scheme, damped: bool, path: str) -> None:
    model, solver, derived = found(scheme, damped)
    scale = parameter_of(path).scale(model, contracted(model)[-1])
    given = richardson(again(model, solver, path, OUTPUTS), 0.02 * scale)
    mine = np.array([derived[name, path] for name in OUTPUTS])
    whole = np.array([abs(derived.outputs[name]) for name in OUTPUTS])
    size = np.maximum(np.abs(given), 1e-2 * whole / scale)
    assert (np.abs(mine - given) / size).max() < BOUND


def test_each_step_is_owed_its_own_share() -> None:
    """Told to be more active in one step only, the muscle changes the end by that step's share."""
    model, solver = pair(hinge()), dynamic(Scheme.BDF2, viscosity=5e-3)
    inputs = [replace(Inputs.rest(model, k * STEP), excitation=np.array([0.1])) for k in range(5)]
    path, name = PATHS[0], OUTPUTS[0]
    derived = motion_derivatives(model, solver, inputs, by=[path], of=[name])
    assert derived[name, path] == pytest.approx(derived.over_time[0, 0].sum(), rel=1e-9)

    def outputs(change: float) -> Floats:
        told = list(inputs)
        told[2] = replace(told[2], excitation=np.array([0.1 + change]))
        return end(model, solver, told, [name])

    assert derived.over_time[0, 0, 1] == pytest.approx(richardson(outputs, 0.02)[0], rel=BOUND)


@pytest.mark.parametrize(
    ("given", "path", "said"),
    [
        ({"scheme": Scheme.NEWMARK}, PATHS[0], "dynamic solvers of scheme euler and bdf2"),
        ({"rayleigh": 1e-3}, PATHS[0], "not there with rayleigh damping; take viscosity"),
        ({}, "muscles.m.attachments.B.z", "changes masses, by which a motion has no derivatives"),
        ({}, "inputs.bones.A.x", "moves what is prescribed"),
    ],
)
def test_what_the_adjoint_does_not_cover_is_refused(given, path: str, said: str) -> None:
    model = pair(hinge())
    solver = Dynamic(step=STEP, **given)
    with pytest.raises(ModelError, match=said):
        motion_derivatives(model, solver, contracted(model), by=[path], of=OUTPUTS[:1])


def test_muscles_that_lag_behind_are_refused() -> None:
    model = pair(hinge())
    slow = tuple(replace(muscle, activation_rise=0.01) for muscle in model.muscles)
    with pytest.raises(ModelError, match="whose activation lags behind"):
        motion_derivatives(
            model.with_(muscles=slow), Dynamic(), contracted(model), by=PATHS, of=OUTPUTS
        )
