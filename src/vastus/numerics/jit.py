"""The only door to numba: point functions, parallel kernels, their cache and their threads.

A point function is `register_jitable`, and the parallel loop closes over it: passing or closing
over a compiled function instead would recompile in every process. Numba does not notice an edit
in an imported file, so the cache lives in a folder named by a hash of the kernels' sources.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import platformdirs

# Idle OpenMP threads must sleep, not spin: numba's and MKL's pools share the same cores.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("KMP_BLOCKTIME", "0")

import numba
from numba import prange
from numba.extending import register_jitable
from threadpoolctl import threadpool_limits

__all__ = [
    "cache_folder",
    "kernel",
    "max_threads",
    "point",
    "prange",
    "thread_id",
    "use_threads",
]


def cache_folder() -> Path:
    """The folder for everything compiled from the present sources."""
    package = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for folder in ("energies", "materials", "numerics"):
        for path in sorted((package / folder).glob("*.py")):
            digest.update(path.read_bytes())
    return Path(platformdirs.user_cache_dir("vastus")) / f"kernels-{digest.hexdigest()[:16]}"


_settings: Any = numba.config
_settings.CACHE_DIR = str(cache_folder())
# `workqueue` aborts when two Python threads call kernels; OpenMP does not.
_settings.THREADING_LAYER_PRIORITY = ["omp", "tbb", "workqueue"]

# Signed zeros, contraction and reordering may go; NaN and infinity must survive to be reported.
_MATH = {"contract", "reassoc", "nsz", "arcp"}

point: Callable[[Any], Any] = register_jitable
# A parallel loop's body uses numpy's rules for division in any case; asking for them outside it too
# spares numba from compiling every point function twice.
kernel: Callable[[Any], Any] = numba.njit(
    parallel=True, cache=True, nogil=True, fastmath=_MATH, error_model="numpy"
)


thread_id = numba.get_thread_id  # inside a parallel loop


def max_threads() -> int:
    """The largest number of threads that kernels may use."""
    return int(_settings.NUMBA_NUM_THREADS)


def use_threads(count: int) -> None:
    """Give `count` threads to every library that computes in parallel."""
    numba.set_num_threads(min(count, max_threads()))
    threadpool_limits(limits=count)
