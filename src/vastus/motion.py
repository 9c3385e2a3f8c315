"""What changes in time: the inputs, the state, and the frames that a simulation yields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np
from scipy.interpolate import PchipInterpolator

from vastus import validate as given
from vastus.errors import ModelError, known
from vastus.geometry.penetration import Penetration
from vastus.materials.base import require
from vastus.model import Drive, Model
from vastus.numerics.rotation import interpolate_poses
from vastus.numerics.types import Floats

if TYPE_CHECKING:
    from vastus.pictures.stills import Picture

REST_POSE = np.eye(3, 4)


@dataclass(frozen=True, eq=False)
class Inputs:
    """What drives the model at one time [s]."""

    time: float
    activation: Floats  # (muscles,)
    poses: Floats  # (bones, 3, 4) the pose [R | t] of pinned and scripted bones; x = R X + t

    def towards(self, other: Inputs, s: float) -> Inputs:
        """The inputs a fraction `s` of the way to `other`."""
        return Inputs(
            (1 - s) * self.time + s * other.time,
            (1 - s) * self.activation + s * other.activation,
            interpolate_poses(self.poses, other.poses, s),
        )


@dataclass(frozen=True, eq=False)
class State:
    """An equilibrium: vertices `x` (n, 3) [m] and bone poses (bones, 3, 4), with x = A X + t."""

    x: Floats
    poses: Floats
    inputs: Inputs


@dataclass(frozen=True)
class Report:
    """How a step was solved."""

    converged: bool
    iterations: int
    residual: float  # [N]
    load: float  # [N] the size of the forces that balance
    energy: float  # [J]
    substeps: int = 1
    projected: int = 0  # iterations that needed a projected Hessian
    seconds: float = 0.0
    history: tuple[float, ...] = ()  # what the solver's rule compares, in the last substep
    sentence: str = "converged"


@dataclass(frozen=True, eq=False)
class Frame:
    """One time of a simulation, with its scalar outputs by name, and the bodies in each other.

    `model` is what moved, for pictures.
    """

    index: int
    state: State
    report: Report
    outputs: Mapping[str, float] = field(default_factory=dict)
    penetrations: tuple[Penetration, ...] = ()
    model: Model | None = field(default=None, repr=False)

    @property
    def time(self) -> float:
        """The time [s]."""
        return self.state.inputs.time

    def plot(
        self,
        *,
        colour: str | None = None,
        height: int = 600,
        view: Sequence[float] | None = None,
        limits: tuple[float, float] | None = None,
    ) -> Picture:
        """A picture of the frame, which notebooks show; needs the extra `viz`.

        `colour` names a field of `vastus.pictures.colours.FIELDS`, such as "stretch", and `limits`
        are the ends of its colours, in SI units; without it, tissues have their own colours.
        `view` is the direction (3,) to the camera. The picture is `height` pixels high.
        """
        if self.model is None:
            raise ModelError("this frame has no 'model' to be drawn; those of vastus.simulate have")
        # Drawing is above this layer, and loads much: it is looked up when it is wanted.
        still = import_module("vastus.pictures.stills").still
        picture: Picture = still(
            self.model, self.state, colour=colour, height=height, view=view, limits=limits
        )
        return picture


def rest_inputs(model: Model, time: float = 0.0) -> Inputs:
    """No activation, every bone where it was modelled."""
    return Inputs(time, np.zeros(len(model.muscles)), np.tile(REST_POSE, (len(model.bones), 1, 1)))


def rest(model: Model) -> State:
    """The model as it was meshed."""
    inputs = rest_inputs(model)
    return State(model.mesh.X.copy(), inputs.poses.copy(), inputs)


def ramp(
    model: Model, *, seconds: float = 1.0, fps: float = 10.0, start: float = 0.0, **peak: float
) -> list[Inputs]:
    """Activations of the named muscles rising evenly from `start` to their peak."""
    return keyframes(
        model,
        {name: [(0.0, start), (seconds, value)] for name, value in peak.items()},
        seconds=seconds,
        fps=fps,
    )


def keyframes(
    model: Model,
    activation: Mapping[str, Sequence[tuple[float, float]]] | None = None,
    *,
    poses: Mapping[str, Sequence[tuple[float, Floats]]] | None = None,
    seconds: float,
    fps: float = 10.0,
) -> list[Inputs]:
    """Inputs from key frames: `(time, activation)` by muscle, `(time, pose)` by scripted bone.

    Activations are interpolated monotonically (no overshoot); poses by screws, which keep the
    centre of a turn.
    """
    times = _times(seconds, fps)
    levels = {}
    for name, keys in (activation or {}).items():
        curve = _keys(name, keys)
        _allowed(model, name, curve[1])
        levels[name] = _interpolated(*curve, times)
    return from_arrays(model, times, levels, poses=_sampled(poses or {}, times))


def from_arrays(
    model: Model,
    times: Floats,
    activation: Mapping[str, Floats],
    *,
    poses: Mapping[str, Floats] | None = None,
) -> list[Inputs]:
    """Inputs from arrays over `times` (k,): activations (k,) by muscle, poses (k, 3, 4) by bone."""
    times = given.numbers(times, "the times of the inputs")
    require(bool(np.isfinite(times).all()), "the times of the inputs must be finite")
    levels = np.zeros((len(times), len(model.muscles)))
    for name, values in activation.items():
        _same_length(name, values, times)
        levels[:, model.muscle(name)] = _allowed(model, name, np.asarray(values, float))
    placed = np.tile(REST_POSE, (len(times), len(model.bones), 1, 1))
    for name, values in (poses or {}).items():
        index = model.bone(name)
        if model.bones[index].drive is not Drive.SCRIPTED:
            scripted = [b.name for b in model.bones if b.drive is Drive.SCRIPTED]
            raise known("scripted bone", name, scripted)
        _same_length(name, values, times)
        placed[:, index] = [given.pose(value, name) for value in values]
    return [Inputs(float(t), a, p) for t, a, p in zip(times, levels, placed, strict=True)]


def _times(seconds: float, fps: float) -> Floats:
    """(frames,) evenly spaced times [s]; no time is one frame."""
    possible = 0 <= seconds < np.inf and 0 < fps < np.inf
    require(possible, f"cannot make frames for {seconds} s at {fps} frames a second")
    steps = round(seconds * fps)
    require(
        steps > 0 or seconds == 0,
        f"{seconds} s at {fps} frames a second are no step; give more seconds or frames a second",
    )
    return np.linspace(0.0, seconds, steps + 1)


def _same_length(name: str, values: Floats, times: Floats) -> None:
    if len(values) != len(times):
        raise ModelError(f"'{name}' has {len(values)} values for {len(times)} times")


def _allowed(model: Model, name: str, values: Floats) -> Floats:
    limit = model.muscles[model.muscle(name)].limit
    bad = ~((values >= 0) & (values <= limit))
    if bad.any():
        given = values[bad][0]
        raise ModelError(f"activation {given:g} of muscle '{name}' is not between 0 and {limit:g}")
    return values


def _keys(name: str, keys: Sequence[tuple[float, float]]) -> tuple[Floats, Floats]:
    """The times and levels (k,) of key frames."""
    what = f"the key frames of '{name}'"
    pairs = given.numbers(keys, what)
    require(pairs.ndim == 2 and pairs.shape[1] == 2, f"{what} must be pairs of a time and a number")
    _increasing(name, pairs[:, 0])
    return pairs[:, 0], pairs[:, 1]


def _increasing(name: str, times: Floats) -> None:
    rising = len(times) >= 2 and np.isfinite(times).all() and (np.diff(times) > 0).all()
    require(bool(rising), f"the key frames of '{name}' need at least two increasing times")


def _interpolated(times: Floats, levels: Floats, at: Floats) -> Floats:
    """Levels at other times: monotone between the keys, and the ends are held."""
    between = PchipInterpolator(times, levels)(np.clip(at, times[0], times[-1]))
    # Round-off must not push an activation beyond its limits.
    return np.clip(between, levels.min(), levels.max())


def _sampled(
    poses: Mapping[str, Sequence[tuple[float, Floats]]], times: Floats
) -> dict[str, Floats]:
    sampled = {}
    for name, keys in poses.items():
        at = given.numbers([t for t, _ in keys], f"the times of '{name}'")
        _increasing(name, at)
        values = np.array([given.pose(p, name) for _, p in keys])
        left = np.clip(np.searchsorted(at, times, side="right") - 1, 0, len(at) - 2)
        s = np.clip((times - at[left]) / np.diff(at)[left], 0.0, 1.0)
        sampled[name] = np.array(
            [interpolate_poses(values[i], values[i + 1], f) for i, f in zip(left, s, strict=True)]
        )
    return sampled
