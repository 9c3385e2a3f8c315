"""What every engine is, and what all of them need."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from vastus.errors import ModelError
from vastus.studies.tasks import Outcome, Work

# Gives the outcomes of works as they come, in any order, each once.
Compute = Callable[[Sequence[Work]], Generator[Outcome, None, None]]


class Engine(Protocol):
    """Computes works; to leave what is started ends all that it has started itself."""

    workers: int  # how many variants are computed at the same time

    def started(self) -> AbstractContextManager[Compute]:
        """Ready to compute, or refused in one sentence."""


def number_of(on: str, rest: str, usual: int) -> int:
    """The number of workers that `local:4` and the like name."""
    if not rest:
        return usual
    if not rest.isdigit() or int(rest) < 1:
        raise ModelError(f"'{on}:{rest}' names no number of workers; give one such as {on}:4")
    return int(rest)
