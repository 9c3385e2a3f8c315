"""A run as the command line shows it: warnings, progress, what to do after Ctrl-C, results."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from vastus.cli.failures import INTERRUPTED
from vastus.cli.penetrations import print_penetrations
from vastus.cli.pictures import draw
from vastus.cli.progress import Display
from vastus.cli.table import print_table
from vastus.cli.verdicts import print_verdicts
from vastus.io.result import COLLECTION, read_result, read_state
from vastus.job import Job
from vastus.run import judge, run


def simulated(job: Job, output: Path, *, resume: bool, again: str, warm: bool = False) -> None:
    """Run the job; after Ctrl-C say how to go on by the command `again`."""
    for finding in job.findings:
        _note(f"warning: {finding}")
    steps, first = len(job.inputs), _finished(output) if resume else 0
    _note(
        f"solving '{job.model.name}': {job.model.mesh.n_tets} tets, {steps} frames; "
        "the first takes longer if kernels must be compiled"
    )
    with _interruptible(output, steps, again), Display(steps, first) as display:
        for frame in run(job, output, resume=resume, warm=warm, watch=display.watch):
            display.done(frame)


def judged(job: Job, output: Path, chosen: Collection[int], *, again: str) -> None:
    """Let the referee repeat the chosen frames, and print what it finds."""
    _note(f"Newton repeats {len(chosen)} of {len(job.inputs)} frames ...")
    with _interruptible(output, len(job.inputs), again):
        for verdict in judge(job, output, chosen):
            _note(f"frame {verdict.frame} judged: {verdict.sentence}")
    verdicts = read_result(output).verdicts
    print_verdicts([v for v in verdicts if v.frame in chosen], job.referee)


@contextmanager
def _interruptible(output: Path, steps: int, again: str) -> Iterator[None]:
    """After Ctrl-C, say what is there and how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        there = f"{_finished(output)} of {steps} frames are in '{output}'"
        _note(f"interrupted: {there}; go on with: {again}")
        raise click.exceptions.Exit(INTERRUPTED) from None


def again(scene: Path, output: Path, laws: Sequence[Path], referee: str | None = None) -> str:
    """The command that goes on with an interrupted run."""
    options = [word for file in laws for word in ("--laws", str(file))]
    options += ["--referee", referee] if referee else []
    return shlex.join(["vastus", "run", str(scene), "-o", str(output), "--resume", *options])


def show_table(output: Path) -> None:
    """Print the table of a result."""
    result = read_result(output)
    print_table(result.model, result.table)


def show_files(job: Job, output: Path, *, pictures: bool) -> None:
    """Say which bodies lie in each other, draw what is asked for, and say where everything is."""
    print_penetrations(read_result(output).penetrations)
    wanted = job.scene.description.output
    drawn = []
    if pictures and (wanted.pictures or wanted.movie):
        _note("drawing ...")
        drawn = draw(job, output)
    click.echo(f"\nresult: {output} (open {output / COLLECTION} in ParaView)")
    for path in drawn:
        click.echo(f"        {path}")


def _note(text: str) -> None:
    click.echo(text, err=True)


def _finished(output: Path) -> int:
    return read_state(output)[0]
