"""`vastus bench`: solvers side by side on this machine."""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.markup import escape
from rich.table import Table

from vastus.cli.console import duration, note, stdout
from vastus.cli.failures import INTERRUPTED
from vastus.cli.options import output_option, words
from vastus.errors import MissingExtra, ModelError

if TYPE_CHECKING:
    from vastus.bench.jobs import Done, Job
    from vastus.bench.rows import Results
    from vastus.bench.summary import Sheet

LONGEST = 100_000  # [s]


def _words(ctx: click.Context, parameter: click.Parameter, text: str | None) -> tuple[str, ...]:
    return tuple(words(text or ""))


def _numbers(ctx: click.Context, parameter: click.Parameter, text: str | None) -> tuple[int, ...]:
    """Whole numbers; 12k is 12000."""
    numbers = []
    for word in words(text or ""):
        digits = word.lower().removesuffix("k")
        if not digits.isdecimal() or int(digits) == 0:
            raise ModelError(f"--{parameter.name}: '{word}' is not a number such as 2 or 12k")
        numbers.append(int(digits) * (1000 if word.lower().endswith("k") else 1))
    return tuple(numbers)


def _seconds(ctx: click.Context, parameter: click.Parameter, limit: float | None) -> float | None:
    # A process cannot be waited for longer than some days.
    if limit is not None and not 0 < limit <= LONGEST:
        raise ModelError(f"--{parameter.name}: {limit:g} is not between 0 and {LONGEST} seconds")
    return limit


@click.command(short_help="Measure every solver against the reference, here.")
@output_option("Folder of the figures.", default="vastus-bench")
@click.option("--quick", is_flag=True, help="Small sizes only: a minute or two.")
@click.option("--full", is_flag=True, help="Every solver, up to 600k tets, two threads: hours.")
@click.option(
    "--cases", callback=_words, help="Some of fusiform, elbow, animation, contrast; or systems."
)
@click.option("--sizes", callback=_numbers, help="Tets, such as 2k,12k.")
@click.option("--solvers", callback=_words, help="Some solvers, such as newton,quasi-newton.")
@click.option("--threads", callback=_numbers, help="Numbers of threads, such as 1,2.")
@click.option(
    "--limit",
    type=float,
    callback=_seconds,
    help="Seconds that a solver has for one run.",
)
@click.option("--peers/--no-peers", default=True, help="Compare with other packages.")
@click.option("--resume", is_flag=True, help="Measure only what the folder does not hold yet.")
@click.option("--overwrite", is_flag=True, help="Replace the figures that the folder holds.")
def bench(
    output: Path,
    quick: bool,
    full: bool,
    cases: tuple[str, ...],
    sizes: tuple[int, ...],
    solvers: tuple[str, ...],
    threads: tuple[int, ...],
    limit: float | None,
    peers: bool,
    resume: bool,
    overwrite: bool,
) -> None:
    """Measure time, iterations and memory of every solver to 1 % and 0.1 % error.

    Cases are fusiform, elbow, animation and contrast; systems in motion are dynamics, contact,
    explicit, bellies, tables, control and "upper body", each in steps a second.

    Each run has a process of its own. Writes bench.json, tables and plots. Without --quick or
    --full it takes about eight minutes; Ctrl-C keeps what is finished.
    """
    from vastus.bench.jobs import begin_in
    from vastus.bench.plan import FULL, QUICK, USUAL, Wishes, fitted
    from vastus.files.safe import make_folder
    from vastus.results.writer import Lock

    if quick and full:
        raise ModelError("--quick and --full exclude each other; give only one")
    if resume and overwrite:
        raise ModelError("--resume goes on and --overwrite replaces; give only one")
    plan = QUICK if quick else FULL if full else USUAL
    plan = fitted(plan, Wishes(cases, sizes, solvers, threads, limit, peers))
    lock = Lock(make_folder(output))
    try:
        begin_in(output, resume=resume, overwrite=overwrite)
        show(plan.jobs(output), output)
    finally:
        lock.release()


def show(jobs: Sequence[Job], folder: Path) -> None:
    """Measure, then write, print and draw what there is, also after Ctrl-C."""
    from vastus.bench.jobs import STATES, measured

    progress = BenchProgress(jobs)
    try:
        for done in measured(jobs, folder, progress.begin):
            progress.done(done)
    except KeyboardInterrupt:
        count = _finish(jobs, folder)
        note(
            f"interrupted: {count} of {len(jobs)} are measured; "
            "the same command with --resume goes on"
        )
        raise click.exceptions.Exit(INTERRUPTED) from None
    _finish(jobs, folder)
    shutil.rmtree(folder / STATES, ignore_errors=True)


class BenchProgress:
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
        note(f"[{self._number + 1}/{self._count}] {job.key}, about {duration(seconds)} left")

    def done(self, done: Done) -> None:
        """Called when a job has its record."""
        self._number += 1
        self._left -= done.job.guess
        if done.fresh:
            self._guessed += done.job.guess
            self._spent += time.monotonic() - self._began
        sentence = done.record.get("sentence")
        if sentence:
            note(f"    {sentence}")


def _finish(jobs: Sequence[Job], folder: Path) -> int:
    """Write, print and draw the records of the jobs; how many there are."""
    from vastus.bench.jobs import read_records
    from vastus.bench.summary import JSON, PAGE, sheets, write_report

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
    from vastus.bench.performance_plots import draw

    try:
        return draw(found, folder)
    except MissingExtra as error:
        note(f"warning: no plots were drawn: {error}")
        return []
