"""`vastus build`: a scene, or the lines of another program's muscles, to a model to simulate.

A build as the command line shows it: the step it is at, then tables of what was decided.
"""

from __future__ import annotations

import shlex
import time
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.status import Status
from rich.table import Table

from vastus.cli.options import laws_option, load_laws, output_option
from vastus.cli.show import stdout
from vastus.errors import MissingExtra, ModelError
from vastus.modelling.surfaces.record import Record

if TYPE_CHECKING:
    from vastus.model import Model
    from vastus.modelling.surfaces.anatomy import Anatomy


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
    from vastus.cli.build import Steps, print_record
    from vastus.files.safe import make_folder, require_writable
    from vastus.job import prepare, require_sound
    from vastus.modelling.surfaces.record import record_of
    from vastus.results.build_folder import SCENE, require_apart, write_build
    from vastus.scene.read import read

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
    from vastus.pictures.build import draw_build, draw_model

    click.echo("drawing ...", err=True)
    picture = output / "model.png"
    try:
        draw_model(model, picture)
    except MissingExtra as missing:
        click.echo(f"no pictures: {missing}", err=True)
        return []
    return [picture, *(draw_build(anatomy, model, output) if anatomy else ())]


QUIET = 10.0  # [s] between plain lines


class Steps(AbstractContextManager["Steps"]):
    """Shows the present step on stderr: in place in a terminal, as plain lines elsewhere."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False)
        self._start, self._said = time.monotonic(), 0.0
        terminal = self._console.is_terminal
        self._status = Status("reading", console=self._console) if terminal else None

    def __enter__(self) -> Steps:
        if self._status:
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if self._status:
            self._status.stop()

    def watch(self, step: str) -> None:
        """Called with what is being done."""
        now = time.monotonic()
        text = f"{step} ({now - self._start:.0f} s)"
        if self._status:
            self._status.update(text)
        elif now - self._said > QUIET:
            self._said = now
            self._console.print(text)


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
    out = _table("muscle", "end", "attached to", "", "mm off", "cap", "vertices")
    for a in record.anchors:
        how = "given" if a.given else "proposed"
        cap = "painted" if a.painted else f"{a.cap:.2f}"
        numbers = (f"{1000 * a.distance:.1f}", cap, str(a.vertices))
        out.add_row(a.muscle, a.end, a.to, how, *numbers)
    return out


def _muscles(record: Record) -> Table:
    out = _table("muscle", "mm long", "tendon at origin", "at insertion", "fibres astray")
    for m in record.muscles:
        shares = [f"{100 * share:.1f} %" for share in (*m.tendons, m.ill_directed)]
        out.add_row(m.name, f"{1000 * m.length:.0f}", *shares)
    return out


def _table(*headings: str) -> Table:
    out = Table(box=None, padding=(0, 1), header_style="bold")
    for heading in headings:
        out.add_column(heading, no_wrap=True)
    return out
