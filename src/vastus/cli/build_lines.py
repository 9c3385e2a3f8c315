"""Line muscles of an MJCF or OpenSim file to a model of volumes, and a table of what was made."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from math import radians
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vastus.cli.console import BuildProgress, note
from vastus.cli.options import output_folder, words
from vastus.errors import ModelError

if TYPE_CHECKING:
    from vastus.model import Model
    from vastus.modelling.lines.lines import Lines
    from vastus.modelling.lines.loft import Loft

SCENE = """\
# Muscles grown around the lines of '{source}'.
# Change what you like, check it with `vastus check`, and run it with `vastus run`.
vastus: 1
name: {name}
model: {{file: model.npz}}
inputs:
  seconds: 1
  fps: 10
  activation:
    {muscle}: 1
"""


def build_lines(
    source: Path,
    muscles: Sequence[str],
    output: Path | None,
    *,
    free: Sequence[str] = (),
    pose: Mapping[str, float] | None = None,
) -> None:
    """Write `model.npz`, `muscles.csv` and `scene.yaml` to a folder, beside the file unless given.

    `source` is a file or the name of a model of the package of bodies, `muscles` are names or
    none for all, joints `free` move and all others are held, and `pose` gives joint values [rad].
    """
    from vastus.files.model_file import save_model
    from vastus.files.safe import make_folder, write_text
    from vastus.modelling.lines.line_files import licence_of, located, read_lines, write_lofts
    from vastus.modelling.lines.line_model import model_of, require_joints
    from vastus.modelling.lines.loft import loft

    path = located(source)
    if licence := licence_of(path):
        note(licence)
    lines = read_lines(path, muscles, pose=pose)
    require_joints(lines, free)
    with output_folder(output, source, "model") as output:
        note(f"growing {len(lines.muscles)} muscles ...")
        with BuildProgress() as progress:
            lofts = loft(lines, progress.watch, free=free)
            progress.watch("meshing bones")
            model = model_of(lines, lofts, free=free)
    make_folder(output)
    save_model(output / "model.npz", model)
    write_lofts(output / "muscles.csv", lofts)
    first = lines.muscles[0].name
    scene = SCENE.format(source=source, name=_quoted(lines.name), muscle=_quoted(first))
    write_text(output / "scene.yaml", scene)
    _print(lines, lofts, model, free)
    click.echo(f"Run it: {shlex.join(['vastus', 'run', str(output / 'scene.yaml')])}")


def angles(text: str) -> dict[str, float]:
    """Joint values [rad] from a text such as `elbow=30` [deg]."""
    found = {}
    for word in words(text):
        name, _, value = word.partition("=")
        try:
            found[name.strip()] = radians(float(value))
        except ValueError:
            raise ModelError(f"'{word}' is no joint value; write it as elbow=30") from None
    return found


def _print(lines: Lines, lofts: Sequence[Loft], model: Model, free: Sequence[str]) -> None:
    from vastus.checks.anchors import floating
    from vastus.checks.mobility import locked_rings
    from vastus.measure.architecture import architectures
    from vastus.modelling.lines.line_model import bone_notes, joint_notes

    click.echo(f"{'muscle':<14}{'line mm':>9}{'ml':>8}{'wanted':>8}{'in bone':>9}{'in muscle':>10}")
    for item in lofts:
        made, wanted, shared = 1e6 * item.volume, 1e6 * item.stations.volume, item.overlap
        size = f"{1e3 * item.muscle.length:9.1f}{made:8.1f}{wanted:8.1f}"
        click.echo(f"{item.muscle.name:<14}{size}{shared.bones:9.3%}{shared.muscles:10.3%}")
    for item in lofts:
        for text in item.notes:
            click.echo(f"note: {item.muscle.name}: {text}")
    for line in architectures(model):
        click.echo(line)
    for text in (*bone_notes(lines, model), *joint_notes(lines, free)):
        click.echo(f"note: {text}")
    for joint in model.joints:
        if joint.resistance:
            click.echo(f"joint '{joint.name}': {joint.resistance} from this pose")
    for finding in (*floating(model), *locked_rings(model)):
        click.echo(f"warning: {finding}")
    held = [b.joint.name for b in lines.bones if b.joint and b.joint.name not in free]
    if held:
        click.echo(f"joints held as they are: {', '.join(held)}")
    tets = f"{model.mesh.n_tets} tets, {len(model.soft)} of them soft"
    click.echo(f"{len(model.muscles)} muscles, {len(model.bones)} bones: {tets}")


def _quoted(name: str) -> str:
    """A name as YAML takes any."""
    return "'" + name.replace("'", "''") + "'"
