"""Joints fitted to the shape of the bones: the centre of a ball, the axis of a hinge.

Only the convex bone is fitted, the head or the spool; its hollow partner says where to look. How
far to look follows from the fit itself, a third of the radius beyond the gap, so that neither the
size of the body nor the fineness of its surfaces matters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from vastus.errors import ModelError
from vastus.geometry.fit import Axis, Sphere, fit_axis, fit_sphere
from vastus.geometry.queries import inside
from vastus.geometry.surface import Surface
from vastus.modelling.joints.joint_faces import (
    LEAST_SHARE,
    Convex,
    FacingPart,
    Fit,
    facing,
    find,
    rank,
)
from vastus.numerics.rotation import exp_map
from vastus.numerics.types import Floats
from vastus.skeleton.joints import Ball, Hinge, Joint

TURNS_DEG = (30.0, 60.0, 90.0)
LOOKED_AT = 5.0  # radii from the centre: what is further away does not tell
CLEAR = 0.02  # of the vertices looked at, by which one way has to be freer
BENT_DEG = 5.0
Body = Surface | Sequence[Surface]
NAMES = ("the first bone", "the second bone")
WIDEST_GAP = 0.1  # of the size of the smaller bone
OFF_AXIS = 0.5  # radii that the centre of a second sphere may be beside the axis
LEAST_HEAD = 8  # points of a second sphere: it only adds to the spool


class Sign(StrEnum):
    """How the sign of the axis was found."""

    ROOM = "flexion is positive: only that way the bones do not run into each other"
    BEND = "flexion is positive: it bends the bones further than they are at rest"
    NONE = "which way is flexion is not seen: the largest part of the axis is positive"


def flexion(
    one: Sequence[Surface], two: Sequence[Surface], centre: Floats, axis: Floats, radius: float
) -> tuple[Floats, Sign]:
    """The axis (3,), turned round if need be, so that the second body flexes by positive angles."""
    near = [[_near(s.X, centre, LOOKED_AT * radius) for s in body] for body in (one, two)]
    ahead, back = (_blocked(one, two, near, centre, way * axis) for way in (1, -1))
    if abs(ahead - back) > CLEAR * sum(len(X) for body in near for X in body):
        return axis * np.sign(back - ahead), Sign.ROOM
    bend = _bend(one, two, centre, axis)
    if abs(bend) > np.radians(BENT_DEG):
        return axis * np.sign(bend), Sign.BEND
    return axis * np.sign(axis[np.abs(axis).argmax()]), Sign.NONE


def _blocked(
    one: Sequence[Surface],
    two: Sequence[Surface],
    near: Sequence[Sequence[Floats]],
    centre: Floats,
    axis: Floats,
) -> int:
    """How many vertices of either body are in the other, over all turns of the second."""
    count = 0
    for turn in np.radians(TURNS_DEG):
        R = exp_map(turn * axis)
        count += sum(_within(s, centre + (X - centre) @ R.T) for s in one for X in near[1])
        count += sum(_within(s, centre + (X - centre) @ R) for s in two for X in near[0])
    return count


def _within(surface: Surface, X: Floats) -> int:
    return int(inside(surface, X).sum()) if surface.closed and len(X) else 0


def _near(X: Floats, centre: Floats, reach: float) -> Floats:
    return X[np.linalg.norm(X - centre, axis=1) < reach]


def _bend(one: Sequence[Surface], two: Sequence[Surface], centre: Floats, axis: Floats) -> float:
    """The angle [rad] about the axis by which the second body is turned out of line."""
    first, second = (_middle(body) - centre for body in (one, two))
    sine = np.cross(-first, second) @ axis
    return float(np.arctan2(sine, -first @ second + (first @ axis) * (second @ axis)))


def _middle(body: Sequence[Surface]) -> Floats:
    """(3,) the middle [m] of the skin of a body, however unevenly its vertices lie."""
    places = np.vstack([s.X[s.faces].mean(axis=1) for s in body])
    return np.average(places, axis=0, weights=np.concatenate([s.areas for s in body]))


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


def fit_ball(one: Body, two: Body, *, names: tuple[str, str] = NAMES) -> BallFit:
    """The ball joint between two bones, each one or several surfaces with outward normals."""
    parts = _parts(one, two, names, Ball)
    best = _best([find(part, fit_sphere) for part in parts], names, Ball)
    ball = best.fit
    count = int(ball.inliers.sum())
    return BallFit(ball.centre, ball.radius, ball.rms, count, ball.share, best.part.bone)


def fit_hinge(one: Body, two: Body, *, names: tuple[str, str] = NAMES) -> HingeFit:
    """The hinge between two bones, each one or several surfaces with outward normals.

    Where further surfaces face a round head beside the spool, as the radius does at the elbow, the
    axis goes through that too. The axis points so that flexion of the second bone is positive, if
    the shape of the bones tells which way that is.
    """
    parts = _parts(one, two, names, Hinge)
    best = _best([find(part, fit_axis) for part in parts], names, Hinge)
    beside = [p for p in parts if p.surface is best.part.surface and p is not best.part]
    fit, spheres = _through_spheres(best, beside)
    # Beside the middle of the spool, wherever the heads are.
    centre = fit.point + ((best.fit.point - fit.point) @ fit.direction) * fit.direction
    axis, sign = flexion(_surfaces(one), _surfaces(two), centre, fit.direction, fit.radius)
    return HingeFit(
        centre=centre,
        axis=axis,
        radius=fit.radius,
        residual=fit.rms,
        inliers=int(fit.inliers.sum()),
        share=best.fit.share,
        bone=best.part.bone,
        sign=sign,
        spheres=spheres,
    )


def _surfaces(body: Body) -> Sequence[Surface]:
    return [body] if isinstance(body, Surface) else body


def _parts(one: Body, two: Body, names: tuple[str, str], kind: type[Joint]) -> list[FacingPart]:
    """The parts of each surface that face those of the other bone, if near enough."""
    pairs = [(a, b) for a in _surfaces(one) for b in _surfaces(two)]
    parts = [FacingPart(facing(a, b), a, names[0]) for a, b in pairs]
    parts += [FacingPart(facing(b, a), b, names[1]) for a, b in pairs]
    near = [p for p in parts if p.facing.gap <= WIDEST_GAP * p.facing.size]
    if not near:
        gap = min(p.facing.gap for p in parts)
        raise _refusal(names, kind, f"they are {1e3 * gap:.3g} mm apart")
    return near


def _best(
    found: Sequence[Convex[Fit] | None], names: tuple[str, str], kind: type[Joint]
) -> Convex[Fit]:
    """The best fit: that of the convex bone, as few points of a hollow one agree."""
    best = max((f for f in found if f is not None), key=rank, default=None)
    if best is None:
        raise _refusal(names, kind, "too few points of a convex surface face the other bone")
    if not best.good:
        raise _refusal(names, kind, best.sentence)
    return best


def _refusal(names: tuple[str, str], kind: type[Joint], why: str) -> ModelError:
    keys = "its 'centre'" if kind is Ball else "its 'centre' and 'axis'"
    return ModelError(f"no {kind.kind} fits {names[0]} and {names[1]}: {why}; give {keys}")


def _through_spheres(spool: Convex[Axis], beside: Sequence[FacingPart]) -> tuple[Axis, int]:
    """The axis of a spool and of the heads beside it, and how many heads there are."""
    balls = [find(part, fit_sphere) for part in beside]
    heads = [ball for ball in balls if ball is not None and _adds(ball, spool.fit)]
    if not heads:
        return spool.fit, 0
    shown = [spool.inliers, *(head.inliers for head in heads)]
    both = fit_axis(*(np.vstack(arrays) for arrays in zip(*shown, strict=True)))
    if both is None or both.share < LEAST_SHARE:
        return spool.fit, 0
    return both, len(heads)


def _adds(ball: Convex[Sphere], axis: Axis) -> bool:
    off = np.linalg.norm(np.cross(ball.fit.centre - axis.point, axis.direction))
    return bool(off < OFF_AXIS * ball.fit.radius and ball.fit.inliers.sum() >= LEAST_HEAD)
