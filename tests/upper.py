"""An upper body whose bones are only points around their middle lines: quick to put together."""

from __future__ import annotations

from functools import cache

import numpy as np

from vastus.bodies.upper.record import UpperBody
from vastus.geometry.surface import Surface
from vastus.modelling.trunk.landmarks import LEVELS, SIDES, Landmarks, Side
from vastus.modelling.trunk.proportions import proportions
from vastus.modelling.trunk.skeleton import Skeleton
from vastus.numerics.types import Floats

_CORNERS = np.concatenate([np.eye(3), -np.eye(3)])
_FACES = np.array(
    [[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]]
)
_CHAINS = {
    "hip": ("crest", "asis", "pubis", "ischium", "psis"),
    "clavicle": ("sternal", "clavicle_inner", "clavicle_outer", "acromial"),
    "scapula": ("acromion", "spine_root", "inferior_angle", "superior_angle"),
    "humerus": ("head", "elbow"),
    "ulna": ("elbow", "ulnar_head"),
    "radius": ("radial_head", "radial_styloid"),
    "hand": ("wrist", "knuckle"),
}


@cache
def quick_body() -> UpperBody:
    """The default body with crude bones."""
    from vastus.bodies.upper import whole_upper_body

    return whole_upper_body(crude())


@cache
def crude() -> Skeleton:
    """The landmarks of the parametric skeleton with crude bones."""
    marks = proportions()
    return Skeleton(marks, {**_middle(marks), **_sides(marks)}, symmetric=True)


def _middle(marks: Landmarks) -> dict[str, Surface]:
    p = marks.points
    bones = {
        "sacrum": _beads([p["sacrum"]]), "sternum": _beads([p["jugular"], p["xiphoid"]]),
        "skull": _beads([p["condyles"], p["inion"] + [0, -0.09, 0.04]], 0.06),
        "mandible": _beads([p["chin"], p["jaw_angleL"], p["jaw_angleR"]]),
        "hyoid": _beads([p["hyoid"]]), "thyroid": _beads([p["thyroid"]]),
    }  # fmt: skip
    for level in LEVELS:
        vertebra = marks.vertebrae[level]
        bones[level] = _beads([vertebra.body, vertebra.spinous])
        bones[f"disc{level}"] = _beads([vertebra.below])
    return bones


def _sides(marks: Landmarks) -> dict[str, Surface]:
    bones = {}
    for side in SIDES:
        for bone, names in _CHAINS.items():
            bones[bone + side] = _beads([marks.point(name, side) for name in names])
        bones |= _cage(marks, side)
    return bones


def _cage(marks: Landmarks, side: Side) -> dict[str, Surface]:
    bones = {f"rib{k}{side}": _beads(list(marks.ribs[k, side].line)) for k in range(1, 13)}
    for k in range(1, 9):
        cartilage = marks.cartilages[k, side]
        bones[f"cart{k}{side}"] = _beads([cartilage.sternal, cartilage.costal])
    return bones


def _beads(points: list[Floats], size: float = 0.006) -> Surface:
    X = np.concatenate([point + size * _CORNERS for point in points])
    faces = np.concatenate([_FACES + 6 * k for k in range(len(points))])
    return Surface(X, faces)
