"""A run as the command line shows it: warnings, progress, and what to do after Ctrl-C."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

import click

from vastus.cli.failures import INTERRUPTED
from vastus.cli.progress import Display
from vastus.io.result import read_state
from vastus.run import Job, run


def simulated(job: Job, output: Path, *, resume: bool, again: str) -> None:
    """Run the job; after Ctrl-C say how to go on by the command `again`."""
    for finding in job.findings:
        click.echo(f"warning: {finding}", err=True)
    steps, first = len(job.inputs), _finished(output) if resume else 0
    try:
        with Display(steps, first) as display:
            for frame in run(job, output, resume=resume, watch=display.watch):
                display.done(frame)
    except KeyboardInterrupt:
        click.echo(
            f"interrupted: {_finished(output)} of {steps} frames are in '{output}'; "
            f"go on with: {again}",
            err=True,
        )
        raise click.exceptions.Exit(INTERRUPTED) from None


def again(scene: Path, output: Path, laws: Sequence[Path]) -> str:
    """The command that goes on with an interrupted run."""
    options = [word for file in laws for word in ("--laws", str(file))]
    return shlex.join(["vastus", "run", str(scene), "-o", str(output), "--resume", *options])


def _finished(output: Path) -> int:
    return read_state(output)[0]
