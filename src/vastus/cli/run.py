"""`vastus run`: a scene from its file to a folder of results."""

from __future__ import annotations

from pathlib import Path

import click

from vastus.cli.chosen import Chosen, chosen_of
from vastus.cli.laws import laws_option, load_laws
from vastus.cli.output import output_option
from vastus.errors import FileError


@click.command(short_help="Simulate a scene; write frames, table, pictures.")
@click.argument("scene", type=click.Path(path_type=Path))
@output_option("Folder of the result.")
@click.option("--resume", is_flag=True, help="Go on after the frames that the folder holds.")
@click.option("--overwrite", is_flag=True, help="Replace the result that the folder holds.")
@click.option("--threads", type=click.IntRange(min=1), help="Processor threads to use.")
@click.option("--no-pictures", is_flag=True, help="Draw no contact sheet, plot or movie.")
@click.option(
    "--referee",
    is_flag=False,
    flag_value="all",
    metavar="[FRAMES]",
    callback=chosen_of,
    help="Repeat frames by Newton and show the distance: all, or last, every:5, 0,5,9.",
)
@laws_option
def run(
    scene: Path,
    output: Path,
    resume: bool,
    overwrite: bool,
    threads: int | None,
    no_pictures: bool,
    referee: Chosen | None,
    laws: tuple[Path, ...],
) -> None:
    """Simulate a scene and write frames for ParaView, a table and pictures.

    Ctrl-C keeps the finished frames; --resume goes on after them.
    """
    from vastus.cli.build_display import Steps
    from vastus.cli.session import again, judged, show_files, show_table, simulated
    from vastus.io.scene import read
    from vastus.job import prepare, require_sound
    from vastus.run import require_free

    if resume and overwrite:
        raise FileError("--resume goes on with a result and --overwrite replaces it; give only one")
    if not (resume or overwrite):
        require_free(output)
    load_laws(laws)
    with Steps() as steps:
        job = prepare(read(scene), watch=steps.watch)
    require_sound(job)
    chosen = referee.among(len(job.inputs)) if referee else ()
    _use(threads)
    how = again(scene, output, laws, referee.text if referee else None)
    simulated(job, output, resume=resume, again=how, warm=bool(chosen))
    show_table(output)
    if chosen:
        judged(job, output, chosen, again=how)
    show_files(job, output, pictures=not no_pictures)


def _use(threads: int | None) -> None:
    if threads is not None:
        from vastus.numerics.jit import use_threads

        use_threads(threads)
