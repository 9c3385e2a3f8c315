"""Named sets of tets: cell data that are one where a tet belongs to the set, and else zero."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from vastus.errors import ModelError
from vastus.scene.base import unknown


def members(cells: Mapping[str, np.ndarray], name: str) -> np.ndarray:
    """(m,) whether each tet is in the set called `name`."""
    sets = [other for other, values in cells.items() if _is_set(values)]
    if name not in sets:
        raise ModelError(unknown("set", name, sets))
    return np.asarray(cells[name]).astype(bool)


def _is_set(values: np.ndarray) -> bool:
    flags = np.asarray(values)
    return flags.ndim == 1 and flags.dtype.kind in "biu" and bool(np.isin(flags, (0, 1)).all())
