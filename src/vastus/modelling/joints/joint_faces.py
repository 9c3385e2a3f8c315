"""Which vertices of a bone face another, and the sphere or the axis that fits the convex one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from vastus.geometry.fit import Axis, Sphere
from vastus.geometry.queries import nearest_on_surface, nearest_vertex
from vastus.geometry.surface import Surface
from vastus.numerics.types import Floats

FARTHEST = 0.15  # of the size of the smaller bone, that a joint may reach beyond the gap
OPPOSITE = -0.5  # cosine of the normals of places that face each other, overlapping or not
Fit = TypeVar("Fit", Sphere, Axis)
FIRST = 0.005  # of the size of the smaller bone: how far to look first
GROWTH = 1.5
PART = 1 / 3  # of the radius, to look at beyond the gap
LEAST_POINTS = 12
LEAST_SHARE = 0.5  # of the points that face the other bone: the rest is rim, or another shape
LEAST_ARC = np.radians(60)
MOST_AWAY = 0.03  # of the radius, rms of the points of a sphere
MOST_MISS = 0.08  # of the radius, rms of the normals: evenly spread strays give 0.087
WIDEST_JOINT = 0.5  # gap in radii


@dataclass(frozen=True, eq=False)
class Facing:
    """The vertices of a surface that face another one, and how far they are from it."""

    X: Floats  # (k, 3) [m]
    N: Floats  # (k, 3) unit normals, outward
    distances: Floats  # (k,) [m]
    gap: float  # [m] the least distance of the surfaces
    size: float  # [m] the diagonal of the smaller one

    def within(self, reach: float) -> tuple[Floats, Floats]:
        """Points and normals no further away than the gap and `reach` [m]."""
        near = self.distances <= self.gap + reach
        return self.X[near], self.N[near]


def facing(one: Surface, two: Surface) -> Facing:
    """The vertices of `one` that face `two`: the normals of both are opposite there."""
    size = min(_diagonal(one), _diagonal(two))
    _, rough = nearest_vertex(two.X, one.X)
    near = np.flatnonzero(rough <= rough.min() + 2 * FARTHEST * size)
    found = nearest_on_surface(two, one.X[near])
    N = one.vertex_normals[near]
    corners = two.vertex_normals[two.faces[found.faces]]  # the face alone is ambiguous at an edge
    opposite = np.einsum("ki,ka,kai->k", N, found.weights, corners) < OPPOSITE
    gap = float(found.distances.min())
    return Facing(one.X[near][opposite], N[opposite], found.distances[opposite], gap, size)


def _diagonal(surface: Surface) -> float:
    return float(np.linalg.norm(np.ptp(surface.X, axis=0)))


@dataclass(frozen=True, eq=False)
class FacingPart:
    """The part of a surface that faces a surface of the other bone."""

    facing: Facing
    surface: Surface
    bone: str


@dataclass(frozen=True, eq=False)
class Convex(Generic[Fit]):
    """A sphere or an axis, and the points (k, 3) [m] and normals of a part it was fitted to."""

    fit: Fit
    X: Floats
    N: Floats
    part: FacingPart

    @property
    def good(self) -> bool:
        """Whether the shape is there, and is not just the best of poor fits."""
        fit = self.fit
        enough = fit.share >= LEAST_SHARE and fit.inliers.sum() >= LEAST_POINTS
        around = isinstance(fit, Sphere) or fit.arc > LEAST_ARC
        return bool(enough and around and self.quality > 0)

    @property
    def quality(self) -> float:
        """From 0 to 1: many points, well fitted, close to the other bone; a hollow has few."""
        most = MOST_AWAY if isinstance(self.fit, Sphere) else MOST_MISS
        exact = 1 - self.fit.rms / (most * self.fit.radius)
        close = 1 - self.part.facing.gap / (WIDEST_JOINT * self.fit.radius)
        return self.fit.share * max(exact, 0.0) * max(close, 0.0)

    @property
    def inliers(self) -> tuple[Floats, Floats]:
        """Points and normals that agree with the fit."""
        return self.X[self.fit.inliers], self.N[self.fit.inliers]

    @property
    def sentence(self) -> str:
        """What was found, for a refusal."""
        fit, gap = self.fit, self.part.facing.gap
        shape = "sphere" if isinstance(fit, Sphere) else "axis"
        return (
            f"the best {shape}, of radius {1e3 * fit.radius:.3g} mm on {self.part.bone}, agrees "
            f"with {fit.share:.0%} of the {len(self.X)} points that face the other bone, to rms "
            f"{1e3 * fit.rms:.2g} mm, across a gap of {1e3 * gap:.2g} mm"
        )


def find(part: FacingPart, fit: Callable[[Floats, Floats], Fit | None]) -> Convex[Fit] | None:
    """The first good fit, of as much of the part as its radius asks for; else the best poor one."""
    poor = []
    for reach in _reaches(part.facing):
        found = _fitted(part, reach, fit)
        if found is not None and found.good and PART * found.fit.radius <= reach:
            exact = _fitted(part, PART * found.fit.radius, fit)
            return exact if exact is not None and exact.good else found
        if found is not None:
            poor.append(found)
    return max(poor, key=rank, default=None)


def _reaches(facing: Facing) -> Iterator[float]:
    """How far to look [m], from near to far, each time with more points and with enough of them."""
    reach, count = FIRST * facing.size, LEAST_POINTS - 1
    while reach < FARTHEST * facing.size:
        points, _ = facing.within(reach)
        if len(points) > count:
            count = len(points)
            yield reach
        reach *= GROWTH


def rank(found: Convex[Sphere] | Convex[Axis]) -> tuple[bool, float, float]:
    """Greatest for the best: good ones first, then by quality, then by share."""
    return found.good, found.quality, found.fit.share


def _fitted(
    part: FacingPart, reach: float, fit: Callable[[Floats, Floats], Fit | None]
) -> Convex[Fit] | None:
    X, N = part.facing.within(reach)
    shape = fit(X, N) if len(X) >= LEAST_POINTS else None
    return None if shape is None else Convex(shape, X, N, part)
