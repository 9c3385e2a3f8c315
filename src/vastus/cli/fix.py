"""`vastus check --fix`: what is broken in the files of a scene, mended in a copy of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import click
from rich.table import Table

from vastus.cli.table import stdout
from vastus.errors import ModelError
from vastus.io.files import require_writable
from vastus.io.fixed_surfaces import write_fixed
from vastus.io.mended import require_new, write_mended
from vastus.io.scene import read
from vastus.modelling.anatomy.repair import Repaired, repair
from vastus.modelling.author_mend import mended_base
from vastus.scene.scene import LabelledMesh, Scene

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
