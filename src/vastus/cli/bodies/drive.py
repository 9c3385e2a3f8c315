"""`vastus drive`: a run of an articulated body that drives the tissue of a scene."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, radians
from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np

from vastus.cli.console import BuildProgress, note
from vastus.cli.options import laws_option, load_laws, output_folder, output_option, words
from vastus.errors import FileError, MissingExtra, ModelError

if TYPE_CHECKING:
    from vastus.coupling.driven import BodyJoint, Pairing
    from vastus.numerics.types import Floats
    from vastus.results.body_motion import BodyMotion

TABLE, PLOT = "moments.csv", "moments.png"


@click.command(short_help="Let a run of a body drive the tissue of a scene.")
@click.argument("motion", type=click.Path(path_type=Path))
@click.argument("scene", type=click.Path(path_type=Path))
@click.option(
    "--joint",
    "joints",
    multiple=True,
    metavar="MODEL=BODY[@DEG]",
    help="A joint of the model and of the body, whose angle is DEG where the model's is 0; a minus "
    "before BODY turns its sign; repeatable.",
)
@click.option(
    "--muscle",
    "muscles",
    multiple=True,
    metavar="MODEL=UNIT,UNIT",
    help="A muscle of the model, and the units of the body that it stands for; repeatable.",
)
@click.option("--fps", default=30.0, show_default=True, help="Frames a second.")
@click.option(
    "--from", "begin", default=0.0, show_default=True, help="When to begin in the motion [s]."
)
@click.option("--seconds", type=float, help="How long; to the end of the motion unless given.")
@output_option("Folder of the result; SCENE_driven beside the scene unless given.")
@click.option("--overwrite", is_flag=True, help="Replace the result in the folder.")
@click.option("--no-pictures", is_flag=True, help="Draw nothing.")
@laws_option
def drive(
    motion: Path,
    scene: Path,
    joints: tuple[str, ...],
    muscles: tuple[str, ...],
    fps: float,
    begin: float,
    seconds: float | None,
    output: Path | None,
    overwrite: bool,
    no_pictures: bool,
    laws: tuple[Path, ...],
) -> None:
    """Let MOTION, a result of `vastus juggle`, drive the tissue of SCENE.

    Angles of the body's joints drive those of the model, and activations of its units the model's
    muscles; the scene's own inputs are not used. The folder gets a usual result, and moments.csv:
    what the muscles of the tissue do about each joint beside what the lines of the body did.
    """
    from dataclasses import replace

    from vastus.cli.run import show_files, show_table, solve
    from vastus.coupling.driven import driven_inputs, line_moments
    from vastus.job import prepare, require_free, require_sound
    from vastus.results.body_motion import read_body_motion
    from vastus.scene.read import read

    load_laws(laws)
    pairing = _pairing(joints, muscles)
    run = _part(read_body_motion(motion), begin, seconds)
    if not fps > 0:
        raise ModelError(f"--fps {fps:g}: there must be more than 0 frames a second")
    said = read(scene)
    with output_folder(output, scene, "driven") as folder:
        if not overwrite:
            require_free(folder)
        with BuildProgress() as progress:
            job = prepare(said, watch=progress.watch)
        require_sound(job)
        job = replace(job, inputs=driven_inputs(job.model, run, pairing, fps=fps))
        lines = line_moments(run.frames(fps), pairing)
    solve(job, folder, resume=False, again="vastus drive, from the beginning")
    show_table(folder)
    found = _beside(folder, lines)
    _write(folder, found)
    for joint in lines:
        tissue, line = (np.abs(found[f"{joint}_{what}_Nm"]).mean() for what in ("tissue", "lines"))
        click.echo(f"about {joint}: tissue {tissue:.2f} N m, lines {line:.2f} N m in the mean")
    if not no_pictures:
        _draw(folder, found, list(lines))
    show_files(job, folder, pictures=not no_pictures)
    click.echo(f"moments: {folder / TABLE}")


def _pairing(joints: Sequence[str], muscles: Sequence[str]) -> Pairing:
    from vastus.coupling.driven import Pairing

    if not joints:
        raise ModelError("--joint is missing: pair a joint, as --joint elbow=r_elbow_flexion@25")
    units = {}
    for word in muscles:
        muscle, equals, names = word.partition("=")
        if not (equals and muscle.strip() and words(names)):
            raise ModelError(f"--muscle '{word}' is not of the form MODEL=UNIT,UNIT")
        units[muscle.strip()] = tuple(words(names))
    return Pairing(dict(_joint(word) for word in joints), units)


def _joint(word: str) -> tuple[str, BodyJoint]:
    from vastus.coupling.driven import BodyJoint

    model, equals, rest = word.partition("=")
    body, at, zero = rest.strip().partition("@")
    try:
        angle = radians(float(zero)) if at else 0.0
    except ValueError:
        angle = float("nan")
    name = body.strip().removeprefix("-").strip()
    if not (equals and model.strip() and name and isfinite(angle)):
        raise ModelError(f"--joint '{word}' is not of the form MODEL=BODY or MODEL=BODY@DEG")
    sign = -1.0 if body.strip().startswith("-") else 1.0
    return model.strip(), BodyJoint(name, sign, angle)


def _part(motion: BodyMotion, begin: float, seconds: float | None) -> BodyMotion:
    end = np.inf if seconds is None else begin + seconds
    rows = np.flatnonzero((motion.times >= begin - 1e-9) & (motion.times <= end + 1e-9))
    if not len(rows):
        raise FileError(
            f"the motion goes from {motion.times[0]:g} to {motion.times[-1]:g} s; "
            f"--from {begin:g} leaves nothing of it"
        )
    return motion.at(rows)


def _beside(folder: Path, lines: dict[str, Floats]) -> dict[str, Floats]:
    """Moments [N m] of tissue and lines over time, by column."""
    from vastus.results.result import read_result

    result = read_result(folder)
    columns: dict[str, Floats] = {"time_s": result.times}
    names = [muscle.name for muscle in result.model.muscles]
    for joint, line in lines.items():
        own = [f"{muscle}_{joint}_moment_Nm" for muscle in names]
        given = [result.table[name] for name in own if name in result.table]
        columns[f"{joint}_tissue_Nm"] = np.sum(given, axis=0) if given else np.zeros(len(line))
        columns[f"{joint}_lines_Nm"] = line[: len(result.times)]
    return columns


def _write(folder: Path, columns: dict[str, Floats]) -> None:
    from vastus.files.safe import write_text
    from vastus.results.frame_rows import line

    rows = np.column_stack(list(columns.values())).tolist()
    write_text(folder / TABLE, "".join(line(row) for row in (list(columns), *rows)))


def _draw(folder: Path, columns: dict[str, Floats], joints: Sequence[str]) -> None:
    from vastus.pictures.column_plot import ColumnPlot

    shown = {f"{j}_{w}_Nm": f"{j}, {w}" for j in joints for w in ("tissue", "lines")}
    try:
        ColumnPlot("time_s", shown, "time [s]", "moment [N m]").draw(columns, folder / PLOT)
    except MissingExtra as error:
        note(f"warning: nothing was drawn: {error}")
