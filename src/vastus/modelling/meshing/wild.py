"""The mesher in a process of its own: it prints much, cannot be interrupted, and may crash.

Run as `python -m vastus.modelling.meshing.wild FOLDER`; reads `in.npz` there, writes `out.npz`.
"""

from __future__ import annotations

import ctypes
import signal
import sys
from importlib import import_module
from pathlib import Path

import numpy as np

from vastus.modelling.meshing.dice import load_dice
from vastus.numerics.types import Floats

_PR_SET_PDEATHSIG = 1


class Grid:
    """Values on a regular grid, looked up at the nearest point."""

    def __init__(self, low: Floats, steps: Floats, table: Floats) -> None:
        self._low, self._steps, self._table = low, steps, table
        self._last = np.array(table.shape) - 1

    def __call__(self, x: Floats) -> float:
        """The value at x (3,)."""
        nearest = np.rint((x.ravel() - self._low) / self._steps).astype(int)
        i, j, k = np.clip(nearest, 0, self._last)
        return float(self._table[i, j, k])


def _end_with_parent() -> None:
    """Have Linux end this process when the one that started it is gone, however it ended."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def main(folder: Path) -> None:
    """Mesh what is in the folder."""
    _end_with_parent()
    load_dice()
    given = np.load(folder / "in.npz")
    mesher = import_module("wildmeshing").Tetrahedralizer(
        stop_quality=float(given["quality"]),
        max_its=int(given["passes"]),
        epsilon=float(given["envelope"]),
        edge_length_r=float(given["far"]),
        coarsen=False,
        max_threads=1,  # more give another mesh every time
    )
    mesher.set_log_level(6)
    mesher.set_mesh(given["X"], given["faces"])
    mesher.set_sizing_field_from_func(Grid(given["low"], given["steps"], given["table"]))
    mesher.tetrahedralize()
    X, T = mesher.get_tet_mesh(all_mesh=True)[:2]
    np.savez(folder / "out.npz", X=X, T=T)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
