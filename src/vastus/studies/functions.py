"""Variants of a Python function, which is called with the values of a study by their names."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from vastus.cache import code_digest
from vastus.errors import VastusError, known
from vastus.studies.designs import Row
from vastus.studies.outputs import AnyOutput, CalledOutput, numbers_of
from vastus.studies.parameters import Parameter
from vastus.studies.tasks import Measured, Task

Called = Callable[..., Any]


@dataclass(frozen=True)
class FunctionTask(Task):
    """A call of a function; each output takes what it gives under the output's name."""

    function: Called
    values: Row

    @property
    def identity(self) -> Any:
        """The function's name and code, and the values that it is called with."""
        name = getattr(self.function, "__qualname__", repr(self.function))
        return [name, code_digest(self.function), self.values]

    @property
    def group(self) -> str:
        """All calls of one function."""
        return ""

    def run(self, outputs: tuple[AnyOutput, ...]) -> Measured:
        """What the function gives: the outputs that are asked for, or all."""
        found = self.function(**self.values)
        given = numbers_of(getattr(self.function, "__name__", "value"), found)
        wanted = [one.name for one in outputs if not isinstance(one, CalledOutput)]
        for name in wanted:
            if name not in given:
                raise known("number of the function", name, given)
        return Measured({name: given[name] for name in wanted} if wanted else given)


class FunctionSubject:
    """A function whose arguments a study varies."""

    columns: Sequence[str] = ()  # only the function knows
    span: tuple[float, float] | None = None

    def __init__(self, function: Called, parameters: Sequence[Parameter]) -> None:
        self._function = function
        taken = inspect.signature(function).parameters
        any_name = any(p.kind is p.VAR_KEYWORD for p in taken.values())
        for one in parameters:
            if one.name not in taken and not any_name:
                raise known(f"argument of {self.name}", one.name, taken)
            if one.times:
                raise VastusError(f"parameter '{one.name}': a function has no values to multiply")

    @property
    def name(self) -> str:
        """What the function is called."""
        return str(getattr(self._function, "__name__", "function"))

    def task(self, values: Row) -> FunctionTask:
        """The call with these values."""
        return FunctionTask(self._function, values)
