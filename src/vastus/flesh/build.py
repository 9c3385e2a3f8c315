"""Flesh built: a graded lattice inside the skin, with shares of muscles, samples of bones, skin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from vastus.energies.flesh.mixture import Shares, Tissue
from vastus.errors import ModelError
from vastus.flesh.fibres import shares_of
from vastus.flesh.parts import FleshParts
from vastus.flesh.skin import SkinSettings, skin_of
from vastus.geometry.lattice.coarsening import Coarse, coarsen
from vastus.geometry.lattice.cutting import Cut, cut
from vastus.geometry.lattice.level_set import LevelSet
from vastus.geometry.lattice.remeshing import even_surface
from vastus.geometry.surface import Surface
from vastus.geometry.tetmesh import TetMesh
from vastus.materials.base import require
from vastus.numerics.types import Floats, Ints

Watch = Callable[[str], None]
LEAST = 3  # samples of bones that a piece of flesh must hold
LOST = 0.01  # of the volume that may be dropped with pieces that hold none
NEAR = 1  # voxels from the flesh within which a sample of a bone holds on to it


def _unwatched(step: str) -> None:
    """Nobody is told of the steps."""


@dataclass(frozen=True)
class FleshSettings:
    """How flesh is built; `hold` is the stiffness of springs on the surface of bones."""

    spacing: float = 0.007  # [m] of the lattice
    levels: int = 2  # how often eight tets may become one
    hold: float = 8e8  # [N/m per m^2 of bone]
    gravity: tuple[float, float, float] = (0.0, 0.0, 0.0)  # [m/s^2]; the rest shape hangs already
    skin: SkinSettings = SkinSettings()  # noqa: RUF009  (a frozen value)
    tissue: Tissue = Tissue()  # noqa: RUF009  (a frozen value)

    def __post_init__(self) -> None:
        require(self.spacing > 0, f"the lattice has the spacing {self.spacing:g} m; it must be "
                                  "positive")  # fmt: skip
        require(0 <= self.levels <= 5, f"levels is {self.levels}; it must be from 0 to 5")
        require(self.hold > 0, f"hold is {self.hold:g} N/m^3; it must be positive")


@dataclass(frozen=True, eq=False)
class Embedding:
    """Points as places in tets: the tet (k,) of each, and barycentric weights (k, 4)."""

    tets: Ints
    weights: Floats

    def matrix(self, T: Ints, P: sparse.csr_array) -> sparse.csr_array:
        """(k, free) what takes free nodes to the points."""
        k = len(self.tets)
        rows = 4 * np.arange(k + 1)
        E = sparse.csr_array((self.weights.ravel(), T[self.tets].ravel(), rows),
                             shape=(k, P.shape[0]))  # fmt: skip
        return sparse.csr_array(E @ P)


@dataclass(frozen=True, eq=False)
class Embedded:
    """A surface whose vertices go with the flesh."""

    surface: Surface
    places: Embedding

    def blended(self, mesh: TetMesh, P: sparse.csr_array, reach: float) -> sparse.csr_array:
        """(v, free) what takes free nodes to vertices that follow tets within about a reach [m].

        The linear maps of the tets of a vertex and of its neighbours on the surface are mixed: one
        tet alone, of which a vertex is often outside, would leave steps to the next in a fold. A
        linear motion is kept as it is.
        """
        surface, k = self.surface, self.surface.n_vertices
        ones = np.ones(2 * len(surface.edges))
        ends = np.concatenate([surface.edges, surface.edges[:, ::-1]]).T
        links = sparse.csr_array((ones, tuple(ends)), shape=(k, k))
        near = sparse.diags_array(0.5 / np.maximum(links.sum(axis=1), 1)) @ links
        near = sparse.csr_array(near + 0.5 * sparse.eye_array(k))
        own = sparse.csr_array((np.ones(k), self.places.tets, np.arange(k + 1)),
                               shape=(k, mesh.n_tets))  # fmt: skip
        edge = np.linalg.norm(np.diff(surface.X[surface.edges], axis=1), axis=2).mean()
        for _ in range(int(np.ceil(2 * (reach / edge) ** 2))):
            own = sparse.csr_array(near @ own)
        mixed = sparse.coo_array(own)
        offset = surface.X[mixed.row] - mesh.centroids[mixed.col]
        weights = 0.25 + np.einsum("kai,ki->ka", mesh.gradients[mixed.col], offset)
        weights *= mixed.data[:, None]
        rows, nodes = np.repeat(mixed.row, 4), mesh.T[mixed.col].ravel()
        E = sparse.csr_array((weights.ravel(), (rows, nodes)), shape=(k, P.shape[0]))
        return sparse.csr_array(E @ P)


@dataclass(frozen=True, eq=False)
class Flesh:
    """Flesh at rest: everything that frames are computed from."""

    settings: FleshSettings
    mesh: TetMesh
    level: Ints  # (m,) of each tet: 0 finest
    P: sparse.csr_array  # (n, free) what takes free nodes to all
    bodies: tuple[str, ...]  # what carries bones
    samples: Floats  # (s, 3) of bones, at rest [m]
    sample_body: Ints  # (s,)
    sample_area: Floats  # (s,) [m^2]
    sample_places: Embedding
    muscle_names: tuple[str, ...]
    shares: Shares
    skin: Embedded
    muscles: tuple[Embedded, ...]  # in the order of their names
    bones: tuple[tuple[int, Surface], ...]  # the body of each, for pictures
    facts: dict[str, float] = field(default_factory=dict)

    @property
    def rest(self) -> Floats:
        """(free, 3) the free nodes at rest [m]."""
        own = np.flatnonzero(np.diff(self.P.indptr) == 1)
        out = np.empty((self.P.shape[1], 3))
        out[self.P.indices[self.P.indptr[own]]] = self.mesh.X[own]
        return out

    def volume_of(self, muscle: str) -> float:
        """The volume [m^3] of a muscle in the tets."""
        mine = self.shares.muscle == self.muscle_names.index(muscle)
        return float(self.shares.share[mine] @ self.mesh.volumes[self.shares.tet[mine]])

    def __repr__(self) -> str:
        """What there is of it."""
        return (
            f"Flesh of {self.mesh.n_tets} tets, {self.P.shape[1]} free and "
            f"{self.P.shape[0] - self.P.shape[1]} hanging nodes, {len(self.samples)} samples of "
            f"{len(self.bodies)} bones, {len(self.muscle_names)} muscles, a skin of "
            f"{self.skin.surface.n_faces} triangles"
        )


def build_flesh(
    parts: FleshParts,
    settings: FleshSettings | None = None,
    watch: Watch = _unwatched,
    *,
    body: LevelSet | None = None,
) -> Flesh:
    """Build flesh around parts; `watch` is told the step that is begun.

    `body` is what `skin_of` has made of these parts and settings, if it is there already.
    """
    settings = settings or FleshSettings()
    if body is None:
        watch("covering the parts with a skin" if parts.skin is None else "closing the skin")
        body = skin_of(parts, settings.skin)
    watch("cutting the lattice along the skin")
    lattice = cut(body, settings.spacing)
    watch("coarsening the lattice")
    coarse = coarsen(lattice, settings.levels)
    watch("sampling the bones")
    samples = _sampled(parts, lattice, coarse, settings.spacing)
    coarse = _held(coarse, samples)
    mesh = TetMesh(coarse.X, coarse.T)
    places = Places(lattice, coarse, mesh)
    watch("filling tets with muscles")
    present = coarse.tet_of_copy >= 0
    _forget(lattice, present)
    shares = shares_of(list(parts.muscles), lattice, coarse.tet_of_copy, mesh.volumes)
    watch("embedding the skin and the muscles")
    surface = even_surface(body)
    skin = Embedded(surface, places.of(surface.X, -surface.vertex_normals * lattice.voxel))
    muscles = tuple(Embedded(m.surface, places.of(m.surface.X)) for m in parts.muscles)
    bodies = parts.bodies
    finest = len(lattice.nodes)
    return Flesh(
        settings,
        mesh,
        coarse.level,
        coarse.P,
        tuple(bodies),
        samples.points,
        samples.body,
        samples.area,
        places.of(samples.points),
        tuple(m.name for m in parts.muscles),
        shares,
        skin,
        muscles,
        tuple((bodies.index(b.carrier), b.surface) for b in parts.bones),
        {
            "volume": float(np.count_nonzero(lattice.owner >= 0)) * lattice.voxel**3,
            "fine_tets": finest,
            "coarsening": finest / mesh.n_tets,
            "copied_tets": int((~lattice.alone).sum()),
            "dropped_tets": lattice.dropped,
            "samples_outside": samples.outside,
        },
    )


@dataclass(frozen=True, eq=False)
class _Samples:
    points: Floats
    body: Ints
    area: Floats
    tets: Ints
    outside: int


def _sampled(parts: FleshParts, lattice: Cut, coarse: Coarse, spacing: float) -> _Samples:
    """Samples of the bones that are in the flesh, about a spacing apart."""
    bodies = parts.bodies
    points, area, body = [], [], []
    for bone in parts.bones:
        X, A = surface_samples(bone.surface, spacing)
        points.append(X)
        area.append(A)
        body.append(np.full(len(X), bodies.index(bone.carrier)))
    X, A, B = np.concatenate(points), np.concatenate(area), np.concatenate(body)
    copy = lattice.embed(X, reach=NEAR)
    held = copy >= 0
    if not held.any():
        raise ModelError("no bone is inside the flesh; is the skin that of other bones?")
    tets = coarse.tet_of_copy[copy[held]]
    return _Samples(X[held], B[held], A[held], tets, int((~held).sum()))


def surface_samples(surface: Surface, spacing: float) -> tuple[Floats, Floats]:
    """Points (k, 3) of a surface, one in each cell of a grid that it meets, and areas (k,)."""
    corners = surface.X[surface.faces]
    longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    count = np.maximum(np.ceil(longest / (0.5 * spacing)).astype(int), 1)
    points, areas = [], []
    for n in np.unique(count):
        # The centroids of n^2 equal triangles.
        i, j = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
        up = np.stack([i, j], axis=-1)[i + j < n] + 1 / 3
        down = np.stack([i, j], axis=-1)[i + j < n - 1] + 2 / 3
        a = np.concatenate([up, down]) / n
        weights = np.column_stack([a, 1 - a.sum(axis=1)])
        mine = count == n
        points.append(np.einsum("pa,kai->kpi", weights, corners[mine]).reshape(-1, 3))
        areas.append(np.repeat(surface.areas[mine] / n**2, n * n))
    X, A = np.concatenate(points), np.concatenate(areas)
    cell = np.floor((X - X.min(axis=0)) / spacing).astype(np.int64)
    span = cell.max(axis=0) + 1
    _, where = np.unique((cell[:, 0] * span[1] + cell[:, 1]) * span[2] + cell[:, 2],
                         return_inverse=True)  # fmt: skip
    total = np.asarray(np.bincount(where, A), float)
    mean = np.stack([np.bincount(where, A * X[:, c]) for c in range(3)], axis=1) / total[:, None]
    # The point nearest to the mean: the mean itself is not on the surface.
    gap = ((X - mean[where]) ** 2).sum(axis=1)
    order = np.lexsort((gap, where))
    first = np.unique(where[order], return_index=True)[1]
    return X[order[first]], total


def _held(coarse: Coarse, samples: _Samples) -> Coarse:
    """The lattice without the pieces in which no bone holds on to anything."""
    count = np.bincount(coarse.piece[samples.tets], minlength=int(coarse.piece.max()) + 1)
    stay = (count >= LEAST)[coarse.piece]
    if stay.all():
        return coarse
    volume = np.exp2(3.0 * coarse.level)
    lost = float(volume[~stay].sum() / volume.sum())
    if lost > LOST:
        middle = coarse.X[coarse.T[~stay]].mean(axis=(0, 1))
        raise ModelError(
            f"{100 * lost:.0f} % of the flesh, about {', '.join(f'{v:.3f}' for v in middle)} m, "
            "hangs together with no bone; add its bones, or leave its parts out"
        )
    return _without(coarse, stay)


def _without(coarse: Coarse, stay: np.ndarray) -> Coarse:
    used, T = np.unique(coarse.T[stay], return_inverse=True)
    P = coarse.P[used]
    free = np.unique(P.indices)
    number = np.where(stay, np.cumsum(stay) - 1, -1)
    return Coarse(
        coarse.X[used],
        T.reshape(-1, 4),
        coarse.level[stay],
        sparse.csr_array(P[:, free]),
        number[coarse.tet_of_copy],
        coarse.piece[stay],
    )


def _forget(lattice: Cut, present: np.ndarray) -> None:
    """Let voxels of pieces that were dropped belong to nothing."""
    if not present.all():
        flat = lattice.owner.reshape(-1)
        np.copyto(flat, np.where((flat >= 0) & present[flat], flat, -1))


@dataclass(frozen=True, eq=False)
class Places:
    """Where points are in a graded lattice."""

    lattice: Cut
    coarse: Coarse
    mesh: TetMesh

    def of(self, points: Floats, shift: Floats | None = None) -> Embedding:
        """Points (k, 3) [m] in tets, found a `shift` (k, 3) away if that is given.

        What no voxel is near to goes to the nearest tet.
        """
        copy = self.lattice.embed(points if shift is None else points + shift)
        tets = np.where(copy >= 0, self.coarse.tet_of_copy[copy], -1)
        lost = np.flatnonzero(tets < 0)
        if len(lost):
            from scipy.spatial import KDTree

            tets[lost] = KDTree(self.mesh.centroids).query(points[lost])[1]
        offset = points - self.mesh.centroids[tets]
        weights = 0.25 + np.einsum("kai,ki->ka", self.mesh.gradients[tets], offset)
        return Embedding(tets, weights)
