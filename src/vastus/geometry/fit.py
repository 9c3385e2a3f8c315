"""Spheres and axes of revolution fitted to points with normals, of which some are strays.

Many random samples are compared, always the same ones; the best of them are then fitted by least
squares to the points that agree with them, the inliers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from vastus.errors import ModelError
from vastus.numerics.types import Bools, Floats, Ints

Agree = Callable[[Floats, Floats, Floats], Floats]  # of points and normals with shapes: 0 to 1
Step = Callable[[Floats, Floats, Floats], Floats]  # from a shape towards points and normals

TRIALS = 500  # with half of the points strays, about eight samples of six have none
SEED = 20
LISTENED = 200  # points that judge the trials; all points judge the finalists
FINALISTS = 5
ROUNDS = 30  # of choosing the inliers and taking a step of Gauss and Newton
LEAST_OUTWARD = 0.3  # of a normal, away from the axis: what is hollow or flanks a groove is not
LEAST_COSINE = 0.95  # a normal further from the radius than 18 degrees is not of the sphere


def frame(X: Floats, N: Floats, *, least: int) -> tuple[Floats, float]:
    """The mean of the points [m], and their size [m]; refuses too few."""
    if X.shape != N.shape or len(X) < least:
        raise ModelError(
            f"a fit needs {least} points or more, each with a normal: "
            f"there are {len(X)} points and {len(N)} normals"
        )
    return X.mean(axis=0), reach(X) or 1.0


def samples(count: int, size: int, seed: int) -> tuple[Ints, Ints]:
    """(trials, size) positions in each sample, and (j,) positions of the points that judge."""
    random = np.random.default_rng(seed)
    judges = random.permutation(count)[:LISTENED]
    return judges[np.argsort(random.random((TRIALS, len(judges))), axis=1)[:, :size]], judges


def search(
    trials: Floats, P: Floats, N: Floats, judges: Ints, agree: Agree, step: Step
) -> tuple[Floats, Bools] | None:
    """The shape that most points agree with, and which they are (k,)."""
    votes = agree(P[judges], N[judges], trials[:, None]).sum(axis=1)
    finalists = trials[np.argsort(-votes, kind="stable")[:FINALISTS]]
    settled = [_settled(shape, P, N, agree, step) for shape in finalists]
    least = trials.shape[1]
    fits = [(shape, inliers) for shape, inliers in settled if inliers.sum() > least]
    return max(fits, key=lambda fit: agree(P, N, fit[0]).sum(), default=None)


def _settled(shape: Floats, P: Floats, N: Floats, agree: Agree, step: Step) -> tuple[Floats, Bools]:
    """The shape fitted to the points that agree with it, until these stay the same."""
    inliers = agree(P, N, shape) > 0
    for _ in range(ROUNDS):
        if inliers.sum() < len(shape):
            break
        moved = step(P[inliers], N[inliers], shape)
        still = agree(P, N, moved) > 0
        done = (still == inliers).all() and np.allclose(moved, shape, rtol=0, atol=1e-9)
        shape, inliers = moved, still
        if done:
            break
    return shape, inliers


def reach(P: Floats) -> float:
    """The diagonal of the box around points."""
    return float(np.linalg.norm(np.ptp(P, axis=0)))


def closeness(away: Floats, most: Floats) -> Floats:
    """1 at no distance, 0 from the most on: its sum prefers a good fit among equally many."""
    return np.maximum(1 - (away / most) ** 2, 0.0)


def rms_of(values: Floats) -> float:
    """The root of the mean of the squares."""
    return float(np.sqrt(np.mean(values**2)))


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
