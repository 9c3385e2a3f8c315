"""The labelled mesh of a scene repaired: tets labelled, turned and lifted, and bones parted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from scipy.spatial import cKDTree

from vastus.errors import ModelError
from vastus.files.meshes import LabelledMesh
from vastus.geometry.indices import components, counts
from vastus.geometry.tetmesh import TetMesh
from vastus.geometry.topology import facing, owners, walls
from vastus.modelling.labelled.labelled_model import body_of_region, muscle_of_region, region_of_tet
from vastus.modelling.labelled.repair_tets import (
    NONE,
    SLIVER,
    gathered,
    hanging,
    inner_vertices,
    labelled,
    smallest_angles,
    smoothed,
    upright,
)
from vastus.numerics.types import Floats, Ints
from vastus.scene.fibres import Fibres
from vastus.scene.scene import Scene

MANY = 0.05  # of the tets: if more are folded, no few vertices are to blame
TINY = 1e-3  # of the mean volume of a tet: a folded tet of less may be taken away


class Repair(StrEnum):
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
class Repaired:
    """A mesh with labels, where its tets and vertices come from, and how often what was done."""

    mesh: TetMesh
    labels: Ints  # (m,)
    tets: Ints  # (m,) the tet of the mesh as given
    vertices: Ints  # (n,) the vertex of the mesh as given
    done: Mapping[Repair, int]

    @property
    def folded(self) -> int:
        """How many tets could not be made upright."""
        return int((self.mesh.volumes <= 0).sum())

    def shift(self, X: Floats) -> float:
        """How far a vertex is at most [m] from where it was in the mesh X (n, 3) as given."""
        return float(np.linalg.norm(self.mesh.X - X[self.vertices], axis=1).max(initial=0.0))

    def after(self, what: Repair, count: int, **changes: object) -> Repaired:
        """This with some fields changed, and a note of what was done if it was."""
        done = {**self.done, what: count} if count else self.done
        return replace(self, done=done, **changes) if count else self  # type: ignore[arg-type]


def repair(mesh: TetMesh, labels: Ints, *, body: Ints | None = None) -> Repaired:
    """The mesh repaired; labels (m,) count from 0, and -1 is none.

    `body` (labels,) is the bone that each label belongs to, or -1; all are soft unless it is given.
    """
    body = np.full(labels.max(initial=0) + 1, NONE) if body is None else body
    given = Repaired(mesh, labels, np.arange(mesh.n_tets), np.arange(mesh.n_vertices), {})
    out = _cut(_labelled(given, body >= 0), body >= 0)
    out = _turned(out, body >= 0)
    out = _removed(_lifted(_parted(out, body)))
    return _dropped(_smoothed(out, body < 0))


def _turned(given: Repaired, bony: np.ndarray) -> Repaired:
    """Turn what is wound against its neighbours, or a piece that is inside out as a whole.

    A soft tet that is folded over is wound as its neighbours are, so it stays. A bone does not
    deform, so there a fold does no harm once its tets are turned.
    """
    mesh, between = given.mesh, walls(given.mesh)
    piece = components(mesh.n_tets, between.tets[facing(mesh, between)])
    inside_out = (np.bincount(piece, mesh.volumes) < 0)[piece]
    wrong = np.where(bony[given.labels], mesh.volumes < 0, inside_out)
    T = np.where(wrong[:, None], mesh.T[:, [0, 1, 3, 2]], mesh.T)
    return given.after(Repair.TURNED, int(wrong.sum()), mesh=TetMesh(mesh.X, T))


def _labelled(given: Repaired, bony: np.ndarray) -> Repaired:
    between, bare = walls(given.mesh), int((given.labels == NONE).sum())
    labels = labelled(given.mesh, given.labels, between)
    out = given.after(Repair.LABELLED, bare, labels=labels)
    labels = gathered(out.labels, bony, between)
    return out.after(Repair.GATHERED, int((labels != out.labels).sum()), labels=labels)


def _cut(given: Repaired, bony: np.ndarray) -> Repaired:
    loose = hanging(given.mesh.T, given.labels, bony, walls(given.mesh))
    return _without(given, Repair.CUT, loose)


def _parted(given: Repaired, body: Ints) -> Repaired:
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
    return given.after(Repair.PARTED, len(np.unique(shared[:, 0])), mesh=mesh, vertices=vertices)


def _lifted(given: Repaired) -> Repaired:
    if not 0 < given.folded <= max(MANY * given.mesh.n_tets, 1):
        return given
    mesh = upright(given.mesh, inner_vertices(given.mesh, given.labels))
    count = given.folded - int((mesh.volumes <= 0).sum())
    return given.after(Repair.LIFTED, count, mesh=mesh)


def _removed(given: Repaired) -> Repaired:
    size = given.mesh.volumes
    return _without(given, Repair.REMOVED, (size <= 0) & (abs(size) < TINY * abs(size).mean()))


def _without(given: Repaired, what: Repair, gone: np.ndarray) -> Repaired:
    """The mesh without some tets, a mask (m,); their vertices stay."""
    return given.after(
        what,
        int(gone.sum()),
        mesh=TetMesh(given.mesh.X, given.mesh.T[~gone]),
        labels=given.labels[~gone],
        tets=given.tets[~gone],
    )


def _smoothed(given: Repaired, soft: np.ndarray) -> Repaired:
    mesh, wanted = given.mesh, soft[given.labels]
    before = smallest_angles(mesh.X, mesh.T)
    poor = wanted & (before < SLIVER)
    if given.folded or not poor.any():
        return given
    mesh = smoothed(mesh, wanted, inner_vertices(mesh, given.labels))
    better = poor & (smallest_angles(mesh.X, mesh.T) > before)
    return given.after(Repair.SMOOTHED, int(better.sum()), mesh=mesh)


def _dropped(given: Repaired) -> Repaired:
    mesh, kept = given.mesh.submesh(np.arange(given.mesh.n_tets))
    count = given.mesh.n_vertices - mesh.n_vertices
    return given.after(Repair.DROPPED, count, mesh=mesh, vertices=given.vertices[kept])


def directed(mesh: TetMesh, vectors: Floats, tets: Ints) -> tuple[Floats, int]:
    """The vectors (m, 3) with a direction in all of some tets, and how many had none.

    A tet takes the mean of its neighbours among these tets, by the area that they share; then their
    neighbours follow. What no neighbour reaches takes the direction of the nearest tet.
    """
    part, own = mesh.submesh(tets)[0], np.array(vectors, float)[tets]
    bare = ~(np.linalg.norm(own, axis=1) > 0)
    if bare.all() or not bare.any():
        return vectors, 0
    own[bare] = 0.0
    out = np.array(vectors, float)
    out[tets] = _nearest(part, _spread(part, own))
    return out, int(bare.sum())


def _spread(mesh: TetMesh, own: Floats) -> Floats:
    """Means of neighbours, tet by tet away from where there are directions."""
    between = walls(mesh)
    sides = np.concatenate([between.tets, between.tets[:, ::-1]])
    areas = np.tile(between.areas, 2)[:, None]
    while True:
        sums = np.zeros_like(own)
        np.add.at(sums, sides[:, 0], areas * own[sides[:, 1]])
        size = np.linalg.norm(sums, axis=1, keepdims=True)
        new = (own == 0).all(axis=1) & (size[:, 0] > 0)
        if not new.any():
            return own
        own[new] = (sums / np.where(size > 0, size, 1.0))[new]


def _nearest(mesh: TetMesh, own: Floats) -> Floats:
    bare = (own == 0).all(axis=1)
    if bare.any():
        near = cKDTree(mesh.centroids[~bare]).query(mesh.centroids[bare])[1]
        own[bare] = own[~bare][near]
    return own


MANY_BARE = 0.1  # of the tets: more of no region are no slip but a region that was not described
REGION = "region"


@dataclass(frozen=True, eq=False)
class RepairedMesh:
    """A mesh with the cell data `region`, counted from 1, and what was done to it."""

    source: LabelledMesh
    done: Mapping[Repair, int]
    shift: float  # [m] how far a vertex was moved at most


def repair_source(scene: Scene, source: LabelledMesh) -> RepairedMesh:
    """The mesh that a scene starts from, repaired; what cannot be repaired is an error."""
    region = region_of_tet(scene, source)
    with scene.places.blame("regions"):
        _few(int((region < 0).sum()), len(region))
    out = repair(source.mesh, np.where(region < 0, NONE, region), body=body_of_region(scene))
    with scene.places.blame("mesh", "file"):
        if out.folded:
            raise ModelError(
                f"{out.folded} of {out.mesh.n_tets} tets stay inverted or flat wherever a few "
                "vertices are moved; remesh"
            )
    cells, directions = _directed(scene, out, _vectors(source.cell_data, out.tets))
    points = _vectors(source.point_data, out.vertices)
    done = {**out.done, Repair.DIRECTED: directions} if directions else out.done
    whole = LabelledMesh(out.mesh, {REGION: out.labels + 1, **cells}, points)
    return RepairedMesh(whole, done, out.shift(source.mesh.X))


def _few(bare: int, tets: int) -> None:
    if bare > MANY_BARE * tets:
        raise ModelError(
            f"{bare} of {tets} tets belong to no region or to several, which is too many to "
            "guess; describe their region, or list them under 'ignore' of the mesh"
        )


def _vectors(data: Mapping[str, np.ndarray], kept: Ints) -> dict[str, np.ndarray]:
    """The vectors among data, of what was kept; sets and labels would no longer be true."""
    return {name: a[kept] for name, a in data.items() if np.shape(a)[1:] == (3,)}


def _directed(
    scene: Scene, out: Repaired, cells: dict[str, np.ndarray]
) -> tuple[dict[str, np.ndarray], int]:
    """The cell vectors without gaps in the muscles that use them, and how many gaps there were."""
    total = 0
    for name, part in scene.description.muscles.items():
        fibres = part.fibres if isinstance(part.fibres, Fibres) else None
        data = fibres.data if fibres and fibres.file is None else None
        tets = np.flatnonzero(np.isin(out.labels, _regions(scene, name)))
        if data is not None and data in cells:
            cells[data], count = directed(out.mesh, cells[data], tets)
            total += count
    return cells, total


def _regions(scene: Scene, muscle: str) -> list[int]:
    """The positions of the regions that belong to a muscle."""
    regions = enumerate(scene.description.regions.items())
    return [i for i, (name, part) in regions if muscle_of_region(scene, name, part) == muscle]
