"""What a study keeps of each variant: one number of a column of its table, or of a function."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from vastus.cache import code_digest
from vastus.errors import FileError, ModelError, SolveError, known
from vastus.files.safe import read_bytes
from vastus.numerics.types import Floats
from vastus.scene.schema import unknown
from vastus.studies.parameters import is_number

TIME = "time_s"
Table = Mapping[str, Floats]
# When a column counts, by its word.
WORDS: dict[str, Callable[[Floats], Any]] = {
    "last": lambda values: values[-1],
    "first": lambda values: values[0],
    "max": np.max,
    "min": np.min,
    "mean": np.mean,
}


@dataclass(frozen=True)
class Output:
    """A column of the frames' table, when it counts, and what the study calls it.

    `at` is a word, or the column and the value of the first moment that counts, between frames if
    need be: ("time_s", 0.5) or ("elbow_angle_deg", 60.0).
    """

    name: str
    column: str
    at: str | tuple[str, float] = "last"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it reads."""
        return (self.column, self.at[0]) if isinstance(self.at, tuple) else (self.column,)

    @property
    def spec(self) -> Any:
        """What tells it from others, as JSON."""
        return [self.name, self.column, self.at]

    def require_time(self, span: tuple[float, float]) -> None:
        """Refuse a moment that is not within the first and last time [s] of all frames."""
        if not isinstance(self.at, str) and not span[0] <= self.at[1] <= span[1]:
            raise ModelError(
                f"output '{self.name}' is wanted at {self.at[1]:g} s, but the scene runs from "
                f"{span[0]:g} to {span[1]:g} s"
            )

    def of(self, table: Table) -> float:
        """The number that it is of a table of columns (frames,)."""
        for name in self.columns:
            if name not in table:
                raise ModelError(f"output '{self.name}': {unknown('column', name, list(table))}")
        values = table[self.column]
        if isinstance(self.at, str):
            return float(WORDS[self.at](values))
        return self._when(table[self.at[0]], values, *self.at)

    def _when(self, over: Floats, values: Floats, column: str, wanted: float) -> float:
        """The value where another column is first as wanted, between two frames by a line."""
        for k in range(len(over)):
            if over[k] == wanted:
                return float(values[k])
            if k and (over[k - 1] - wanted) * (over[k] - wanted) < 0:
                share = (wanted - over[k - 1]) / (over[k] - over[k - 1])
                return float(values[k - 1] + share * (values[k] - values[k - 1]))
        raise SolveError(
            f"output '{self.name}': '{column}' is never {wanted:g}; it goes from "
            f"{over.min():.4g} to {over.max():.4g}"
        )


@dataclass(frozen=True)
class FunctionOutput:
    """A function of a variant's frames in a file; it gives a number, or several by name."""

    name: str
    file: Path
    function: str

    @property
    def spec(self) -> Any:
        """What tells it from others, as JSON: its name and its code."""
        return [self.name, self.function, code_digest(function_in(self.file, self.function))]

    def function_of_frames(self) -> Callable[..., Any]:
        """The function."""
        return function_in(self.file, self.function)


@dataclass(frozen=True)
class CalledOutput:
    """A function of a variant's frames, which gives a number or several by name."""

    name: str
    function: Callable[..., Any]

    @property
    def spec(self) -> Any:
        """What tells it from others, as JSON: its name and its code."""
        return [self.name, code_digest(self.function)]

    def function_of_frames(self) -> Callable[..., Any]:
        """The function."""
        return self.function


AnyOutput = Output | FunctionOutput | CalledOutput


@cache
def function_in(file: Path, name: str) -> Callable[..., Any]:
    """A function of a Python file, which is run once in each process."""
    read_bytes(file)  # a sentence, if it is not there
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise FileError(f"'{file}' is not a Python file")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise FileError(f"'{file}' does not run: {type(error).__name__}: {error}") from error
    found = getattr(module, name, None)
    if not callable(found):
        names = [n for n, v in vars(module).items() if callable(v) and not n.startswith("_")]
        raise known(f"function of '{file.name}'", name, names)
    function: Callable[..., Any] = found
    return function


def numbers_of(name: str, found: Any) -> dict[str, float]:
    """What a function has given: a number under the output's name, or several under their own."""
    if isinstance(found, Mapping):
        return {str(key): _number(str(key), value) for key, value in found.items()}
    return {name: _number(name, found)}


def _number(name: str, value: Any) -> float:
    plain = (
        value.item() if isinstance(value, np.generic | np.ndarray) and value.size == 1 else value
    )
    if not is_number(plain):
        raise ModelError(f"output '{name}' is {value!r}, not a number")
    return float(plain)


def output(given: Any, name: str | None = None) -> AnyOutput:
    """The output that an author gives as a word such as `angle=elbow_angle_deg@max`, or by keys."""
    if callable(given):
        return CalledOutput(name or str(getattr(given, "__name__", "output")), given)
    if isinstance(given, Output | FunctionOutput | CalledOutput):
        return given
    if isinstance(given, str):
        return _worded(given, name)
    if isinstance(given, Mapping):
        return _keyed(name or "", dict(given))
    raise ModelError(f"output {given!r} is neither a column nor a function")


def outputs(given: Any) -> tuple[AnyOutput, ...]:
    """The outputs that an author gives: one, several, or by name."""
    if isinstance(given, Mapping):
        return tuple(output(one, str(name)) for name, one in given.items())
    alone = callable(given) or isinstance(given, str)
    made = tuple(output(one) for one in ([given] if alone else given))
    names = [one.name for one in made]
    for name in names:
        if names.count(name) > 1:
            raise ModelError(f"two outputs are called '{name}'; name one: other={name}@max")
    return made


def _worded(text: str, name: str | None) -> Output:
    """`[NAME=]COLUMN[@WHEN]`: a word of `WORDS`, or COLUMN:VALUE."""
    left, equals, right = text.partition("=")
    body = right if equals else text
    column, _, when = body.partition("@")
    called = (left if equals else None) or name or (f"{column}_{when}" if when else column)
    return Output(called.replace(":", "_"), column, _moment(called, when or "last"))


def _moment(name: str, when: Any) -> str | tuple[str, float]:
    """When a column counts."""
    if isinstance(when, Mapping) and len(when) == 1:
        ((column, value),) = when.items()
        if is_number(value):
            return (TIME if column == "time" else str(column)), float(value)
    if isinstance(when, str) and ":" in when:
        column, _, number = when.partition(":")
        try:
            return (TIME if column == "time" else column), float(number)
        except ValueError:
            raise ModelError(f"output '{name}': '{number}' in '{when}' is no number") from None
    if when in WORDS:
        return str(when)
    raise ModelError(
        f"output '{name}': {unknown('moment', str(when), list(WORDS))}, or a column and its value, "
        "such as time: 0.5"
    )


def _keyed(name: str, keys: dict[str, Any]) -> AnyOutput:
    if "python" in keys:
        file, _, function = str(keys["python"]).rpartition(":")
        if not file or set(keys) != {"python"}:
            raise ModelError(f"output '{name}': give python: FILE.py:FUNCTION, and nothing beside")
        return FunctionOutput(name, Path(file), function)
    for key in keys:
        if key not in ("column", "at"):
            raise ModelError(f"output '{name}': {unknown('key', key, ['column', 'at', 'python'])}")
    return Output(name, str(keys.get("column", name)), _moment(name, keys.get("at", "last")))


def table_of(frames: Sequence[Any]) -> dict[str, Floats]:
    """The columns (frames,) of what was measured, with the times."""
    names = list(dict.fromkeys(name for frame in frames for name in frame.outputs))
    columns = {
        name: np.array([frame.outputs.get(name, np.nan) for frame in frames]) for name in names
    }
    return {TIME: np.array([frame.time for frame in frames]), **columns}
