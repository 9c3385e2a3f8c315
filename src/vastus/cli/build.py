"""`vastus build`: a scene to a model that can be simulated, with a report of what was decided."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from vastus.cli.failures import folder_of
from vastus.cli.laws import laws_option, load_laws

if TYPE_CHECKING:
    from vastus.model import Model
    from vastus.modelling.anatomy.surfaces_model import Anatomy


@click.command(short_help="Make a model from surfaces, and show what was decided.")
@click.argument("scene", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(),
    callback=folder_of,
    help="Folder of the model; a former model in it is replaced.",
)
@click.option("--no-pictures", is_flag=True, help="Draw no pictures of the steps.")
@click.option("--no-cache", is_flag=True, help="Make every step anew, and keep none.")
@laws_option
def build(
    scene: Path, output: Path, no_pictures: bool, no_cache: bool, laws: tuple[Path, ...]
) -> None:
    """Build the model that a scene describes and write it with all that was decided.

    Writes the model, a mesh for ParaView, `scene.yaml` that runs it, `build.json` with every
    decision, and a picture of each step. Steps that nothing has changed for are not made again.
    """
    from vastus.cache import Store
    from vastus.cli.build_display import Steps, print_record
    from vastus.io.build_report import SCENE, write_build
    from vastus.io.files import make_folder, require_writable
    from vastus.io.scene import read
    from vastus.modelling.anatomy.record import record_of
    from vastus.run import prepare, require_sound

    require_writable(output)
    load_laws(laws)
    with Steps() as steps:
        job = prepare(read(scene), store=None if no_cache else Store(), watch=steps.watch)
    require_sound(job)
    record = record_of(job.anatomy, job.model) if job.anatomy else None
    make_folder(output)
    files = write_build(output, job.scene, job.model, job.findings, record)
    if record:
        print_record(record)
    for finding in job.findings:
        click.echo(f"warning: {finding}")
    if not no_pictures:
        files += _drawn(job.anatomy, job.model, output)
    click.echo("")
    for path in files:
        click.echo(f"        {path}")
    click.echo(f"Run it: vastus run {output / SCENE} -o another-folder")


def _drawn(anatomy: Anatomy | None, model: Model, output: Path) -> list[Path]:
    from vastus.io.build_pictures import draw_build, draw_model

    click.echo("drawing ...", err=True)
    picture = output / "model.png"
    draw_model(model, picture)
    return [picture, *(draw_build(anatomy, model, output) if anatomy else ())]
