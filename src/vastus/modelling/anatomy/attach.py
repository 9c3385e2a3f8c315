"""Where muscles are attached: proposed from the tips of each, unless the author says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from vastus.errors import ModelError, known
from vastus.geometry.adjacency import Walls
from vastus.geometry.queries import nearest_on_surface
from vastus.geometry.tetmesh import TetMesh
from vastus.model import Tissue
from vastus.modelling.anatomy.along import Way
from vastus.modelling.anatomy.parts import Part
from vastus.numerics.types import Floats, Ints

TIP = 0.05  # of a muscle's length
CAP, BEYOND = 0.15, 0.05  # how far an attachment reaches, and past its first contact


class End(IntEnum):
    """An end of a muscle."""

    ORIGIN = 0
    INSERTION = 1

    def along(self, s: Floats) -> Floats:
        """How far from this end, as a fraction of the length."""
        return s if self is End.ORIGIN else 1.0 - s


@dataclass(frozen=True)
class Attachment:
    """One end of a muscle on another part; parts by their position.

    It holds where the muscle touches the other part within `cap` of its length from the end.
    """

    part: int
    end: End
    to: int
    cap: float
    distance: float  # [m] between the tip and the other part
    given: bool  # by the author


@dataclass(frozen=True, eq=False)
class Scan:
    """What attachments are found from: the labelled mesh, and the walls between its parts."""

    mesh: TetMesh
    labels: Ints  # (m,)
    parts: Sequence[Part]
    between: Walls
    gap: float  # [m] that an attachment may bridge

    def distances(self, part: int, points: Floats) -> Floats:
        """(k,) how far points (k, 3) are from a part, its tendons included [m]."""
        surfaces = [
            p.surface for i, p in enumerate(self.parts) if i == part or self._sinew(i, part)
        ]
        return np.min([nearest_on_surface(s, points).distances for s in surfaces], axis=0)

    def _sinew(self, i: int, part: int) -> bool:
        one, of = self.parts[i], self.parts[part]
        return one.tissue is Tissue.TENDON and of.muscle is not None and one.muscle == of.muscle

    def vertices(self, part: int) -> Ints:
        """The vertices of a part."""
        return np.unique(self.mesh.T[self.labels == part])


def attached(scan: Scan, part: int, way: Way, up: Floats) -> tuple[Way, tuple[Attachment, ...]]:
    """The attachments of a muscle, and its way turned so that it starts at its origin.

    The origin is the upper end, unless the author's names fit better the other way round.
    """
    said = scan.parts[part].ends
    names = (said.origin, said.insertion)
    wanted = [
        None if n is None else [_position(scan.parts, part, name) for name in n] for n in names
    ]
    if _misfit(scan, part, way, wanted, up) > _misfit(scan, part, way.reversed(), wanted, up):
        way = way.reversed()
    found = []
    for end in End:
        given = wanted[end] is not None
        for to in wanted[end] or [_proposed(scan, part, way, end)]:
            cap = said.caps[end] if said.caps else _cap(scan, part, to, way, end)
            distance = float(_distances(scan, part, to, _tip(scan, part, way, end)).min())
            found.append(Attachment(part, end, to, cap, distance, given))
    return way, tuple(found)


def _position(parts: Sequence[Part], part: int, name: str) -> int:
    others = [p.name for i, p in enumerate(parts) if i != part]
    if name not in others:
        raise known("part", name, others)
    return [p.name for p in parts].index(name)


def _misfit(scan: Scan, part: int, way: Way, wanted: list[list[int] | None], up: Floats) -> float:
    """How far the ends are from the parts they should be on [m], or how far the origin is below."""
    if all(parts is None for parts in wanted):
        low, high = (scan.mesh.X[_tip(scan, part, way, end)].mean(axis=0) for end in End)
        return float((high - low) @ up)
    return sum(
        float(_distances(scan, part, to, _tip(scan, part, way, end)).min())
        for end in End
        for to in wanted[end] or ()
    )


def _tip(scan: Scan, part: int, way: Way, end: End, reach: float = TIP) -> Ints:
    """The vertices of a muscle near one of its ends."""
    mine = scan.vertices(part)
    return mine[end.along(way.s[mine]) <= reach]


def _distances(scan: Scan, part: int, to: int, vertices: Ints) -> Floats:
    """(k,) how far vertices are from another part [m]; zero where it has them."""
    away = scan.distances(to, scan.mesh.X[vertices])
    return np.where(np.isin(vertices, scan.vertices(to)), 0.0, away)


def _proposed(scan: Scan, part: int, way: Way, end: End) -> int:
    """The bone nearest the tip, or else the muscle that it touches most there."""
    tip = _tip(scan, part, way, end)
    bones = [i for i, p in enumerate(scan.parts) if p.bony]
    away = [float(_distances(scan, part, bone, tip).min()) for bone in bones]
    if away and min(away) <= scan.gap:
        return bones[int(np.argmin(away))]
    touched = _touched(scan, part, way, end)
    if touched is not None:
        return touched
    raise _unattached(scan, part, end, tip, dict(zip(bones, away, strict=True)))


def _unattached(scan: Scan, part: int, end: End, tip: Ints, away: dict[int, float]) -> ModelError:
    place = ", ".join(f"{c:.3g}" for c in scan.mesh.X[tip].mean(axis=0))
    bone = min(away, key=away.__getitem__, default=None)
    nearest = "there are no bones"
    if bone is not None:
        name = scan.parts[bone].name
        nearest = f"the nearest bone, '{name}', is {1000 * away[bone]:.3g} mm away"
    return ModelError(
        f"muscle '{scan.parts[part].name}' is attached to nothing at its end near [{place}] m; "
        f"{nearest}: name its {end.name.lower()}, or move it"
    )


def _touched(scan: Scan, part: int, way: Way, end: End) -> int | None:
    """The muscle that shares most area with a muscle's cap."""
    sides = np.concatenate([scan.between.tets, scan.between.tets[:, ::-1]])
    here = scan.labels[sides[:, 0]] == part
    here &= end.along(way.at(np.tile(scan.between.faces, (2, 1)))) <= CAP
    areas = np.tile(scan.between.areas, 2)
    soft = [i for i, p in enumerate(scan.parts) if p.tissue is Tissue.MUSCLE]
    other = scan.labels[sides[:, 1]]
    shared = [areas[here & (other == i)].sum() if i != part else 0.0 for i in soft]
    return soft[int(np.argmax(shared))] if soft and max(shared) > 0 else None


def _cap(scan: Scan, part: int, to: int, way: Way, end: End) -> float:
    """How far from the end the attachment reaches: further where contact begins late."""
    mine = scan.vertices(part)
    near = mine[_distances(scan, part, to, mine) <= scan.gap]
    if not len(near):
        return CAP
    first = float(end.along(way.s[near]).min())
    return min(1.0, max(CAP, first + BEYOND))
