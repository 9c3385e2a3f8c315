"""Some frames of a result, as a result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vastus.io.result import Result


def chosen(result: Result, frames: Sequence[int]) -> Result:
    """The result with only these frames, in this order."""
    rows = np.asarray(frames, np.int64)
    inside = result.penetrations
    return replace(
        result,
        times=result.times[rows],
        table={name: column[rows] for name, column in result.table.items()},
        frames=tuple(result.frames[i] for i in rows),
        reports=tuple(result.reports[i] for i in rows),
        poses=result.poses[rows],
        penetrations=tuple(inside[i] for i in rows) if inside else (),
    )
