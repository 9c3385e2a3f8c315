"""What bodies weigh: the flesh around bones, each piece of it given to the nearest bone.

The flesh is what lies inside bones and lines of muscle when gaps between them are closed: by a
ball for head and trunk, by smaller ones for arms and hands. Its density is that of water.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy import ndimage
from scipy.spatial import KDTree

from vastus.bodies.upper.joint_table import BodyRow
from vastus.bodies.upper.lines import Line
from vastus.geometry.surface import Surface
from vastus.modelling.trunk.landmarks import SIDES
from vastus.numerics.types import Bools, Floats

CELL = 0.008  # [m]
DENSITY = 1000.0  # [kg/m^3]
# [m] radius of the closing ball, skin and fat, steps of the radius of lines. Arms are thin: with
# the trunk's steps forearms weighed half as much again as those of people, and hands twice as much.
_TRUNK, _ARM, _HAND = (0.040, 0.010, 0.005), (0.020, 0.005, 0.001), (0.008, 0.002, 0.001)
_REACH = 0.03  # [m] from cartilage and sternum; flesh further away moves with the bones
_STEP = 0.005  # [m] between samples of a line
_LEAST = 0.01  # [kg]


@dataclass(frozen=True, eq=False)
class Inertia:
    """Mass [kg], centre (3,) of the world at rest [m], inertia (3, 3) about it [kg m^2]."""

    mass: float
    centre: Floats
    tensor: Floats


def inertias(
    rows: Sequence[BodyRow],
    bones: Mapping[str, Surface],
    lines: Sequence[Line],
    *,
    symmetric: bool = False,
) -> dict[str, Inertia]:
    """The inertia of every body of a table, with the flesh that is nearest to its bones.

    Of a symmetric body the left half is computed, and mirrored.
    """
    X = _flesh(rows, bones, lines)
    if symmetric:
        X = X[X[:, 0] > 0]
    vertices = {row.name: np.concatenate([bones[b].X for b in row.bones]) for row in rows}
    held = {row.name for row in rows if row.passive and row.name != "thyroid"}
    owner, near = _nearest(X, {n: v for n, v in vertices.items() if n not in held})
    loose, close = _nearest(X, {n: v for n, v in vertices.items() if n in held})
    taken = (close < near) & (close < _REACH)
    owner = np.where(taken, loose, owner)
    if symmetric:
        owner = np.concatenate([owner, [_swapped(name) for name in owner]])
        X = np.concatenate([X, X * [-1.0, 1.0, 1.0]])
    return {name: _inertia(X[owner == name], vertices[name]) for name in vertices}


def _swapped(name: str) -> str:
    """The body of the other side, or the same one if it has none."""
    if name.endswith(SIDES):
        return name[:-1] + ("R" if name.endswith("L") else "L")
    return name


def _inertia(X: Floats, bone: Floats) -> Inertia:
    """The inertia of cells at X (n, 3), each a cube."""
    if DENSITY * CELL**3 * len(X) < _LEAST:
        X = bone
    mass = max(DENSITY * CELL**3 * len(X), _LEAST)
    centre = X.mean(axis=0)
    spread = (X - centre).T @ (X - centre) / len(X) + CELL**2 / 12 * np.eye(3)
    return Inertia(mass, centre, mass * (np.trace(spread) * np.eye(3) - spread))


def _nearest(X: Floats, groups: Mapping[str, Floats]) -> tuple[np.ndarray, Floats]:
    """The name of the group with the point nearest to each of X, and how far it is [m]."""
    names = np.repeat(list(groups), [len(points) for points in groups.values()])
    far, index = KDTree(np.concatenate(list(groups.values()))).query(X)
    return names[index], far


def _flesh(rows: Sequence[BodyRow], bones: Mapping[str, Surface], lines: Sequence[Line]) -> Floats:
    """(n, 3) the middles of the cells inside the flesh [m]."""
    arms = {row.name for row in rows if row.arm}
    hands = [bones[b].X for row in rows if row.name.startswith("hand") for b in row.bones]
    limb = [
        bones[b].X for row in rows if row.arm and not row.name.startswith("hand") for b in row.bones
    ]
    rest = [bones[b].X for row in rows if not row.arm for b in row.bones]
    whole = np.concatenate([*hands, *limb, *rest])
    low = whole.min(axis=0) - _TRUNK[0] - 2 * CELL
    high = whole.max(axis=0) + _TRUNK[0] + 2 * CELL
    shape = np.ceil((high - low) / CELL).astype(int)
    # Even along x with no middle cell, so that left and right are treated alike.
    shape[0] = 2 * int(np.ceil(max(high[0], -low[0]) / CELL))
    low[0] = -shape[0] * CELL / 2
    inside = np.zeros(shape, bool)
    of_arms = [line for line in lines if _mostly(line, arms)]
    others = [line for line in lines if not _mostly(line, arms)]
    for vertices, chosen, (radius, skin, step) in (
        (rest, others, _TRUNK), (limb, of_arms, _ARM), (hands, [], _HAND)
    ):  # fmt: skip
        inside |= _closed(_by_thickness(vertices, chosen, step), low, shape, radius, skin)
    inside = ndimage.binary_fill_holes(inside)
    floor = min(bones["hipL"].X[:, 2].min(), bones["hipR"].X[:, 2].min())
    X = low + CELL * (np.argwhere(inside) + 0.5)
    legs = (X[:, 2] < floor) & (np.abs(X[:, 0]) < np.abs(bones["hipL"].X[:, 0]).max())
    return X[~legs]


def _mostly(line: Line, arms: set[str]) -> bool:
    return sum(anchor.body in arms for anchor in line.path) * 2 > len(line.path)


def _closed(
    parts: Mapping[float, Floats], low: Floats, shape: np.ndarray, radius: float, skin: float
) -> Bools:
    """Cells within bones and lines, gaps smaller than a ball of the radius filled."""
    value = np.full(shape, np.inf)
    for thick, points in parts.items():
        empty = np.ones(shape, bool)
        cells = np.clip(((points - low) / CELL).astype(int), 0, shape - 1)
        empty[tuple(cells.T)] = False
        value = np.minimum(value, CELL * ndimage.distance_transform_edt(empty) - thick)
    grown = value < radius
    depth = CELL * np.asarray(ndimage.distance_transform_edt(grown))
    return np.asarray(depth > radius - skin)


def _by_thickness(
    vertices: Sequence[Floats], lines: Sequence[Line], step: float
) -> dict[float, Floats]:
    """Points of bones, and of lines by their radius [m], rounded up to whole steps."""
    groups: dict[float, list[Floats]] = {0.0: [*vertices]}
    for line in lines:
        thick = step * float(np.ceil(np.sqrt(line.area / np.pi) / step))
        groups.setdefault(thick, []).append(_sampled(line))
    return {thick: np.concatenate(points) for thick, points in groups.items()}


def _sampled(line: Line) -> Floats:
    points = np.array([anchor.point for anchor in line.path])
    legs = []
    for a, b in pairwise(points):
        count = 2 + int(np.linalg.norm(b - a) / _STEP)
        legs.append(a + np.linspace(0.0, 1.0, count)[:, None] * (b - a))
    return np.concatenate(legs)
