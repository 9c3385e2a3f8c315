"""Tables of vertex indices: what they must satisfy, which rows are equal, what they connect."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from vastus.errors import ModelError
from vastus.numerics.types import Floats, Ints


def groups(rows: Ints) -> tuple[Ints, Ints]:
    """An order (k,) that brings equal rows together, and where each group starts in it."""
    order = np.lexsort(_keys(rows))
    ranked = rows[order]
    new = (ranked[1:] != ranked[:-1]).any(axis=1)
    starts = np.flatnonzero(np.concatenate([np.ones(min(len(rows), 1), bool), new]))
    return order, starts


def counts(rows: Ints) -> Ints:
    """(k,) how often the row itself occurs in the table."""
    order, starts = groups(rows)
    sizes = np.diff(np.append(starts, len(rows)))
    out = np.empty(len(rows), np.int64)
    out[order] = np.repeat(sizes, sizes)
    return out


def distinct(values: Ints) -> Ints:
    """(d,) each of some values once, ascending.

    Of millions with many repeats numpy's `unique`, which hashes them, takes twenty times as long.
    """
    ranked = np.sort(values, axis=None)
    return ranked[np.diff(ranked, prepend=ranked[:1] - 1) > 0]


def first_repeated(rows: Ints) -> tuple[int, int] | None:
    """The positions of the first row that occurs again, and of its repeat; None if all differ."""
    order, starts = groups(rows)
    sizes = np.diff(np.append(starts, len(rows)))
    if not (sizes > 1).any():
        return None
    pairs = [order[starts[sizes > 1]], order[starts[sizes > 1] + 1]]
    first = int(np.argmin(pairs[0]))
    return int(pairs[0][first]), int(pairs[1][first])


def _keys(rows: Ints) -> list[Ints]:
    """Columns packed in pairs, last first: half the sorting, and no overflow below 3e9 vertices."""
    span = int(rows.max(initial=0)) + 1
    packed = [rows[:, k] * span + rows[:, k + 1] for k in range(0, rows.shape[1] - 1, 2)]
    rest = [rows[:, -1]] if rows.shape[1] % 2 else []
    return [*packed, *rest][::-1]


def components(count: int, links: Ints) -> Ints:
    """(count,) the connected piece of each thing, from 0, where links (l, 2) join two."""
    graph = sparse.coo_array((np.ones(len(links)), tuple(links.T)), shape=(count, count))
    return np.asarray(connected_components(graph, directed=False)[1], np.int64)


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
