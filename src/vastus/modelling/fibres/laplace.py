"""Fibre directions by a Laplace solve from origin to insertion (theory, eq. 16)."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import cg, splu
from scipy.spatial import cKDTree

from vastus.errors import ModelError, SolveError
from vastus.geometry.tetmesh import TetMesh
from vastus.numerics.jit import lone_blas
from vastus.numerics.rotation import unit
from vastus.numerics.types import Floats, Ints

# Beyond this many unknowns the fill-in of a direct factorisation costs more than iterating.
_DIRECT = 5_000


def mean_line(vectors: Floats) -> Floats:
    """(k, 3) the mean of each row of vectors (k, a, 3), whatever their signs and lengths.

    It is the main axis of the sum of `d (outer) d` over the row's directions `d`.
    """
    d = unit(vectors.reshape(-1, 3)).reshape(vectors.shape)
    main = np.linalg.eigh(np.einsum("kai,kaj->kij", d, d))[1][:, :, -1]
    along = np.einsum("ki,kai->k", main, d)
    sign = np.where(along < 0, -1.0, 1.0) * d.any(axis=(1, 2))
    return sign[:, None] * main


def laplace_fibres(mesh: TetMesh, tets: Ints, origin: Ints, insertion: Ints) -> Floats:
    """(len(tets), 3) unit fibre directions in some tets, from origin to insertion.

    A potential is -1 on the vertices `origin`, 1 on `insertion` and harmonic between them; fibres
    follow its gradient. Vertices that belong to none of the tets are ignored. A tet with all its
    vertices on one end gets the direction of the nearest other.
    """
    values = np.full(mesh.n_vertices, np.nan)
    values[origin], values[insertion] = -1.0, 1.0
    for name, vertices in (("origin", origin), ("insertion", insertion)):
        if not np.isin(vertices, mesh.T[tets]).any():
            raise ModelError(f"no vertex of the {name} belongs to the muscle's tets")
    return gradient_fibres(mesh, tets, values)


def gradient_fibres(mesh: TetMesh, tets: Ints, values: Floats) -> Floats:
    """(len(tets), 3) unit gradients of the potential that is harmonic where `values` (n,) is NaN.

    Where `values` is a number, it is the potential.
    """
    part, kept = mesh.submesh(tets)
    slopes = (part.D @ harmonic(part, values[kept])).reshape(-1, 3)
    return unit(_filled(part, slopes))


def harmonic(mesh: TetMesh, values: Floats) -> Floats:
    """(n,) the potential that equals `values` (n,) and is harmonic where they are NaN."""
    _all_tied(mesh, values)
    volumes = np.repeat(mesh.volumes, 3)
    L = (mesh.D_transposed @ (sparse.diags_array(volumes) @ mesh.D)).tocsr()
    free = np.flatnonzero(np.isnan(values))
    given = np.flatnonzero(~np.isnan(values))
    out = values.copy()
    if len(free):
        rows = L[free]
        out[free] = _solve(rows[:, free].tocsc(), -(rows[:, given] @ values[given]))
    return out


def ill_directed(mesh: TetMesh, tets: Ints, fibre: Floats, axis: Floats | None = None) -> float:
    """The fraction of the tets' volume whose fibre (len(tets), 3) is missing or strays.

    A fibre strays if it is more than 45 degrees from the muscle's local `axis` (len(tets), 3),
    which is by default the fibre field itself smoothed over its neighbourhood.
    """
    if axis is None:
        axis = smoothed(mesh.submesh(tets)[0], fibre)
    along = np.einsum("mi,mi->m", fibre, unit(axis))
    volumes = mesh.volumes[tets]
    return float(volumes[along < np.sqrt(0.5)].sum() / volumes.sum())


def smoothed(mesh: TetMesh, field: Floats, passes: int = 10) -> Floats:
    """(m, 3) a field over the tets, averaged `passes` times over the tets around each vertex."""
    for _ in range(passes):
        field = _around(mesh, field)
    return field


def _all_tied(mesh: TetMesh, values: Floats) -> None:
    """Refuse pieces of the mesh where no value is given: any constant would do there."""
    bare = np.isnan(values)[mesh.T].all(axis=1)
    loose = ~np.isin(mesh.components, mesh.components[~bare])
    if loose.any():
        raise ModelError(
            f"{loose.sum()} of {mesh.n_tets} tets of the muscle are in pieces that touch neither "
            "of its ends, so that no fibres can run through them; remove or attach them"
        )


def _solve(A: sparse.csc_array, b: Floats) -> Floats:
    if len(b) <= _DIRECT:
        return splu(A, permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True}).solve(b)
    inverse = sparse.diags_array(1 / A.diagonal())
    with lone_blas():
        x, failed = cg(A.tocsr(), b, rtol=1e-8, maxiter=20_000, M=inverse)
    if failed:
        raise SolveError("the potential of the fibres did not converge: is the muscle in pieces?")
    return x


def _filled(mesh: TetMesh, slopes: Floats) -> Floats:
    """Slopes with the vanishing ones replaced by the nearest other."""
    size = np.linalg.norm(slopes, axis=1)
    flat = size <= 1e-6 * size.max(initial=0.0)
    if not flat.any() or flat.all():
        return slopes
    out = slopes.copy()
    nearest = cKDTree(mesh.centroids[~flat]).query(mesh.centroids[flat])[1]
    out[flat] = slopes[~flat][nearest]
    return out


def _around(mesh: TetMesh, field: Floats) -> Floats:
    """(m, 3) the volume-weighted mean of a field over the tets that share a vertex."""
    weight = np.repeat(mesh.volumes, 4)
    corners = mesh.T.ravel()
    total = np.bincount(corners, weight, mesh.n_vertices)
    sums = [
        np.bincount(corners, weight * np.repeat(c, 4), mesh.n_vertices) / total for c in field.T
    ]
    return np.column_stack(sums)[mesh.T].mean(axis=1)
