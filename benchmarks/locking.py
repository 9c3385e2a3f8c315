"""Cures of locking side by side, on a bent bar of tets at small strains: `locking.py`.

A bar of 20 x 5 x 5 cm, clamped at one end, carries a force at the other. What resists a change of
shape and of volume is each tet by itself, or a mean over tets: of patches of eight, as in
`volume: averaged`, around each vertex, or around each edge. A quadratic tet mesh sags by 4.38 mm at
a Poisson's ratio of 0.3, and by 4.17 mm at 0.499.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import spsolve

from vastus.geometry.tetmesh import TetMesh
from vastus.geometry.topology import patches
from vastus.materials.base import lame
from vastus.modelling.shapes.simple import box
from vastus.numerics.types import Floats, Ints

SIZE = (0.2, 0.05, 0.05)  # [m]
YOUNG, FORCE = 6e4, 0.05  # [Pa], [N]
EDGES = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
TRACE = np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])


def bar(across: int) -> TetMesh:
    """The bar with so many cells across; vertices within are shaken."""
    mesh = box((4 * across, across, across), SIZE)
    shake = np.random.default_rng(0).uniform(-1, 1, mesh.X.shape) * 0.15 * SIZE[2] / across
    shake[mesh.boundary] = 0.0
    return TetMesh(mesh.X + shake, mesh.T)


@dataclass(frozen=True, eq=False)
class Means:
    """Means (groups, tets) over groups of tets, and the volume (groups,) that each stands for."""

    matrix: sp.csr_matrix
    volumes: Floats

    @classmethod
    def of(cls, group: Ints, tet: Ints, volume: Floats) -> Means:
        """The means with these volumes of tets in groups."""
        W = sp.csr_matrix((volume, (group, tet)))
        total = np.asarray(W.sum(axis=1)).ravel()
        return cls(sp.csr_matrix(sp.diags(1.0 / total) @ W), total)

    def stiffness(self, strain: sp.csr_matrix, law: Floats) -> sp.csr_matrix:
        """The matrix of the mean strains, six a tet, with a law (6, 6) [Pa]."""
        mean = sp.kron(self.matrix, sp.eye(6)) @ strain
        return sp.csr_matrix(mean.T @ sp.kron(sp.diags(self.volumes), law) @ mean)


def groupings(mesh: TetMesh) -> dict[str, Means]:
    """The tets by themselves, in patches, around vertices and around edges."""
    m, V = mesh.n_tets, mesh.volumes
    tets = np.arange(m)
    ends = np.concatenate([np.sort(mesh.T[:, list(edge)], axis=1) for edge in EDGES])
    edge = np.unique(ends, axis=0, return_inverse=True)[1].ravel()
    return {
        "tet": Means.of(tets, tets, V),
        "patch": Means.of(patches(mesh.T, np.zeros(m, np.int64)), tets, V),
        "vertex": Means.of(mesh.T.ravel(), np.repeat(tets, 4), np.repeat(V / 4, 4)),
        "edge": Means.of(edge, np.tile(tets, 6), np.tile(V / 6, 6)),
    }


def strains(mesh: TetMesh) -> sp.csr_matrix:
    """(6 m, 3 n) the strains of each tet, three along and three of shear."""
    B, m = mesh.gradients, mesh.n_tets
    parts = [(k, k, k) for k in range(3)]
    for row, (i, j) in enumerate(((0, 1), (1, 2), (0, 2)), 3):
        parts += [(row, i, j), (row, j, i)]
    rows = np.concatenate([6 * np.arange(m) + row for row, _, _ in parts for _ in range(4)])
    columns = np.concatenate([3 * mesh.T[:, a] + i for _, i, _ in parts for a in range(4)])
    values = np.concatenate([B[:, a, j] for _, _, j in parts for a in range(4)])
    return sp.csr_matrix((values, (rows, columns)), shape=(6 * m, 3 * mesh.n_vertices))


# What resists a change of shape, and of volume; tets or edges keep a little of the latter's bulk.
CURES = {
    "plain": ("tet", "tet"),
    "patches": ("tet", "patch"),
    "vertices": ("tet", "vertex"),
    "edges and vertices": ("edge", "vertex"),
    "edges and patches": ("edge", "patch"),
}


def sag(mesh: TetMesh, cure: str, poisson: float) -> tuple[float, int]:
    """How far the loaded end sinks [mm], and the entries of the matrix."""
    mu, lam = lame(YOUNG, poisson)
    bulk = lam + 2 * mu / 3
    shear = mu * np.diag([2.0, 2, 2, 1, 1, 1]) - 2 * mu / 3 * np.outer(TRACE, TRACE)
    shape, volume = CURES[cure]
    kept = min(2 * mu, bulk) if volume == "patch" else 0.0
    groups, strain = groupings(mesh), strains(mesh)
    K = groups[shape].stiffness(strain, shear + kept * np.outer(TRACE, TRACE))
    K = K + groups[volume].stiffness(strain, (bulk - kept) * np.outer(TRACE, TRACE))
    free = np.repeat(mesh.X[:, 0] > 1e-9, 3)
    end = np.flatnonzero(mesh.X[:, 0] > SIZE[0] - 1e-9)
    weight = end_weights(mesh, end)
    f = np.zeros((mesh.n_vertices, 3))
    f[end, 2] = -FORCE * weight
    inner = sp.csc_matrix(sp.csr_matrix(K)[free][:, free])
    u = np.zeros(3 * mesh.n_vertices)
    u[free] = spsolve(inner, f.ravel()[free])
    return -1e3 * float(weight @ u.reshape(-1, 3)[end, 2]), int(inner.nnz)


def end_weights(mesh: TetMesh, end: Ints) -> Floats:
    """(k,) the shares of the end face's area that its vertices carry."""
    at_end = np.isin(mesh.T, end)
    faces = mesh.T[at_end.sum(axis=1) == 3]
    corners = faces[np.isin(faces, end)].reshape(-1, 3)
    X = mesh.X[corners]
    area = np.linalg.norm(np.cross(X[:, 1] - X[:, 0], X[:, 2] - X[:, 0]), axis=1)
    share = np.bincount(corners.ravel(), np.repeat(area, 3), minlength=mesh.n_vertices)[end]
    return np.asarray(share / share.sum())


def main() -> None:
    """Print the sag by every cure at rising numbers of tets."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--across", type=int, nargs="+", default=[2, 3, 4, 6])
    for poisson in (0.3, 0.4999):
        print(f"Poisson's ratio {poisson}: sag [mm] (entries of the matrix)")
        print(f"{'tets':>6}" + "".join(f"{cure:>24}" for cure in CURES))
        for across in parser.parse_args().across:
            mesh = bar(across)
            found = [sag(mesh, cure, poisson) for cure in CURES]
            cells = "".join(f"{s:14.3f} ({n:7d})" for s, n in found)
            print(f"{mesh.n_tets:6d}{cells}")


if __name__ == "__main__":
    main()
