"""Meshes that meshio reads, which believes whatever a file announces.

So while it reads, the modules of meshio see another `numpy`, `range`, `zlib` and `lzma`, which make
no more than a file of that size can hold.
"""

from __future__ import annotations

import builtins
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from math import prod
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from vastus.io.announced import require_xml
from vastus.io.foreign import existing, loaded
from vastus.io.unpacking import Limit, Lzma, Zlib

# The parts of meshio's modules that read, and what they see otherwise.
_INSIDE: dict[str, tuple[str, ...]] = {
    "vtu": ("vtu._vtu",),
    "gmsh": ("gmsh.common", "gmsh._gmsh22", "gmsh._gmsh40", "gmsh._gmsh41"),
    "medit": ("medit._medit",),
}
_one_at_a_time = threading.Lock()


def read_raw(path: Path, module: str) -> Any:
    """What meshio's module makes of a file, in bounded memory and time."""
    read = import_module(f"meshio.{module}").read
    if module == "vtu":
        require_xml(str(existing(path)))
    with _one_at_a_time, _bounded(existing(path), _INSIDE[module]):
        return loaded(path, read)


@contextmanager
def _bounded(path: Path, modules: tuple[str, ...]) -> Iterator[None]:
    limit = Limit.of(path)
    seen = {"np": _Numpy(limit), "range": limit.range, "zlib": Zlib(limit), "lzma": Lzma(limit)}
    with ExitStack() as stack:
        for name in modules:
            inside = import_module(f"meshio.{name}")
            for word, ours in seen.items():
                if word == "range" or hasattr(inside, word):
                    stack.enter_context(patch.object(inside, word, ours, create=True))
        yield


class _Numpy:
    """numpy, but no array larger than the file can fill."""

    def __init__(self, limit: Limit) -> None:
        self._limit = limit
        self.empty, self.zeros, self.ones, self.full = (
            self._made(make) for make in (np.empty, np.zeros, np.ones, np.full)
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def _made(self, make: Callable[..., Any]) -> Callable[..., Any]:
        def bounded(shape: Any, *rest: Any, **options: Any) -> Any:
            self._limit.require(8 * prod(int(n) for n in np.atleast_1d(shape)))
            return make(shape, *rest, **options)

        return bounded

    def arange(self, *ends: Any, **options: Any) -> Any:
        """Numbers in a row."""
        self._limit.require(8 * len(builtins.range(*(int(end) for end in ends))))
        return np.arange(*ends, **options)

    def fromfile(self, file: Any, dtype: Any = float, count: int = -1, **options: Any) -> Any:
        """Numbers of a file."""
        self._limit.require(int(count) * np.dtype(dtype).itemsize)
        return np.fromfile(file, dtype, count, **options)
