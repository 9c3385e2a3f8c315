"""A labelled mesh mended: tets labelled, turned and lifted, and bones parted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from vastus.geometry.adjacency import pieces, walls
from vastus.geometry.rows import counts
from vastus.geometry.star import smallest_angles
from vastus.geometry.tetmesh import TetMesh
from vastus.geometry.winding import facing, owners
from vastus.modelling.mend_labels import NONE, gathered, hanging, labelled
from vastus.modelling.mend_shape import SLIVER, inner_vertices, smoothed, upright
from vastus.numerics.types import Floats, Ints

MANY = 0.05  # of the tets: if more are folded, no few vertices are to blame
TINY = 1e-3  # of the mean volume of a tet: a folded tet of less may be taken away


class Mend(StrEnum):
    """What can be done to a mesh."""

    LABELLED = "tets of no region, or of several, given to a neighbour"
    GATHERED = "stray tets given to the region around them"
    CUT = "tets that hung by a vertex or an edge only taken away"
    TURNED = "inverted tets turned"
    PARTED = "vertices that bones shared made one for each"
    LIFTED = "folded or flat tets made upright by moving vertices"
    REMOVED = "folded or flat tets of next to no volume taken away"
    SMOOTHED = "slivers made better by moving vertices inside a region"
    DROPPED = "vertices of no tet dropped"
    DIRECTED = "fibre directions taken from neighbours"


@dataclass(frozen=True, eq=False)
class Mended:
    """A mesh with labels, where its tets and vertices come from, and how often what was done."""

    mesh: TetMesh
    labels: Ints  # (m,)
    tets: Ints  # (m,) the tet of the mesh as given
    vertices: Ints  # (n,) the vertex of the mesh as given
    done: Mapping[Mend, int]

    @property
    def folded(self) -> int:
        """How many tets could not be made upright."""
        return int((self.mesh.volumes <= 0).sum())

    def shift(self, X: Floats) -> float:
        """How far a vertex is at most [m] from where it was in the mesh X (n, 3) as given."""
        return float(np.linalg.norm(self.mesh.X - X[self.vertices], axis=1).max(initial=0.0))

    def after(self, what: Mend, count: int, **changes: object) -> Mended:
        """This with some fields changed, and a note of what was done if it was."""
        done = {**self.done, what: count} if count else self.done
        return replace(self, done=done, **changes) if count else self  # type: ignore[arg-type]


def mend(mesh: TetMesh, labels: Ints, *, body: Ints | None = None) -> Mended:
    """The mesh mended; labels (m,) count from 0, and -1 is none.

    `body` (labels,) is the bone that each label belongs to, or -1; all are soft unless it is given.
    """
    body = np.full(labels.max(initial=0) + 1, NONE) if body is None else body
    given = Mended(mesh, labels, np.arange(mesh.n_tets), np.arange(mesh.n_vertices), {})
    out = _cut(_labelled(given, body >= 0), body >= 0)
    out = _turned(out, body >= 0)
    out = _removed(_lifted(_parted(out, body)))
    return _dropped(_smoothed(out, body < 0))


def _turned(given: Mended, bony: np.ndarray) -> Mended:
    """Turn what is wound against its neighbours, or a piece that is inside out as a whole.

    A soft tet that is folded over is wound as its neighbours are, so it stays. A bone does not
    deform, so there a fold does no harm once its tets are turned.
    """
    mesh, between = given.mesh, walls(given.mesh)
    piece = pieces(mesh.n_tets, between.tets[facing(mesh, between)])
    inside_out = (np.bincount(piece, mesh.volumes) < 0)[piece]
    wrong = np.where(bony[given.labels], mesh.volumes < 0, inside_out)
    T = np.where(wrong[:, None], mesh.T[:, [0, 1, 3, 2]], mesh.T)
    return given.after(Mend.TURNED, int(wrong.sum()), mesh=TetMesh(mesh.X, T))


def _labelled(given: Mended, bony: np.ndarray) -> Mended:
    between, bare = walls(given.mesh), int((given.labels == NONE).sum())
    labels = labelled(given.mesh, given.labels, between)
    out = given.after(Mend.LABELLED, bare, labels=labels)
    labels = gathered(out.labels, bony, between)
    return out.after(Mend.GATHERED, int((labels != out.labels).sum()), labels=labels)


def _cut(given: Mended, bony: np.ndarray) -> Mended:
    loose = hanging(given.mesh.T, given.labels, bony, walls(given.mesh))
    return _without(given, Mend.CUT, loose)


def _parted(given: Mended, body: Ints) -> Mended:
    """Give each bone a copy of the vertices that it shares; soft tissue stays with the first."""
    of_tet, T = body[given.labels], given.mesh.T.copy()
    held = owners(T, of_tet)
    shared = held[counts(held[:, :1]) > 1]
    again = shared[1:][shared[1:, 0] == shared[:-1, 0]]
    for copy, (vertex, bone) in enumerate(again.tolist(), given.mesh.n_vertices):
        mine = np.flatnonzero(of_tet == bone)
        T[mine] = np.where(T[mine] == vertex, copy, T[mine])
    vertices = np.concatenate([given.vertices, given.vertices[again[:, 0]]])
    mesh = TetMesh(np.vstack([given.mesh.X, given.mesh.X[again[:, 0]]]), T)
    return given.after(Mend.PARTED, len(np.unique(shared[:, 0])), mesh=mesh, vertices=vertices)


def _lifted(given: Mended) -> Mended:
    if not 0 < given.folded <= max(MANY * given.mesh.n_tets, 1):
        return given
    mesh = upright(given.mesh, inner_vertices(given.mesh, given.labels))
    count = given.folded - int((mesh.volumes <= 0).sum())
    return given.after(Mend.LIFTED, count, mesh=mesh)


def _removed(given: Mended) -> Mended:
    size = given.mesh.volumes
    return _without(given, Mend.REMOVED, (size <= 0) & (np.abs(size) < TINY * np.abs(size).mean()))


def _without(given: Mended, what: Mend, gone: np.ndarray) -> Mended:
    """The mesh without some tets, a mask (m,); their vertices stay."""
    return given.after(
        what,
        int(gone.sum()),
        mesh=TetMesh(given.mesh.X, given.mesh.T[~gone]),
        labels=given.labels[~gone],
        tets=given.tets[~gone],
    )


def _smoothed(given: Mended, soft: np.ndarray) -> Mended:
    mesh, wanted = given.mesh, soft[given.labels]
    before = smallest_angles(mesh.X, mesh.T)
    poor = wanted & (before < SLIVER)
    if given.folded or not poor.any():
        return given
    mesh = smoothed(mesh, wanted, inner_vertices(mesh, given.labels))
    better = poor & (smallest_angles(mesh.X, mesh.T) > before)
    return given.after(Mend.SMOOTHED, int(better.sum()), mesh=mesh)


def _dropped(given: Mended) -> Mended:
    mesh, kept = given.mesh.submesh(np.arange(given.mesh.n_tets))
    count = given.mesh.n_vertices - mesh.n_vertices
    return given.after(Mend.DROPPED, count, mesh=mesh, vertices=given.vertices[kept])
