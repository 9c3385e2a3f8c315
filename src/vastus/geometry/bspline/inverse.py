"""From places back to the parameters of a solid, by Newton's method (theory, eq. 73)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from vastus.geometry.bspline.solid import BSplineSolid
from vastus.numerics.types import Bools, Floats, Ints

FOUND = 1e-10  # of the solid's extent: so near to its place a point is inside
_GOAL = 1e-14  # of the extent: nearer is round-off
_PER_SPAN = 4  # samples between two knots, from which to start
_STARTS = (0, 3, 7, 15)  # which of the nearest samples to start from, as long as nothing is found
_STEPS, _HALVINGS = 40, 12
_STILL = 1e-12  # of the range of parameters: a step so small is none
_LONGEST = 0.25  # of the range of parameters, in one step
_ARMIJO = 1e-4


@dataclass(frozen=True, eq=False)
class Located:
    """Parameters u (n, 3) of points, whether each is `inside` (n,), and how far off it is.

    Of a point outside, u is the nearest place of the solid, and `distance` (n,) [m] how far away
    that is.
    """

    u: Floats
    inside: Bools
    distance: Floats

    def depth(self, solid: BSplineSolid) -> Floats:
        """(n,) how far from the sides the parameters are, of half their range; -1 outside."""
        half = 0.5 * (solid.high - solid.low)
        sides = np.minimum(self.u - solid.low, solid.high - self.u) / half
        return np.where(self.inside, sides.min(axis=1), -1.0)


def locate(solid: BSplineSolid, x: Floats) -> Located:
    """The parameters of points x (n, 3) [m].

    Each starts at the nearest of a grid of samples and takes Newton's steps within the range of
    parameters, shortened until they lead nearer. Where that does not arrive, it starts again at
    other samples, and the nearest place that was found counts.
    """
    spans = [len(np.unique(t)) - 1 for t in solid.knots]
    samples = solid.grid([_PER_SPAN * n + 1 for n in spans]).reshape(-1, 3)
    nearest = cKDTree(solid.value(samples)).query(x, k=max(_STARTS) + 1)[1].reshape(len(x), -1)
    u, distance = np.zeros_like(x), np.full(len(x), np.inf)
    left = np.arange(len(x))
    for start in _STARTS:
        if not len(left):
            break
        tried = _descent(solid, x[left], samples[nearest[left, start]])
        off = np.linalg.norm(solid.value(tried) - x[left], axis=1)
        better = off < distance[left]
        u[left[better]], distance[left[better]] = tried[better], off[better]
        left = left[distance[left] > FOUND * solid.extent]
    return Located(u, distance <= FOUND * solid.extent, distance)


def _descent(solid: BSplineSolid, x: Floats, start: Floats) -> Floats:
    """(n, 3) parameters nearer to points x (n, 3) than those to start from, if there are any."""
    u = start.copy()
    r = solid.value(u) - x
    going: Ints = np.flatnonzero(np.linalg.norm(r, axis=1) > _GOAL * solid.extent)
    for _ in range(_STEPS):
        if not len(going):
            break
        step = _step(solid, u[going], r[going])
        u[going], r[going], moved = _shortened(solid, x[going], u[going], r[going], step)
        far = np.linalg.norm(r[going], axis=1) > _GOAL * solid.extent
        going = going[moved & far]
    return u


def _step(solid: BSplineSolid, u: Floats, r: Floats) -> Floats:
    """(n, 3) Newton's steps for offsets r (n, 3), along the sides where they would lead out."""
    J = solid.jacobian(u)
    g = np.einsum("nic,ni->nc", J, r)
    held = ((u <= solid.low) & (g > 0)) | ((u >= solid.high) & (g < 0))
    A = np.einsum("nic,nid->ncd", J, J)
    size = np.einsum("ncc->n", A)
    A[held[:, :, None] | held[:, None, :]] = 0.0
    # Of a held parameter nothing is left but the diagonal; the rest of it guards folds.
    A += (np.where(held, 1.0, 1e-15) * size[:, None] + 1e-300)[:, :, None] * np.eye(3)
    step = np.linalg.solve(A, -np.where(held, 0.0, g)[:, :, None])[:, :, 0]
    most = np.abs(step / (solid.high - solid.low)).max(axis=1, keepdims=True)
    return np.asarray(step * np.minimum(1.0, _LONGEST / np.maximum(most, 1e-300)))


def _shortened(
    solid: BSplineSolid, x: Floats, u: Floats, r: Floats, step: Floats
) -> tuple[Floats, Floats, Bools]:
    """Where the steps lead, each halved until it leads nearer, and whether it led anywhere."""
    u, r = u.copy(), r.copy()
    size = np.einsum("ni,ni->n", r, r)
    moved = np.zeros(len(u), bool)
    scale, left = 1.0, np.arange(len(u))
    for _ in range(_HALVINGS):
        trial = solid.within(u[left] + scale * step[left])
        off = solid.value(trial) - x[left]
        good = np.einsum("ni,ni->n", off, off) < (1 - _ARMIJO * scale) * size[left]
        change = np.abs((trial - u[left]) / (solid.high - solid.low)).max(axis=1)
        taken = left[good]
        u[taken], r[taken], moved[taken] = trial[good], off[good], change[good] > _STILL
        left = left[~good & (change > _STILL)]
        if not len(left):
            break
        scale *= 0.5
    return u, r, moved
