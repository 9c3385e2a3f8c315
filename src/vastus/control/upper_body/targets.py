"""Where joints shall be over time: key poses, breathing, motions from files, and sums of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import NamedTuple, Protocol

import numpy as np

from vastus.control.activations.key_frames import driven_by
from vastus.control.activations.line_body import Coordinate
from vastus.control.trajectory import Trajectory
from vastus.control.upper_body.musculoskeleton import Musculoskeleton
from vastus.errors import ModelError
from vastus.files.motion_files import Motion
from vastus.numerics.types import Floats, Ints

POSITION_GAIN, SPEED_GAIN = 200.0, 28.0  # [1/s^2], [1/s]: nearly critical damping
ACTIVATION = "_activation"  # how columns end that are no joints
FULL_RIB = 5  # from this rib on, ribs breathe with the whole angle


class Wanted(NamedTuple):
    """Coordinates (n,), their speeds and their accelerations."""

    q: Floats
    v: Floats
    a: Floats

    def acceleration(
        self, q: Floats, v: Floats, kp: float = POSITION_GAIN, kv: float = SPEED_GAIN
    ) -> Floats:
        """(n,) what brings a body at q, v there: a* + kp (q* - q) + kv (v* - v)."""
        return np.asarray(self.a + kp * (self.q - q) + kv * (self.v - v))


class Targets(Protocol):
    """Where joints shall be."""

    def at(self, time: float) -> Wanted:
        """What is wanted at a time [s]."""


@dataclass(frozen=True, eq=False)
class KeyPoses:
    """Poses (k, n) at times (k,) [s]; from one to the next with the least jerk, at rest in each."""

    times: Floats
    poses: Floats

    def __post_init__(self) -> None:
        if len(self.times) != len(self.poses) or np.any(np.diff(self.times) <= 0):
            raise ModelError("key poses need a time each, and times that increase")

    @classmethod
    def of(
        cls,
        body: Musculoskeleton,
        keys: Sequence[tuple[float, Mapping[str, float]]],
        base: Floats | None = None,
    ) -> KeyPoses:
        """Poses that name joints with their values [rad or m]; others are as in `base` (n,)."""
        poses = []
        for _, values in keys:
            pose = np.zeros(body.model.nv) if base is None else base.copy()
            pose[body.dofs(values)] = list(values.values())
            poses.append(pose)
        return cls(np.array([time for time, _ in keys], float), np.array(poses))

    def at(self, time: float) -> Wanted:
        """What is wanted at a time [s]."""
        k = int(
            np.clip(np.searchsorted(self.times, time, side="right") - 1, 0, len(self.times) - 1)
        )
        still = np.zeros(self.poses.shape[1])
        if k == len(self.times) - 1 or time <= self.times[0]:
            return Wanted(self.poses[k], still, still)
        span = float(self.times[k + 1] - self.times[k])
        s, way = (time - self.times[k]) / span, self.poses[k + 1] - self.poses[k]
        return Wanted(
            self.poses[k] + s**3 * (10 - 15 * s + 6 * s * s) * way,
            30 * s * s * (1 - s) ** 2 / span * way,
            60 * s * (1 - s) * (1 - 2 * s) / span**2 * way,
        )


@dataclass(frozen=True, eq=False)
class Breathing:
    """Ribs raised by c_j angle (1 - cos(2 pi t / period)) / 2, c_j = min(j, 5) / 5 of rib j."""

    share: Floats  # (n,)
    angle: float  # [rad]
    period: float  # [s]

    @classmethod
    def of(cls, body: Musculoskeleton, angle: float, period: float) -> Breathing:
        """The breathing of a body whose ribs' joints are called `rib1L` to `rib10R`."""
        if not period > 0:
            raise ModelError(f"a breath of {period:g} s: it must be longer than 0")
        found = [re.fullmatch(r"rib(\d+)[LR]", name) for name in body.joints]
        share = [min(int(rib[1]), FULL_RIB) / FULL_RIB if rib else 0.0 for rib in found]
        if not any(share):
            raise ModelError("no joint is called as a rib, 'rib1L' to 'rib10R': it cannot breathe")
        return cls(np.array(share), angle, period)

    def at(self, time: float) -> Wanted:
        """What is wanted at a time [s]."""
        w = 2 * np.pi / self.period
        return Wanted(
            self.share * self.angle * 0.5 * (1 - np.cos(w * time)),
            self.share * self.angle * 0.5 * w * np.sin(w * time),
            self.share * self.angle * 0.5 * w * w * np.cos(w * time),
        )


@dataclass(frozen=True, eq=False)
class Sum:
    """Several targets at once, each of which adds to the others."""

    parts: tuple[Targets, ...]

    def at(self, time: float) -> Wanted:
        """What is wanted at a time [s]."""
        found = [part.at(time) for part in self.parts]
        return Wanted(*(np.sum(values, axis=0) for values in zip(*found, strict=True)))


@dataclass(frozen=True, eq=False)
class Imported:
    """Some coordinates (c,) of a motion from a file; the others are as in `base` (n,)."""

    curve: Trajectory
    dofs: Ints
    base: Floats
    begin: float
    end: float

    @classmethod
    def of(
        cls,
        body: Musculoskeleton,
        motion: Motion,
        columns: Mapping[str, str] | None = None,
        *,
        base: Floats | None = None,
        cutoff: float | None = None,
    ) -> Imported:
        """The columns of a motion that are called as joints, or that `columns` name by joint.

        With `columns` others are left out; without, a column that is no joint is refused.
        """
        if not columns:
            _require_joints(body, motion)
        there = zip(body.joints, body.slides, strict=True)
        coordinates = [Coordinate(name, not bool(slide)) for name, slide in there]
        used = driven_by(motion, coordinates, columns or {})
        if len(used) == len(coordinates):  # what a run has written; passive joints will follow
            used = [c for c in used if c.name not in body.passive]
        names = [(columns or {}).get(c.name, c.name) for c in used]
        values = [motion.coordinate(n, turns=c.turns) for n, c in zip(names, used, strict=True)]
        passive = [c.name for c in used if c.name in body.passive]
        if passive:
            raise ModelError(f"joint '{passive[0]}' follows the others and cannot be driven")
        curve = Trajectory.through(motion.times, np.column_stack(values), cutoff)
        rest = np.zeros(body.model.nv) if base is None else base
        dofs = body.dofs(c.name for c in used)
        return cls(curve, dofs, rest, float(motion.times[0]), float(motion.times[-1]))

    def at(self, time: float) -> Wanted:
        """What is wanted at a time [s] after the motion begins; at its end it stays."""
        when = np.array([min(self.begin + time, self.end)])
        moving = 1.0 if self.begin + time < self.end else 0.0
        q, v, a = self.base.copy(), np.zeros_like(self.base), np.zeros_like(self.base)
        q[self.dofs] = self.curve.at(when)[0]
        v[self.dofs] = moving * self.curve.at(when, 1)[0]
        a[self.dofs] = moving * self.curve.at(when, 2)[0]
        return Wanted(q, v, a)


def _require_joints(body: Musculoskeleton, motion: Motion) -> None:
    """All columns of a motion must be joints, or activations, which nothing asks for."""
    names = [name for name in motion.columns if not name.endswith(ACTIVATION)]
    strange = [name for name in names if name not in body.joints]
    if not strange:
        return
    near = get_close_matches(strange[0], body.joints, 1)
    told = f"did you mean '{near[0]}'?" if near else f"joints are {', '.join(body.joints[:6])}, ..."
    raise ModelError(
        f"the motion has a column '{strange[0]}', which is no joint of the body; {told} Columns "
        "with other names are mapped to joints one by one, on the command line by --map"
    )
