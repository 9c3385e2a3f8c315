"""`vastus check`: what looks wrong, before any solve.

`vastus check --fix`: what is broken in the files of a scene, mended in a copy of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.table import Table

from vastus.cli.console import BuildProgress, stdout
from vastus.cli.failures import BAD_INPUT, say_error
from vastus.cli.options import laws_option, load_laws, output_option
from vastus.errors import ModelError
from vastus.files.safe import require_writable
from vastus.modelling.labelled.mend import mended_base
from vastus.modelling.surfaces.repair import Repaired, repair
from vastus.scene.read import read
from vastus.scene.rewrite import require_new, write_fixed, write_mended
from vastus.scene.scene import LabelledMesh, Scene

if TYPE_CHECKING:
    from vastus.checks import Finding


@click.command(short_help="Say what looks wrong in a scene, without solving.")
@click.argument("scene", type=click.Path(path_type=Path))
@click.option("--fix", is_flag=True, help="Mend what is broken, in a copy.")
@output_option("New folder for the mended copy; SCENE_fixed beside the scene unless given.")
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
        scene = fixed(scene, output)
    _report(scene)


def _report(scene: Path) -> None:
    """Print warnings and errors, or that the scene is ready."""
    from vastus.checks import Severity
    from vastus.job import Job, findings_of, prepare
    from vastus.modelling.fibres.quality import fibre_quality
    from vastus.scene.read import read

    said = read(scene)
    with BuildProgress() as progress:
        before = findings_of(said, watch=progress.watch)
    _show(before)
    with BuildProgress() as progress:
        job: Job = prepare(said, watch=progress.watch)  # stops at the first error
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


# A fixer gets the scene, its path and a new folder, and says where the scene is that it wrote.
Fixer = Callable[[Scene, Path, Path], Path]


def fixed(path: Path, folder: Path | None) -> Path:
    """The path of the scene after mending: a copy in the folder, or itself if nothing is broken."""
    scene = read(path)
    kind = next((kind for kind in FIXERS if isinstance(scene.base, kind)), None)
    if kind is None:
        raise ModelError(
            f"'{path}' starts from a model, in which --fix finds nothing to mend; it mends "
            f"{' and '.join(name for name, _ in FIXERS.values())}"
        )
    folder = folder or path.with_name(f"{path.stem}_fixed")
    require_new(folder)
    require_writable(folder)
    return FIXERS[kind][1](scene, path, folder)


def fix_mesh(scene: Scene, path: Path, folder: Path) -> Path:
    """Mend a labelled mesh."""
    assert isinstance(scene.base, LabelledMesh)
    assert scene.description.mesh is not None
    mended = mended_base(scene, scene.base)
    if not mended.done:
        click.echo("nothing to mend in the mesh")
        return path
    written = write_mended(folder, path, mended.base, metres=scene.description.mesh.metres)
    show_done({str(what): count for what, count in mended.done.items()})
    if mended.shift > 0:
        click.echo(f"no vertex was moved by more than {1000 * mended.shift:.3g} mm")
    click.echo(f"mended: {written}, with {written.with_suffix('.vtu').name} beside it")
    return written


def show_done(done: Mapping[str, int]) -> None:
    """Print what was done and how often."""
    table = Table(box=None, padding=(0, 1), header_style="bold")
    table.add_column("count", justify="right", no_wrap=True)
    table.add_column("what was done")
    for what, count in done.items():
        table.add_row(str(count), what)
    stdout().print(table)


def fix_surfaces(scene: Scene, path: Path, folder: Path) -> Path:
    """Repair surfaces, each in the units of its file."""
    assert isinstance(scene.base, dict)
    repaired: dict[str, Repaired] = {}
    for name, shell in scene.base.items():
        with scene.places.blame("surfaces", "parts", name):
            repaired[name] = repair(shell)
    if not any(found.done for found in repaired.values()):
        click.echo("nothing to mend in the surfaces")
        return path
    shells = {name: found.surface for name, found in repaired.items()}
    written = write_fixed(folder, path, shells)
    for name, found in repaired.items():
        if found.done:
            click.echo(f"{name}: {', '.join(found.done)}")
    click.echo(f"mended: {written}, with an OBJ file of each part beside it")
    return written


# What a scene may start from: what that is called, and how it is mended.
FIXERS: Mapping[type, tuple[str, Fixer]] = {
    LabelledMesh: ("a 'mesh' with labels", fix_mesh),
    dict: ("'surfaces'", fix_surfaces),
}
