"""What looks wrong in surfaces that a model is to be built from, each alone and all together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from scipy.spatial import KDTree

from vastus.checks.finding import Finding, error, warning, worst_first
from vastus.checks.surface_overlaps import overlaps, sampled, within
from vastus.checks.units import LONGEST
from vastus.errors import ModelError
from vastus.geometry.section import self_intersections
from vastus.geometry.signed_distance import distances_to
from vastus.geometry.surface import Surface
from vastus.modelling.surfaces.anatomy import LARGEST, SMALLEST
from vastus.modelling.surfaces.body_parts import PRECEDENCE
from vastus.modelling.surfaces.repair import loops, repair
from vastus.modelling.surfaces.repair_faces import (
    SMALL,
    cone_volume,
    counted,
    neighbours,
    percent,
    place,
)
from vastus.numerics.types import Floats
from vastus.parts import Tissue

SAME = 0.95  # of the larger part
SWALLOWED = 0.98  # of the smaller part
SLIGHT = 0.005  # of the smaller part; less overlap is of no account between soft parts
SLIGHTEST = 1e-9  # [m^3] between bones
FAR = 0.05  # [m] between parts of one body
ODD = 50.0  # times the size of the other parts
TOUCHING = 0.005  # [m]
ENDS = 2  # of a muscle

Parts = Mapping[str, Surface]
Tissues = Mapping[str, Tissue]


def overlapping(parts: Parts, tissues: Tissues) -> Iterator[Finding]:
    """Parts in each other's place; tissue around other parts may hold them."""
    for overlap in overlaps(parts):
        first, second = overlap.names
        kinds = {tissues[first], tissues[second]}
        size = f"{overlap.volume * 1e6:.2g} cm3 ({percent(overlap.of_smaller)} of the smaller)"
        where = f"near {place(overlap.place)} m"
        if overlap.of_larger > SAME:
            yield error(
                f"part '{second}'",
                f"is almost the same as part '{first}': they have {size} in common {where}",
                "check the files, and leave one of them out",
                overlap.place,
            )
        elif overlap.of_smaller > SWALLOWED and _yields(parts, tissues, overlap.names):
            yield error(
                f"part '{_smaller(parts, overlap.names)}'",
                f"lies inside part '{_larger(parts, overlap.names)}' {where}, which has the place "
                "before it",
                "check their tissues and files, or leave one of them out",
                overlap.place,
            )
        elif kinds == {Tissue.BONE} and overlap.volume > SLIGHTEST:
            yield warning(
                f"part '{second}'",
                f"overlaps part '{first}', which is bone too, by {size} {where}",
                "move or trim one of them: bones that overlap may stick together",
                overlap.place,
            )
        elif overlap.of_smaller > SLIGHT and (len(kinds) == 1 or Tissue.PASSIVE not in kinds):
            yield warning(
                f"part '{second}'",
                f"overlaps part '{first}' by {size} {where}",
                "bone takes what it shares with other tissue, and between equals the deeper part "
                "does; trim one of them if that is not meant",
                overlap.place,
            )


def _smaller(parts: Parts, names: tuple[str, str]) -> str:
    return min(names, key=lambda name: abs(parts[name].volume))


def _larger(parts: Parts, names: tuple[str, str]) -> str:
    return max(names, key=lambda name: abs(parts[name].volume))


def _yields(parts: Parts, tissues: Tissues, names: tuple[str, str]) -> bool:
    """Whether the smaller of two parts has no tissue that goes before the larger's."""
    small, large = (tissues[pick(parts, names)] for pick in (_smaller, _larger))
    return PRECEDENCE.index(small) >= PRECEDENCE.index(large)


def stray(parts: Parts, tissues: Tissues) -> Iterator[Finding]:
    """Parts of another size than the rest, or away from it: other units, or another body."""
    extents = {name: _extent({name: part}) for name, part in parts.items()}
    for name, part in parts.items():
        others = [other for other in parts if other != name]
        if not others:
            return
        usual = [extents[n] for n in (parts if len(parts) > 2 else others)]
        ratio = extents[name] / float(np.median(usual))
        gap, nearest = _gap(part, [parts[other] for other in others])
        middle = part.X.mean(axis=0)
        if not 1 / ODD < ratio < ODD:
            say = error if _extent(parts) > LONGEST else warning
            yield say(
                f"part '{name}'",
                f"near {place(middle)} m is {ratio:.2g} times as large as the others",
                "check the 'units' of its file",
                middle,
            )
        elif gap > max(FAR, extents[name] / 2):
            yield warning(
                f"part '{name}'",
                f"near {place(nearest)} m is {gap:.2g} m away from all others",
                "check the 'units' of its file, and that it is of the same body",
                nearest,
            )


def whole(parts: Parts, tissues: Tissues) -> Iterator[Finding]:
    """A body larger or smaller than bodies are."""
    extent = _extent(parts)
    if parts and not SMALLEST <= extent <= LARGEST:
        say = error if extent > LONGEST else warning
        yield say(
            "the body",
            f"of all parts together is {extent:.3g} m across, but a limb or body is {SMALLEST:g} "
            f"to {LARGEST:g} m",
            "check the 'units' of the surfaces",
        )


def loose(parts: Parts, tissues: Tissues) -> Iterator[Finding]:
    """Muscles with nothing to pull at, or only on one side."""
    for name, part in parts.items():
        if tissues[name] is Tissue.MUSCLE:
            others = [n for n in parts if n != name]
            near = [n for n in others if touches(part, parts[n])]
            if len(near) < ENDS:
                listed = f" ('{near[0]}')" if near else ""
                far = not near and (not others or _gap(part, [parts[n] for n in others])[0] > FAR)
                say, middle = error if far else warning, part.X.mean(axis=0)
                yield say(
                    f"part '{name}'",
                    f"around {place(middle)} m comes within {TOUCHING * 1e3:g} mm of "
                    f"{counted(len(near), 'other part')}{listed} only",
                    "a muscle is attached at two ends: add what it inserts into, or move it",
                    middle,
                )


def touches(a: Surface, b: Surface) -> bool:
    """Whether two surfaces come within reach of each other."""
    return _reaches(a, b) or _reaches(b, a)


def _reaches(a: Surface, b: Surface) -> bool:
    corners = a.X[a.faces]
    low, high = b.X.min(axis=0) - TOUCHING, b.X.max(axis=0) + TOUCHING
    near = ((corners.min(axis=1) <= high) & (corners.max(axis=1) >= low)).all(axis=1)
    if not near.any():
        return False
    points = np.concatenate([a.X, sampled(Surface(a.X, a.faces[near]), TOUCHING)])
    points = np.ascontiguousarray(points[within(points, low, high)])
    if not len(points):
        return False
    return bool(distances_to(b, points).min() <= TOUCHING)


def _extent(parts: Parts) -> float:
    """The longest side [m] of the box around parts."""
    X = np.concatenate([part.X for part in parts.values()])
    return float(np.ptp(X, axis=0).max())


def _gap(part: Surface, others: list[Surface]) -> tuple[float, Floats]:
    """The distance [m] to the nearest vertex of other parts, and where (3,)."""
    distance, _ = KDTree(np.concatenate([other.X for other in others])).query(part.X)
    nearest = int(distance.argmin())
    return float(distance[nearest]), part.X[nearest]


PAIR_CHECKS = (overlapping, stray, whole, loose)


def surface_findings(
    parts: Mapping[str, Surface],
    tissues: Mapping[str, Tissue],
    sound: Mapping[str, Surface | str] | None = None,
) -> list[Finding]:
    """Every finding about named surfaces [m], errors first; those of one part before those of two.

    What is unsound is repaired when a model is built, so it is only worth a warning. `sound` are
    the repaired surfaces, or why one cannot be repaired, if that was done before.
    """
    found, bodies = [], {}
    for name, part in parts.items():
        body = sound_surface(part) if sound is None else sound[name]
        if isinstance(body, str):
            found.append(_unusable(name, part, body))
        else:
            bodies[name] = body
            found += [finding for look in _CHECKS for finding in look(name, part)]
    # Without all the others, a part may seem to be far away from the body.
    together = PAIR_CHECKS if len(bodies) == len(parts) else (overlapping,)
    found += [finding for look in together for finding in look(bodies, tissues)]
    return worst_first(found)


def sound_surface(part: Surface) -> Surface | str:
    """A surface repaired, or why it cannot be."""
    try:
        return repair(part).surface
    except ModelError as refusal:
        return str(refusal)


def _unusable(name: str, part: Surface, refusal: str) -> Finding:
    at = part.X.mean(axis=0) if part.n_vertices else None
    return error(f"part '{name}'", f"cannot be used: {refusal}", "repair or replace its file", at)


def holes(name: str, part: Surface) -> Iterator[Finding]:
    """Open edges."""
    rims = loops(part)
    if rims:
        longest = max(rims, key=len)
        at = part.X[longest].mean(axis=0)
        yield warning(
            f"part '{name}'",
            f"is not watertight: {counted(len(part.boundary_edges), 'open edge')} around "
            f"{counted(len(rims), 'hole')}, the longest near {place(at)} m",
            "holes are covered when the model is built; close them yourself if that is not meant",
            at,
        )


def crossings(name: str, part: Surface) -> Iterator[Finding]:
    """Faces that pass through others."""
    faces = self_intersections(part)
    if len(faces):
        at = part.X[part.faces[faces[0]]].mean(axis=0)
        yield warning(
            f"part '{name}'",
            f"has {counted(len(faces), 'face')} of {part.n_faces} that cross others, the first "
            f"near {place(at)} m",
            "a few do no harm; smooth or remesh the surface there if the shape is wrong",
            at,
        )


def turned(name: str, part: Surface) -> Iterator[Finding]:
    """Surfaces inside out, or with faces that disagree about which side is outside."""
    pairs, against = neighbours(part)
    if against.any():
        at = part.X[part.faces[pairs[against][0, 0]]].mean(axis=0)
        yield warning(
            f"part '{name}'",
            f"has faces that disagree about which side is outside, at "
            f"{counted(int(against.sum()), 'edge')}, the first near {place(at)} m",
            "faces are turned when the model is built",
            at,
        )
    elif cone_volume(part) < 0:
        at = part.X.mean(axis=0)
        yield warning(
            f"part '{name}'",
            f"around {place(at)} m is inside out",
            "its faces are turned when the model is built",
            at,
        )


def pieces(name: str, part: Surface) -> Iterator[Finding]:
    """Small pieces; a surface with larger ones cannot be used at all."""
    areas = np.bincount(part.pieces, part.areas)
    small = areas < SMALL * areas[0]
    if small.any():
        first = part.faces[part.pieces == np.flatnonzero(small)[0]]
        at = part.X[first].mean(axis=(0, 1))
        yield warning(
            f"part '{name}'",
            f"has {counted(int(small.sum()), 'small piece')} apart from the rest "
            f"({percent(areas[small].sum() / areas.sum())} of its area), the largest near "
            f"{place(at)} m",
            "small pieces are dropped when the model is built",
            at,
        )


_CHECKS = (holes, crossings, turned, pieces)
