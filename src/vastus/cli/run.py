"""`vastus run`: a scene from its file to a folder of results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from vastus.cli.laws import laws_option, load_laws

if TYPE_CHECKING:
    from vastus.run import Job


@click.command(short_help="Simulate a scene; write frames, table, pictures.")
@click.argument("scene", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", required=True, type=click.Path(path_type=Path), help="Folder of the result."
)
@click.option("--resume", is_flag=True, help="Go on after the frames that the folder holds.")
@click.option("--overwrite", is_flag=True, help="Replace the result that the folder holds.")
@click.option("--threads", type=click.IntRange(min=1), help="Processor threads to use.")
@click.option("--no-pictures", is_flag=True, help="Draw no contact sheet, plot or movie.")
@laws_option
def run(
    scene: Path,
    output: Path,
    resume: bool,
    overwrite: bool,
    threads: int | None,
    no_pictures: bool,
    laws: tuple[Path, ...],
) -> None:
    """Simulate a scene and write frames for ParaView, a table and pictures.

    Ctrl-C keeps the finished frames; --resume goes on after them.
    """
    from vastus.cli.session import again, simulated
    from vastus.io.scene import read
    from vastus.run import prepare, require_free, require_sound

    if not (resume or overwrite):
        require_free(output)
    load_laws(laws)
    job = prepare(read(scene))
    require_sound(job)
    _use(threads)
    how = again(scene, output, laws)
    simulated(job, output, resume=resume, again=how)
    finish(job, output, pictures=not no_pictures)


def finish(job: Job, output: Path, *, pictures: bool) -> None:
    """Print the table, draw what the scene asks for, and say where everything is."""
    from vastus.cli.pictures import draw
    from vastus.cli.table import print_table
    from vastus.io.result import read_result

    result = read_result(output)
    print_table(job.model, result.table)
    drawn = draw(job, output) if pictures else []
    click.echo(f"\nresult: {output} (open {output / 'result.pvd'} in ParaView)")
    for path in drawn:
        click.echo(f"        {path}")


def _use(threads: int | None) -> None:
    if threads is not None:
        from vastus.numerics.jit import use_threads

        use_threads(threads)
