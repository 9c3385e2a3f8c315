"""`vastus check`: what looks wrong, before any solve."""

from __future__ import annotations

from pathlib import Path

import click

from vastus.cli.failures import BAD_INPUT, say_error
from vastus.cli.laws import laws_option, load_laws


@click.command(short_help="Say what looks wrong in a scene, without solving.")
@click.argument("scene", type=click.Path(path_type=Path))
@laws_option
def check(scene: Path, laws: tuple[Path, ...]) -> None:
    """Read and build a scene and say what looks wrong in it, without solving.

    Looks at mesh quality, fibres, attachments, what holds the bones, stiffness, and units. Errors
    exit with 2, warnings with 0.
    """
    from vastus.checks import Severity
    from vastus.io.scene import read
    from vastus.modelling.fibre_quality import fibre_quality
    from vastus.run import Job, prepare

    load_laws(laws)
    job: Job = prepare(read(scene))
    errors = [f for f in job.findings if f.severity is Severity.ERROR]
    warnings = [f for f in job.findings if f.severity is Severity.WARNING]
    for finding in warnings:
        click.echo(f"warning: {finding}")
    for finding in errors[1:]:
        click.echo(f"also: {finding}")
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
