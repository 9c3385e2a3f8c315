"""A benchmark as the command line shows it: progress, tables, what to do after Ctrl-C."""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from pathlib import Path

import click
from rich.markup import escape
from rich.table import Table

from vastus.bench.plots import draw
from vastus.bench.report import JSON, PAGE, write_report
from vastus.bench.results import Results
from vastus.bench.session import STATES, Done, Job, measured, read_records
from vastus.bench.sheets import Sheet, sheets
from vastus.cli.bar import duration
from vastus.cli.failures import INTERRUPTED
from vastus.cli.table import stdout
from vastus.errors import MissingExtra


def show(jobs: Sequence[Job], folder: Path) -> None:
    """Measure, then write, print and draw what there is, also after Ctrl-C."""
    progress = Progress(jobs)
    try:
        for done in measured(jobs, folder, progress.begin):
            progress.done(done)
    except KeyboardInterrupt:
        count = _finish(jobs, folder)
        _note(
            f"interrupted: {count} of {len(jobs)} are measured; "
            "the same command with --resume goes on"
        )
        raise click.exceptions.Exit(INTERRUPTED) from None
    _finish(jobs, folder)
    shutil.rmtree(folder / STATES, ignore_errors=True)


class Progress:
    """A line before and after each job, with the time that all others may take."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        self._count, self._number = len(jobs), 0
        self._left = sum(job.guess for job in jobs)
        self._guessed = self._spent = 0.0
        self._began = time.monotonic()

    def begin(self, job: Job) -> None:
        """Called before a job is measured."""
        self._began = time.monotonic()
        # Guesses are corrected by what the jobs so far have really taken.
        seconds = self._left * (self._spent / self._guessed if self._guessed else 1.0)
        _note(f"[{self._number + 1}/{self._count}] {job.key}, about {duration(seconds)} left")

    def done(self, done: Done) -> None:
        """Called when a job has its record."""
        self._number += 1
        self._left -= done.job.guess
        if done.fresh:
            self._guessed += done.job.guess
            self._spent += time.monotonic() - self._began
        sentence = done.record.get("sentence")
        if sentence:
            _note(f"    {sentence}")


def _finish(jobs: Sequence[Job], folder: Path) -> int:
    """Write, print and draw the records of the jobs; how many there are."""
    known = read_records(folder)
    records = [known[job.key] for job in jobs if job.key in known]
    found = write_report(records, folder, finished=len(records) == len(jobs))
    for sheet in sheets(found):
        print_sheet(sheet)
    paths = [folder / JSON, folder / PAGE, *_drawn(found, folder)]
    click.echo("\nwritten: " + ", ".join(str(path) for path in paths))
    return len(records)


def print_sheet(sheet: Sheet) -> None:
    """Print a table under its title."""
    out = Table(box=None, padding=(0, 1), header_style="bold", title_justify="left")
    out.title = sheet.title
    for column in sheet.columns:
        out.add_column(escape(column))
    for line in sheet.lines:
        out.add_row(*map(escape, line))
    console = stdout()
    console.print()
    console.print(out)


def _drawn(found: Results, folder: Path) -> list[Path]:
    try:
        return draw(found, folder)
    except MissingExtra as error:
        _note(f"warning: no plots were drawn: {error}")
        return []


def _note(text: str) -> None:
    click.echo(text, err=True)
