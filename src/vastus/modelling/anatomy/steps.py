"""The steps of a build: run once, kept, and timed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter
from typing import ParamSpec, TypeVar

from vastus.cache import Store

Args = ParamSpec("Args")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Step:
    """A step of the build, how long it took [s], and whether its result was kept from before."""

    name: str
    seconds: float
    kept: bool


@dataclass(eq=False)
class Log:
    """Runs the steps, keeping their results and noting their times."""

    store: Store | None
    watch: Callable[[str], None]
    steps: list[Step] = field(default_factory=list)

    def run(
        self, name: str, step: Callable[Args, Result], *inputs: Args.args, **options: Args.kwargs
    ) -> Result:
        """The result of a step, from the store if it has it."""
        self.watch(name)
        start = perf_counter()
        if self.store is None:
            result, kept = step(*inputs, **options), False
        else:
            result, kept = self.store.kept(step, *inputs, **options)
        self.steps.append(Step(name, perf_counter() - start, kept))
        return result
