"""Points that lines of muscle pass through, by rule from landmarks, each fixed to a body."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vastus.bodies.upper.joint_table import rib_body
from vastus.modelling.trunk.arm_place import ARM
from vastus.modelling.trunk.landmarks import LEVELS, Landmarks, Side, other, sign
from vastus.numerics.types import Floats

MM = 1e-3
_BORDER = 0.4  # part of the way down the scapula's inner border where its spine begins
_BULGE = 0.035  # [m] of the belly in front of the line from breastbone to pubis
_EVERY = 3  # a long deep line is fixed to every third vertebra


@dataclass(frozen=True, eq=False)
class Anchor:
    """A point (3,) of the world at rest [m], fixed to the body of a name."""

    body: str
    point: Floats


@dataclass(frozen=True, eq=False)
class ArmFrame:
    """A bone of the arm: its body, origin (3,) [m], axes (3, 3) lateral, forward, up, and scale.

    Points of this package's own arm [mm] are placed in it, scaled by the length of the bone.
    """

    body: str
    origin: Floats
    axes: Floats
    scale: float

    def at(self, lateral: float, forward: float, up: float) -> Anchor:
        """A point of the bone from the origin [mm]."""
        local = self.scale * MM * np.array([lateral, forward, up])
        return Anchor(self.body, self.origin + local @ self.axes)


@dataclass(frozen=True, eq=False)
class Anchors:
    """Where lines of one side can be fixed."""

    marks: Landmarks
    side: Side

    @property
    def opposite(self) -> Anchors:
        """The anchors of the other side."""
        return Anchors(self.marks, other(self.side))

    def offset(self, lateral: float, back: float = 0.0, up: float = 0.0) -> Floats:
        """A step (3,) [m], given in millimetres, lateral to this side."""
        return MM * np.array([sign(self.side) * lateral, back, up])

    def spine(self, level: str, spinous: float, transverse: float, shift: float = 0.0) -> Anchor:
        """A mean of spinous tip, transverse tip and body, moved back [mm]."""
        point = self.marks.vertebrae[level].mixed(self.side, spinous, transverse)
        return Anchor(level, point + self.offset(0.0, shift))

    def spinous(self, level: str, lateral: float = 0.0, back: float = 0.0) -> Anchor:
        """The spinous tip, moved [mm]."""
        point = self.marks.vertebrae[level].spinous
        return Anchor(level, point + self.offset(lateral, back))

    def transverse(self, level: str, part: float = 1.0) -> Anchor:
        """A part of the way from the middle of the body to the transverse tip."""
        return self.spine(level, 0.0, part)

    def front(self, level: str, lateral: float, forward: float) -> Anchor:
        """A point in front of the middle of the body [mm]."""
        return Anchor(level, self.marks.vertebrae[level].body + self.offset(lateral, -forward))

    def fixations(self, low: str, high: str, spinous: float, transverse: float) -> list[Anchor]:
        """Points on every third vertebra between two levels, from the lower one up."""
        between = LEVELS[LEVELS.index(high) + 1 : LEVELS.index(low)]
        chosen = between[_EVERY - 1 :: _EVERY][::-1]
        return [self.spine(level, spinous, transverse) for level in chosen]

    def rib(self, number: int, part: float) -> Anchor:
        """A point of a rib at a part of its length from the head."""
        return Anchor(rib_body(number, self.side), self.marks.ribs[number, self.side].at(part))

    def angle(self, number: int) -> Anchor:
        """The angle of a rib, a little beyond its tubercle."""
        rib = self.marks.ribs[number, self.side]
        beyond = np.linalg.norm(rib.tubercle - rib.head) / rib.length
        return self.rib(number, float(beyond) + 0.06)

    def on(self, body: str, name: str, *shift: float) -> Anchor:
        """A named point of this side, or of the middle, moved lateral, back, up [mm]."""
        sided = name + self.side in self.marks.points
        point = self.marks.point(name, self.side if sided else None)
        return Anchor(body, point + self.offset(*(shift or (0.0,))))

    def pelvis(self, name: str, *shift: float) -> Anchor:
        """A named point of the pelvis."""
        return self.on("pelvis", name, *shift)

    def skull(self, name: str, *shift: float) -> Anchor:
        """A named point of the skull."""
        return self.on("skull", name, *shift)

    def girdle(self, name: str, *shift: float) -> Anchor:
        """A named point of clavicle or scapula, which are one body."""
        return self.on(f"clavicle{self.side}", name, *shift)

    def girdle_mean(self, weights: dict[str, float], *shift: float) -> Anchor:
        """A weighted mean of named points of clavicle and scapula, moved lateral, back, up [mm]."""
        point = sum(w * self.marks.point(name, self.side) for name, w in weights.items())
        step = self.offset(*(shift or (0.0,)))
        return Anchor(f"clavicle{self.side}", np.asarray(point) + step)

    def border(self, part: float) -> Anchor:
        """A point of the inner border of the scapula, from its upper (0) to its lower angle (1)."""
        if part < _BORDER:
            t = part / _BORDER
            return self.girdle_mean({"superior_angle": 1 - t, "spine_root": t})
        t = (part - _BORDER) / (1 - _BORDER)
        return self.girdle_mean({"spine_root": 1 - t, "inferior_angle": t})

    def scapular_spine(self, part: float) -> Anchor:
        """A point of the scapula's spine from its root (0) to the acromion (1)."""
        return self.girdle_mean({"spine_root": 1 - part, "acromion": part})

    def sacral(self, part: float) -> Anchor:
        """A point from the sacrum's crest (0) over the posterior spine (0.6) along the crest."""
        sacrum, psis = self.marks.point("sacrum"), self.marks.point("psis", self.side)
        if part < 0.6:
            return Anchor("pelvis", sacrum + part / 0.6 * (psis - sacrum))
        back = self.marks.point("crest_back", self.side)
        return Anchor("pelvis", psis + (part - 0.6) / 0.4 * (back - psis))

    def belly(self, part: float, lateral: float, carrier: str) -> Anchor:
        """A point of the front of the belly from breastbone (0) to pubis (1), lateral [mm]."""
        marks = self.marks
        low = (marks.point("pubis", "L") + marks.point("pubis", "R")) / 2
        top = marks.point("xiphoid")
        point = top + part * (low - top)
        bulge = 4 * part * (1 - part) * _BULGE
        return Anchor(carrier, point + self.offset(lateral) - bulge * np.array([0.0, 1.0, 0.0]))

    @cached_property
    def humerus(self) -> ArmFrame:
        """The humerus, from the middle of the elbow."""
        return self._frame("humerus", "elbow", ("head", "elbow"), ("epicondyle", "epitrochlea"))

    @cached_property
    def ulna(self) -> ArmFrame:
        """The ulna, from the middle of the elbow."""
        return self._frame("ulna", "elbow", ("elbow", "wrist"), ("epicondyle", "epitrochlea"))

    @cached_property
    def radius(self) -> ArmFrame:
        """The radius, from the middle of the elbow."""
        return self._frame("radius", "elbow", ("elbow", "wrist"), ("radial_styloid", "ulnar_head"))

    @cached_property
    def hand(self) -> ArmFrame:
        """The hand, from the middle of the wrist."""
        return self._frame("hand", "wrist", ("wrist", "knuckle"), ("radial_styloid", "ulnar_head"))

    def _frame(
        self, bone: str, origin: str, along: tuple[str, str], across: tuple[str, str]
    ) -> ArmFrame:
        def between(ends: tuple[str, str]) -> Floats:
            return self.marks.point(ends[0], self.side) - self.marks.point(ends[1], self.side)

        own = np.linalg.norm(np.subtract(ARM[along[0]], ARM[along[1]]))
        length = float(np.linalg.norm(between(along)))
        up = between(along) / length
        outward = between(across)
        lateral = outward - up * (up @ outward)
        lateral /= np.linalg.norm(lateral)
        forward = -sign(self.side) * np.cross(up, lateral)
        place = self.marks.point(origin, self.side)
        scale = length / (MM * float(own))
        return ArmFrame(bone + self.side, place, np.array([lateral, forward, up]), scale)
