"""What every engine is, and what all of them need."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Protocol

from vastus.errors import ModelError
from vastus.studies.tasks import Outcome, Work


class Engine(Protocol):
    """Computes works, each once; to close its iterator ends all that it has started."""

    workers: int  # how many variants are computed at the same time

    def run(self, works: Sequence[Work]) -> Generator[Outcome, None, None]:
        """The outcomes as they come, in any order."""


def number_of(on: str, rest: str, usual: int) -> int:
    """The number of workers that `local:4` and the like name."""
    if not rest:
        return usual
    if not rest.isdigit() or int(rest) < 1:
        raise ModelError(f"'{on}:{rest}' names no number of workers; give one such as {on}:4")
    return int(rest)
