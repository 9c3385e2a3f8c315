"""`vastus build`: a scene, or the lines of another program's muscles, to a model to simulate."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.table import Table

from vastus.cli.console import BuildProgress, note, plain_table, stdout
from vastus.cli.options import (
    laws_option,
    laws_words,
    load_laws,
    output_folder,
    output_option,
    words,
)
from vastus.errors import MissingExtra, ModelError

if TYPE_CHECKING:
    from vastus.model import Model
    from vastus.modelling.fibres.authored_solids import SolidReport
    from vastus.modelling.surfaces.anatomy import Anatomy
    from vastus.modelling.surfaces.record import Record


@click.command(short_help="Make a model from surfaces or line muscles.")
@click.argument("scene", type=click.Path(path_type=Path), required=False)
@output_option(
    "Folder of the model, in which a former one is replaced; SCENE_model beside the scene unless "
    "given."
)
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
    output: Path | None,
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
    decision, the B-spline solids that fibres run along, and a picture of each step. Steps that
    nothing has changed for are not made again.

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
        from vastus.cli.build_lines import angles, build_lines

        build_lines(source, words(muscles), output, free=words(free), pose=angles(pose))


def _build_scene(
    path: Path, output: Path | None, laws: tuple[Path, ...], *, pictures: bool, cached: bool
) -> None:
    from vastus.cache import Store
    from vastus.checks.finding import told
    from vastus.files.safe import make_folder
    from vastus.job import prepare, require_sound
    from vastus.measure.architecture import architectures
    from vastus.modelling.fibres.authored_solids import solid_reports
    from vastus.modelling.surfaces.record import record_of
    from vastus.results.build_folder import SCENE, require_apart, write_build, write_solids
    from vastus.scene.read import read

    scene = read(path)
    with output_folder(output, path, "model") as output:
        require_apart(output, path)
        with BuildProgress() as progress:
            job = prepare(scene, store=Store() if cached else None, watch=progress.watch)
        require_sound(job)
    record = record_of(job.anatomy, job.model) if job.anatomy else None
    make_folder(output)
    files = write_build(output, job.scene, job.model, job.findings, record)
    solids = solid_reports(job.scene, job.model)
    files += write_solids(output, solids)
    if record:
        print_record(record)
    for line in [*solids, *architectures(job.model)]:
        click.echo(line)
    for sentence in [*told(job.findings), *(one.doubt for one in solids if one.doubt)]:
        click.echo(f"warning: {sentence}")
    if pictures:
        files += _drawn(job.anatomy, job.model, solids, output)
    click.echo("")
    for file in files:
        click.echo(f"        {file}")
    click.echo(f"Run it: {shlex.join(['vastus', 'run', str(output / SCENE), *laws_words(laws)])}")


def _drawn(
    anatomy: Anatomy | None, model: Model, solids: list[SolidReport], output: Path
) -> list[Path]:
    """Pictures, or a note where nothing can draw them: the model is there all the same."""
    from vastus.pictures.build_pictures import draw_build, draw_model
    from vastus.pictures.solid_pictures import draw_solids

    note("drawing ...")
    picture = output / "model.png"
    try:
        draw_model(model, picture)
    except MissingExtra as missing:
        note(f"no pictures: {missing}")
        return []
    drawn = [picture, *(draw_build(anatomy, model, output) if anatomy else ())]
    if solids:
        drawn.append(output / "7_solids.png")
        draw_solids(solids, model, drawn[-1])
    return drawn


def print_record(record: Record) -> None:
    """Print what was decided: parts that were repaired, attachments, muscles, joints, times."""
    doubt = "" if record.unit_sure else " (guessed: say 'units' to be sure)"
    mesh = record.mesh
    lines = [
        f"files in {record.unit}{doubt}",
        f"{mesh.tets} tets, {mesh.vertices} vertices, smallest dihedral angle "
        f"{mesh.min_dihedral:.1f} degrees, {mesh.inverted} inverted, "
        f"{mesh.bones_sharing} vertices shared by bones",
        *(f"{part.name}: {', '.join(part.repairs)}" for part in record.parts if part.repairs),
        *(f"joint {joint.name}: {joint.sentence}" for joint in record.joints),
        ", ".join(_time(step.name, step.seconds, kept=step.kept) for step in record.steps),
    ]
    console = stdout()
    console.print(_attachments(record))
    console.print(_muscles(record))
    for line in lines:
        console.print(line, markup=False)


def _time(name: str, seconds: float, *, kept: bool) -> str:
    return f"{name} kept" if kept else f"{name} {seconds:.1f} s"


def _attachments(record: Record) -> Table:
    out = plain_table("muscle", "end", "attached to", "", "mm off", "cap", "vertices")
    for a in record.anchors:
        how = "given" if a.given else "proposed"
        cap = "painted" if a.painted else f"{a.cap:.2f}"
        numbers = (f"{1000 * a.distance:.1f}", cap, str(a.vertices))
        out.add_row(a.muscle, a.end, a.to, how, *numbers)
    return out


def _muscles(record: Record) -> Table:
    out = plain_table("muscle", "mm long", "tendon at origin", "at insertion", "fibres astray")
    for m in record.muscles:
        shares = [f"{100 * share:.1f} %" for share in (*m.tendons, m.ill_directed)]
        out.add_row(m.name, f"{1000 * m.length:.0f}", *shares)
    return out
