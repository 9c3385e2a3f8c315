"""`vastus track`: a body whose muscles follow a motion of its joints."""

from __future__ import annotations

from hashlib import sha256
from math import radians
from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np

from vastus.cli.console import ProgressBar, note, plain_table, stdout
from vastus.cli.failures import SOLVE_FAILED
from vastus.cli.options import number_of, output_folder, output_option, pairs
from vastus.errors import FileError, MissingExtra, ModelError, known

if TYPE_CHECKING:
    from vastus.bodies.body import Body
    from vastus.control.motion_tracking import Course, Tracked

JUGGLER = "juggler"
TABLE, ACTIVATIONS, PLOT = "tracking.csv", "activations.sto", "plot.png"
ASTRAY = 20.0  # [deg, or cm of sliders] off, at which a body does not follow any more
_SHOWN = 6  # joints and units that are drawn


@click.command(short_help="Let the muscles of a body follow a motion of its joints.")
@click.argument("body")
@click.argument("motion", type=click.Path(path_type=Path))
@output_option("Folder of the result; MOTION_tracked beside the motion unless given.")
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
    help="Angle, or way [m], of a joint in the motion at which the body has 0; repeatable.",
)
@click.option("--cutoff", type=float, metavar="HZ", help="Filter out what is faster.")
@click.option("--rate", default=500.0, show_default=True, help="Control periods a second [Hz].")
@click.option(
    "--reserve", default=0.0, show_default=True, help="Greatest torque besides muscles [N m]."
)
@click.option(
    "--hand", "hands", multiple=True, metavar="NAME",
    help="Site or body that a limb ends in; the palms of the file unless given; repeatable.",
)  # fmt: skip
@click.option("--overwrite", is_flag=True, help="Replace the result in the folder.")
@click.option("--no-plot", is_flag=True, help="Draw nothing.")
def track(
    body: str,
    motion: Path,
    output: Path | None,
    columns: tuple[str, ...],
    rest: tuple[str, ...],
    cutoff: float | None,
    rate: float,
    reserve: float,
    hands: tuple[str, ...],
    overwrite: bool,
    no_plot: bool,
) -> None:
    """Let the muscles of BODY follow MOTION: .csv [deg], .mot, .sto, .bvh or .usd.

    BODY is an MJCF file of line muscles, or the word 'juggler': the upper body of `vastus juggle`.
    Activations come from a quadratic program each control period. Angles wanted and had,
    activations, forces and torques that muscles cannot give are written to a folder. A body that
    strays far from its motion is a failure.
    """
    from vastus.control.motion_tracking import course_of
    from vastus.control.motion_tracking import track as tracked
    from vastus.control.plant import STEP
    from vastus.control.tracking import Tracker
    from vastus.files.motion_files import read_motion

    if not 1.0 <= rate <= 1.0 / STEP:
        raise ModelError(f"--rate {rate:g}: it must be between 1 and {1 / STEP:g} Hz")
    if not 0 <= reserve < np.inf:
        raise ModelError(f"--reserve {reserve:g}: it cannot be below 0 N m")
    read, moves = _body(body, hands), read_motion(motion)
    zero = {joint: number_of("--rest", joint, value) for joint, value in pairs("--rest", rest)}
    course = course_of(
        read, moves, dict(pairs("--column", columns)), rest=_radians(read, zero), cutoff=cutoff
    )
    with output_folder(output, motion, "tracked") as folder:
        if (folder / TABLE).exists() and not overwrite:
            raise FileError(f"'{folder}' holds a tracked motion; --overwrite replaces it")
    _tell(course)
    period = STEP * max(1, round(1.0 / (rate * STEP)))
    with ProgressBar() as bar:
        found = tracked(
            read, course,
            tracker=Tracker(read, period=period, reserve=reserve),
            watch=lambda t, end: bar.tell(
                f"{t:.1f} of {end:g} s", completed=round(100 * t), total=round(100 * end)
            ),
        )  # fmt: skip
    astray = _print(found)
    _write(found, folder, motion, astray)
    if not no_plot:
        _draw(found, folder / PLOT)
    click.echo(f"table: {folder / TABLE}")
    click.echo(f"activations: {folder / ACTIVATIONS}")
    if astray:
        raise click.exceptions.Exit(SOLVE_FAILED)


def _body(name: str, hands: tuple[str, ...]) -> Body:
    """The body of a word or file."""
    if name == JUGGLER:
        from vastus.bodies import juggler

        if hands:
            raise ModelError(f"--hand is for files; '{JUGGLER}' has its own hands")
        return juggler()
    from vastus.bodies.read import read_body
    from vastus.modelling.lines.mjcf import open_mjcf

    path = Path(name)
    if hands:
        return read_body(path, hands={hand: hand for hand in hands})
    if path.suffix.lower() != ".xml":
        raise FileError(f"'{name}' is neither an MJCF file (.xml) nor '{JUGGLER}'")
    _, m = open_mjcf(path)
    if not any("palm" in m.site(s).name.lower() for s in range(m.nsite)):
        names = [m.body(b).name for b in range(1, m.nbody) if m.body(b).name]
        raise FileError(
            f"'{name}' has no palm; name what each limb ends in by --hand: {', '.join(names)}"
        )
    return read_body(path)


def _radians(body: Body, given: dict[str, float]) -> dict[str, float]:
    from vastus.control.motion_tracking import coordinates_of_arms

    turns = {c.name: c.turns for c in coordinates_of_arms(body)}
    for name in given:
        if name not in turns:
            raise known("joint", name, turns)
    return {name: radians(v) if turns[name] else v for name, v in given.items()}


def _tell(course: Course) -> None:
    """Say what is driven and what is held."""
    names = [c.name for c in course.coordinates]
    held = [name for k, name in enumerate(names) if k not in course.driven]
    follow = "joint follows" if len(course.driven) == 1 else "joints follow"
    note(f"{len(course.driven)} {follow} {course.duration:g} s of motion")
    if held:
        note(f"held in the home pose: {', '.join(held)}")


def _print(found: Tracked) -> bool:
    """Print errors and busiest units; whether the body has strayed from its motion."""
    table = plain_table("joint", "error, rms", "largest", "", "missing", "")
    for heading in (table.columns[k] for k in (1, 2, 4)):
        heading.justify = "right"
    astray = []
    for k, c in enumerate(found.coordinates):
        scale, unit = (np.degrees(1.0), "deg") if c.turns else (100.0, "cm")
        largest = scale * found.largest[k]
        table.add_row(
            c.name, f"{scale * found.rms[k]:.3f}", f"{largest:.3f}", unit,
            f"{np.abs(found.missing[:, k]).max():.2f}", c.effort,
        )  # fmt: skip
        if not largest < ASTRAY:
            astray.append(f"{c.name} by {largest:.0f} {unit}")
    stdout().print(table)
    turns = [k for k, c in enumerate(found.coordinates) if c.turns]
    if turns:
        rms = float(np.degrees(np.sqrt((found.rms[turns] ** 2).mean())))
        click.echo(f"error of all angles: {rms:.3f} deg rms")
    for name, past in found.beyond.items():
        turn = next(c.turns for c in found.coordinates if c.name == name)
        told = f"{np.degrees(past):.1f} deg" if turn else f"{100 * past:.1f} cm"
        note(f"warning: the motion leads {name} {told} past its limit")
    for time, lack in found.shortfalls.values():
        note(f"warning: {lack} at {time:.2f} s")
    if found.reserves.any():
        note(f"reserves up to {np.abs(found.reserves).max():.2f} N m were used")
    if astray:
        note(f"the body does not follow the motion: it is off at {', '.join(astray)}")
    return bool(astray)


def _write(found: Tracked, folder: Path, motion: Path, astray: bool) -> None:
    from vastus.files.motion_files import write_motion
    from vastus.files.safe import make_folder, read_bytes
    from vastus.results.provenance import Provenance, Record, Status
    from vastus.results.result import PROVENANCE

    make_folder(folder)
    write_motion(folder / TABLE, found.table())
    write_motion(folder / ACTIVATIONS, found.motion())
    digest = sha256(read_bytes(motion)).hexdigest()
    record = Record.begin(folder / PROVENANCE, Provenance(scene=digest), " ".join(found.units))
    record.contents["outcome"] = {
        "rms": dict(zip((c.name for c in found.coordinates), found.rms.tolist(), strict=True)),
        "missing": {name: lack.torque for name, (_, lack) in found.shortfalls.items()},
    }
    record.mark(Status.FAILED if astray else Status.FINISHED)


def _draw(found: Tracked, path: Path) -> None:
    from vastus.pictures.table_curves import Panel, draw_panels

    turns = [k for k in found.driven if found.coordinates[k].turns]
    moved = sorted(turns, key=lambda k: -float(np.ptp(found.wanted[:, k])))[:_SHOWN]
    names = {k: found.coordinates[k].name for k in moved}
    busiest = np.argsort(-(found.activations**2).mean(axis=0))[:_SHOWN]
    panels = [
        Panel(
            "angle [deg]",
            {names[k]: np.degrees(found.had[:, k]) for k in moved},
            {names[k]: np.degrees(found.wanted[:, k]) for k in moved},
        ),
        Panel(
            "error [deg]",
            {names[k]: np.degrees(found.had[:, k] - found.wanted[:, k]) for k in moved},
        ),
        Panel("activation", {found.units[k]: found.activations[:, k] for k in busiest}),
        Panel("missing [N m]", {"largest": np.abs(found.missing).max(axis=1)}, span=1.0),
    ]
    try:
        draw_panels(found.times, panels, path)
        click.echo(f"plot: {path}")
    except MissingExtra as error:
        note(f"warning: nothing was drawn: {error}")
