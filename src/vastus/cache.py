"""Results of long steps, kept on disk by a hash of what they were computed from, and timed."""

from __future__ import annotations

import hashlib
import os
import pickle
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import perf_counter
from types import CodeType, FunctionType, ModuleType
from typing import Any, ParamSpec, Protocol, TypeVar, runtime_checkable

import numpy as np
import platformdirs

from vastus import __version__

MOST = 2_000_000_000  # [bytes] kept in a folder; what was not read for longest goes first
BUILD = (
    "checks",
    "geometry",
    "modelling",
    "numerics",
    "skeleton",
)  # rooms whose code builds a model
LIBRARIES = ("libigl", "numpy", "scipy", "wildmeshing")
Args = ParamSpec("Args")
Result = TypeVar("Result")


def cache_root() -> Path:
    """The folder under which all that the package keeps for this user has a folder of its own."""
    return Path(platformdirs.user_cache_dir("vastus"))


@runtime_checkable
class Identified(Protocol):
    """A value that knows its own hash, and is told from others by it."""

    @property
    def digest(self) -> str:
        """Text that is the same for equal values only."""


@dataclass(frozen=True)
class Store:
    """A folder of results; a folder that cannot be written only costs time.

    `rooms` are the folders of the package whose code makes the results.
    """

    folder: Path = field(default_factory=lambda: cache_root() / "build")
    rooms: tuple[str, ...] = BUILD

    def kept(
        self, step: Callable[Args, Result], *inputs: Args.args, **options: Args.kwargs
    ) -> tuple[Result, bool]:
        """`step(*inputs, **options)`, and whether it was found here.

        Found again if the inputs, the code of the rooms and all versions are the same; options
        that are functions, such as one that shows progress, make no difference.
        """
        path = self._path(step, inputs, options)
        found = self._read(path)
        if found is not None:
            return found, True
        result = step(*inputs, **options)
        self._write(path, result)
        return result, False

    def recall(
        self, step: Callable[Args, Result], *inputs: Args.args, **options: Args.kwargs
    ) -> Result | None:
        """The result of a step that was `kept` before, or None."""
        found: Result | None = self._read(self._path(step, inputs, options))
        return found

    def _path(
        self, step: Callable[..., object], inputs: tuple[object, ...], options: Mapping[str, object]
    ) -> Path:
        key = digest((_versions(), sources(*self.rooms), _call(step, inputs, options)))
        return self.folder / f"{step.__name__.strip('_')}-{key[:32]}.pickle"

    def _read(self, path: Path) -> Any:
        try:
            found = pickle.loads(path.read_bytes())
            os.utime(path)
        except Exception:  # absent, cut short, or of other classes: all the same
            return None
        return found

    def _write(self, path: Path, result: object) -> None:
        """Write under a name of its own first: another process may be reading."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self.folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    pickle.dump(result, file)
                os.replace(name, path)
            finally:
                Path(name).unlink(missing_ok=True)
            self._forget()
        except OSError:
            return

    def _forget(self) -> None:
        files = sorted(self.folder.glob("*.pickle"), key=lambda p: p.stat().st_mtime, reverse=True)
        total = np.cumsum([file.stat().st_size for file in files])
        for file, size in zip(files, total, strict=True):
            if size > MOST:
                file.unlink(missing_ok=True)


def _call(
    step: Callable[..., object], inputs: tuple[object, ...], options: Mapping[str, object]
) -> str:
    """A hash of what a step is asked for; options that are functions make no difference."""
    plain = {name: value for name, value in options.items() if not callable(value)}
    return digest((step.__qualname__, inputs, plain))


def sources(*folders: str) -> str:
    """A hash (64 hexadecimal digits) of the code in some folders of the package."""
    return digest([_code(Path(__file__).parent / folder) for folder in folders])


@cache
def _versions() -> dict[str, str]:
    found = {"vastus": __version__}
    for name in LIBRARIES:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


@cache
def _code(folder: Path) -> str:
    sha = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        sha.update(path.read_bytes())
    return sha.hexdigest()


def digest(value: object) -> str:
    """A hash (64 hexadecimal digits) of plain values, arrays, dataclasses, and what has its own."""
    sha = hashlib.sha256()
    _feed(sha, value)
    return sha.hexdigest()


def _feed(sha: Any, value: object) -> None:
    """Add a value to a hash, led by its kind, so that no two values look alike."""
    sha.update(type(value).__qualname__.encode())
    # Whether a value knows its own hash takes long to ask, and of most there is no need to.
    if value is None or isinstance(value, str | int | float | Enum):
        sha.update(repr(value).encode())
    elif isinstance(value, tuple | list):
        sha.update(str(len(value)).encode())
        for item in value:
            _feed(sha, item)
    elif isinstance(value, np.ndarray):
        sha.update(f"{value.dtype.str}{value.shape}".encode())
        sha.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, Identified):
        sha.update(value.digest.encode())
    elif is_dataclass(value):
        for f in fields(value):
            _feed(sha, getattr(value, f.name))
    elif isinstance(value, Mapping):
        _feed(sha, tuple(value.items()))
    else:
        raise TypeError(f"{type(value).__qualname__} has no digest")


def code_digest(*functions: Callable[..., Any]) -> str:
    """A hash (64 hexadecimal digits) of functions and all they use from outside the package.

    It is that of the code in memory, whatever happens to its file; empty if there is none.
    """
    reached: dict[FunctionType, None] = {}
    for function in functions:
        _reach(function, reached)
    return digest([_code_of(f) for f in reached]) if reached else ""


def _reach(value: object, reached: dict[FunctionType, None]) -> None:
    """Collect a function and those that it refers to, in the order of their use."""
    value = getattr(value, "py_func", value)  # what a compiled function was made of
    if not isinstance(value, FunctionType) or value in reached:
        return
    # A closure of the package is no code from outside, but may refer to some.
    if not _own(value.__module__):
        reached[value] = None
    elif not value.__closure__:
        return
    for used in _used(value).values():
        _reach(used, reached)


def _own(module: str | None) -> bool:
    return (module or "").partition(".")[0] == __name__.partition(".")[0]


def _used(function: FunctionType) -> dict[str, object]:
    """The globals, attributes of modules, and enclosed variables that a function refers to."""
    names = [name for code in _codes(function.__code__) for name in code.co_names]
    used = {name: function.__globals__[name] for name in names if name in function.__globals__}
    modules = [value for value in used.values() if isinstance(value, ModuleType)]
    for module in modules:
        found = {name: vars(module)[name] for name in names if name in vars(module)}
        used |= {f"{module.__name__}.{name}": value for name, value in found.items()}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        used[name] = cell.cell_contents
    return used


def _codes(code: CodeType) -> list[CodeType]:
    """A function's code, and that of the functions inside it."""
    inner = [part for part in code.co_consts if isinstance(part, CodeType)]
    return [code, *(each for part in inner for each in _codes(part))]


def _code_of(function: FunctionType) -> tuple[object, ...]:
    codes = [
        (c.co_code.hex(), c.co_names, repr([k for k in c.co_consts if not isinstance(k, CodeType)]))
        for c in _codes(function.__code__)
    ]
    plain = int, float, str, tuple, list, np.ndarray, np.generic
    values = {
        name: repr(value.tolist() if isinstance(value, np.ndarray) else value)
        for name, value in _used(function).items()
        if isinstance(value, plain)
    }
    return function.__qualname__, codes, values, repr(function.__defaults__)


@dataclass(frozen=True)
class Step:
    """A step of the build, how long it took [s], and whether its result was kept from before."""

    name: str
    seconds: float
    kept: bool


@dataclass(eq=False)
class Log:
    """Runs the steps, each once, keeping their results and noting their times."""

    store: Store | None
    watch: Callable[[str], None]
    steps: list[Step] = field(default_factory=list)
    _done: dict[str, Any] = field(default_factory=dict)

    def run(
        self, name: str, step: Callable[Args, Result], *inputs: Args.args, **options: Args.kwargs
    ) -> Result:
        """The result of a step, from the store if it has it; the same step is not made twice."""
        asked = _call(step, inputs, options)
        if asked in self._done:
            done: Result = self._done[asked]
            return done
        self.watch(name)
        start = perf_counter()
        if self.store is None:
            result, kept = step(*inputs, **options), False
        else:
            result, kept = self.store.kept(step, *inputs, **options)
        self.steps.append(Step(name, perf_counter() - start, kept))
        self._done[asked] = result
        return result
