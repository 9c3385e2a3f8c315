"""`vastus build`: a scene, or the lines of another program's muscles, to a model to simulate."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vastus.cli.laws import laws_option, load_laws
from vastus.cli.output import output_option
from vastus.errors import MissingExtra, ModelError

if TYPE_CHECKING:
    from vastus.model import Model
    from vastus.modelling.anatomy.surfaces_model import Anatomy


@click.command(short_help="Make a model from surfaces or line muscles.")
@click.argument("scene", type=click.Path(path_type=Path), required=False)
@output_option("Folder of the model; a former model in it is replaced.")
@click.option("--no-pictures", is_flag=True, help="Draw no pictures of the steps.")
@click.option("--no-cache", is_flag=True, help="Make every step from surfaces anew, keep none.")
@laws_option
@click.option(
    "--from-mjcf",
    "--from-osim",
    "source",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Grow volumes around the muscles of an MJCF (.xml) or OpenSim (.osim) file.",
)
@click.option("--muscles", default="", help="Of the file: names with commas between, or all.")
@click.option("--free", default="", help="Of the file: joints that the forces move.")
@click.option("--pose", default="", help="Of the file: joint values [deg], such as elbow=30.")
def build(
    scene: Path | None,
    output: Path,
    no_pictures: bool,
    no_cache: bool,
    laws: tuple[Path, ...],
    source: Path | None,
    muscles: str,
    free: str,
    pose: str,
) -> None:
    """Build the model that a scene describes and write it with all that was decided.

    Writes the model, a mesh for ParaView, `scene.yaml` that runs it, `build.json` with every
    decision, and a picture of each step. Steps that nothing has changed for are not made again.

    With --from-mjcf, in place of a scene, the muscles of another program's model, which are lines
    there, become volumes. FILE may also be `bimanual` or `myofullbody`, models of the package
    musclemimic_models.
    """
    if (scene is None) == (source is None):
        raise ModelError("give either a scene or --from-mjcf FILE")
    if scene is not None:
        if muscles or free or pose:
            raise ModelError("--muscles, --free and --pose are for --from-mjcf")
        load_laws(laws)
        _build_scene(scene, output, laws, pictures=not no_pictures, cached=not no_cache)
    if source is not None:
        from vastus.cli.build_lines import angles, build_lines, words

        build_lines(source, words(muscles), output, free=words(free), pose=angles(pose))


def _build_scene(
    scene: Path, output: Path, laws: tuple[Path, ...], *, pictures: bool, cached: bool
) -> None:
    from vastus.cache import Store
    from vastus.cli.build_display import Steps, print_record
    from vastus.io.build_report import SCENE, require_apart, write_build
    from vastus.io.files import make_folder, require_writable
    from vastus.io.scene import read
    from vastus.job import prepare, require_sound
    from vastus.modelling.anatomy.record import record_of

    require_writable(output)
    require_apart(output, scene)
    with Steps() as steps:
        job = prepare(read(scene), store=Store() if cached else None, watch=steps.watch)
    require_sound(job)
    record = record_of(job.anatomy, job.model) if job.anatomy else None
    make_folder(output)
    files = write_build(output, job.scene, job.model, job.findings, record)
    if record:
        print_record(record)
    for finding in job.findings:
        click.echo(f"warning: {finding}")
    if pictures:
        files += _drawn(job.anatomy, job.model, output)
    click.echo("")
    for path in files:
        click.echo(f"        {path}")
    options = [word for file in laws for word in ("--laws", str(file))]
    words = ["vastus", "run", str(output / SCENE), "-o", "another-folder", *options]
    click.echo(f"Run it: {shlex.join(words)}")


def _drawn(anatomy: Anatomy | None, model: Model, output: Path) -> list[Path]:
    """Pictures, or a note where nothing can draw them: the model is there all the same."""
    from vastus.io.build_pictures import draw_build, draw_model

    click.echo("drawing ...", err=True)
    picture = output / "model.png"
    try:
        draw_model(model, picture)
    except MissingExtra as missing:
        click.echo(f"no pictures: {missing}", err=True)
        return []
    return [picture, *(draw_build(anatomy, model, output) if anatomy else ())]
