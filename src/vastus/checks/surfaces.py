"""What looks wrong in surfaces that a model is to be built from, each alone and all together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from vastus.checks.finding import Finding, error, errors_first, warning
from vastus.checks.surface_pairs import PAIR_CHECKS, overlapping
from vastus.errors import ModelError
from vastus.geometry.crossings import self_intersections
from vastus.geometry.surface import Surface
from vastus.model import Tissue
from vastus.modelling.anatomy.repair import repair
from vastus.modelling.anatomy.repair_holes import loops
from vastus.modelling.anatomy.repair_pieces import SMALL
from vastus.modelling.anatomy.repair_sides import cone_volume, neighbours
from vastus.modelling.anatomy.repair_words import counted, percent, place


def surface_findings(parts: Mapping[str, Surface], tissues: Mapping[str, Tissue]) -> list[Finding]:
    """Every finding about named surfaces [m], errors first; those of one part before those of two.

    What is unsound is repaired when a model is built, so it is only worth a warning.
    """
    found, bodies = [], {}
    for name, part in parts.items():
        try:
            bodies[name] = repair(part).surface
        except ModelError as refusal:
            found.append(_unusable(name, part, refusal))
        else:
            found += [finding for look in _CHECKS for finding in look(name, part)]
    # Without all the others, a part may seem to be far away from the body.
    together = PAIR_CHECKS if len(bodies) == len(parts) else (overlapping,)
    found += [finding for look in together for finding in look(bodies, tissues)]
    return errors_first(found)


def _unusable(name: str, part: Surface, refusal: ModelError) -> Finding:
    at = part.X.mean(axis=0) if part.n_vertices else None
    return error(f"part '{name}'", f"cannot be used: {refusal}", "mend or replace its file", at)


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
