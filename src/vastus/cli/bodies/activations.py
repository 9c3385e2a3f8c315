"""`vastus activations`: what muscles must do for joints to follow a motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import radians
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from vastus.cli.bodies.wanted_outputs import Asked, found_for, print_found
from vastus.cli.console import BuildProgress, ProgressBar, note
from vastus.cli.options import laws_option, load_laws, number_of, pairs
from vastus.errors import FileError, MissingExtra, ModelError, known

if TYPE_CHECKING:
    from vastus.control.activations.key_frames import Activations, Poses
    from vastus.control.activations.line_body import Coordinate
    from vastus.control.activations.wanted import FoundActivations
    from vastus.files.motion_files import Motion
    from vastus.job import Job
    from vastus.model import Model
    from vastus.timeloop import Solver

NOTICED = 0.01  # of the largest torque: a reserve that is told


@dataclass(frozen=True)
class Followed:
    """What is asked of a motion: its columns and rests by joint, and how it is taken."""

    motion: Path | None
    columns: dict[str, str]
    rest: dict[str, float]  # [deg or m]
    muscles: tuple[str, ...]
    static: bool
    lines: bool
    cutoff: float | None
    fps: float | None
    least: float | None

    def read(self) -> Motion:
        """The motion of the file."""
        from vastus.files.motion_files import read_motion

        if self.motion is None:
            raise FileError("name the motion by --motion: .csv, .mot, .sto, .bvh or .usd")
        return read_motion(self.motion)

    def poses(self, motion: Motion, driven: Sequence[Coordinate], *, static: bool) -> Poses:
        """The poses of coordinates that the motion drives."""
        from vastus.control.activations.key_frames import poses_of

        turns = {c.name: c.turns for c in driven}
        for name in self.rest:
            if name not in turns:
                raise known("driven joint", name, turns)
        zero = {name: radians(v) if turns[name] else v for name, v in self.rest.items()}
        return poses_of(
            motion, driven, self.columns,
            rest=zero, static=static, cutoff=self.cutoff, fps=self.fps,
        )  # fmt: skip


@click.command(short_help="Find activations that move joints as a motion does.")
@click.argument("model", type=click.Path(path_type=Path))
@click.option(
    "--motion",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Joints over time: .csv [deg], .mot, .sto, .bvh, .usd; a scene's own joints unless given.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The activations, .sto or .csv; MODEL_activations.sto beside the model unless given.",
)
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="JOINT=COLUMN",
    help="The column that a joint follows, if it is not called so; -COLUMN turns it; repeatable.",
)
@click.option(
    "--rest",
    multiple=True,
    metavar="JOINT=DEG",
    help="Angle, or way [m], of a joint in the motion at which the model has 0; repeatable.",
)
@click.option(
    "--target",
    "targets",
    multiple=True,
    metavar="OUTPUT=VALUE",
    help="What a column of a scene's table is to be at its end; repeatable.",
)
@click.option(
    "--targets",
    "target_table",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The same over time: .csv, .sto or .mot with a column for each output.",
)
@click.option(
    "--marker",
    "markers",
    multiple=True,
    metavar="NAME=X,Y,Z",
    help="A point [m] of a scene at rest, whose outputs are NAME_x_m and so on; repeatable.",
)
@click.option("--muscle", "muscles", multiple=True, metavar="NAME", help="Only these pull.")
@click.option("--static", is_flag=True, help="Hold each pose still: weight without inertia.")
@click.option("--lines", is_flag=True, help="Take the volumes of a scene as straight lines.")
@click.option("--cutoff", type=float, metavar="HZ", help="Filter out what is faster.")
@click.option("--fps", type=float, help="Poses a second; those of the motion unless given.")
@click.option(
    "--least",
    type=click.FloatRange(0.0, 1.0),
    help="Least activation; of an .osim what it says, else 0.",
)
@click.option("--overwrite", is_flag=True, help="Replace files that are there.")
@click.option("--no-plot", is_flag=True, help="Draw nothing.")
@laws_option
def activations(
    model: Path,
    output: Path | None,
    columns: tuple[str, ...],
    rest: tuple[str, ...],
    targets: tuple[str, ...],
    target_table: Path | None,
    markers: tuple[str, ...],
    overwrite: bool,
    no_plot: bool,
    laws: tuple[Path, ...],
    **asked: Any,
) -> None:
    """Find the least activations that balance the joints of MODEL in the poses of a motion.

    MODEL is a file of line muscles (.osim, or MJCF .xml), whose weight and inertia the muscles
    balance, or a scene (.yaml) or saved model (.npz), whose volumes hold each pose still. What
    muscles cannot give is told as a reserve. A scene takes the file as `inputs.activation_file`.

    With --target or --targets no joint is driven: the muscles of a scene bring joint angles, points
    and forces to the values that are wanted, and what is out of reach is told.
    """
    from vastus.control.activations.body_files import BODIES
    from vastus.files.foreign import by_suffix
    from vastus.files.motion_files import WRITERS, write_motion
    from vastus.files.safe import make_folder, require_writable

    load_laws(laws)
    output = output or model.with_name(f"{model.stem}_activations.sto")
    by_suffix(output, WRITERS)
    require_writable(output.parent)  # before what may take long
    wanted = bool(targets or target_table or markers)
    ending = "outputs" if wanted else "torques"
    table = output.with_name(f"{output.stem}_{ending}.csv")
    for path in (output, table):
        if path.exists() and not overwrite:
            raise FileError(f"'{path}' exists already; replace it with --overwrite")
    found: Activations | FoundActivations
    if wanted:
        _refuse_motion({**asked, "column": columns, "rest": rest})
        said = Asked(
            pairs("--target", targets, "OUTPUT=VALUE"), target_table,
            pairs("--marker", markers, "NAME=X,Y,Z"), asked["muscles"], asked["least"],
        )  # fmt: skip
        found = found_for(model, said)
        print_found(found)
    else:
        named = dict(pairs("--column", columns))
        zero = {joint: number_of("--rest", joint, value) for joint, value in pairs("--rest", rest)}
        motion = Followed(columns=named, rest=zero, **asked)
        lines = model.suffix.lower() in BODIES
        found = _of_lines(model, motion) if lines else _of_volumes(model, motion)
        _print(found)
    make_folder(output.parent)
    write_motion(output, found.motion())
    write_motion(table, found.account())
    click.echo(f"activations: {output}")
    click.echo(f"{'outputs' if wanted else 'torques, reserves and arms'}: {table}")
    if not no_plot:
        _draw(found, output.with_suffix(".png"))


def _refuse_motion(asked: dict[str, Any]) -> None:
    """Refuse what is asked of a motion where outputs are wanted."""
    for name in ("motion", "column", "rest", "static", "lines", "cutoff", "fps"):
        if asked[name]:
            raise ModelError(f"--{name} is for a motion of joints, not for targets; leave it out")


def _of_lines(path: Path, wanted: Followed) -> Activations:
    from vastus.control.activations.body_files import coordinates_of, read_line_body
    from vastus.control.activations.key_frames import driven_by, line_activations

    if wanted.lines:
        raise FileError("--lines is for the volumes of a scene; this file has lines only")
    motion = wanted.read()
    driven = driven_by(motion, coordinates_of(path), wanted.columns)
    body = read_line_body(path, [c.name for c in driven], wanted.muscles)
    poses = wanted.poses(motion, driven, static=wanted.static)
    if body.held:
        note(f"held as the file has them: {', '.join(body.held)}")
    with ProgressBar(len(poses.times)) as bar:
        return line_activations(body, poses, least=wanted.least, watch=_told(bar))


def _of_volumes(path: Path, wanted: Followed) -> Activations:
    from vastus.control.activations.key_frames import driven_by
    from vastus.control.activations.volume_body import VolumeBody, hinges_of, volume_activations

    if wanted.muscles:
        raise FileError("--muscle is for files of line muscles; a scene has all of its muscles")
    model, solver, motion = _prepared(path, wanted)
    driven = driven_by(motion, hinges_of(model), wanted.columns)
    poses = wanted.poses(motion, driven, static=True)
    body = VolumeBody(model, solver, tuple(c.name for c in driven))
    note(f"{model.mesh.n_tets} tets in {len(poses.times)} poses, each held still")
    with ProgressBar(len(poses.times)) as bar:
        return volume_activations(
            body, poses, lines=wanted.lines, least=wanted.least, watch=_told(bar)
        )


def _told(bar: ProgressBar) -> Any:
    return lambda done, total: bar.tell(f"pose {done} of {total}", completed=done, total=total)


def _prepared(path: Path, wanted: Followed) -> tuple[Model, Solver, Motion]:
    """The model of a scene or file, its solver, and the motion: the scene's if no other is named.

    What can be refused is, before anything is built.
    """
    from vastus.files.model_file import load_model
    from vastus.job import prepare, require_sound
    from vastus.scene.read import read
    from vastus.solvers.quasi_newton import QuasiNewton

    if path.suffix == ".npz":
        motion = wanted.read()
        return load_model(path), QuasiNewton(), motion
    if path.suffix not in (".yaml", ".yml"):
        raise FileError(
            f"'{path}' is neither line muscles (.osim, .xml) nor a scene (.yaml) or model (.npz)"
        )
    scene, named = read(path), wanted.read() if wanted.motion else None
    if named is None and not scene.description.inputs.joints:
        raise FileError(f"'{path}' drives no joint under 'inputs: joints'; name a --motion")
    with BuildProgress() as progress:
        job = prepare(scene, watch=progress.watch)
    require_sound(job)
    return job.model, job.solver, named or _own_motion(job)


def _own_motion(job: Job) -> Motion:
    """The joints of a scene, frame by frame."""
    from vastus.files.motion_files import Motion
    from vastus.skeleton.coordinates import of_joint

    times = np.array([inputs.time for inputs in job.inputs])
    table, columns = np.array([inputs.joints for inputs in job.inputs], float), {}
    for index, joint in enumerate(job.model.joints):
        own = of_joint(job.model.joints, index)
        if own.stop - own.start == 1 and not np.isnan(table[:, own]).any():
            columns[joint.name] = table[:, own.start]
    return Motion(times, columns, degrees=False)


def _print(found: Activations) -> None:
    """Print the largest torques and reserves, and each muscle's mean and largest activation."""
    click.echo(f"{'joint':<24}{'largest torque':>16}{'largest reserve':>18}")
    for k, c in enumerate(found.coordinates):
        torque, reserve = (np.abs(v[:, k]) for v in (found.torques, found.reserves))
        unit = c.effort
        click.echo(f"{c.name:<24}{torque.max():12.4g} {unit}{reserve.max():14.3g} {unit}")
        if reserve.max() > NOTICED * torque.max():
            at = found.times[int(np.argmax(reserve))]
            note(f"warning: muscles leave {reserve.max():.3g} {unit} of '{c.name}' at {at:g} s")
    click.echo(f"{'muscle':<24}{'mean':>8}{'largest':>10}")
    for muscle, a in zip(found.muscles, found.activations.T, strict=True):
        click.echo(f"{muscle:<24}{a.mean():8.4f}{a.max():10.4f}")


def _draw(found: Activations | FoundActivations, path: Path) -> None:
    from vastus.pictures.column_plot import ColumnPlot

    motion = found.motion()
    table = {"time": motion.times, **motion.columns}
    curves = {muscle: muscle for muscle in found.muscles}
    try:
        ColumnPlot("time", curves, "time [s]", "activation", "activations").draw(table, path, [])
        click.echo(f"plot: {path}")
    except MissingExtra as error:
        note(f"warning: nothing was drawn: {error}")
