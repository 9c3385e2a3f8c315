"""Progress of an export on stderr: a bar in a terminal, plain lines now and then elsewhere."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from vastus.cli.progress import QUIET, duration


class ExportDisplay(AbstractContextManager["ExportDisplay"]):
    """Shows how many frames are written and the time left."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True, highlight=False)
        self._began = self._said = time.monotonic()
        self._bar = _bar(self._console) if self._console.is_terminal else None
        self._task = self._bar.add_task("", total=None) if self._bar else None

    def __enter__(self) -> ExportDisplay:
        if self._bar:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if self._bar:
            self._bar.stop()

    def watch(self, done: int, total: int) -> None:
        """Called when a frame is written."""
        text = f"frame {done}/{total}{self._left(done, total)}"
        if self._bar and self._task is not None:
            self._bar.update(self._task, completed=done, total=total, description=text)
        elif time.monotonic() - self._said > QUIET:
            self._console.print(text, soft_wrap=True)
            self._said = time.monotonic()

    def _left(self, done: int, total: int) -> str:
        """The time left, from the mean of all frames so far."""
        seconds = (time.monotonic() - self._began) / done * (total - done)
        return f", about {duration(seconds)} left" if done < total else ""


def _bar(console: Console) -> Progress:
    return Progress(
        BarColumn(20), TaskProgressColumn(), TextColumn("{task.description}"), console=console
    )
