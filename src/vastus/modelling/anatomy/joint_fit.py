"""Joints fitted to the shape of the bones: the centre of a ball, the axis of a hinge.

Only the convex bone is fitted, the head or the spool; its hollow partner says where to look. How
far to look follows from the fit itself, a third of the radius beyond the gap, so that neither the
size of the body nor the fineness of its surfaces matters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Generic, TypeVar

import numpy as np

from vastus.errors import ModelError
from vastus.geometry.fitting import Axis, Sphere, fit_axis, fit_sphere
from vastus.geometry.surface import Surface
from vastus.modelling.anatomy.facing import FARTHEST, Facing, facing
from vastus.modelling.anatomy.flexion import Sign, flexion
from vastus.numerics.types import Floats
from vastus.scene.anatomy import JointKind

Body = Surface | Sequence[Surface]
Fit = TypeVar("Fit", Sphere, Axis)

NAMES = ("the first bone", "the second bone")

FIRST = 0.005  # of the size of the smaller bone: how far to look first
GROWTH = 1.4
PART = 1 / 3  # of the radius, to look at beyond the gap
LEAST_POINTS = 12
LEAST_SHARE = 0.5  # of the points that face the other bone: the rest is rim, or another shape
LEAST_ARC = np.radians(60)
MOST_MISS = 0.08  # of the radius, rms of the normals: evenly spread strays give 0.087
WIDEST_GAP = 0.1  # of the size of the smaller bone
WIDEST_JOINT = 0.5  # gap in radii
OFF_AXIS = 0.5  # radii that a second sphere may be beside the axis


@dataclass(frozen=True, eq=False)
class BallFit:
    """A ball joint found from the head of a bone."""

    centre: Floats  # (3,) [m]
    radius: float  # [m]
    residual: float  # [m] rms distance of the inliers from the sphere
    inliers: int
    share: float  # of the points that face the other bone
    bone: str  # that has the head

    @property
    def sentence(self) -> str:
        """What was found, for a report."""
        size = f"sphere of {1e3 * self.radius:.1f} mm on {self.bone}"
        return f"{size}, rms {1e3 * self.residual:.2f} mm, {self.inliers} points"


@dataclass(frozen=True, eq=False)
class HingeFit:
    """A hinge found from the spool of a bone."""

    centre: Floats  # (3,) [m]
    axis: Floats  # (3,) unit
    radius: float  # [m] median distance of the inliers from the axis
    residual: float  # [m] rms distance by which the normals of the inliers miss the axis
    inliers: int
    share: float  # of the points that face the other bone
    bone: str  # that has the spool
    sign: Sign
    spheres: int  # heads beside the spool, opposite further surfaces, that the axis goes through

    @property
    def sentence(self) -> str:
        """What was found, for a report."""
        size = f"axis of a spool of {1e3 * self.radius:.1f} mm on {self.bone}"
        beside = f" and {self.spheres} sphere beside it" if self.spheres else ""
        fit = f"normals miss it by rms {1e3 * self.residual:.2f} mm, {self.inliers} points"
        return f"{size}{beside}, {fit}; {self.sign.value}"


@dataclass(frozen=True, eq=False)
class Proposal:
    """A joint that two bones may form."""

    kind: JointKind
    bones: tuple[str, str]
    fit: BallFit | HingeFit

    @property
    def sentence(self) -> str:
        """What is proposed, for a report."""
        return f"{self.kind.value} of {self.bones[0]} and {self.bones[1]}: {self.fit.sentence}"


@dataclass(frozen=True, eq=False)
class _Found(Generic[Fit]):
    """A fit to the part of a bone that faces the other bone."""

    fit: Fit
    X: Floats  # (k, 3) [m] the points it was fitted to
    N: Floats  # (k, 3)
    part: _Part

    @property
    def good(self) -> bool:
        """Whether the shape is there, and not just the best of poor fits."""
        if self.fit.share < LEAST_SHARE or self.part.facing.gap > WIDEST_JOINT * self.fit.radius:
            return False
        return isinstance(self.fit, Sphere) or (
            self.fit.arc > LEAST_ARC and self.fit.rms < MOST_MISS * self.fit.radius
        )


@dataclass(frozen=True, eq=False)
class _Part:
    """The part of a surface that faces a surface of the other bone."""

    facing: Facing
    surface: Surface
    bone: str


def fit_ball(one: Body, two: Body, *, names: tuple[str, str] = NAMES) -> BallFit:
    """The ball joint between two bones, each one or several surfaces with outward normals."""
    parts = _parts(one, two, names, JointKind.BALL)
    best = _best([_grown(part, fit_sphere) for part in parts], names, JointKind.BALL)
    ball = best.fit
    count = int(ball.inliers.sum())
    return BallFit(ball.centre, ball.radius, ball.rms, count, ball.share, best.part.bone)


def fit_hinge(one: Body, two: Body, *, names: tuple[str, str] = NAMES) -> HingeFit:
    """The hinge between two bones, each one or several surfaces with outward normals.

    Where further surfaces face a round head beside the spool, as the radius does at the elbow, the
    axis goes through that too. The axis points so that flexion of the second bone is positive, if
    the shape of the bones tells which way that is.
    """
    parts = _parts(one, two, names, JointKind.HINGE)
    best = _best([_grown(part, fit_axis) for part in parts], names, JointKind.HINGE)
    beside = [p for p in parts if p.surface is best.part.surface and p is not best.part]
    fit, spheres = _through_spheres(best, beside)
    axis, sign = flexion(_surfaces(one), _surfaces(two), fit.point, fit.direction, fit.radius)
    return HingeFit(
        centre=fit.point,
        axis=axis,
        radius=fit.radius,
        residual=fit.rms,
        inliers=int(fit.inliers.sum()),
        share=best.fit.share,
        bone=best.part.bone,
        sign=sign,
        spheres=spheres,
    )


def propose_joints(bones: Mapping[str, Surface]) -> list[Proposal]:
    """The joints that pairs of bones may form, by their shape.

    A ball is proposed where one fits: a head that lies on a sphere would make a good hinge about
    any axis, but a spool makes no good ball.
    """
    found = [_proposal(bones, pair) for pair in combinations(bones, 2)]
    return [proposal for proposal in found if proposal is not None]


def _proposal(bones: Mapping[str, Surface], pair: tuple[str, str]) -> Proposal | None:
    one, two = (bones[name] for name in pair)
    for kind, fit in ((JointKind.BALL, fit_ball), (JointKind.HINGE, fit_hinge)):
        try:
            return Proposal(kind, pair, fit(one, two, names=pair))
        except ModelError:
            continue
    return None


def _surfaces(body: Body) -> Sequence[Surface]:
    return [body] if isinstance(body, Surface) else body


def _parts(one: Body, two: Body, names: tuple[str, str], kind: JointKind) -> list[_Part]:
    """The parts of each surface that face those of the other bone, if near enough."""
    pairs = [(a, b) for a in _surfaces(one) for b in _surfaces(two)]
    parts = [_Part(facing(a, b), a, names[0]) for a, b in pairs]
    parts += [_Part(facing(b, a), b, names[1]) for a, b in pairs]
    near = [p for p in parts if p.facing.gap <= WIDEST_GAP * p.facing.size]
    if not near:
        gap = min(p.facing.gap for p in parts)
        raise _refusal(names, kind, f"they are {1e3 * gap:.3g} mm apart")
    return near


def _grown(part: _Part, fit: Callable[[Floats, Floats], Fit | None]) -> _Found[Fit] | None:
    """The first good fit, of as much as its radius asks for; else that of the greatest share."""
    reach, poor = FIRST * part.facing.size, []
    while reach < FARTHEST * part.facing.size:
        found = _fitted(part, reach, fit)
        if found is not None and found.good and PART * found.fit.radius <= reach:
            exact = _fitted(part, PART * found.fit.radius, fit)
            return exact if exact is not None and exact.good else found
        if found is not None:
            poor.append(found)
        reach *= GROWTH
    return max(poor, key=lambda found: (found.good, found.fit.share), default=None)


def _fitted(
    part: _Part, reach: float, fit: Callable[[Floats, Floats], Fit | None]
) -> _Found[Fit] | None:
    X, N = part.facing.within(reach)
    shape = fit(X, N) if len(X) >= LEAST_POINTS else None
    return None if shape is None else _Found(shape, X, N, part)


def _best(
    found: Sequence[_Found[Fit] | None], names: tuple[str, str], kind: JointKind
) -> _Found[Fit]:
    """The good fit of the greatest share: the convex bone, as a hollow one has few inliers."""
    fits = [f for f in found if f is not None]
    if not fits:
        raise _refusal(names, kind, "too little of their surfaces is convex and faces the other")
    best = max(fits, key=lambda f: (f.good, f.fit.share))
    if not best.good:
        raise _refusal(names, kind, _poor(best))
    return best


def _poor(best: _Found[Fit]) -> str:
    fit = best.fit
    shape = "sphere" if isinstance(fit, Sphere) else "axis"
    return (
        f"the best {shape}, of radius {1e3 * fit.radius:.3g} mm on {best.part.bone}, agrees with "
        f"{fit.share:.0%} of the {len(best.X)} points that face the other bone, to "
        f"{1e3 * fit.rms:.2g} mm, across a gap of {1e3 * best.part.facing.gap:.2g} mm"
    )


def _refusal(names: tuple[str, str], kind: JointKind, why: str) -> ModelError:
    keys = "its 'centre'" if kind is JointKind.BALL else "its 'centre' and 'axis'"
    return ModelError(f"no {kind.value} fits {names[0]} and {names[1]}: {why}; give {keys}")


def _through_spheres(spool: _Found[Axis], beside: Sequence[_Part]) -> tuple[Axis, int]:
    """The axis of a spool and of the heads beside it, and how many heads there are."""
    balls = [_grown(part, fit_sphere) for part in beside]
    heads = [ball for ball in balls if ball is not None and _on_axis(ball, spool.fit)]
    if not heads:
        return spool.fit, 0
    shown = [_inliers(spool), *map(_inliers, heads)]
    both = fit_axis(*(np.vstack(arrays) for arrays in zip(*shown, strict=True)))
    if both is None or both.share < LEAST_SHARE:
        return spool.fit, 0
    return both, len(heads)


def _inliers(found: _Found[Sphere] | _Found[Axis]) -> tuple[Floats, Floats]:
    return found.X[found.fit.inliers], found.N[found.fit.inliers]


def _on_axis(ball: _Found[Sphere], axis: Axis) -> bool:
    offset = ball.fit.centre - axis.point
    return bool(np.linalg.norm(np.cross(offset, axis.direction)) < OFF_AXIS * ball.fit.radius)
