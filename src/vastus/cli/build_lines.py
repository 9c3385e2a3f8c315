"""Line muscles of an MJCF or OpenSim file to a model of volumes, and a table of what was made."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from functools import partial
from math import radians
from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np

from vastus.cli.console import BuildProgress, note
from vastus.cli.options import output_folder, words
from vastus.errors import ModelError

if TYPE_CHECKING:
    from vastus.model import Model
    from vastus.modelling.lines.line_arms import ArmCurves
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
    """Write model, tables and `scene.yaml` to a folder, beside the file unless given.

    `source` is a file or the name of a model of the package of bodies, `muscles` are names or
    none for all, joints `free` move and all others are held, and `pose` gives joint values [rad].
    """
    from vastus.files.model_file import save_model
    from vastus.files.safe import make_folder, write_text
    from vastus.modelling.lines.line_arms import ARMS, arm_curves, write_arms
    from vastus.modelling.lines.line_files import (
        licence_of,
        line_lengths,
        located,
        read_lines,
        write_lofts,
    )
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
            progress.watch("comparing moment arms")
            names = [muscle.name for muscle in lines.muscles]
            lengths = partial(line_lengths, path, names)
            arms = arm_curves(lines, lofts, free, lengths, pose or {})
    make_folder(output)
    save_model(output / "model.npz", model)
    write_lofts(output / "muscles.csv", lofts)
    write_arms(output / ARMS, arms)
    first = lines.muscles[0].name
    scene = SCENE.format(source=source, name=_quoted(lines.name), muscle=_quoted(first))
    write_text(output / "scene.yaml", scene)
    _print(lines, lofts, model, free)
    for curves in arms:
        _print_arms(curves)
        if text := curves.pose_note():
            click.echo(f"note: {text}")
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


def _print_arms(curves: ArmCurves) -> None:
    """Print lengths and arms of the file's lines beside those of the volumes."""
    from vastus.modelling.lines.line_arms import ARMS

    here = int(np.argmin(np.abs(curves.angles - curves.pose)))
    at = f"at {np.degrees(curves.angles[here]):.4g} deg"
    click.echo(f"moment arms about '{curves.joint}', file and volume; all angles are in {ARMS}")
    click.echo(f"{'muscle':<14}{f'mm long {at}':>22}{f'arm mm {at}':>22}{'farthest apart':>26}")
    for k, muscle in enumerate(curves.muscles):
        apart = np.abs(curves.arms - curves.file_arms)[:, k]
        worst = int(np.argmax(apart))
        pairs = [
            f"{1e3 * file[i, k]:9.1f} {1e3 * own[i, k]:7.1f}"
            for file, own, i in (
                (curves.file_lengths, curves.lengths, here),
                (curves.file_arms, curves.arms, here),
                (curves.file_arms, curves.arms, worst),
            )
        ]
        angle = f"{np.degrees(curves.angles[worst]):5.0f} deg"
        click.echo(f"{muscle:<14}{pairs[0]:>22}{pairs[1]:>22}{angle + pairs[2][1:]:>26}")


def _quoted(name: str) -> str:
    """A name as YAML takes any."""
    return "'" + name.replace("'", "''") + "'"
