"""The mesher in a process of its own: it prints much, cannot be interrupted, and may crash.

Run as `python -m vastus.modelling.surfaces.mesher_process FOLDER`; reads `in.npz` there and writes
`out.npz`. fTetWild orders triangles by `std::random_device`, which takes no seed: in this process
its code is replaced by one that returns a constant, so that the same surfaces give the same mesh.
"""

from __future__ import annotations

import ctypes
import mmap
import platform
import signal
import sys
from importlib import import_module
from pathlib import Path

import numpy as np

from vastus.numerics.types import Floats

_DRAW = "_ZNSt13random_device9_M_getvalEv"
# The machine's words for "return 1".
_CODE = {
    "x86_64": bytes.fromhex("b801000000c3"),
    "aarch64": bytes.fromhex("20008052c0035fd6"),
}
_ANY_ACCESS = 7  # read, write, execute
_PR_SET_PDEATHSIG = 1


def fix_random_device() -> bool:
    """Whether the random device of this process now always gives the same number."""
    code = _CODE.get(platform.machine())
    if code is None or sys.platform != "linux":
        return False
    try:
        draw = getattr(ctypes.CDLL("libstdc++.so.6"), _DRAW)
    except (OSError, AttributeError):
        return False
    address = ctypes.cast(draw, ctypes.c_void_p).value or 0
    page = address - address % mmap.PAGESIZE
    length = address + len(code) - page
    protect = ctypes.CDLL(None).mprotect
    protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    if protect(page, length, _ANY_ACCESS):
        return False
    ctypes.memmove(address, code, len(code))
    return True


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
    fix_random_device()
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
