"""`vastus check`: what looks wrong before any solve, and a repaired copy with `--fix`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.table import Table

from vastus.cli.console import BuildProgress, stdout
from vastus.cli.failures import BAD_INPUT, say_error
from vastus.cli.options import laws_option, load_laws, output_option
from vastus.errors import ModelError
from vastus.files.safe import require_writable
from vastus.modelling.sources import repaired
from vastus.scene.read import read
from vastus.scene.repaired import require_new, write_repaired

if TYPE_CHECKING:
    from vastus.checks import Finding


@click.command(short_help="Say what looks wrong in a scene, without solving.")
@click.argument("scene", type=click.Path(path_type=Path))
@click.option("--fix", is_flag=True, help="Repair what is broken, in a copy.")
@output_option("New folder for the repaired copy; SCENE_fixed beside the scene unless given.")
@laws_option
def check(scene: Path, fix: bool, output: Path | None, laws: tuple[Path, ...]) -> None:
    """Read and build a scene and say what looks wrong in it, without solving.

    Looks at mesh quality, fibres, attachments, what holds the bones, stiffness, and units. Errors
    exit with 2, warnings with 0.

    With --fix, a labelled mesh is repaired first: inverted tets, tets of no region, stray tets,
    slivers, vertices that bones share, and gaps in fibre data. Of surfaces, holes are filled, faces
    turned and debris dropped. What was repaired and a scene that uses it go to a new folder and are
    checked; the original stays as it is.
    """
    load_laws(laws)
    if output is not None and not fix:
        raise ModelError("-o names the folder of what --fix writes; without --fix nothing is")
    if fix:
        scene = repaired_copy(scene, output)
    _report(scene)


def _report(scene: Path) -> None:
    """Print warnings and errors, or that the scene is ready."""
    from vastus.cache import Log, Store
    from vastus.checks import Severity
    from vastus.checks.mobility import freedoms
    from vastus.job import Job, findings_of, prepare, require_movable
    from vastus.measure.architecture import architectures
    from vastus.modelling.fibres.authored_solids import solid_reports
    from vastus.modelling.fibres.quality import fibre_quality
    from vastus.scene.read import read

    said = read(scene)
    log = Log(Store(), lambda _: None)
    with BuildProgress() as progress:
        log.watch = progress.watch
        before = findings_of(said, log=log)
    _show(before)
    with BuildProgress() as progress:
        log.watch = progress.watch
        job: Job = prepare(said, log=log)  # stops at the first error
    later = [finding for finding in job.findings if finding not in before]
    _show(later)
    warnings = [f for f in before + later if f.severity is Severity.WARNING]
    errors = [f for f in later if f.severity is Severity.ERROR]
    if errors:
        say_error(job.scene.places.located(str(errors[0])))
        raise click.exceptions.Exit(BAD_INPUT)
    require_movable(job)
    model = job.model
    for muscle in model.muscles:
        click.echo(fibre_quality(model, muscle.name))
    solids = solid_reports(job.scene, model)
    doubts = [one.doubt for one in solids if one.doubt]
    for sentence in doubts:
        click.echo(f"warning: {sentence}")
    for line in [*solids, *architectures(model)]:
        click.echo(line)
    counts = {
        "tet": model.mesh.n_tets,
        "muscle": len(model.muscles),
        "bone": len(model.bones),
        "joint": len(model.joints),
        "frame": len(job.inputs),
        "warning": len(warnings) + len(doubts),
    }
    if model.joints:
        left = freedoms(model)
        click.echo(f"the joints leave the bones {left} degree{'s' * (left != 1)} of freedom")
    text = ", ".join(f"{n or 'no'} {what}{'s' * (n != 1)}" for what, n in counts.items())
    click.echo(f"'{scene}' is ready to run: {text}")


def _show(findings: list[Finding]) -> None:
    """Print all but the first error, which ends the command."""
    from vastus.checks import Severity
    from vastus.checks.finding import told

    errors, warnings = ([f for f in findings if f.severity is kind] for kind in Severity)
    for line in told(warnings):
        click.echo(f"warning: {line}")
    for finding in errors[1:]:
        click.echo(f"also: {finding}")


def repaired_copy(path: Path, folder: Path | None) -> Path:
    """The path of the repaired scene: a copy in the folder, or itself if nothing is broken."""
    scene = read(path)
    folder = folder or path.with_name(f"{path.stem}_fixed")
    found = repaired(scene.source, scene)
    if not (found.done or found.remarks):
        click.echo("nothing to repair in the files of the scene")
        return path
    require_new(folder)
    require_writable(folder)
    written = write_repaired(folder, path, found.source)
    if found.done:
        show_done(found.done)
    for remark in found.remarks:
        click.echo(remark)
    click.echo(f"repaired: {written}, with the files that it names beside it")
    return written


def show_done(done: Mapping[str, int]) -> None:
    """Print what was done and how often."""
    table = Table(box=None, padding=(0, 1), header_style="bold")
    table.add_column("count", justify="right", no_wrap=True)
    table.add_column("what was done")
    for what, count in done.items():
        table.add_row(str(count), what)
    stdout().print(table)
