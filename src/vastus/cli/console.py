"""What commands print: notes and progress on stderr, tables on stdout.

Progress is a bar or a status in a terminal, and plain lines elsewhere.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from threading import Event, Thread
from types import TracebackType
from typing import TYPE_CHECKING, Self

import click
from rich import progress
from rich.console import Console
from rich.status import Status
from rich.table import Table

if TYPE_CHECKING:
    from vastus.state import Frame
    from vastus.timeloop import Progress

QUIET = 10.0  # [s] between plain lines while nothing is finished
BEAT = 20.0  # [s] after which a step that says nothing is told again
SHORTEST, LONGEST = 0.5, 1.6  # mean stretch of fibres
ENDLESS = 10_000  # the width where there is no terminal


def beyond_muscle(outputs: Mapping[str, float]) -> dict[str, float]:
    """The mean stretch of the muscles whose fibres are shorter or longer than muscle gets."""
    ending = "_stretch"
    found = {n.removesuffix(ending): v for n, v in outputs.items() if n.endswith(ending)}
    return {name: value for name, value in found.items() if not SHORTEST <= value <= LONGEST}


def note(text: str) -> None:
    """Print a line on stderr."""
    click.echo(text, err=True)


def stdout() -> Console:
    """The console for results: plain, and without an edge, where it is not a terminal."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = ENDLESS
    return console


def plain_table(*headings: str) -> Table:
    """A table without lines; without headings it has none."""
    out = Table(box=None, padding=(0, 1), header_style="bold", show_header=bool(headings))
    for heading in headings:
        out.add_column(heading, no_wrap=True)
    return out


def duration(seconds: float) -> str:
    """A time span that people read: 8 s, 3 min, 2.5 h."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


class BuildProgress:
    """Shows the present step of a build and for how long it runs, even while the step is silent."""

    def __init__(self, console: Console | None = None, *, beat: float = BEAT) -> None:
        self._console = console or Console(stderr=True, highlight=False)
        self._start, self._said, self._step = time.monotonic(), -QUIET, ""
        terminal = self._console.is_terminal
        self._status = Status("reading", console=self._console) if terminal else None
        self._beat, self._over = 1.0 if terminal else beat, Event()
        self._heart = Thread(target=self._repeat, daemon=True)

    def __enter__(self) -> Self:
        if self._status:
            self._status.start()
        self._heart.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._over.set()
        self._heart.join()
        if self._status:
            self._status.stop()

    def watch(self, step: str) -> None:
        """Called with what is being done."""
        self._step = step
        if self._status or time.monotonic() - self._said > QUIET:
            self._show()

    def _show(self) -> None:
        self._said = time.monotonic()
        text = f"{self._step} ({duration(self._said - self._start)})"
        if self._status:
            self._status.update(text)
        else:
            self._console.print(text, soft_wrap=True)

    def _repeat(self) -> None:
        """Show the step again at every beat in which it has not shown itself."""
        while not self._over.wait(min(self._beat, 1.0)):
            if self._step and time.monotonic() - self._said >= self._beat:
                self._show()


class ProgressBar:
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


def _bar(console: Console) -> progress.Progress:
    return progress.Progress(
        progress.BarColumn(20),
        progress.TaskProgressColumn(),
        progress.TextColumn("{task.description}"),
        console=console,
    )


class RunProgress(ProgressBar):
    """Shows step, iteration, residual over target and the time left of a run of `steps` frames."""

    def __init__(self, steps: int, first: int = 0, console: Console | None = None) -> None:
        super().__init__(steps, first, console)
        self._steps, self._first = steps, first
        self._warm = time.monotonic()
        self._told: set[str] = set()

    def watch(self, at: Progress) -> None:
        """Called at each iteration of a solver."""
        text = (
            f"frame {at.step + 1}/{at.steps}, iteration {at.iteration}, "
            f"residual {at.residual / at.target if at.target else 0.0:.1e} times the target"
        )
        self.tell(f"{text}{self._left(at.step)}")

    def done(self, frame: Frame) -> None:
        """Called when a frame is on disk."""
        if frame.index == self._first:
            self._warm = time.monotonic()
        if frame.report.doubts:
            self.say(f"warning: frame {frame.index + 1}: {frame.report.doubts}")
        for muscle, stretch in beyond_muscle(frame.outputs).items():
            if muscle not in self._told:
                self._told.add(muscle)
                self.say(
                    f"warning: frame {frame.index + 1}: the fibres of muscle '{muscle}' have the "
                    f"mean stretch {stretch:.2f}, outside {SHORTEST:g} to {LONGEST:g}, where "
                    "muscle does not work"
                )
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


class ExportProgress(ProgressBar):
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
