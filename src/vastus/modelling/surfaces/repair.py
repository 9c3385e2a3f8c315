"""Sound surfaces out of what people have: closed, of one piece, with their normals outward.

Small crossings of faces are counted, not removed: meshing and labelling take them as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vastus.errors import ModelError
from vastus.geometry.section import self_intersections
from vastus.geometry.surface import Surface
from vastus.modelling.surfaces.repair_faces import (
    Step,
    counted,
    dropped_pieces,
    dropped_walls,
    joined,
    percent,
    single_faces,
    straightened,
    turned,
    used,
    whole_faces,
)
from vastus.numerics.types import Bools, Floats, Ints

_LONGEST = 500  # edges of a loop; a longer one gets a vertex in its middle
_THIN = 1e-3  # area of a triangle over the square of an edge
_TOLD = 0.01  # of the area; a larger cover is told of
_FLAT = 1e-6  # of the extent
_HOLLOW = 1e-4  # volume over area^(3/2): a sheet of 20 cm that is 0.1 mm thick; a ball has 0.09


def filled(surface: Surface) -> Step:
    """The surface with a cover over every hole."""
    rims = loops(surface)
    if not rims:
        return surface, ""
    X, faces = surface.X, [surface.faces]
    taken = {tuple(edge) for edge in surface.edges.tolist()}
    for rim in rims:
        cover = smallest_cover(X, rim, taken) if len(rim) <= _LONGEST else None
        if cover is None:
            cover = _fan(rim, len(X))
            X = np.vstack([X, X[rim].mean(axis=0)])
        faces.append(cover)
        taken |= {_edge(f[i], f[i - 1]) for f in cover.tolist() for i in range(3)}
    better = Surface(X, np.concatenate(faces))
    share = float(better.areas[surface.n_faces :].sum() / better.areas.sum())
    told = f", {percent(share)} of area" if share > _TOLD else ""
    return better, f"filled {counted(len(rims), 'hole')} ({sum(map(len, rims))} edges{told})"


def loops(surface: Surface) -> list[Ints]:
    """The vertices around each hole, in the direction of the faces that would fill it."""
    onward: dict[int, list[int]] = {}
    for start, end in surface.boundary_edges.tolist():
        onward.setdefault(end, []).append(start)
    found = []
    while onward:
        path = [next(iter(onward))]
        while path[-1] in onward:
            path.append(_step(onward, path[-1]))
            if path[-1] in path[:-1]:
                # A hole that touches itself is two holes.
                first = path.index(path[-1])
                found.append(np.array(path[first:-1]))
                path = path[: first + 1]
    return found


def _step(onward: dict[int, list[int]], vertex: int) -> int:
    ends = onward[vertex]
    end = ends.pop()
    if not ends:
        del onward[vertex]
    return end


def smallest_cover(X: Floats, rim: Ints, taken: set[tuple[int, int]]) -> Ints | None:
    """(n - 2, 3) the triangles of least area over a loop (n,), none with an edge that is `taken`.

    The best cover of a stretch of the loop is the best split of it in two, with a triangle between.
    None if every cover has such an edge.
    """
    n, P = len(rim), X[rim]
    cost = np.full((n, n), np.inf)
    split = np.zeros((n, n), np.int64)
    cost[np.arange(n - 1), np.arange(1, n)] = 0.0
    barred = _barred(rim, taken)
    for length in range(2, n):
        i = np.arange(n - length)
        j, m = i + length, i[:, None] + np.arange(1, length)
        total = cost[i[:, None], m] + cost[m, j[:, None]] + _price(P, i[:, None], m, j[:, None])
        best = total.argmin(axis=1)
        cost[i, j] = np.where(barred[i, j], np.inf, total[i, best])
        split[i, j] = m[i, best]
    return rim[_triangles(split)] if np.isfinite(cost[0, n - 1]) else None


def _price(P: Floats, i: Ints, m: Ints, j: Ints) -> Floats:
    """The area of triangles, and more than that of any cover if they are too thin."""
    a, b, c = P[i], P[m], P[j]
    area = np.linalg.norm(np.cross(b - a, c - a), axis=2) / 2
    longest = np.max([np.linalg.norm(b - a, axis=2), np.linalg.norm(c - b, axis=2)], axis=0)
    return area + np.where(area < _THIN * longest**2, len(P) * np.ptp(P, axis=0).sum() ** 2, 0.0)


def _barred(rim: Ints, taken: set[tuple[int, int]]) -> Bools:
    """(n, n) whether two places of the loop have an edge between them; the last and first may."""
    names = rim.tolist()
    table = np.array([[_edge(a, b) in taken for b in names] for a in names])
    table[0, -1] = False
    return table


def _edge(a: int, b: int) -> tuple[int, int]:
    return (a, b) if a < b else (b, a)


def _triangles(split: Ints) -> Ints:
    """(n - 2, 3) the triangles of the chosen splits."""
    todo, found = [(0, len(split) - 1)], []
    while todo:
        i, j = todo.pop()
        if j > i + 1:
            m = int(split[i, j])
            found.append((i, m, j))
            todo += [(i, m), (m, j)]
    return np.array(found)


def _fan(rim: Ints, middle: int) -> Ints:
    return np.stack([rim, np.roll(rim, -1), np.full(len(rim), middle)], axis=1)


_STEPS = (
    *(used, joined, whole_faces, single_faces, dropped_walls),
    *(dropped_pieces, turned, filled, straightened),
)


@dataclass(frozen=True, eq=False)
class Repaired:
    """A sound surface, and what was `done` to it, each in a short phrase."""

    surface: Surface
    done: tuple[str, ...]

    @cached_property
    def crossing(self) -> int:
        """How many of its faces still cross others."""
        return len(self_intersections(self.surface))


def repair(surface: Surface) -> Repaired:
    """Make a surface sound, or say in a sentence why it cannot be; a sound one stays as it is.

    Vertices at almost the same place are joined, faces without area, repeated faces, inner walls
    and small pieces are dropped, faces are turned outward and holes filled. A closed piece inside
    the largest is kept as a cavity, its normals pointing into it.
    """
    done: list[str] = []
    for step in _STEPS:
        _require_body(surface)
        surface, said = step(surface)
        done += [said] if said else []
    _require_closed(surface)
    return Repaired(surface, tuple(done))


def _require_body(surface: Surface) -> None:
    if surface.n_faces < 4:
        usable = counted(surface.n_faces, "usable face")
        raise ModelError(f"the surface has {usable}; a closed one has at least 4")
    X = surface.X[np.unique(surface.faces)]
    extent = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
    if len(X) < 4 or extent[2] <= _FLAT * extent[0]:
        sides = " x ".join(f"{side:.3g}" for side in np.ptp(X, axis=0))
        raise ModelError(f"the surface is flat ({sides}); a body has three dimensions")


def _require_closed(surface: Surface) -> None:
    if not surface.closed:
        raise ModelError(
            "the surface cannot be closed: faces meet at its edges in threes or against each "
            "other; repair it in a mesh editor"
        )
    if surface.volume <= _HOLLOW * surface.areas.sum() ** 1.5:
        raise ModelError("the surface encloses no volume; its faces must surround a body")
