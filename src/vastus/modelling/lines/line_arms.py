"""Lengths and moment arms over the range of a joint: of the file's lines, and of the volumes.

The line of a volume is a string through what holds and guides its middle, straight between, and
around wraps where they are in its way. A string that keeps its tension does the work of its moment,
so that its arm is minus the change of its length with the angle.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from vastus.files.safe import write_text
from vastus.modelling.lines.line_guides import guides_of, middle_of
from vastus.modelling.lines.line_model import held_stations, rigid_roots
from vastus.modelling.lines.lines import LineJoint, Lines
from vastus.modelling.lines.loft import Loft
from vastus.numerics.rotation import exp_map, unit
from vastus.numerics.types import Floats
from vastus.skeleton.guides import Ring, Wrap, nearest
from vastus.skeleton.joints import Hinge

ARMS = "moment_arms.csv"
COLUMNS = (
    *("joint", "angle_deg", "pose_deg", "muscle"),
    *("file_length_m", "file_arm_m", "volume_length_m", "volume_arm_m"),
)
_TURN = 1e-3  # [rad] by which a joint is turned to see how lengths change
_APART = 5.0  # [deg] between angles, about
_UNLIMITED = np.pi / 3  # [rad] each way of a joint without limits
_OUTER = 0.2  # of a range, at either end
_FAR = np.pi / 3  # [rad] over which muscles shorten so much that their shape matters

Lengths = Callable[[Sequence[Mapping[str, float]]], Floats]  # (poses, muscles) [m] in poses


@dataclass(frozen=True, eq=False)
class ArmCurves:
    """Lengths and arms (angles, muscles) [m] as a joint turns; `pose` is where muscles are grown.

    Angles (angles,) [rad] are those of the file.
    """

    joint: str
    pose: float
    angles: Floats
    muscles: tuple[str, ...]
    file_lengths: Floats
    file_arms: Floats
    lengths: Floats
    arms: Floats

    def pose_note(self) -> str | None:
        """What is lost by growing muscles at an end of a wide range, and what would be better.

        A volume that shortens far grows thick, its fibres turn away from its line, and less of
        their tension arrives.
        """
        low, high = self.angles[[0, -1]]
        share = (self.pose - low) / (high - low)
        if high - low < _FAR or _OUTER <= share <= 1.0 - _OUTER:
            return None
        here, first, last, middle = np.degrees([self.pose, low, high, 0.5 * (low + high)])
        return (
            f"muscles are grown at {here:.4g} deg of joint '{self.joint}', near an end of its "
            f"range of {first:.4g} to {last:.4g}: towards the other end less of their force "
            f"arrives; --pose {self.joint}={middle:.3g} grows them in its middle"
        )


@dataclass(frozen=True, eq=False)
class String:
    """A string through points (p, 3) [m] that bones carry, around wraps that are in its way.

    `sides` (3,) are the ways from the wraps to where it passes them, after the points `after`.
    """

    points: Floats
    bones: tuple[str, ...]
    wraps: tuple[Wrap, ...]
    sides: tuple[Floats, ...]
    after: tuple[int, ...]

    def length(self, joint: LineJoint, turn: float, beyond: Sequence[str]) -> float:
        """How long [m] it is when a joint has turned the bones beyond it by an angle [rad]."""
        R = exp_map(turn * joint.axis / np.linalg.norm(joint.axis))

        def moved(point: Floats, bone: str) -> Floats:
            return R @ (point - joint.centre) + joint.centre if bone in beyond else point

        points = [moved(p, b) for p, b in zip(self.points, self.bones, strict=True)]
        total = 0.0
        for stretch, (a, b) in enumerate(pairwise(points)):
            ways = [float(np.linalg.norm(b - a))]
            for wrap, side, after in zip(self.wraps, self.sides, self.after, strict=True):
                if after != stretch:
                    continue
                turned = R if wrap.bone in beyond else np.eye(3)
                centre, radius = moved(wrap.point, wrap.bone), float(wrap.reach.max())
                frame = turned @ wrap.axis, turned @ side
                ways.append(around_length(a - centre, b - centre, *frame, radius))
            total += max(ways)
        return total


def around_length(a: Floats, b: Floats, axis: Floats, side: Floats, radius: float) -> float:
    """The shortest way [m] between two points (3,) off a cylinder about an axis, or off a sphere.

    It passes on a `side` (3,). An axis of zeros is that of a sphere; all is counted from its
    centre.
    """
    p, q = (v - (v @ axis) * axis for v in (a, b))
    along = float((b - a) @ axis)
    from_p, from_q = float(np.linalg.norm(p)), float(np.linalg.norm(q))
    r = min(radius, from_p, from_q)
    normal = axis if axis.any() else unit(np.cross(p, q)[None])[0]
    ahead = unit((side - (side @ normal) * normal)[None])[0]
    across = np.cross(normal, ahead)
    # Angles from the side, so that the way between them passes it.
    one, other = (float(np.arctan2(v @ across, v @ ahead)) for v in (p, q))
    between = abs(other - one)
    arc = between - float(np.arccos(r / from_p)) - float(np.arccos(r / from_q))
    if arc <= 0.0:
        return float(np.linalg.norm(b - a))
    flat = np.sqrt(from_p**2 - r**2) + np.sqrt(from_q**2 - r**2) + r * arc
    return float(np.hypot(flat, along))


def string_of(loft: Loft, roots: Mapping[str, str]) -> String:
    """The string of a muscle; `roots` tells bones that move together by the same name."""
    held, middle = held_stations(loft, roots), middle_of(loft)
    guides = guides_of(loft, 0, held)
    places = [(float(station), bone, middle[station]) for station, bone in held.items()]
    for ring in guides:
        if isinstance(ring, Ring):
            k, u = nearest(middle, ring.point)
            places.append((k + u + 1.0, ring.bone, ring.point))
    places.sort(key=lambda place: place[0])
    wraps = tuple(guide for guide in guides if isinstance(guide, Wrap))
    near = [int(np.argmin(np.linalg.norm(middle - wrap.point, axis=1))) for wrap in wraps]
    sides = tuple(middle[k] - wrap.point for k, wrap in zip(near, wraps, strict=True))
    order = [place for place, _, _ in places]
    after = tuple(int(np.clip(np.searchsorted(order, k) - 1, 0, len(order) - 2)) for k in near)
    points, bones = np.array([p for _, _, p in places]), tuple(b for _, b, _ in places)
    return String(points, bones, wraps, sides, after)


def arm_curves(
    lines: Lines,
    lofts: Sequence[Loft],
    free: Sequence[str],
    lengths: Lengths,
    pose: Mapping[str, float],
) -> list[ArmCurves]:
    """The curves of each hinge that is free, over its range.

    `lengths` are those of the file's lines in any poses; `pose` [rad] is the present one.
    """
    joints = [bone.joint for bone in lines.bones if bone.joint and bone.joint.name in free]
    strings = [string_of(loft, rigid_roots(lines, free)) for loft in lofts]
    return [
        _curves(lines, joint, strings, lengths, pose) for joint in joints if joint.kind is Hinge
    ]


def _curves(
    lines: Lines,
    joint: LineJoint,
    strings: Sequence[String],
    lengths: Lengths,
    pose: Mapping[str, float],
) -> ArmCurves:
    low, high = joint.passive[0].range if joint.passive else (-np.inf, np.inf)
    low = low if np.isfinite(low) else -_UNLIMITED
    high = high if np.isfinite(high) else _UNLIMITED
    here = float(pose.get(joint.name, 0.0))
    count = 1 + max(1, round(float(np.degrees(high - low)) / _APART))
    turns = np.linspace(low, high, count)
    beyond = lines.beyond(joint)
    nudges = (-_TURN, _TURN)
    file, own = (
        np.array([measure(turns + nudge) for nudge in nudges])
        for measure in (
            lambda ts: lengths([{**pose, joint.name: here + t} for t in ts.tolist()]),
            lambda ts: np.array([[s.length(joint, t, beyond) for s in strings] for t in ts]),
        )
    )
    names = tuple(muscle.name for muscle in lines.muscles)
    return ArmCurves(
        joint.name, here, here + turns, names,
        file.mean(axis=0), (file[0] - file[1]) / (2 * _TURN),
        own.mean(axis=0), (own[0] - own[1]) / (2 * _TURN),
    )  # fmt: skip


def write_arms(path: Path, curves: Sequence[ArmCurves]) -> None:
    """The curves as a table: a row for each joint, angle [deg] and muscle."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    for c in curves:
        for i, angle in enumerate(np.degrees(c.angles)):
            for k, muscle in enumerate(c.muscles):
                values = (c.file_lengths, c.file_arms, c.lengths, c.arms)
                numbers = [f"{value[i, k]:.6f}" for value in values]
                here = f"{np.degrees(c.pose):.4f}"
                table.writerow([c.joint, f"{angle:.4f}", here, muscle, *numbers])
    write_text(path, text.getvalue())
