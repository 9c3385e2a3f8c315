"""What every table of points or of vertex indices must satisfy; each violation is one sentence."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from vastus.errors import ModelError
from vastus.numerics.types import Floats, Ints


def points(X: ArrayLike, what: str = "vertex") -> Floats:
    """X as finite, contiguous (n, 3) points [m]; `what` is the word for one of them."""
    try:
        table = np.ascontiguousarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        raise ModelError(f"the coordinates of each {what} must be three numbers") from None
    if table.ndim != 2 or table.shape[1] != 3:
        raise ModelError(f"the table of {what} coordinates has shape {table.shape}, not (n, 3)")
    bad = np.flatnonzero(~np.isfinite(table).all(axis=1))
    if len(bad):
        raise ModelError(f"{what} {bad[0]} has a coordinate that is not finite")
    return table


def indices(table: ArrayLike, width: int, n: int, what: str) -> Ints:
    """The table as contiguous (m, width) indices of n vertices; `what` is the word for one row."""
    given = np.asarray(table)
    if given.ndim != 2 or given.shape[1] != width:
        raise ModelError(f"the table of {what}s has shape {given.shape}, not (m, {width})")
    if given.dtype.kind not in "iu":
        raise ModelError(f"the table of {what}s holds {given.dtype} values, not whole numbers")
    outside = np.argwhere((given < 0) | (given >= n))
    if len(outside):
        row, column = outside[0]
        vertex = given[row, column]
        raise ModelError(f"{what} {row} names vertex {vertex}, but there are {n} vertices")
    return np.ascontiguousarray(given, dtype=np.int64)
