"""Muscles with their tendons as strands between bones, trimmed by bones and neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from vastus.modelling.shapes.implicit import Field, Rows, SweptField, cone, join, soft_max
from vastus.modelling.shapes.tube import Triple
from vastus.numerics.types import Floats

_CLEAR = 0.7  # [mm] between a muscle and a bone that it passes
_BESIDE = 0.3  # [mm] between neighbours
_DEPTH = 1.2  # [mm] that an end enters its bone
_SEAM_DEPTH = 0.2  # [mm] that a seam enters its bone
_ROUND = 1.5  # [mm] over which trimmed edges are rounded
_BAND = 5.0  # [mm] outside of the strands, where nothing is left to trim


@dataclass(frozen=True)
class Strand:
    """A belly with its tendons, from origin to insertion.

    Rows are x, y, z, half-width along `side` and half-width across [mm]. Those in `fore` turn with
    the forearm; they are drawn with it hanging straight down.
    """

    upper: Rows
    fore: Rows = ()
    side: Triple = (1.0, 0.0, 0.0)

    def solid(self, turn: Floats) -> SweptField:
        """The strand with the forearm turned by `turn` (3, 3)."""
        rows = np.array([*self.upper, *self.fore], float)
        first = len(self.upper)
        rows[first:, :3] = rows[first:, :3] @ turn.T
        return SweptField(rows, self.side)


@dataclass(frozen=True)
class Seam:
    """A line along which a muscle is fixed to a bone over some width [mm]."""

    bone: str
    line: tuple[Triple, ...]
    width: float


@dataclass(frozen=True)
class MuscleShape:
    """Strands that are one muscle, the bones at its two ends, and long seams between the ends.

    A muscle gives way to those of lower `layer`; those of one layer meet half way. Strands are
    joined over about `blend` [mm]; `rims` join them crosswise and end at no bone. `caps` are the
    fractions of its length, from origin and insertion, in which it is fixed to bones, and
    `fibre_caps` those in which its fibres begin and end, the same unless given.
    """

    strands: tuple[Strand, ...]
    origins: tuple[str, ...]
    insertions: tuple[str, ...]
    layer: int
    faces: int = 2500
    seams: tuple[Seam, ...] = ()
    blend: float = 6.0
    rims: tuple[Strand, ...] = ()
    caps: tuple[float, float] = (0.15, 0.15)
    fibre_caps: tuple[float, float] | None = None


def thickened(muscle: MuscleShape, least: float) -> MuscleShape:
    """The muscle with tendons of at least a half-width [mm], for tets that are not much smaller."""

    def wide(rows: Rows) -> Rows:
        return [(x, y, z, max(one, least), max(two, least)) for x, y, z, one, two in rows]

    strands = (replace(s, upper=wide(s.upper), fore=wide(s.fore)) for s in muscle.strands)
    return replace(muscle, strands=tuple(strands))


@dataclass(frozen=True, eq=False)
class PosedMuscle:
    """A muscle at one angle of the elbow: its strands as solids."""

    muscle: MuscleShape
    strands: tuple[SweptField, ...]
    rims: tuple[SweptField, ...]

    @cached_property
    def whole(self) -> Field:
        """Strands and rims in one, not trimmed yet."""
        return join(*self.strands, *self.rims, blend=self.muscle.blend)

    @property
    def box(self) -> tuple[Floats, Floats]:
        """The lowest and highest corner of a box around the strands [mm]."""
        boxes = np.array([strand.box for strand in (*self.strands, *self.rims)])
        return boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)

    def ends(self) -> list[tuple[tuple[str, ...], Floats, float]]:
        """The bones, the place [mm] and the reach [mm] of each end of each strand."""
        found = []
        for strand in self.strands:
            for k, bones in ((0, self.muscle.origins), (-1, self.muscle.insertions)):
                found.append((bones, strand.rows[k, :3], float(strand.rows[k, 3:].max() + 3)))
        return found


def posed(muscle: MuscleShape, turn: Floats) -> PosedMuscle:
    """The muscle with the forearm turned by `turn` (3, 3)."""
    strands, rims = (
        tuple(strand.solid(turn) for strand in group) for group in (muscle.strands, muscle.rims)
    )
    return PosedMuscle(muscle, strands, rims)


def trimmed(name: str, muscles: Mapping[str, PosedMuscle], bones: Mapping[str, Field]) -> Field:
    """The field of a muscle, clear of bones but for its attachments, and of its neighbours."""
    own = muscles[name]
    others = [other for key, other in muscles.items() if key != name]

    def value(X: Floats) -> Floats:
        f = own.whole(X)
        near = f < _BAND
        f[near] = _left(own, others, bones, X[near], f[near])
        return f

    return value


def _left(
    own: PosedMuscle, others: list[PosedMuscle], bones: Mapping[str, Field], X: Floats, f: Floats
) -> Floats:
    left = f
    for other in others:
        if other.muscle.layer <= own.muscle.layer:
            left = soft_max(left, _beside(own, other, f, other.whole(X)), _ROUND)
    for name, bone in bones.items():
        left = soft_max(left, _clearance(own, name, X) - bone(X), _ROUND)
    return left


def _beside(own: PosedMuscle, other: PosedMuscle, f: Floats, g: Floats) -> Floats:
    """Positive where a neighbour with the field g has its place."""
    if other.muscle.layer < own.muscle.layer:
        return _BESIDE - g
    return (f - g + _BESIDE) / 2


def _clearance(own: PosedMuscle, bone: str, X: Floats) -> Floats:
    """(n,) the distance to keep from a bone [mm], negative where the muscle is fixed to it."""
    clear = np.full(len(X), _CLEAR)
    for seam in own.muscle.seams:
        if seam.bone == bone:
            clear = np.minimum(clear, _faded(_seam_distance(seam, X) / seam.width, _SEAM_DEPTH))
    for names, place, reach in own.ends():
        if bone in names:
            distance = np.linalg.norm(X - place, axis=1) / reach
            clear = np.minimum(clear, _faded(distance, _DEPTH))
    return clear


def _faded(distance: Floats, depth: float) -> Floats:
    """The clearance at a distance in widths of the attachment: it fades between 1 and 1.6."""
    away = np.clip((distance - 1) / 0.6, 0.0, 1.0)
    return -depth + (_CLEAR + depth) * away**2 * (3 - 2 * away)


def _seam_distance(seam: Seam, X: Floats) -> Floats:
    legs = zip(seam.line[:-1], seam.line[1:], strict=True)
    return np.min([cone(a, 0.0, b, 0.0)(X) for a, b in legs], axis=0)
