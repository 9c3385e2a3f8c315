"""`vastus run`: a scene from its file to a folder of results, with warnings, progress, pictures."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vastus.cli import loading
from vastus.cli.console import BuildProgress, RunProgress, note
from vastus.cli.failures import INTERRUPTED
from vastus.cli.options import (
    FrameChoice,
    laws_option,
    laws_words,
    load_laws,
    output_folder,
    output_option,
    scene_frames,
)
from vastus.errors import FileError, MissingExtra

if TYPE_CHECKING:
    from vastus.job import Job


@click.command(short_help="Simulate a scene; write frames, table, pictures.")
@click.argument("scene", type=click.Path(path_type=Path))
@output_option("Folder of the result; SCENE_result beside the scene unless given.")
@click.option("--resume", is_flag=True, help="Go on after the frames that the folder holds.")
@click.option("--overwrite", is_flag=True, help="Replace the result that the folder holds.")
@click.option("--threads", type=click.IntRange(min=1), help="Processor threads to use.")
@click.option("--no-pictures", is_flag=True, help="Draw no contact sheet, plot or movie.")
@click.option(
    "--referee",
    is_flag=False,
    flag_value="all",
    metavar="[FRAMES]",
    callback=scene_frames,
    help="Repeat frames by Newton and show the distance: all, or last, every:5, 0,5,9.",
)
@laws_option
def run(
    scene: Path,
    output: Path | None,
    resume: bool,
    overwrite: bool,
    threads: int | None,
    no_pictures: bool,
    referee: FrameChoice | None,
    laws: tuple[Path, ...],
) -> None:
    """Simulate a scene and write frames for ParaView, a table and pictures.

    Ctrl-C keeps the finished frames; --resume goes on after them.
    """
    with loading():
        from vastus.job import prepare, require_free, require_sound
        from vastus.numerics.jit import thread_count
        from vastus.scene.read import read

    if resume and overwrite:
        raise FileError("--resume goes on with a result and --overwrite replaces it; give only one")
    load_laws(laws)
    said = read(scene)
    with output_folder(output, scene, "result") as output:
        if not (resume or overwrite):
            require_free(output)
        with BuildProgress() as progress:
            job = prepare(said, watch=progress.watch)
        require_sound(job)
        judged = referee.among(len(job.inputs)) if referee and job.referee else ()
    again = resume_command(scene, output, laws, referee.text if referee else None)
    with thread_count(threads) if threads else nullcontext():
        solve(job, output, resume=resume, again=again, warm=bool(judged))
        show_table(output)
        if judged:
            judge(job, output, judged, again=again)
    show_files(job, output, pictures=not no_pictures)


def solve(job: Job, output: Path, *, resume: bool, again: str, warm: bool = False) -> None:
    """Run the job; after Ctrl-C say how to go on, by the command `again`."""
    from vastus import job as jobs
    from vastus.checks.finding import told

    for line in told(job.findings):
        note(f"warning: {line}")
    steps, first = len(job.inputs), _finished(output) if resume else 0
    note(
        f"solving '{job.model.name}': {job.model.mesh.n_tets} tets, {steps} frames; "
        "the first takes longer if kernels must be compiled"
    )
    with _interruptible(output, steps, again), RunProgress(steps, first) as progress:
        for frame in jobs.solve(job, output, resume=resume, warm=warm, watch=progress.watch):
            progress.done(frame)


def judge(job: Job, output: Path, frames: Collection[int], *, again: str) -> None:
    """Let the referee repeat some frames, and print what it finds."""
    from vastus import job as jobs
    from vastus.cli.show import print_verdicts
    from vastus.results.result import read_result

    note(f"Newton repeats {len(frames)} of {len(job.inputs)} frames ...")
    with _interruptible(output, len(job.inputs), again):
        for verdict in jobs.judge(job, output, frames):
            note(f"frame {verdict.frame} judged: {verdict.sentence}")
    verdicts = read_result(output).verdicts
    print_verdicts([v for v in verdicts if v.frame in frames], job.referee)


@contextmanager
def _interruptible(output: Path, steps: int, again: str) -> Iterator[None]:
    """After Ctrl-C, say what is there and how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        there = f"{_finished(output)} of {steps} frames are in '{output}'"
        note(f"interrupted: {there}; go on with: {again}")
        raise click.exceptions.Exit(INTERRUPTED) from None


def resume_command(
    scene: Path, output: Path, laws: Sequence[Path], referee: str | None = None
) -> str:
    """The command that goes on with an interrupted run."""
    options = [*laws_words(laws), *(["--referee", referee] if referee else [])]
    return shlex.join(["vastus", "run", str(scene), "-o", str(output), "--resume", *options])


def show_table(output: Path) -> None:
    """Print the table of a result."""
    from vastus.cli.show import print_table
    from vastus.results.result import read_result

    result = read_result(output)
    print_table(result.model, result.table)


def show_files(job: Job, output: Path, *, pictures: bool) -> None:
    """Say which bodies lie in each other, draw what is asked for, and say where everything is."""
    from vastus.cli.show import print_penetrations
    from vastus.results.result import COLLECTION, read_result

    result = read_result(output)
    print_penetrations(result.penetrations, result.model)
    wanted = job.scene.description.output
    drawn = []
    if pictures and (wanted.pictures or wanted.movie):
        note("drawing ...")
        drawn = _draw(job, output)
    click.echo(f"\nresult: {output} (open {output / COLLECTION} in ParaView)")
    for path in drawn:
        click.echo(f"        {path}")


def _draw(job: Job, folder: Path) -> list[Path]:
    """Draw what the scene asks for; without the packages that draw, say so and go on."""
    from vastus.pictures.animation import (
        contact_sheet,
        movie,
        sheet_and_movie,
        stored_animation,
    )
    from vastus.pictures.renderer import load_pyvista
    from vastus.pictures.table_curves import plot_table
    from vastus.results.result import read_playback

    wanted, drawn = job.scene.description.output, []
    sheet, plot, film = (folder / name for name in ("contact_sheet.png", "plot.png", "movie.mp4"))
    try:
        with loading():
            load_pyvista().Plotter  # noqa: B018  (whose package is loaded when it is asked for)
        shown = stored_animation(read_playback(folder))
        if wanted.pictures and plot_table(folder, plot):
            drawn.append(plot)
        if wanted.pictures and wanted.movie:
            sheet_and_movie(shown, sheet, film)
        elif wanted.pictures:
            contact_sheet(shown, sheet)
        elif wanted.movie:
            movie(shown, film)
        drawn = [*[sheet] * wanted.pictures, *drawn, *[film] * wanted.movie]
    except MissingExtra as error:
        note(f"warning: no pictures were drawn: {error}")
    return drawn


def _finished(output: Path) -> int:
    from vastus.results.result import read_state

    return read_state(output)[0]
