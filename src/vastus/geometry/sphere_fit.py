"""Spheres fitted to points with normals among which some are strays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.geometry.consensus import SEED, closeness, frame, reach, rms_of, samples, search
from vastus.numerics.types import Bools, Floats

LEAST_COSINE = 0.95  # a normal further from the radius than 18 degrees is not of the sphere


@dataclass(frozen=True, eq=False)
class Sphere:
    """A sphere, and which of the given points (k,) lie on it."""

    centre: Floats  # (3,) [m]
    radius: float  # [m]
    rms: float  # [m] distance of the inliers from the sphere
    inliers: Bools

    @property
    def share(self) -> float:
        """The share of the given points that lie on the sphere."""
        return float(self.inliers.mean())


def fit_sphere(X: Floats, N: Floats, *, tolerance: float = 0.03, seed: int = SEED) -> Sphere | None:
    """The sphere that most of the points X (k, 3) [m] with unit normals N (k, 3) lie on.

    A point lies on it that is within `tolerance` times the radius and whose normal points away
    from the centre: a hollow is never fitted. None if the points are as good as flat.
    """
    origin, scale = frame(X, N, least=5)
    P = (X - origin) / scale
    fours, judges = samples(len(P), 4, seed)
    balls = _spheres(P[fours])

    def agree(P: Floats, N: Floats, ball: Floats) -> Floats:
        return _on_sphere(P, N, ball, tolerance)

    found = search(balls[balls[:, 3] < 1], P, N, judges, agree, _to_sphere)
    if found is None or found[0][3] > reach(P[found[1]]):
        return None
    ball, inliers = found
    away = np.linalg.norm(P[inliers] - ball[:3], axis=1) - ball[3]
    return Sphere(origin + scale * ball[:3], scale * float(ball[3]), scale * rms_of(away), inliers)


def _spheres(P: Floats) -> Floats:
    """(t, 4) centre and radius of the spheres through fours of points (., 4, 3) not in a plane."""
    A = 2 * (P[:, 1:] - P[:, :1])
    b = (P[:, 1:] ** 2).sum(axis=2) - (P[:, :1] ** 2).sum(axis=2)
    solid = np.abs(np.linalg.det(A)) > 1e-12
    centre = np.linalg.solve(A[solid], b[solid][:, :, None])[:, :, 0]
    return np.column_stack([centre, np.linalg.norm(P[solid, 0] - centre, axis=1)])


def _on_sphere(P: Floats, N: Floats, ball: Floats, tolerance: float) -> Floats:
    """(..., k) how well points lie on spheres (..., 1, 4) or (4,), their normals outward."""
    offset, radius = P - ball[..., :3], ball[..., 3]
    away = np.linalg.norm(offset, axis=-1)
    outward = np.einsum("...i,...i", offset, N) > LEAST_COSINE * away
    return outward * closeness(away - radius, tolerance * radius)


def _to_sphere(P: Floats, N: Floats, ball: Floats) -> Floats:
    """(4,) one step of Gauss and Newton to the least sum of squared distances from the sphere."""
    offset = P - ball[:3]
    away = np.linalg.norm(offset, axis=1)
    slope = np.column_stack([-offset / away[:, None], -np.ones(len(P))])
    return ball - np.linalg.lstsq(slope, away - ball[3], rcond=None)[0]
