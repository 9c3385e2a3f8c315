"""Progress of an export."""

from __future__ import annotations

import time

from rich.console import Console

from vastus.cli.bar import Barred, duration


class ExportDisplay(Barred):
    """Shows how many frames are written and the time left."""

    def __init__(self, console: Console | None = None) -> None:
        super().__init__(console=console)
        self._began = time.monotonic()

    def watch(self, done: int, total: int) -> None:
        """Called when a frame is written."""
        text = f"frame {done}/{total}{self._left(done, total)}"
        self.tell(text, completed=done, total=total)

    def _left(self, done: int, total: int) -> str:
        """The time left, from the mean of all frames so far."""
        seconds = (time.monotonic() - self._began) / done * (total - done)
        return f", about {duration(seconds)} left" if done < total else ""
