"""Rows of an integer table compared as wholes: tets, faces or edges by their sorted vertices."""

from __future__ import annotations

import numpy as np

from vastus.numerics.types import Ints


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
