"""What all displays of progress share: a bar in a terminal, plain lines elsewhere, on stderr."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

QUIET = 10.0  # [s] between plain lines while nothing is finished


class Barred:
    """A bar of a `total`, if it is known, of which some is `completed`."""

    def __init__(
        self, total: int | None = None, completed: int = 0, console: Console | None = None
    ) -> None:
        self._console = console or Console(stderr=True, highlight=False)
        self._said = time.monotonic()
        self._bar = _bar(self._console) if self._console.is_terminal else None
        self._task = self._bar.add_task("", total=total, completed=completed) if self._bar else None

    def __enter__(self) -> Self:
        if self._bar:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if self._bar:
            self._bar.stop()

    def tell(self, text: str, *, completed: int | None = None, total: int | None = None) -> None:
        """Write beside the bar, or a line if there was none for a while."""
        if self._bar and self._task is not None:
            self._bar.update(self._task, description=text, completed=completed, total=total)
        elif time.monotonic() - self._said > QUIET:
            self.say(text)

    def say(self, text: str) -> None:
        """Write a line."""
        self._console.print(text, soft_wrap=True)
        self._said = time.monotonic()


def duration(seconds: float) -> str:
    """A time span that people read: 8 s, 3 min, 2.5 h."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _bar(console: Console) -> Progress:
    return Progress(
        BarColumn(20), TaskProgressColumn(), TextColumn("{task.description}"), console=console
    )
