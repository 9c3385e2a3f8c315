"""Progress of a run."""

from __future__ import annotations

import time

from rich.console import Console

from vastus.cli.bar import Barred, duration
from vastus.motion import Frame
from vastus.timeloop import Progress


class Display(Barred):
    """Shows step, iteration, residual over target and the time left of a run of `steps` frames."""

    def __init__(self, steps: int, first: int = 0, console: Console | None = None) -> None:
        super().__init__(steps, first, console)
        self._steps, self._first = steps, first
        self._warm = time.monotonic()

    def watch(self, at: Progress) -> None:
        """Called at each iteration of a solver."""
        text = (
            f"frame {at.step + 1}/{at.steps}, iteration {at.iteration}, "
            f"residual {at.residual / at.target if at.target else 0.0:.1e} of target"
        )
        self.tell(f"{text}{self._left(at.step)}")

    def done(self, frame: Frame) -> None:
        """Called when a frame is on disk."""
        if frame.index == self._first:
            self._warm = time.monotonic()
        if self._bar and self._task is not None:
            self._bar.update(self._task, completed=frame.index + 1)
            return
        self.say(
            f"frame {frame.index + 1}/{self._steps}, time {frame.time:.3g} s, "
            f"{frame.report.iterations} iterations, residual {frame.report.residual:.1e} N"
            f"{self._left(frame.index + 1)}"
        )

    def _left(self, finished: int) -> str:
        """The time left, from the mean of all frames but the first, in which kernels compile."""
        solved, remaining = finished - self._first - 1, self._steps - finished
        if solved < 1 or remaining < 1:
            return ""
        seconds = (time.monotonic() - self._warm) / solved * remaining
        return f", about {duration(seconds)} left"
