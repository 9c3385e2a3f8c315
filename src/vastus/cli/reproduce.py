"""`vastus reproduce`: the experiments of a paper beside the numbers that it gives."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vastus.cli.console import note
from vastus.cli.failures import INTERRUPTED, SOLVE_FAILED
from vastus.cli.options import output_option, words
from vastus.errors import FileError

if TYPE_CHECKING:
    from vastus.reproduce.experiment import Experiment, Setting


@click.group(short_help="Repeat the experiments of a paper.")
def reproduce() -> None:
    """Repeat the experiments of a paper, each beside the numbers that were published."""


@reproduce.command(short_help="The EMU paper (Modi et al. 2020).")
@output_option("Folder of the page, its pictures and numbers.", default="vastus-emu")
@click.option("--full/--quick", default=False, help="All sizes (hours), or small ones (minutes).")
@click.option("--only", metavar="A,B", help="Some experiments, such as fig3,table2.")
@click.option(
    "--mesh",
    type=click.Path(path_type=Path),
    help="Closed surface or tet mesh in place of the bunny.",
)
@click.option("--resume", is_flag=True, help="Keep what the folder holds and do what is missing.")
@click.option("--overwrite", is_flag=True, help="Replace what the folder holds.")
def emu(
    output: Path, full: bool, only: str | None, mesh: Path | None, resume: bool, overwrite: bool
) -> None:
    """Repeat the figures and tables of the EMU paper (Modi et al. 2020).

    Writes index.html with a plot, a table and a sentence for each, and the numbers as JSON. Ctrl-C
    keeps what is finished; --resume goes on. An experiment that fails says so on the page; the
    others still run, and the exit code is 1.
    """
    from vastus.files.safe import make_folder, require_writable
    from vastus.pictures.renderer import load_pyvista
    from vastus.reproduce.emu import chosen
    from vastus.reproduce.experiment import Setting
    from vastus.reproduce.records import unfinished
    from vastus.results.writer import Lock

    experiments = chosen(_names(only))
    setting = Setting(full, mesh)
    _require_mesh(mesh)
    _require_free(output, resume, overwrite)
    require_writable(output)
    load_pyvista()
    left = unfinished(output, experiments, setting) if resume else experiments
    lock = Lock(make_folder(output))
    try:
        _perform(output, left, setting)
    except KeyboardInterrupt:
        finished = len(experiments) - len(unfinished(output, experiments, setting))
        note(f"interrupted: {finished} of {len(experiments)} experiments are in '{output}'")
        note(f"go on with: {_resume_command(output, full, only, mesh)}")
        raise click.exceptions.Exit(INTERRUPTED) from None
    finally:
        lock.release()


def _names(only: str | None) -> list[str]:
    """The names in `A,B`; text without any is itself taken for one, and so refused."""
    if only is None:
        return []
    return words(only) or [only]


def _require_mesh(mesh: Path | None) -> None:
    """Refuse a mesh now, not after minutes."""
    if mesh is not None:
        from vastus.reproduce.emu.paper import body_from

        body_from(mesh, (1_000,))


def _require_free(output: Path, resume: bool, overwrite: bool) -> None:
    from vastus.reproduce.records import on_disk

    if resume and overwrite:
        raise FileError("--resume keeps what is there and --overwrite replaces it; give only one")
    if not (resume or overwrite) and on_disk(output):
        raise FileError(f"'{output}' holds findings; --resume adds to them, --overwrite replaces")


def _perform(output: Path, left: list[Experiment], setting: Setting) -> None:
    from vastus.reproduce.records import PAGE, perform

    failures = 0
    for record in perform(output, left, setting, note):
        failures += bool(record.failure)
        click.echo(f"{record.name}: {record.verdict}. {record.sentence}")
    click.echo(f"\npage: {output / PAGE}")
    if failures:
        raise click.exceptions.Exit(SOLVE_FAILED)


def _resume_command(output: Path, full: bool, only: str | None, mesh: Path | None) -> str:
    command = ["vastus", "reproduce", "emu", "-o", str(output), "--resume"]
    command += ["--full"] if full else []
    command += ["--only", only] if only else []
    command += ["--mesh", str(mesh)] if mesh else []
    return shlex.join(command)
