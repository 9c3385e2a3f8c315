"""Where to look from, so that one view shows all of a motion; z is up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.skeleton.joints import Hinge

VIEW_ANGLE = 20.0  # [deg] vertical; narrow, so that near parts do not look large
MARGIN = 1.06
TURN, RISE = np.radians(14.0), np.radians(9.0)  # away from the plain side view, for depth


@dataclass(frozen=True, eq=False)
class Camera:
    """A position, the point looked at, and the upward direction, (3,) each [m]."""

    position: Floats
    target: Floats
    up: Floats


def aspect_of(points: Floats, direction: Floats) -> float:
    """Width over height of points (k, 3) seen from a direction, kept between 0.6 and 2."""
    right, up = _frame(direction)
    return float(np.clip(np.ptp(points @ right) / max(np.ptp(points @ up), 1e-300), 0.6, 2.0))


def fitted(points: Floats, direction: Floats, aspect: float, angle: float = VIEW_ANGLE) -> Camera:
    """The camera in a unit direction (3,) from which all points (k, 3) fill the picture.

    `angle` [deg] is that of the view, vertically.
    """
    right, up = _frame(direction)
    across, along, depth = (points @ axis for axis in (right, up, direction))
    tangent = np.tan(np.radians(angle / 2)) / MARGIN
    middle = [(a.max() + a.min()) / 2 for a in (across, along)]
    high = np.maximum(np.abs(along - middle[1]), np.abs(across - middle[0]) / aspect)
    target = middle[0] * right + middle[1] * up + depth.mean() * direction
    distance = float((depth - depth.mean() + high / tangent).max())
    return Camera(target + direction * distance, target, up)


def view_direction(model: Model) -> Floats:
    """(3,) the unit direction to the camera: near the first hinge's axis, or facing most area."""
    hinges = [joint for joint in model.joints if isinstance(joint, Hinge)]
    side = hinges[0].direction if hinges else _broadside(model)
    right, up = _frame(side)
    turned = np.cos(TURN) * side + np.sin(TURN) * right
    return np.asarray(np.cos(RISE) * turned + np.sin(RISE) * up)


def _broadside(model: Model) -> Floats:
    """The horizontal direction that sees most of the rest surface, -y where all are equal."""
    corners = model.mesh.X[model.mesh.boundary]
    areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    angles = np.radians(np.arange(-90, 90, 5))
    directions = np.stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)], axis=1)
    # Squares, not absolute values: those would prefer to look at a box from its edge.
    facing = (areas @ directions.T) ** 2 / np.linalg.norm(areas, axis=1)[:, None]
    seen = facing.sum(axis=0)
    return np.asarray(directions[np.argmax(np.round(seen / seen.max(), 6))])


def _frame(direction: Floats) -> tuple[Floats, Floats]:
    """The directions to the right and up in the picture, (3,) each."""
    vertical = np.array([0.0, 0.0, 1.0] if abs(direction[2]) < 0.9 else [0.0, 1.0, 0.0])
    right = np.cross(vertical, direction)
    right /= np.linalg.norm(right)
    return right, np.cross(direction, right)
