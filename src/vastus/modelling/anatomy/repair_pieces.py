"""Pieces that do not belong to the body: debris, and walls inside it."""

from __future__ import annotations

import numpy as np

from vastus.errors import ModelError
from vastus.geometry.rows import groups
from vastus.geometry.surface import Surface, components
from vastus.modelling.anatomy.repair_words import Step, counted, percent, place
from vastus.numerics.types import Ints

SMALL = 0.02  # of the largest piece's area
_MOST = 0.5  # of all area; a patch larger than this is no wall


def dropped_pieces(surface: Surface) -> Step:
    """The surface without its small pieces."""
    areas = np.bincount(surface.pieces, surface.areas)
    small = areas < SMALL * areas[0]
    if not small.any():
        return surface, ""
    share = percent(areas[small].sum() / areas.sum())
    said = f"dropped {counted(small.sum(), 'small piece')} ({share} of area)"
    return surface.keeping(~small[surface.pieces]), said


def dropped_walls(surface: Surface) -> Step:
    """The surface without sheets at edges where three faces meet, or five: the smallest go first.

    Between three sheets that meet along a loop, any two enclose a body.
    """
    before = surface.n_faces
    while (wall := _smallest_wall(surface)) is not None:
        surface = surface.keeping(wall)
    gone = before - surface.n_faces
    return surface, f"removed {counted(gone, 'face')} of inner walls" if gone else ""


def _smallest_wall(surface: Surface) -> np.ndarray | None:
    """(k,) the faces that are left without the smallest sheet at an edge of too many faces."""
    faces, size = edge_faces(surface)
    crowded = faces[(size > 2) & (size % 2 == 1)]
    if not len(crowded):
        return None
    patch = patches(surface)
    areas = np.bincount(patch, surface.areas)
    candidates = np.unique(patch[crowded])
    wall = candidates[np.argmin(areas[candidates])]
    return None if areas[wall] > _MOST * areas.sum() else patch != wall


def edge_faces(surface: Surface) -> tuple[Ints, Ints]:
    """(3k,) the faces edge by edge, and how many faces the edge of each entry has."""
    order, starts = groups(np.sort(surface.runs, axis=1))
    sizes = np.diff(np.append(starts, len(order)))
    return order // 3, np.repeat(sizes, sizes)


def patches(surface: Surface) -> Ints:
    """(k,) the sheet of each face; sheets end at edges of more than two faces."""
    faces, size = edge_faces(surface)
    return components(surface.n_faces, faces[size == 2].reshape(-1, 2))


def refuse_others(surface: Surface, outer: Ints) -> None:
    """Refuse pieces that are neither the largest nor inside it."""
    others = [piece for piece in outer if piece > 0]
    if not others:
        return
    areas = np.bincount(surface.pieces, surface.areas)
    where = place(surface.X[surface.faces[surface.pieces == others[0]]].mean(axis=(0, 1)))
    raise ModelError(
        f"the surface has {1 + len(others)} separate pieces; the second, near {where}, has "
        f"{areas[others[0]] / areas[0]:.0%} of the largest's area: give each a part of its own, "
        "or join them"
    )
