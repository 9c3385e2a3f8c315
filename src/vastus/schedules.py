"""Schedules of inputs from key frames and from arrays over time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from vastus.errors import ModelError, known
from vastus.inputs import Inputs, Schedule, as_in
from vastus.materials.base import require
from vastus.model import Model, Named, index_of
from vastus.numerics.rotation import interpolate_poses
from vastus.numerics.types import Floats
from vastus.parts import Drive
from vastus.skeleton.coordinates import of_joint
from vastus.skeleton.freedoms import Freedom
from vastus.state import REST_POSE
from vastus.validate import numbers, pose

VectorKeys = Sequence[tuple[float, Sequence[float]]]
JointKeys = Sequence[tuple[float, float | Sequence[float]]]


def ramp(
    model: Model, *, seconds: float = 1.0, fps: float = 10.0, start: float = 0.0, **peak: float
) -> Schedule:
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
    torques: Mapping[str, Sequence[tuple[float, float]]] | None = None,
    loads: Mapping[str, VectorKeys] | None = None,
    pins: Mapping[str, VectorKeys] | None = None,
    gravity: VectorKeys | None = None,
    joints: Mapping[str, JointKeys] | None = None,
    pressures: Mapping[str, Sequence[tuple[float, float]]] | None = None,
    tensions: Mapping[str, Sequence[tuple[float, float]]] | None = None,
    shortenings: Mapping[str, Sequence[tuple[float, float]]] | None = None,
    seconds: float,
    fps: float = 10.0,
) -> Schedule:
    """Inputs from key frames: `(time, activation)` by muscle, `(time, pose)` by scripted bone.

    `torques` are `(time, torque [N m])` by joint, `loads` are `(time, force (3,) [N])` by load,
    `pins` are `(time, shift (3,) [m])` by pin and `gravity` is `(time, (3,) [m/s^2])`. `joints` are
    `(time, coordinate [degrees, or m for a slider])` by joint that is driven, or two coordinates
    for a universal joint. `pressures` are `(time, pressure [Pa])` by cavity, `tensions` are
    `(time, tension [N])` and `shortenings` `(time, length drawn in [m])` by cable. Numbers are
    interpolated monotonically (no overshoot); poses by screws, which keep the centre of a turn.
    """
    times = _times(seconds, fps)
    levels = {}
    for name, keys in (activation or {}).items():
        curve = _keys(name, keys)
        _allowed(model, name, curve[1][:, 0])
        levels[name] = _interpolated(*curve, times)[:, 0]
    turned = _numbers_at(torques, times)
    pulled = {n: _interpolated(*_keys(n, keys, 3), times) for n, keys in (loads or {}).items()}
    moved = {n: _interpolated(*_keys(n, keys, 3), times) for n, keys in (pins or {}).items()}
    down = _interpolated(*_keys("gravity", gravity, 3), times) if gravity is not None else None
    bent = {
        n: _interpolated(*_keys(n, keys, len(_freedoms(model, n))), times)
        for n, keys in (joints or {}).items()
    }
    placed = _sampled(poses or {}, times)
    return from_arrays(
        model,
        times,
        levels,
        poses=placed,
        torques=turned,
        loads=pulled,
        pins=moved,
        gravity=down,
        joints=bent,
        pressures=_numbers_at(pressures, times),
        tensions=_numbers_at(tensions, times),
        shortenings=_numbers_at(shortenings, times),
    )


def _numbers_at(
    keys: Mapping[str, Sequence[tuple[float, float]]] | None, times: Floats
) -> dict[str, Floats]:
    """(k,) the numbers of key frames at the times, by name."""
    given = (keys or {}).items()
    return {name: _interpolated(*_keys(name, own), times)[:, 0] for name, own in given}


def from_arrays(
    model: Model,
    times: Floats,
    activation: Mapping[str, Floats],
    *,
    poses: Mapping[str, Floats] | None = None,
    torques: Mapping[str, Floats] | None = None,
    loads: Mapping[str, Floats] | None = None,
    pins: Mapping[str, Floats] | None = None,
    gravity: Floats | None = None,
    joints: Mapping[str, Floats] | None = None,
    pressures: Mapping[str, Floats] | None = None,
    tensions: Mapping[str, Floats] | None = None,
    shortenings: Mapping[str, Floats] | None = None,
) -> Schedule:
    """Inputs from arrays over `times` (k,): activations (k,) by muscle, poses (k, 3, 4) by bone.

    `torques` (k,) [N m] are by joint, forces `loads` (k, 3) [N] by load, shifts `pins` (k, 3) [m]
    by pin; `gravity` is (k, 3) [m/s^2]. Coordinates `joints` (k,) or (k, c) [degrees or m] are by
    joint; where they are nan, the joint moves freely. `pressures` (k,) [Pa] are by cavity,
    `tensions` (k,) [N] and `shortenings` (k,) [m] by cable.
    """
    times = numbers(times, "the times of the inputs")
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
        placed[:, index] = [pose(value, name) for value in values]
    down = None if gravity is None else _series("gravity", gravity, times, (3,))
    usual = as_in(model)
    outside = {
        "torques": _torques(model, torques or {}, times),
        "loads": _series_of("load", model.loads, usual["loads"], loads or {}, times),
        "shifts": _series_of("pin", model.pins, usual["shifts"], pins or {}, times),
        "gravity": [None] * len(times) if down is None else down,
        "joints": _coordinates(model, joints or {}, times),
        "pressures": _series_of(
            "cavity", model.cavities, usual["pressures"], pressures or {}, times
        ),
        "tensions": _series_of("cable", model.cables, usual["tensions"], tensions or {}, times),
        "shortenings": _series_of(
            "cable", model.cables, usual["shortenings"], shortenings or {}, times
        ),
    }
    _require_actuators(model, pressures or {}, tensions or {}, shortenings or {})
    rows = zip(times, levels, placed, *outside.values(), strict=True)
    return Schedule([Inputs(float(time), *row) for time, *row in rows])


def _require_actuators(model: Model, *series: Mapping[str, Floats]) -> None:
    """Refuse pressures, tensions and shortenings that their cavities and cables cannot have."""
    pressures, tensions, shortenings = series
    for cavity in model.cavities:
        cavity.require_pressures(np.asarray(pressures.get(cavity.name, ()), float))
    for cable in model.cables:
        cable.require_tensions(np.asarray(tensions.get(cable.name, ()), float))
        cable.require_shortenings(np.asarray(shortenings.get(cable.name, ()), float))


def _torques(model: Model, torques: Mapping[str, Floats], times: Floats) -> Iterable[Floats | None]:
    """(joints,) at each time, or nothing if no torque is given."""
    if not torques:
        return [None] * len(times)
    out = np.zeros((len(times), len(model.joints)))
    for name, values in torques.items():
        index = index_of("joint", name, model.joints)
        require(
            model.joints[index].direction is not None,
            f"joint '{name}' is a {model.joints[index].kind}, which takes no torque; a hinge does",
        )
        out[:, index] = _series(name, values, times, ())
    return out


def _freedoms(model: Model, name: str) -> tuple[Freedom, ...]:
    """The coordinates of a joint that can be driven."""
    joint = model.joints[index_of("joint", name, model.joints)]
    require(
        len(joint.freedoms) > 0,
        f"joint '{name}' is a {joint.kind}, which has no coordinate to be driven by; a hinge, "
        "a slider or a universal joint has",
    )
    bones = [model.bones[model.bone(bone)] for bone in joint.bones]
    require(
        any(bone.drive is Drive.FREE for bone in bones),
        f"joint '{name}' cannot be driven, because neither of its bones is free",
    )
    return joint.freedoms


def _coordinates(
    model: Model, joints: Mapping[str, Floats], times: Floats
) -> Iterable[Floats | None]:
    """(c,) [rad or m] at each time, nan where nothing is said; or nothing if none is driven."""
    if not joints:
        return [None] * len(times)
    out = np.tile(as_in(model)["joints"], (len(times), 1))
    for name, values in joints.items():
        freedoms, own = _freedoms(model, name), of_joint(model.joints, _joint(model, name))
        _same_length(name, values, times)
        given = numbers(values, f"the values of '{name}'").reshape(len(times), -1)
        given = given.reshape(len(times), len(freedoms)) / [f.scale for f in freedoms]
        out[:, own] = given
        _within(model, name, given)
    return out


def _joint(model: Model, name: str) -> int:
    return index_of("joint", name, model.joints)


def _within(model: Model, name: str, given: Floats) -> None:
    """Refuse coordinates (k, c) beyond the range of a joint."""
    joint = model.joints[_joint(model, name)]
    for values, freedom, passive in zip(given.T, joint.freedoms, joint.passive, strict=False):
        low, high = passive.range
        beyond = np.maximum(values - high, low - values)
        if np.nanmax(beyond, initial=0.0) > 1e-9:
            value = values[np.nanargmax(beyond)]
            s, unit = freedom.scale, freedom.unit
            raise ModelError(
                f"joint '{name}' is driven to {s * value:g} {unit}, beyond its range of "
                f"{s * low:g} to {s * high:g} {unit}"
            )


def _series_of(
    kind: str, things: Sequence[Named], usual: Floats, series: Mapping[str, Floats], times: Floats
) -> Iterable[Floats | None]:
    """Numbers like `usual` (things, ...) at each time, those not named as they are there.

    Nothing if no series is given.
    """
    if not series:
        return [None] * len(times)
    out = np.repeat(usual[None], len(times), axis=0)
    for name, values in series.items():
        out[:, index_of(kind, name, things)] = _series(name, values, times, usual.shape[1:])
    return out


def _series(name: str, values: Floats, times: Floats, shape: tuple[int, ...]) -> Floats:
    """Finite numbers (k, *shape), one row for each time."""
    _same_length(name, values, times)
    return numbers(values, f"the values of '{name}'", (len(times), *shape))


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
        raise ModelError(
            f"activation {values[bad][0]:g} of muscle '{name}' is not between 0 and {limit:g}"
        )
    return values


def _keys(
    name: str, keys: Sequence[tuple[float, float | Sequence[float]]], width: int = 1
) -> tuple[Floats, Floats]:
    """The times (k,) and values (k, width) of key frames."""
    what = f"the key frames of '{name}'"
    try:
        rows = numbers([(time, *np.atleast_1d(value)) for time, value in keys], what)
    except (TypeError, ValueError):
        rows = np.zeros((0, 0))
    value = "a number" if width == 1 else f"{width} numbers"
    right = rows.ndim == 2 and rows.shape[1] == 1 + width
    require(right, f"{what} must be pairs of a time and {value}")
    _increasing(name, rows[:, 0])
    return rows[:, 0], rows[:, 1:]


def _increasing(name: str, times: Floats) -> None:
    rising = len(times) >= 2 and np.isfinite(times).all() and (np.diff(times) > 0).all()
    require(bool(rising), f"the key frames of '{name}' need at least two increasing times")


def _interpolated(times: Floats, values: Floats, at: Floats) -> Floats:
    """Values (k, w) at other times: monotone between the keys, and the ends are held."""
    held = np.clip(at, times[0], times[-1])
    if len(times) == 2:
        s = (held - times[0]) / (times[1] - times[0])
        between = values[0] + s[:, None] * (values[1] - values[0])
    else:
        from scipy.interpolate import PchipInterpolator  # as heavy as the rest of the package

        between = PchipInterpolator(times, values)(held)
    # Round-off must not push an activation beyond its limits.
    return np.clip(between, values.min(axis=0), values.max(axis=0))


def _sampled(
    poses: Mapping[str, Sequence[tuple[float, Floats]]], times: Floats
) -> dict[str, Floats]:
    sampled = {}
    for name, keys in poses.items():
        at = numbers([t for t, _ in keys], f"the times of '{name}'")
        _increasing(name, at)
        values = np.array([pose(p, name) for _, p in keys])
        left = np.clip(np.searchsorted(at, times, side="right") - 1, 0, len(at) - 2)
        s = np.clip((times - at[left]) / np.diff(at)[left], 0.0, 1.0)
        sampled[name] = np.array(
            [interpolate_poses(values[i], values[i + 1], f) for i, f in zip(left, s, strict=True)]
        )
    return sampled
