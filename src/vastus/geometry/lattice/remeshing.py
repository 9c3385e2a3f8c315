"""The surface of a level set in even triangles: marching cubes made again edge by edge.

Marching cubes leave slivers where the level set passes close to a node of the grid. Short edges are
collapsed, edges flipped as Delaunay would have them, vertices moved along the surface to the middle
of their neighbours and back to the level (Botsch and Kobbelt 2004), each only where it turns no
face over: a closed surface stays closed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.geometry.indices import groups
from vastus.geometry.lattice import remesh_kernels as kernels
from vastus.geometry.lattice.level_set import LevelSet
from vastus.geometry.surface import Surface
from vastus.numerics.types import Floats, Ints

SIZE = 1.0  # of a cell: the length of edges that is aimed at
SHORT, LONG = 0.7, 1.6  # of that length: edges are collapsed below it, and not made above
ROUNDS, PASSES = 2, 2  # of all steps together, and of each within
MENDS = 8  # how often faces that are still bad are mended alone


def even_surface(body: LevelSet) -> Surface:
    """The surface of a level set, outward [m], in triangles of about a cell and without slivers."""
    web, size = _Web.of(body.surface(), body), SIZE * body.cell
    for _ in range(ROUNDS):
        web.collapse(web.faces, SHORT * size, LONG * size)
        web.even()
    for _ in range(MENDS):
        bad = web.bad()
        if not len(bad):
            break
        web.collapse(bad, size, 2 * LONG * size)
        web.even()
    return web.surface()


def aspects(X: Floats, F: Ints) -> Floats:
    """(k,) the longest side of each face over its smallest height."""
    corners = X[F]
    longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return np.asarray(longest**2 / np.maximum(np.linalg.norm(normal, axis=1), 1e-30))


def on_level(body: LevelSet, X: Floats) -> Floats:
    """Points (n, 3) moved to the level, along its gradient."""
    moved = np.array(X, float)
    kernels.all_to_level(moved, _grid(body))
    return moved


def _grid(body: LevelSet) -> tuple[np.ndarray, Floats, float]:
    return body.values, body.corner, body.cell


@dataclass(frozen=True, eq=False)
class _Web:
    """A closed surface whose faces know their neighbours, changed in place."""

    body: LevelSet
    X: Floats  # (n, 3) [m]
    F: Ints  # (m, 3)
    twin: Ints  # (3 m,)
    out: Ints  # (n,)

    @classmethod
    def of(cls, surface: Surface, body: LevelSet) -> _Web:
        """That of a closed surface."""
        F, runs = surface.faces.copy(), surface.runs
        order, _ = groups(np.sort(runs, axis=1))
        twin = np.empty(len(runs), np.int64)
        twin[order[::2]], twin[order[1::2]] = order[1::2], order[::2]
        out = np.full(surface.n_vertices, -1)
        out[runs[:, 0]] = np.arange(len(runs))
        return cls(body, surface.X.copy(), F, twin, out)

    @property
    def faces(self) -> Ints:
        """The faces that are there."""
        return np.flatnonzero(self.F[:, 0] >= 0)

    def bad(self) -> Ints:
        """Those of a bad aspect."""
        faces = self.faces
        return faces[aspects(self.X, self.F[faces]) > kernels.WORST]

    def collapse(self, faces: Ints, short: float, most: float) -> None:
        """Collapse edges of some faces below a length, the shortest first, none above another."""
        for _ in range(PASSES):
            mine = faces[self.F[faces, 0] >= 0]
            runs = (3 * mine[:, None] + np.arange(3)).ravel()
            ends = self.X[self.F[mine][:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)]
            length = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
            wanted = np.flatnonzero(length < short)
            runs = runs[wanted[np.argsort(length[wanted], kind="stable")]]
            kernels.collapse(self.X, self.F, self.twin, self.out, runs, short, most)

    def even(self) -> None:
        """Flip edges, and move vertices along the surface to the middle of others."""
        for _ in range(PASSES):
            for _ in range(PASSES):
                kernels.flip(self.X, self.F, self.twin, self.out)
            kernels.relax(self.X, self.F, self.twin, self.out, _grid(self.body))

    def surface(self) -> Surface:
        """What it is now."""
        kept, faces = np.unique(self.F[self.faces], return_inverse=True)
        return Surface(self.X[kept], faces.reshape(-1, 3))
