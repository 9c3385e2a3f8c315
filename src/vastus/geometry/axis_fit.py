"""Axes of revolution fitted to points with normals among which some are strays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.geometry.consensus import SEED, closeness, frame, rms_of, samples, search
from vastus.numerics.types import Bools, Floats

LEAST_OUTWARD = 0.3  # of a normal, away from the axis: what is hollow or flanks a groove is not


@dataclass(frozen=True, eq=False)
class Axis:
    """An axis of revolution, and which of the given points (k,) have a normal that meets it."""

    point: Floats  # (3,) [m] beside the middle of the inliers
    direction: Floats  # (3,) unit; which of its two signs has no meaning
    radius: float  # [m] median distance of the inliers from the axis
    rms: float  # [m] by which the normals of the inliers miss the axis
    arc: float  # [rad] around the axis that the inliers cover, without the widest gap
    inliers: Bools

    @property
    def share(self) -> float:
        """The share of the given points whose normals meet the axis."""
        return float(self.inliers.mean())


def fit_axis(X: Floats, N: Floats, *, tolerance: float = 0.15, seed: int = SEED) -> Axis | None:
    """The axis that most normals N (k, 3) at the points X (k, 3) [m] meet: of a spool, of a drum.

    A normal meets it that misses it by less than `tolerance` times the median distance of the
    points from the axis, and points away from it. None if the points show no such axis. Any line
    through the centre of a sphere is an axis of it.
    """
    origin, scale = frame(X, N, least=6)
    P = (X - origin) / scale
    sixes, judges = samples(len(P), 6, seed)

    def agree(P: Floats, N: Floats, line: Floats) -> Floats:
        return _meets(P, N, line, tolerance)

    found = search(_transversals(P[sixes], N[sixes]), P, N, judges, agree, _to_axis)
    if found is None:
        return None
    line, inliers = found
    along, radial = _cylindrical(P[inliers], line)
    radius = float(np.median(np.linalg.norm(radial, axis=1)))
    rms = rms_of(_miss(P[inliers], N[inliers], line))
    point = line[:3] + along.mean() * line[3:]
    return Axis(
        origin + scale * point, line[3:], scale * radius, scale * rms, _arc(radial, line), inliers
    )


def _transversals(P: Floats, N: Floats) -> Floats:
    """(t, 6) point and unit direction of lines nearest to samples of normals (t, s, 3).

    The line (p, u) meets the normal n at x if u . (x x n) + (p x u) . n = 0: least squares in u and
    m = p x u, with unit u, is an eigenvalue problem once m is eliminated.
    """
    moments = np.cross(P, N)
    uu, um, mm = (np.einsum("tsi,tsj->tij", a, b) for a, b in _pairs(moments, N))
    mm += 1e-9 * P.shape[1] * np.eye(3)  # normals in one plane leave a part of m free
    m_of_u = -np.linalg.solve(mm, um.transpose(0, 2, 1))
    u = np.linalg.eigh(uu + um @ m_of_u)[1][:, :, 0]
    m = np.einsum("tij,tj->ti", m_of_u, u)
    return np.hstack([np.cross(u, m), u])


def _pairs(a: Floats, b: Floats) -> list[tuple[Floats, Floats]]:
    return [(a, a), (a, b), (b, b)]


def _cylindrical(P: Floats, line: Floats) -> tuple[Floats, Floats]:
    """How far along lines (..., 1, 6) or (6,) points are (..., k), and their radii (..., k, 3)."""
    offset, u = P - line[..., :3], line[..., 3:]
    along = np.einsum("...i,...i", offset, u)
    return along, offset - along[..., None] * u


def _miss(P: Floats, N: Floats, line: Floats) -> Floats:
    """(..., k) the signed distance of normals from lines."""
    across = np.cross(N, line[..., 3:])
    size = np.maximum(np.linalg.norm(across, axis=-1), 1e-9)
    return np.einsum("...i,...i", P - line[..., :3], across) / size


def _meets(P: Floats, N: Floats, line: Floats, tolerance: float) -> Floats:
    """(..., k) how well normals meet lines, if they point away from them."""
    radial = _cylindrical(P, line)[1]
    away = np.linalg.norm(radial, axis=-1)
    radius = np.median(away, axis=-1, keepdims=True)
    outward = np.einsum("...i,...i", radial, N) > LEAST_OUTWARD * away
    return outward * closeness(_miss(P, N, line), tolerance * np.minimum(radius, 1))


def _to_axis(P: Floats, N: Floats, line: Floats) -> Floats:
    """(6,) one step of Gauss and Newton to the least sum of (x - p) . (n x u) squared.

    Unlike the miss, this does not overrate normals that are almost parallel to the axis.
    """
    p, u = line[:3], line[3:]
    offset, E = P - p, np.linalg.svd(u[None])[2][1:]
    across = np.cross(N, u)
    turned = np.stack([np.einsum("ki,ki->k", offset, np.cross(N, e)) for e in E], axis=1)
    slope = np.hstack([-across @ E.T, turned])
    q = -np.linalg.lstsq(slope, np.einsum("ki,ki->k", offset, across), rcond=1e-6)[0]
    direction = u + q[2:] @ E
    return np.concatenate([p + q[:2] @ E, direction / np.linalg.norm(direction)])


def _arc(radial: Floats, line: Floats) -> float:
    """The angle [rad] around a line that radii (k, 3) cover: a full turn less the widest gap."""
    E = np.linalg.svd(line[None, 3:])[2][1:]
    angle = np.sort(np.arctan2(radial @ E[0], radial @ E[1]))
    return float(2 * np.pi - np.diff(angle, append=angle[0] + 2 * np.pi).max())
