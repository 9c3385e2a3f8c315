"""A random device that always throws the same, for a process whose mesher shuffles by it.

fTetWild orders triangles by `std::random_device`, which takes no seed. In the mesher's own process
its code is replaced by one that returns a constant, so that the same surfaces give the same mesh.
"""

from __future__ import annotations

import ctypes
import mmap
import platform
import sys

_DRAW = "_ZNSt13random_device9_M_getvalEv"
# The machine's words for "return 1".
_CODE = {
    "x86_64": bytes.fromhex("b801000000c3"),
    "aarch64": bytes.fromhex("20008052c0035fd6"),
}
_ANY_ACCESS = 7  # read, write, execute


def load_dice() -> bool:
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
