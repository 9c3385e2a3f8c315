"""Activations from key frames: what muscles must do for a body to be in the poses of a motion.

In each pose the torques that the weight of the bodies, and their inertia unless the poses are held
still, ask for are shared out among the muscles. A muscle pulls with its activation times its
greatest force, whatever its length and speed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from vastus.control.activations.line_body import Coordinate, LineBody
from vastus.control.activations.static_optimisation import distribute
from vastus.control.trajectory import Trajectory
from vastus.errors import known
from vastus.files.motion_files import Motion
from vastus.materials.base import require
from vastus.numerics.types import Floats

Watch = Callable[[int, int], None]  # is told the pose that is done, of how many


@dataclass(frozen=True, eq=False)
class Activations:
    """Activations (k, m) of muscles at times (k,) [s], and how the torques (k, c) are balanced.

    Torques and reserves (k, c) are in N m or N by coordinate, coordinates (k, c) in rad or m, and
    arms (k, c, m) in m.
    """

    times: Floats
    muscles: tuple[str, ...]
    coordinates: tuple[Coordinate, ...]
    activations: Floats
    values: Floats
    torques: Floats
    reserves: Floats
    arms: Floats

    def motion(self) -> Motion:
        """The activations as columns by muscle, as a scene takes them from a file."""
        columns = dict(zip(self.muscles, self.activations.T, strict=True))
        return Motion(self.times, columns, degrees=False)

    def account(self) -> Motion:
        """Coordinates [deg or m], torques, reserves and arms as columns."""
        columns: dict[str, Floats] = {}
        for k, c in enumerate(self.coordinates):
            unit, effort = ("deg", "Nm") if c.turns else ("m", "N")
            value = self.values[:, k]
            columns[f"{c.name}_{unit}"] = np.degrees(value) if c.turns else value
            columns[f"{c.name}_torque_{effort}"] = self.torques[:, k]
            columns[f"{c.name}_reserve_{effort}"] = self.reserves[:, k]
            for i, muscle in enumerate(self.muscles):
                columns[f"{muscle}_{c.name}_arm_m"] = self.arms[:, k, i]
        return Motion(self.times, columns)


@dataclass(frozen=True, eq=False)
class Poses:
    """Coordinates (k, c) [rad or m] at times (k,) [s], with their derivatives if they move."""

    times: Floats
    values: Floats
    speeds: Floats | None = None
    accelerations: Floats | None = None


def poses_of(
    motion: Motion,
    coordinates: Sequence[Coordinate],
    columns: Mapping[str, str],
    *,
    rest: Mapping[str, float] | None = None,
    static: bool = False,
    cutoff: float | None = None,
    fps: float | None = None,
) -> Poses:
    """The poses of a motion, whose `columns` by coordinate are called as it is unless given.

    `rest` [rad or m] are the values of the motion at which coordinates are zero. Poses are at the
    times of the motion, or `fps` a second. What is faster than `cutoff` [Hz] is filtered out.
    Static poses have neither speeds nor accelerations.
    """
    zero = [(rest or {}).get(c.name, 0.0) for c in coordinates]
    given = [motion.coordinate(columns.get(c.name, c.name), turns=c.turns) for c in coordinates]
    curve = Trajectory.through(motion.times, np.column_stack(given) - zero, cutoff)
    times = motion.times if fps is None else _times(motion.times, fps)
    q = curve.at(times)
    return Poses(times, q) if static else Poses(times, q, curve.at(times, 1), curve.at(times, 2))


def _times(span: Floats, fps: float) -> Floats:
    require(0 < fps < np.inf, f"{fps:g} frames a second are not possible")
    count = max(1, round(float(span[-1] - span[0]) * fps))
    return np.asarray(np.minimum(span[0] + np.arange(count + 1) / fps, span[-1]))


def driven_by(
    motion: Motion, coordinates: Sequence[Coordinate], columns: Mapping[str, str]
) -> list[Coordinate]:
    """The coordinates that a motion drives: those that are named, and those called as a column."""
    names = [c.name for c in coordinates]
    for name in columns:
        if name not in names:
            raise known("coordinate", name, names)
    found = [c for c in coordinates if c.name in columns or c.name in motion.columns]
    if not found:
        told = ", ".join(list(motion.columns)[:8])
        require(
            False,
            f"no column of the motion is called as a coordinate of the model: {', '.join(names)}; "
            f"its columns are {told}",
        )
    return found


def line_activations(
    body: LineBody,
    poses: Poses,
    *,
    least: float | None = None,
    watch: Watch | None = None,
) -> Activations:
    """The activations of line muscles in poses, each at least what its file says unless given."""
    low = body.least if least is None else least
    rows = []
    for k, q in enumerate(poses.values):
        moving = poses.speeds is not None and poses.accelerations is not None
        rates = (poses.speeds[k], poses.accelerations[k]) if moving else ()  # type: ignore[index]
        torques, arms = body.chain.torques(q, *rates), body.arms(q)
        shared = distribute(arms * body.forces, torques, low=low)
        rows.append((shared.activations, torques, shared.reserves, arms))
        if watch:
            watch(k + 1, len(poses.values))
    activations, torques, reserves, arms = (np.array(column) for column in zip(*rows, strict=True))
    return Activations(
        poses.times, body.muscles, body.coordinates,
        activations, poses.values, torques, reserves, arms,
    )  # fmt: skip
