"""`vastus upper-body`: 814 muscles move a whole upper body as a motion asks."""

from __future__ import annotations

import shlex
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from vastus.cli.bodies.exercise_options import (
    INVERSES,
    PARTS,
    dynamics_of,
    exercise_of,
    require_sane,
    simulation_of,
)
from vastus.cli.console import ProgressBar, note
from vastus.cli.failures import INTERRUPTED, SOLVE_FAILED, interrupts_heard
from vastus.cli.options import output_option
from vastus.errors import FileError, MissingExtra, SolveError

if TYPE_CHECKING:
    from vastus.control.upper_body.exercises import Exercise
    from vastus.control.upper_body.recording import Recording
    from vastus.control.upper_body.simulation import Simulation
    from vastus.results.upper_body_files import ExerciseFolder

KEPT_EVERY = 30  # frames between two writings of what there is


@click.command(name="upper-body", short_help="Move a whole upper body by its 814 muscles.")
@click.argument("motion")
@output_option("Folder of the result; vastus-MOTION unless given.")
@click.option("--seconds", type=float, help="How long [s]; as long as the motion unless given.")
@click.option(
    "--breathing", "breath", type=float, metavar="DEG",
    help="How far ribs rise in each breath [degrees]; 3 in `breathing`, else none.",
)  # fmt: skip
@click.option("--period", default=4.0, show_default=True, help="Of a breath [s].")
@click.option(
    "--mass", "masses", multiple=True, type=float, metavar="KG",
    help="Of each dumbbell of `curl`; given twice, it changes. Unless given: 2, then 6.",
)  # fmt: skip
@click.option("--change", default=2.0, show_default=True, help="When the dumbbells change [s].")
@click.option(
    "--inertia", is_flag=True, help="Dumbbells resist acceleration; else they only weigh."
)
@click.option(
    "--sensor", type=float, metavar="RATE",
    help="How quickly a load is felt [1/s]; at once unless given.",
)  # fmt: skip
@click.option(
    "--coactivation", multiple=True, metavar="[PART=]LEVEL",
    help=f"Of agonists and antagonists: of all, or of {', '.join(PARTS)}; repeatable.",
)  # fmt: skip
@click.option(
    "--head", nargs=3, type=float, metavar="X Y Z",
    help="Goal of `pose`: the head turned about the left, back and up axes [degrees].",
)  # fmt: skip
@click.option(
    "--chest", nargs=3, type=float, metavar="X Y Z",
    help="Goal of `pose`: the first thoracic vertebra turned likewise.",
)  # fmt: skip
@click.option(
    "--map", "mapped", multiple=True, metavar="COLUMN=JOINT",
    help="Column of a motion file that moves a joint, -COLUMN the other way; repeatable.",
)  # fmt: skip
@click.option(
    "--bones", type=click.Path(path_type=Path), metavar="FOLDER",
    help="Surfaces of bones [mm], one file each, to make the body from; its own unless given.",
)  # fmt: skip
@click.option(
    "--cartilages", default="2 3 4 5-10", show_default=True, metavar="RIBS",
    help="Ribs whose costal cartilages make one body each.",
)  # fmt: skip
@click.option(
    "--inverse", type=click.Choice(INVERSES), default=INVERSES[0], show_default=True,
    help="How torques are found: of the step to be taken, now, or by the paper's look ahead.",
)  # fmt: skip
@click.option("--slack-ratio", default=1.05, show_default=True, help="Slack by relaxed lengths.")
@click.option("--spread", is_flag=True, help="Raise the weights of muscles above 1.")
@click.option("--limit", type=float, help="Greatest activation; none unless given.")
@click.option("--steps", default=5, show_default=True, help="Steps in each 30th of a second.")
@click.option("--resume", is_flag=True, help="Go on after the frames that the folder holds.")
@click.option("--overwrite", is_flag=True, help="Replace the result that the folder holds.")
@click.option("--no-pictures", is_flag=True, help="Draw no plot, sheet or movie.")
@click.option(
    "--movie", "fps", type=click.FloatRange(0, 30), default=15.0, show_default=True,
    metavar="FPS", help="Pictures of each second in movie.mp4; 0 draws no movie.",
)  # fmt: skip
def upper_body(motion: str, output: Path | None, **options: Any) -> None:
    """Let 814 muscles move 68 bodies as MOTION asks: curl, breathing, pectorals, flex or pose.

    MOTION may be a file of joint angles too (.csv, .mot, .sto, .bvh, .usd), whose columns are
    called as joints or mapped to them. The folder gets motion.csv, motion.npz with the poses of
    all bodies and all activations at 30 frames a second, provenance.json, plot.png, sheet.png and
    movie.mp4. Ctrl-C keeps what is done.
    """
    from vastus.files.safe import make_folder, require_writable
    from vastus.results.upper_body_files import ExerciseFolder

    if options["resume"] and options["overwrite"]:
        raise FileError("--resume goes on with a result and --overwrite replaces it; give only one")
    folder = output or Path(f"vastus-{Path(motion).stem}")
    require_writable(folder)
    read = require_sane(motion, options)
    dynamics = dynamics_of(options)
    exercise = exercise_of(motion, read, dynamics, options)
    simulation = simulation_of(dynamics, exercise, options)
    drawing = ("resume", "overwrite", "no_pictures", "fps")
    kept = {name: value for name, value in options.items() if name not in drawing}
    files = ExerciseFolder(folder, dynamics.body, {"motion": motion, **kept}, exercise.loads)
    if not (options["resume"] or options["overwrite"]):
        files.require_free()
    begun = files.load() if options["resume"] and not files.empty else None
    make_folder(folder)
    files.begin()
    recording = _run(simulation, files, begun)
    _tell(recording, files, exercise)
    if not options["no_pictures"]:
        _draw(files, recording, options["fps"])
    if recording.lacking:
        raise click.exceptions.Exit(SOLVE_FAILED)


def _run(simulation: Simulation, files: ExerciseFolder, begun: Any) -> Recording:
    """All frames, with what is done kept at every second of motion and after Ctrl-C."""
    from vastus.control.upper_body.recording import Recording
    from vastus.numerics.jit import lone_blas

    frames, moment = begun if begun else ([], None)
    total, seconds = simulation.count + 1, simulation.exercise.seconds
    try:
        with interrupts_heard(), lone_blas(), ProgressBar(total, len(frames)) as bar:
            for frame in simulation.frames(moment):
                # An interrupt may come between any two lines: frames are as many as the moment has.
                frames.append(frame)
                moment = simulation.moment
                bar.tell(
                    f"{frame.time:.2f} of {seconds:g} s, largest activation "
                    f"{frame.activations.max():.2f}",
                    completed=len(frames), total=total,
                )  # fmt: skip
                if len(frames) % KEPT_EVERY == 0:
                    files.save(frames, moment)
    except KeyboardInterrupt:
        files.save(frames, moment)
        files.interrupt()
        again = shlex.join(["vastus", *[w for w in sys.argv[1:] if w != "--overwrite"], "--resume"])
        note(
            f"interrupted: {len(frames)} of {total} frames are in '{files.folder}'; "
            f"go on with: {again}"
        )
        raise click.exceptions.Exit(INTERRUPTED) from None
    except SolveError as error:
        files.save(frames, moment)
        files.fail(str(error))
        raise
    files.save(frames, moment)
    return Recording.of(frames)


def _tell(recording: Recording, files: ExerciseFolder, exercise: Exercise) -> None:
    """Print what happened, and finish the files."""
    from vastus.control.upper_body.articulated import Articulated

    warnings = recording.warnings(files.body)
    for sentence in warnings:
        note(f"warning: {sentence}")
    way = 1e3 * recording.centre(Articulated(files.body), "sternum")
    way -= way[0]
    rise = float(way[np.abs(way[:, 2]).argmax(), 2])
    outcome = {
        "frames": len(recording.times),
        "largest_activation": float(recording.peaks.max()),
        "missing_Nm": float(np.abs(recording.missing).max()),
        "sternum_mm": float(np.linalg.norm(way, axis=1).max()),
        "sternum_up_mm": rise,
        "sternum_sideways_mm": float(np.abs(way[:, 0]).max()),
        "cpu_s_per_s": recording.slowness,
        "warnings": warnings,
    }
    files.finish(recording, outcome, warnings[-1] if recording.lacking else "done")
    click.echo(
        f"{exercise.name}: {exercise.seconds:g} s, largest activation "
        f"{recording.peaks.max():.2f}; the sternum moves by {outcome['sternum_mm']:.2f} mm, "
        f"{'up' if rise >= 0 else 'down'} by {abs(rise):.2f}"
    )
    click.echo(f"{recording.slowness:.2f} s of the processor for each second of motion")
    for name in ("motion.csv", "motion.npz"):
        click.echo(f"{name}: {files.folder / name}")


def _draw(files: ExerciseFolder, recording: Recording, fps: float) -> None:
    """Draw what there is to see, and say where."""
    from vastus.flesh.layers import read_layers
    from vastus.pictures.bodies.layer_pictures import layer_movie, layer_sheet
    from vastus.pictures.bodies.upper_body_plot import exercise_plot

    plot, sheet, movie = (files.folder / n for n in ("plot.png", "sheet.png", "movie.mp4"))
    try:
        exercise_plot(files.body, recording, plot)
        click.echo(f"plot: {plot}")
        layers = read_layers(files.folder)
        with ProgressBar() as bar:
            bar.tell("drawing the sheet")
            layer_sheet(layers, sheet)
            click.echo(f"sheet: {sheet}")
            if fps:
                told = partial(_told, bar)
                layer_movie(layers, movie, fps=fps, watch=told)
                click.echo(f"movie: {movie}")
    except MissingExtra as error:
        note(f"warning: not all was drawn: {error}")


def _told(bar: ProgressBar, done: int, total: int) -> None:
    bar.tell(f"drawing the movie, picture {done} of {total}", completed=done, total=total)
