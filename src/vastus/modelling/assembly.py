"""Several swept solids as one mesh."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vastus.geometry.tetmesh import TetMesh
from vastus.modelling.sweep import Solid
from vastus.numerics.types import Ints


def joined(solids: Sequence[Solid]) -> tuple[TetMesh, Ints]:
    """One mesh of all solids, and (k,) the first vertex of each; they share no vertices."""
    starts = np.cumsum([0, *(len(s.X) for s in solids[:-1])])
    T = np.concatenate([s.T + start for s, start in zip(solids, starts, strict=True)])
    return TetMesh(np.concatenate([s.X for s in solids]), T), starts
