"""Solids of B-splines that are fitted to a muscle, and the fibres that they give its tets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial import cKDTree

from vastus.errors import ModelError
from vastus.geometry.bspline.fit import Lattice, fitted, folded
from vastus.geometry.bspline.inverse import locate
from vastus.geometry.bspline.loft import lofted
from vastus.geometry.bspline.solid import BSplineSolid
from vastus.geometry.tetmesh import TetMesh
from vastus.modelling.fibres.laplace import harmonic
from vastus.modelling.fibres.slices import Samples, sliced
from vastus.numerics.types import Bools, Floats, Ints

NEAR = 0.1  # of a muscle's extent: so near a sample, or a solid, says something about it
COVERED = 0.5  # of a muscle's tets that must be near
_STIFFER = (1.0, 10.0, 100.0)  # times the smoothing, until hardly anything is folded
_FOLDED = 0.01  # of what it is fitted to


@dataclass(frozen=True, eq=False)
class FibreSolid:
    """A solid with the tets (k,) of the model that are its own; None lets each choose its solid.

    `misfit` [m] is the root of the mean square distance from what it was fitted to, `folded` the
    share of it that is folded.
    """

    solid: BSplineSolid
    tets: Ints | None = None
    misfit: float | None = None
    folded: float = 0.0


@dataclass(frozen=True, eq=False)
class SolidField:
    """Unit fibres `directions` (k, 3) in some tets.

    Each comes from the parameters `u` (k, 3) of the solid at position `which` (k,). A tet whose
    middle is not `inside` (k,) has the fibre of the nearest place, at a `distance` (k,) [m].
    """

    directions: Floats
    which: Ints
    u: Floats
    inside: Bools
    distance: Floats


def solid_between(
    mesh: TetMesh, tets: Ints, origin: Ints, insertion: Ints, lattice: Lattice | None = None
) -> FibreSolid:
    """The solid of some tets whose fibres run from the vertices `origin` to `insertion`.

    w follows the potential that is harmonic between them, (u, v) is the place in its slices.
    """
    part, kept = mesh.submesh(tets)
    values = np.full(part.n_vertices, np.nan)
    for name, vertices, value in (("from", origin, -1.0), ("to", insertion, 1.0)):
        values[np.isin(kept, vertices)] = value
        if not (values == value).any():
            raise ModelError(f"no vertex that fibres run '{name}' belongs to this part of it")
    samples = sliced(part, harmonic(part, values))
    return _smoothed(samples, lattice or Lattice(), tets)


def solid_along(curves: Sequence[Floats], lattice: Lattice | None = None) -> FibreSolid:
    """The solid whose fibres follow curves, each (k, 3) [m], such as fascicles."""
    points, u = lofted(curves)
    return _smoothed(Samples(points, u, np.ones(len(points))), lattice or Lattice(), None)


def _smoothed(samples: Samples, lattice: Lattice, tets: Ints | None) -> FibreSolid:
    """The least smooth solid that is hardly folded, or the one with the fewest folds."""
    tried = []
    for factor in _STIFFER:
        own = replace(lattice, smoothing=factor * lattice.smoothing)
        solid = fitted(samples.points, samples.u, samples.weights, own)
        off = solid.value(samples.u) - samples.points
        misfit = np.sqrt(np.average((off**2).sum(axis=1), weights=samples.weights))
        folds = folded(solid, samples.u, samples.weights)
        tried.append(FibreSolid(solid, tets, float(misfit), folds))
        if tried[-1].folded <= _FOLDED:
            break
    return min(tried, key=lambda one: one.folded)


def solid_field(solids: Mapping[str, FibreSolid], mesh: TetMesh, tets: Ints) -> SolidField:
    """The fibres in some tets (k,) of a mesh, half of which must be in or near a solid.

    A tet has the fibre of its own solid. Others choose among the solids that have no tets of their
    own, if there are any: the one that was fitted to the nearest point, or, where solids do not say
    what they were fitted to, the one whose sides are furthest away.
    """
    x = mesh.centroids[tets]
    shape = (len(solids), len(x))
    u, distance = np.zeros((*shape, 3)), np.full(shape, np.inf)
    inside, depth = np.zeros(shape, bool), np.full(shape, -np.inf)
    owner = _owners(solids, tets)
    alone = all(one.tets is not None for one in solids.values())
    for i, one in enumerate(solids.values()):
        free = (owner < 0) & (alone or one.tets is None)
        asked = np.flatnonzero((owner == i) | free)
        found = locate(one.solid, x[asked])
        u[i, asked], inside[i, asked], distance[i, asked] = found.u, found.inside, found.distance
        away = -1.0 - found.distance / one.solid.extent
        depth[i, asked] = np.where(found.inside, found.depth(one.solid), away)
    which = np.where(owner < 0, _nearest(solids, x, depth), owner)
    row = np.arange(len(x))
    _require_near(solids, mesh.submesh(tets)[0], distance[which, row])
    d = np.zeros_like(x)
    for i, one in enumerate(solids.values()):
        d[which == i] = one.solid.directions(u[i, which == i])
    return SolidField(d, which, u[which, row], inside[which, row], distance[which, row])


def _nearest(solids: Mapping[str, FibreSolid], x: Floats, depth: Floats) -> Ints:
    """(k,) the position of the solid that is nearest to points x (k, 3), or deepest around them.

    Only those with a `depth` (solids, k) above minus infinity may be chosen.
    """
    points = [one.solid.points for one in solids.values() if one.solid.points is not None]
    if len(points) < len(solids):
        return depth.argmax(axis=0)
    away = np.array([cKDTree(own).query(x)[0] for own in points])
    return np.where(np.isfinite(depth), away, np.inf).argmin(axis=0)


def _owners(solids: Mapping[str, FibreSolid], tets: Ints) -> Ints:
    """(k,) the position of the solid that a tet belongs to; -1 if it may choose."""
    owner = np.full(len(tets), -1)
    for i, one in enumerate(solids.values()):
        if one.tets is not None:
            owner[np.isin(tets, one.tets)] = i
    return owner


def _require_near(solids: Mapping[str, FibreSolid], part: TetMesh, distance: Floats) -> None:
    """Refuse solids that are elsewhere, as in other units."""
    reach = NEAR * np.linalg.norm(np.ptp(part.X, axis=0))
    if (distance <= reach).mean() < COVERED:
        control = np.concatenate([one.solid.control.reshape(-1, 3) for one in solids.values()])
        raise ModelError(
            f"the solids span {span(control)}, which does not cover the muscle, which is at "
            f"{span(part.X)}; check their units and axes"
        )


def span(X: Floats) -> str:
    """The corners of the box around points (n, 3) [m], in words."""
    low, high = (", ".join(f"{c:.4g}" for c in f(X, axis=0)) for f in (np.min, np.max))
    return f"[{low}] to [{high}] m"
