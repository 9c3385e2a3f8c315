"""Vertices and faces that are there twice, are used for nothing, or have no area."""

from __future__ import annotations

import numpy as np
from scipy.spatial import KDTree

from vastus.geometry.rows import groups
from vastus.geometry.surface import Surface, components
from vastus.modelling.anatomy.repair_words import Step, counted
from vastus.numerics.types import Floats, Ints

_NEAR = 1e-5  # of the diagonal
_SHORT = 0.01  # of the median edge; joining further than this would eat a fine mesh
_ROUNDS = 5  # in which flat faces hand their place on to their neighbours


def used(surface: Surface) -> Step:
    """The surface without vertices of no face."""
    count = surface.n_vertices - len(np.unique(surface.faces))
    if not count:
        return surface, ""
    return surface.keeping(slice(None)), f"dropped {counted(count, 'vertex')} of no face"


def joined(surface: Surface) -> Step:
    """The surface with vertices at almost the same place joined."""
    pairs = KDTree(surface.X).query_pairs(_tolerance(surface), output_type="ndarray")
    group = components(surface.n_vertices, pairs.astype(np.int64))
    first = np.unique(group, return_index=True)[1]
    count = surface.n_vertices - len(first)
    if not count:
        return surface, ""
    one = Surface(surface.X, first[group][surface.faces]).keeping(slice(None))
    return one, f"joined {counted(count, 'vertex')}"


def _tolerance(surface: Surface) -> float:
    """How near [m] two vertices are one."""
    near = _NEAR * float(np.linalg.norm(np.ptp(surface.X, axis=0)))
    lengths = _sides(surface)
    lengths = lengths[lengths > near]
    return min(near, _SHORT * float(np.median(lengths))) if len(lengths) else near


def whole_faces(surface: Surface) -> Step:
    """The surface without faces that name a vertex twice."""
    repeats = (np.diff(np.sort(surface.faces, axis=1), axis=1) == 0).sum(axis=1)
    count = int((repeats > 0).sum())
    if not count:
        return surface, ""
    return surface.keeping(repeats == 0), f"removed {counted(count, 'face')} without area"


def single_faces(surface: Surface) -> Step:
    """The surface with each face once, whichever way it is turned."""
    order, starts = groups(np.sort(surface.faces, axis=1))
    count = surface.n_faces - len(starts)
    if not count:
        return surface, ""
    first = np.sort(np.minimum.reduceat(order, starts))
    return surface.keeping(first), f"removed {counted(count, 'repeated face')}"


def straightened(surface: Surface) -> Step:
    """The surface without faces whose corners lie on a line.

    Such a face is taken out with the edge that it lies on: the neighbour there is cut in two, from
    the middle corner to the opposite one.
    """
    better, before = surface, len(_flat(surface))
    for _ in range(_ROUNDS if before else 0):
        better = Surface(better.X, _handed_on(better))
    gone = before - len(_flat(better)) if before else 0
    return (better, f"removed {counted(gone, 'face')} without area") if gone > 0 else (surface, "")


def _flat(surface: Surface) -> Ints:
    """The faces that are lower than vertices may be apart."""
    return np.flatnonzero(2 * surface.areas <= _tolerance(surface) * _sides(surface).max(axis=1))


def _sides(surface: Surface) -> Floats:
    """(k, 3) the lengths of the edges 0-1, 1-2, 2-0 [m]."""
    corners = surface.X[surface.faces]
    return np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2)


def _handed_on(surface: Surface) -> Ints:
    """The faces after each flat one was swapped with the neighbour at its longest edge."""
    rows: list[list[int]] = surface.faces.tolist()
    owner = {(row[i], row[i - 2]): f for f, row in enumerate(rows) for i in range(3)}
    longest = _sides(surface).argmax(axis=1)
    touched: set[int] = set()
    for f in _flat(surface).tolist():
        c, a, b = (rows[f][(longest[f] + i) % 3] for i in range(3))
        g = owner.get((a, c))
        if g is None or {f, g} & touched:
            continue
        d = next(v for v in rows[g] if v not in (a, c))
        if d == b or (b, d) in owner or (d, b) in owner:
            continue
        rows[f], rows[g] = [a, b, d], [b, c, d]
        touched |= {f, g}
    return np.array(rows)
