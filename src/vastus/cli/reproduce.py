"""`vastus reproduce`: the experiments of a paper beside the numbers that it gives."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vastus.cli.console import note
from vastus.cli.failures import INTERRUPTED, SOLVE_FAILED
from vastus.cli.options import output_option, words
from vastus.errors import FileError
from vastus.reproduce.papers import PAPERS, Paper

if TYPE_CHECKING:
    from vastus.reproduce.experiment import Experiment, Setting


@click.group(short_help="Repeat the experiments of a paper.")
def reproduce() -> None:
    """Repeat the experiments of a paper, each beside the numbers that were published."""


@dataclass(frozen=True)
class Request:
    """What a command of this group was asked for."""

    output: Path
    full: bool
    only: str | None
    resume: bool
    overwrite: bool
    mesh: Path | None = None
    arm: Path | None = None

    @property
    def names(self) -> list[str]:
        """The names in `A,B`; text without any is itself taken for one, and so refused."""
        return [] if self.only is None else words(self.only) or [self.only]

    def again(self, paper: Paper) -> str:
        """The command that goes on where this one stopped."""
        command = ["vastus", "reproduce", paper.name, "-o", str(self.output), "--resume"]
        command += ["--full"] if self.full else []
        command += ["--only", self.only] if self.only else []
        command += ["--mesh", str(self.mesh)] if self.mesh else []
        command += ["--arm", str(self.arm)] if self.arm else []
        return shlex.join(command)


def _command(paper: Paper) -> click.Command:
    """The command of a paper."""

    @click.command(
        paper.name,
        short_help=f"The {paper.called} paper ({paper.cited}).",
        help=f"""Repeat the figures and tables of the {paper.called} paper ({paper.cited}).

        Writes index.html with a plot, a table and a sentence for each, and the numbers as JSON.
        Ctrl-C keeps what is finished, and frames of the models of an experiment that is not;
        --resume goes on. An experiment that fails says so on the
        page; the others still run, and the exit code is 1.""",
    )
    @output_option("Folder of the page, its pictures and numbers.", default=f"vastus-{paper.name}")
    @click.option("--full/--quick", default=False, help="All sizes (hours), or small (minutes).")
    @click.option("--only", metavar="A,B", help="Some experiments, such as fig4,fig8.")
    @click.option("--resume", is_flag=True, help="Keep what the folder holds, do what is missing.")
    @click.option("--overwrite", is_flag=True, help="Replace what the folder holds.")
    def run(
        output: Path,
        full: bool,
        only: str | None,
        resume: bool,
        overwrite: bool,
        mesh: Path | None = None,
        arm: Path | None = None,
    ) -> None:
        _reproduce(paper, Request(output, full, only, resume, overwrite, mesh, arm))

    for word, told in (
        ("mesh", f"Closed surface or tet mesh in place of {paper.body}." if paper.body else ""),
        ("arm", f"MJCF file of an arm in place of {paper.arm}." if paper.arm else ""),
    ):
        if told:
            option = click.option(f"--{word}", type=click.Path(path_type=Path), help=told)
            run = option(run)
    return run


for _paper in PAPERS.values():
    reproduce.add_command(_command(_paper))


def _reproduce(paper: Paper, asked: Request) -> None:
    from vastus.files.safe import make_folder, require_writable
    from vastus.pictures.renderer import load_pyvista
    from vastus.reproduce.experiment import Setting
    from vastus.reproduce.kept import forget
    from vastus.reproduce.records import unfinished
    from vastus.results.writer import Lock

    experiments = paper.chosen(asked.names)
    setting, output = Setting(asked.full, asked.mesh, asked.arm), asked.output
    _require_mesh(asked.mesh)
    _require_arm(asked.arm)
    _require_free(paper, asked)
    require_writable(output)
    load_pyvista()
    left = unfinished(output, paper, experiments, setting) if asked.resume else experiments
    lock = Lock(make_folder(output))
    for experiment in () if asked.resume else experiments:
        forget(output, experiment.name)
    try:
        _perform(output, paper, left, setting)
    except KeyboardInterrupt:
        finished = len(experiments) - len(unfinished(output, paper, experiments, setting))
        note(f"interrupted: {finished} of {len(experiments)} experiments are in '{output}'")
        note(f"go on with: {asked.again(paper)}")
        raise click.exceptions.Exit(INTERRUPTED) from None
    finally:
        lock.release()


def _require_mesh(mesh: Path | None) -> None:
    """Refuse a mesh now, not after minutes."""
    if mesh is not None:
        from vastus.reproduce.emu.paper import body_from

        body_from(mesh, (1_000,))


def _require_arm(arm: Path | None) -> None:
    """The same of an arm."""
    if arm is not None:
        from vastus.reproduce.control.arm import examined_arm

        examined_arm(arm)


def _require_free(paper: Paper, asked: Request) -> None:
    """Refuse a folder whose findings would be lost, or that is another paper's."""
    from vastus.reproduce.records import on_disk

    output = asked.output
    if asked.resume and asked.overwrite:
        raise FileError("--resume keeps what is there and --overwrite replaces it; give only one")
    for other in PAPERS.values():
        if other is not paper and on_disk(output, other):
            raise FileError(
                f"'{output}' holds findings of the {other.called} paper; name another folder"
            )
    if not (asked.resume or asked.overwrite) and on_disk(output, paper):
        raise FileError(f"'{output}' holds findings; --resume adds to them, --overwrite replaces")


def _perform(output: Path, paper: Paper, left: list[Experiment], setting: Setting) -> None:
    from vastus.reproduce.records import PAGE, perform

    failures = 0
    for record in perform(output, paper, left, setting, note):
        failures += bool(record.failure)
        click.echo(f"{record.name}: {record.verdict}. {record.sentence}")
    click.echo(f"\npage: {output / PAGE}")
    if failures:
        raise click.exceptions.Exit(SOLVE_FAILED)
