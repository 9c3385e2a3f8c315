"""Arrays as users give them, as lists or otherwise; what cannot be meant is one sentence."""

from __future__ import annotations

from typing import Any

import numpy as np

from vastus.errors import ModelError
from vastus.materials.base import require
from vastus.numerics.types import Floats, Ints

RIGID = 1e-6  # how far from a rotation a pose may be


def numbers(given: Any, what: str, shape: tuple[int, ...] | None = None) -> Floats:
    """What is given as floating-point numbers, of this shape if there is one."""
    try:
        array = np.asarray(given, np.float64)
    except (TypeError, ValueError):
        raise ModelError(f"{what} must be numbers") from None
    if shape is not None:
        require(array.shape == shape, f"{what} has shape {array.shape}, not {shape}")
    return array


def whole(given: Any, what: str) -> Ints:
    """What is given as whole numbers; nothing counts as none of them."""
    array = np.asarray(given)
    if array.size == 0:
        return array.astype(np.int64)
    require(array.dtype.kind in "iu", f"{what} {array.dtype} values, not whole numbers")
    return array.astype(np.int64)


def vertices(given: Any, who: str) -> Ints:
    """(k,) the vertices that belong to somebody."""
    array = whole(given, f"the vertices of {who} hold")
    require(array.ndim == 1, f"the vertices of {who} have shape {array.shape}, not (k,)")
    return array


def pose(given: Any, bone: str) -> Floats:
    """(3, 4) the pose [R | t] of a bone, which must be a rigid motion."""
    what = f"a pose of bone '{bone}'"
    array = numbers(given, what, (3, 4))
    require(bool(np.isfinite(array).all()), f"{what} is not finite")
    R = array[:, :3]
    off = float(np.abs(R.T @ R - np.eye(3)).max())
    require(
        off < RIGID and np.linalg.det(R) > 0,
        f"{what} is not a rigid motion: its first three columns must be a rotation",
    )
    return array
