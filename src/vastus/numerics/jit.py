"""The only door to numba: point functions, kernels, their cache and their threads.

A point function is `register_jitable`, and what is compiled closes over it: passing or closing
over a compiled function instead would recompile in every process. Numba does not notice an edit
in an imported file, so the cache lives in a folder named by a hash of the kernels' sources. Where
that cannot be written, numba would turn to the folders of the sources, and run what was compiled
before an edit: a private folder takes its place.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any
from uuid import uuid4

# Idle OpenMP threads must sleep, not spin: numba's and MKL's pools share the same cores.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("KMP_BLOCKTIME", "0")

import numba
from numba import carray, prange, types
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.compiler_lock import global_compiler_lock
from numba.core.runtime import rtsys
from numba.extending import intrinsic, overload, register_jitable
from threadpoolctl import ThreadpoolController, threadpool_limits

from vastus.cache import cache_root, code_digest, digest

if TYPE_CHECKING:
    from filelock import FileLock

__all__ = [
    "cache_folder",
    "carray",
    "function_at",
    "intrinsic",
    "kernel",
    "lead_threads",
    "lone_blas",
    "loop",
    "max_threads",
    "overload",
    "point",
    "prange",
    "thread_count",
    "types",
    "use_threads",
]


KEPT, UNUSED = 4, 30 * 86400.0  # folders kept in any case; [s] after which the others may go

_IMPORT = re.compile(r"^from vastus\.([\w.]+) import (\([^)]*\)|[^\n]*)", re.MULTILINE)
_COMPILED = re.compile(r"\b(kernel|loop|function_at|point)\b")
_CONSTANT = re.compile(r"\b[A-Z][A-Z0-9_]+\b")


@cache
def cache_folder() -> Path:
    """The folder for all that this process compiles; a private one if the usual is read-only."""
    folder = cache_root() / f"kernels-{_made_of()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        os.utime(folder)
    except OSError:
        return _private_folder()
    prune(folder.parent)
    return folder


@cache
def kernel_sources() -> list[Path]:
    """The files that kernels stand in, or the constants that they were compiled with."""
    root = Path(__file__).parents[1]
    found = {}
    for path in root.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "numerics.jit import" not in text and path != Path(__file__):
            continue
        imports = dict(_IMPORT.findall(text))
        if _COMPILED.search(imports.get("numerics.jit", "")) or path == Path(__file__):
            found[path] = imports
    constants = {
        root / f"{module.replace('.', '/')}.py"
        for imports in found.values()
        for module, names in imports.items()
        if _CONSTANT.search(names)
    }
    return sorted({*found, *constants})


def _made_of() -> str:
    return digest([(path.name, path.read_text(encoding="utf-8")) for path in kernel_sources()])[:16]


def prune(parent: Path) -> None:
    """Remove the folders of former sources that no process has asked for in a month."""
    ages = {}
    for folder in parent.glob("kernels-*"):
        with suppress(OSError):
            ages[folder] = folder.stat().st_mtime
    for folder in sorted(ages, key=lambda f: -ages[f])[KEPT:]:
        if ages[folder] < time.time() - UNUSED:
            with suppress(OSError):
                _remove(folder, ages[folder])


def _remove(folder: Path, used: float) -> None:
    """Remove a folder, unless another process has begun to use it since it was `used`."""
    # A folder under another name is found by nobody, so it cannot vanish under a reader's hands.
    aside = folder.rename(folder.with_name(f"{folder.name}-{os.getpid()}"))
    if aside.stat().st_mtime == used:
        shutil.rmtree(aside, ignore_errors=True)
    else:
        aside.rename(folder)


def _private_folder() -> Path:
    folder = tempfile.mkdtemp(prefix="vastus-kernels-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


_settings: Any = numba.config
_settings.CACHE_DIR = str(cache_folder())
# `workqueue` aborts when two Python threads call kernels; OpenMP does not.
_settings.THREADING_LAYER_PRIORITY = ["omp", "tbb", "workqueue"]


def _own_name(self: Any, number: int) -> str:
    """The file for what is compiled, under a name that no other process chooses.

    Numba counts the files that it knows of. Two processes that save at once would both write the
    next, and one would later find the other's code in it, and crash or compute something else.
    """
    return f"{Path(self._index_name).stem}.{number}-{uuid4().hex[:12]}.nbc"


_files: Any = IndexDataCacheFile
_files._data_name = _own_name


def _found(self: Any, signature: Any, context: Any) -> Any:
    """What is kept of a function for a signature, if anything.

    Numba would load all that it can compile first, which takes longer than to load every kernel of
    a small simulation. Compiled code needs none of it, and where nothing is kept the compiler loads
    it by itself.
    """
    rtsys.initialize(context)  # arrays that kernels make are counted
    with self._guard_against_spurious_io_errors():
        return self._load_overload(signature, context)


_kept: Any = FunctionCache
_kept.load_overload = _found


def _once(made: Any) -> Any:
    """Let one process compile a kernel; others that want it meanwhile wait, and find it kept."""
    if not hasattr(made, "compile"):
        return made  # numba was told not to compile
    compile_now = made.compile

    def compile_alone(*signature: Any) -> Any:
        with _alone(made.py_func):
            return compile_now(*signature)

    made.compile = compile_alone
    return made


@contextmanager
def _alone(function: Any) -> Iterator[None]:
    """Keep other processes from compiling a function meanwhile, where files can be locked."""
    # Inside the lock of numba's threads, for it may be held by one that wants this one next.
    with global_compiler_lock:
        lock = _lock(re.sub(r"[^\w.]", "", f"{function.__module__}.{function.__qualname__}"))
        try:
            lock.acquire()
        except (OSError, NotImplementedError):
            yield
            return
        try:
            yield
        finally:
            lock.release()


@cache
def _lock(name: str) -> FileLock:
    """The lock of that name; who holds it may enter again, as a kernel that calls its namesake."""
    from filelock import FileLock

    return FileLock(cache_folder() / f"{name}.lock", thread_local=False)


# Inlined always: a function that is called exists once for each that calls it, optimised with what
# surrounds it, and which of them runs would depend on whether it came from the cache.
INLINED = {"forceinline": True}
point: Callable[[Any], Any] = register_jitable(**INLINED)
# No fast mathematics: the body of a parallel loop exists twice, and both must round alike. It uses
# numpy's rules for division in any case; asking for them outside it too spares numba from
# compiling every point function twice.
_KEPT = {"cache": True, "nogil": True, "error_model": "numpy"}


def kernel(function: Any) -> Any:
    """A compiled function whose `prange` loops run in threads."""
    return _once(numba.njit(parallel=True, **_KEPT)(function))


def loop(function: Any) -> Any:
    """A compiled function for what takes microseconds: threads would take longer to wake."""
    return _once(numba.njit(**_KEPT)(function))


# Of a law, signed zeros, contraction and reordering may go; NaN and infinity must survive to be
# reported.
_MATH = {"contract", "reassoc", "nsz", "arcp"}


def function_at(signature: Any, *points: Callable[..., Any]) -> Callable[[Any], Any]:
    """A compiled function with an `address`, which closes over point functions, maybe a user's.

    Numba finds it again by its name and its own code: the name tells theirs.
    """

    def named(function: Any) -> Any:
        function.__qualname__ += code_digest(*points)[:16]
        made = numba.cfunc(signature, cache=True, fastmath=_MATH, error_model="numpy")
        with _alone(function):
            return made(function)

    return named


def max_threads() -> int:
    """The largest number of threads that kernels may use."""
    return int(_settings.NUMBA_NUM_THREADS)


def threads_used() -> int:
    """The number of threads that kernels use now."""
    return int(numba.get_num_threads())


def use_threads(count: int) -> None:
    """Give `count` threads to every library that computes in parallel, for the process's life."""
    numba.set_num_threads(min(count, max_threads()))
    threadpool_limits(limits=count)


def lead_threads(package: str) -> None:
    """Give the libraries of a package that has just been loaded as many threads as kernels have."""
    pools = ThreadpoolController()
    own = [pool["filepath"] for pool in pools.info() if package in pool["filepath"]]
    pools.select(filepath=own).limit(limits=numba.get_num_threads())


@contextmanager
def thread_count(count: int) -> Iterator[None]:
    """Give `count` threads to every library that computes in parallel, and take them back."""
    former = numba.get_num_threads()
    with threadpool_limits(limits=count):
        numba.set_num_threads(min(count, max_threads()))
        try:
            yield
        finally:
            numba.set_num_threads(former)


def lone_blas() -> AbstractContextManager[None]:
    """Keep numpy's and scipy's OpenBLAS to one thread meanwhile.

    Its idle threads spin, and take the cores from kernels and factors: products of short vectors,
    all that solvers ask of it, made iterations up to six times slower.
    """
    return _LONE_BLAS


class _LoneBlas:
    """OpenBLAS has one thread from the first who enters to the last who leaves."""

    def __init__(self) -> None:
        self._lock, self._inside = Lock(), 0

    def __enter__(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._limit = _openblas().limit(limits=1)
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._limit.restore_original_limits()


_LONE_BLAS = _LoneBlas()


@cache
def _openblas() -> ThreadpoolController:
    return ThreadpoolController().select(internal_api="openblas")
