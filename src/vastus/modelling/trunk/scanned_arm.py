"""Landmarks of girdle and arm, found by rule on the surfaces of their bones."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from vastus.geometry.surface import Surface
from vastus.modelling.trunk.arm_place import ARM
from vastus.modelling.trunk.landmarks import Side, sign
from vastus.numerics.types import Floats

_END = 0.010  # [m] of a long bone that is its end
_HEAD = 0.040  # [m] from the top of the humerus down where its head is
_PLAUSIBLE = 0.002  # [m] off a sphere
_FITS = 6
_SPOOL = ARM["epicondyle"][2] / np.linalg.norm(np.subtract(ARM["head"], ARM["elbow"]))


def arm_points(bones: Mapping[str, Surface], side: Side) -> dict[str, Floats]:
    """The named points of one side's girdle and arm."""
    return {**_girdle(bones, side), **_arm(bones, side)}


def _girdle(bones: Mapping[str, Surface], side: Side) -> dict[str, Floats]:
    clavicle, scapula = bones[f"clavicle{side}"].X, bones[f"scapula{side}"].X
    head, _ = _sphere(bones[f"humerus{side}"].X, side)
    out = sign(side) * scapula[:, 0]
    low, high = scapula[:, 2].min(), scapula[:, 2].max()
    near = np.argsort(np.linalg.norm(scapula - head, axis=1))[:40]
    middle = scapula[np.abs(scapula[:, 2] - low - 0.62 * (high - low)) < 0.012]
    inner = sign(side) * middle[:, 0]
    return {
        "sternal": _slice(clavicle, side, 0.03),
        "clavicle_inner": _slice(clavicle, side, 0.22),
        "clavicle_outer": _slice(clavicle, side, 0.61),
        "acromial": _slice(clavicle, side, 0.97),
        "acromion": scapula[np.argmax(out + 0.3 * scapula[:, 2])],
        "coracoid": scapula[np.argmin(scapula[:, 1])],
        "socket": scapula[near].mean(axis=0),
        "superior_angle": scapula[np.argmax(scapula[:, 2] - 0.9 * out)],
        "spine_root": middle[np.argmin(inner)],
        "inferior_angle": scapula[np.argmin(scapula[:, 2])],
    }


def _arm(bones: Mapping[str, Surface], side: Side) -> dict[str, Floats]:
    humerus, ulna, radius, hand = (
        bones[f"{bone}{side}"].X for bone in ("humerus", "ulna", "radius", "hand")
    )
    head, _ = _sphere(humerus, side)
    low = humerus[humerus[:, 2] < humerus[:, 2].min() + 0.15 * np.ptp(humerus[:, 2])]
    out = sign(side) * low[:, 0]
    epicondyle, epitrochlea = low[np.argmax(out)], low[np.argmin(out)]
    between = (epicondyle + epitrochlea) / 2
    radius_top, radius_low = _ends(radius)
    _, ulna_low = _ends(ulna)
    wrist = 0.75 * radius_low + 0.25 * ulna_low
    down = wrist - between
    return {
        "head": head,
        "elbow": between - _SPOOL * (head - between),
        "epicondyle": epicondyle,
        "epitrochlea": epitrochlea,
        "radial_head": radius_top,
        "radial_styloid": radius[np.argmax(radius @ down)],
        "ulnar_head": ulna_low,
        "wrist": wrist,
        "knuckle": _knuckle(hand, wrist, down),
    }


def _knuckle(hand: Floats, wrist: Floats, down: Floats) -> Floats:
    """The middle of the hand at half its length, where fingers begin."""
    along = (hand - wrist) @ down / np.linalg.norm(down)
    level = 0.5 * along.max()
    return hand[np.abs(along - level) < _END].mean(axis=0)


def _ends(X: Floats) -> tuple[Floats, Floats]:
    """The middles of both ends of a long bone, the upper one first."""
    centred = X - X.mean(axis=0)
    axis = np.linalg.svd(centred, full_matrices=False)[2][0]
    along = centred @ (axis if axis[2] > 0 else -axis)
    top, low = X[along > along.max() - _END], X[along < along.min() + _END]
    return top.mean(axis=0), low.mean(axis=0)


def _slice(X: Floats, side: Side, part: float) -> Floats:
    """The middle of a section at a part of the width, from the middle of the body outwards."""
    out = sign(side) * X[:, 0]
    level = out.min() + part * np.ptp(out)
    return X[np.abs(out - level) < _END / 2].mean(axis=0)


def _sphere(X: Floats, side: Side) -> tuple[Floats, float]:
    """The middle and the radius [m] of the head of a humerus."""
    top = X[X[:, 2] > X[:, 2].max() - _HEAD]
    out = sign(side) * top[:, 0]
    chosen = top[out < np.median(out)]
    for _ in range(_FITS):
        centre, radius = _fitted(chosen)
        off = np.abs(np.linalg.norm(top - centre, axis=1) - radius)
        if (off < _PLAUSIBLE).sum() < 10:
            break
        chosen = top[off < _PLAUSIBLE]
    return centre, radius


def _fitted(X: Floats) -> tuple[Floats, float]:
    """The sphere through points by least squares."""
    A = np.column_stack([2 * X, np.ones(len(X))])
    x, *_ = np.linalg.lstsq(A, (X**2).sum(axis=1), rcond=None)
    return x[:3], float(np.sqrt(x[3] + x[:3] @ x[:3]))
