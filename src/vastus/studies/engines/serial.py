"""One variant after the other, in this process."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from vastus.errors import ModelError
from vastus.studies.engines.engine import Compute
from vastus.studies.tasks import Outcome, Work, perform


class Serial:
    """No other process, and no extra."""

    workers = 1

    def __init__(self, rest: str, options: Any) -> None:
        if rest:
            raise ModelError(f"'serial:{rest}': one process has no number; give local:{rest}")

    @contextmanager
    def started(self) -> Iterator[Compute]:
        """Nothing has to be started."""
        yield self._run

    def _run(self, works: Sequence[Work]) -> Generator[Outcome, None, None]:
        """The outcomes in the order of the works."""
        for work in works:
            yield perform(work)
