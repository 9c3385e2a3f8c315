"""`vastus check`: what looks wrong, before any solve."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from vastus.cli.failures import BAD_INPUT, say_error
from vastus.cli.laws import laws_option, load_laws
from vastus.cli.output import folder_of
from vastus.errors import ModelError

if TYPE_CHECKING:
    from vastus.checks import Finding


def _folder(ctx: click.Context, parameter: click.Parameter, name: str | None) -> Path | None:
    return None if name is None else folder_of(ctx, parameter, name)


@click.command(short_help="Say what looks wrong in a scene, without solving.")
@click.argument("scene", type=click.Path(path_type=Path))
@click.option("--fix", is_flag=True, help="Mend what is broken, in a copy.")
@click.option(
    "-o",
    "--output",
    callback=_folder,
    metavar="FOLDER",
    help="New folder for the mended copy; SCENE_fixed beside the scene unless given.",
)
@laws_option
def check(scene: Path, fix: bool, output: Path | None, laws: tuple[Path, ...]) -> None:
    """Read and build a scene and say what looks wrong in it, without solving.

    Looks at mesh quality, fibres, attachments, what holds the bones, stiffness, and units. Errors
    exit with 2, warnings with 0.

    With --fix, a labelled mesh is mended first: inverted tets, tets of no region, stray tets,
    slivers, vertices that bones share, and gaps in fibre data. Surfaces are repaired: holes are
    filled, faces turned, debris dropped. What was mended and a scene that uses it are written to a
    new folder and checked; the original stays as it is.
    """
    load_laws(laws)
    if output is not None and not fix:
        raise ModelError("-o names the folder of what --fix writes; without --fix nothing is")
    if fix:
        from vastus.cli.fix import fixed

        scene = fixed(scene, output)
    _report(scene)


def _report(scene: Path) -> None:
    """Print warnings and errors, or that the scene is ready."""
    from vastus.checks import Severity
    from vastus.cli.build_display import Steps
    from vastus.io.scene import read
    from vastus.job import Job, findings_of, prepare
    from vastus.modelling.fibre_quality import fibre_quality

    said = read(scene)
    with Steps() as steps:
        before = findings_of(said, watch=steps.watch)
    _show(before)
    with Steps() as steps:
        job: Job = prepare(said, watch=steps.watch)  # stops at the first error
    later = [finding for finding in job.findings if finding not in before]
    _show(later)
    warnings = [f for f in before + later if f.severity is Severity.WARNING]
    errors = [f for f in later if f.severity is Severity.ERROR]
    if errors:
        say_error(job.scene.places.located(str(errors[0])))
        raise click.exceptions.Exit(BAD_INPUT)
    model = job.model
    for muscle in model.muscles:
        click.echo(fibre_quality(model, muscle.name))
    counts = {
        "tet": model.mesh.n_tets,
        "muscle": len(model.muscles),
        "bone": len(model.bones),
        "joint": len(model.joints),
        "frame": len(job.inputs),
        "warning": len(warnings),
    }
    text = ", ".join(f"{n or 'no'} {what}{'s' * (n != 1)}" for what, n in counts.items())
    click.echo(f"'{scene}' is ready to run: {text}")


def _show(findings: list[Finding]) -> None:
    """Print all but the first error, which ends the command."""
    from vastus.checks import Severity

    errors, warnings = ([f for f in findings if f.severity is kind] for kind in Severity)
    for finding in warnings:
        click.echo(f"warning: {finding}")
    for finding in errors[1:]:
        click.echo(f"also: {finding}")
