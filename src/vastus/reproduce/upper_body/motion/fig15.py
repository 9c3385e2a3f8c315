"""Fig. 15: dumbbells whose mass increases suddenly, with and without a sensor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.control.upper_body.controller import Gains
from vastus.control.upper_body.dynamics import Dynamics
from vastus.control.upper_body.exercises import SIDES, curl
from vastus.control.upper_body.recording import Recording
from vastus.control.upper_body.simulation import FPS, Simulation
from vastus.files.html import Table
from vastus.numerics.types import Floats
from vastus.pictures.colours import IVORY, muscle_colour
from vastus.pictures.panels import Shape, lines_shape, surface_shape, with_colours
from vastus.pictures.renderer import Image, load_pyvista
from vastus.reproduce import style
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting
from vastus.reproduce.upper_body.body import dynamics_of, posed_bones, posed_lines, seen

RATES: tuple[tuple[float | None, ...], ...] = ((None, 10.0, 5.0), (None, 20.0, 10.0, 5.0, 2.0))
MASSES, CHANGE, SECONDS = (2.0, 6.0), 0.4, 1.6  # [kg], [s], [s]
SHOWN = 5.0  # [1/s] the rate of the pictures
STILL, DROPS, RECOVERED = 0.1, 3.0, 1.0  # [deg] at most, at least, at most after all
VIEW = (0.75, -0.66, 0.0)
HEIGHT = (460, 800)
BAR, LINE = np.array([0.35, 0.37, 0.40]), np.array([0.1, 0.3, 0.9])  # colours
DISC = 0.045  # [m] the radius of a dumbbell


@dataclass(frozen=True, eq=False)
class Held:
    """What an arm did: how far the elbow was from its first angle (k,) [deg] at times (k,)."""

    recording: Recording
    fallen: Floats

    @property
    def drop(self) -> float:
        """The largest fall [deg]."""
        return float(self.fallen.max())

    @property
    def lowest(self) -> int:
        """The frame of the largest fall."""
        return int(np.argmax(self.fallen))

    @property
    def left(self) -> float:
        """What is left of the fall at the end [deg]."""
        return float(abs(self.fallen[-1]))


Found = Mapping[float | None, Held]


def run(setting: Setting) -> Finding:
    """Let the dumbbells become heavier."""
    dynamics = dynamics_of()
    found = {}
    for rate in RATES[setting.full]:
        setting.note("without a sensor" if rate is None else f"sensor of {rate:g} 1/s")
        found[rate] = held(dynamics, rate)
    setting.note("pictures")
    pictures = _pictures(dynamics, found[SHOWN], HEIGHT[setting.full])
    return Finding(
        agreement=agreement(found),
        sentence=sentence(found),
        tables=(_table(found),),
        figure=_drawn(found, pictures),
        caption="Above: before the change, when the hands are lowest, and after 1.2 s, with a "
        "sensor of 5 1/s; horizontal lines are at the first height of the hands, muscles are the "
        "redder the more active they are. Below: the fall of the elbow, and the mean activation "
        "of biceps and brachialis.",
    )


def held(dynamics: Dynamics, rate: float | None) -> Held:
    """Elbows held at 90 degrees while the load becomes heavier."""
    exercise = curl(dynamics, seconds=SECONDS, masses=MASSES, change=CHANGE, bent=0.0)
    recording = Recording.of(
        list(Simulation(dynamics, exercise, gains=Gains(sensor=rate)).frames())
    )
    return Held(recording, _fallen(dynamics, recording))


def _fallen(dynamics: Dynamics, recording: Recording) -> Floats:
    """(k,) [deg] how far the elbows have opened, on the mean of both sides."""
    angles = np.degrees(recording.q[:, dynamics.body.dofs(f"elbow{side}" for side in SIDES)])
    return np.asarray((np.abs(angles[0]) - np.abs(angles)).mean(axis=1))


def agreement(found: Found) -> Agreement:
    """Whether a sensor lets arms fall and recover, and without one they stay."""
    felt = [each for rate, each in found.items() if rate is not None and rate >= SHOWN]
    return Agreement.of(
        found[None].drop < STILL,
        all(each.drop > DROPS for each in felt),
        all(each.left < RECOVERED for each in felt),
    )


def sentence(found: Found) -> str:
    """How far arms fall, and what is left."""
    rates = [rate for rate in found if rate is not None]
    told = ", ".join(f"{rate:g}" for rate in rates)
    falls = ", ".join(f"{found[rate].drop:.1f}" for rate in rates)
    left = ", ".join(f"{found[rate].left:.2f}" for rate in rates)
    last = found[SHOWN]
    peak = float(last.recording.peaks.max())
    return (
        f"When {MASSES[0]:g} kg in each hand become {MASSES[1]:g}, elbows at 90 degrees fall by "
        f"{falls} degrees with sensors of {told} per second, and {left} degrees are left "
        f"{SECONDS - CHANGE:.1f} s later. With {SHOWN:g} per second they are lowest "
        f"{last.recording.times[last.lowest] - CHANGE:.2f} s after the change. Without a sensor "
        f"they move by {found[None].drop:.3f} degrees. The paper gives no numbers. The largest "
        f"activation is {peak:.2f}."
    )


def _table(found: Found) -> Table:
    columns = ("sensor [1/s]", "elbows fall by [°]", "lowest after [s]", "left after 1.2 s [°]",
               "largest activation")  # fmt: skip
    rows = [
        ("none" if rate is None else f"{rate:g}", each.drop,
         float(each.recording.times[each.lowest]) - CHANGE if rate else None, each.left,
         float(each.recording.peaks.max()))
        for rate, each in found.items()
    ]  # fmt: skip
    return Table("Dumbbells that become heavier", columns, rows)


def _pictures(dynamics: Dynamics, shown: Held, height: int) -> list[Image]:
    """Before the change, at the lowest, and at the end."""
    recording = shown.recording
    poses = recording.poses(dynamics.skeleton)
    frames = (round(CHANGE * FPS), shown.lowest, len(poses) - 1)
    grips = np.stack([recording.centre(dynamics.skeleton, f"hand{side}") for side in SIDES], axis=1)
    level = float(grips[frames[0], :, 2].mean())
    X = np.concatenate([bone.X for k in frames for _, bone in posed_bones(poses[k])])
    pictures = []
    for k in frames:
        shapes = [surface_shape(b.X, b.faces, IVORY) for _, b in posed_bones(poses[k])]
        colours = _colours(recording.activations[k])
        shapes.append(lines_shape(posed_lines(poses[k]), colours, width=2.0))
        shapes += [_rule(level), *(part for grip in grips[k] for part in _dumbbell(grip))]
        pictures += seen(shapes, X, height, sides=(VIEW,), room=0.04)
    return pictures


def _rule(level: float) -> Shape:
    """A horizontal line before the body at a height [m]."""
    across, before = np.cross((0.0, 0.0, 1.0), VIEW), 0.8 * np.array(VIEW)
    middle = before + np.array([0.0, 0.0, level])
    return lines_shape([np.array([middle - 0.5 * across, middle + 0.5 * across])], LINE, width=2.0)


def _colours(activation: Floats) -> Floats:
    return np.array([muscle_colour(float(a)) for a in np.clip(activation, 0.0, 1.0)])


def _dumbbell(at: Floats) -> list[Shape]:
    """A bar from left to right with two discs, at a hand (3,)."""
    parts = ((0.0, 0.012, 0.14), (-0.07, DISC, 0.025), (0.07, DISC, 0.025))
    made = [
        load_pyvista().Cylinder(
            center=at + np.array([x, 0.0, 0.0]), direction=(1.0, 0.0, 0.0), radius=radius,
            height=length, resolution=40,
        )
        for x, radius, length in parts
    ]  # fmt: skip
    return [Shape(with_colours(each, BAR)) for each in made]


def _drawn(found: Found, pictures: Sequence[Image]) -> Any:
    made, axes = style.mosaic("abc;abc;FFM", width=3.6, height=2.4)
    shown = found[SHOWN]
    names = ("before", f"after {shown.recording.times[shown.lowest] - CHANGE:.2f} s", "after 1.2 s")
    for letter, name, pixels in zip("abc", names, pictures, strict=True):
        style.picture(axes[letter], pixels, name)
    colours = (style.GREY, style.GREEN, style.BLUE, style.RED, style.VIOLET)
    flexors = dynamics_of().body.group("biceps brachii", "brachialis")
    for (rate, each), colour in zip(found.items(), colours, strict=False):
        name = "no sensor" if rate is None else f"{rate:g} 1/s"
        times = each.recording.times
        axes["F"].plot(times, -each.fallen, color=colour, label=name)
        axes["M"].plot(times, each.recording.activations[:, flexors].mean(axis=1), color=colour)
    axes["F"].axvline(CHANGE, color=style.INK, lw=0.7, ls=":")
    style.label(axes["F"], "elbow from where it was", "time [s]", "degrees")
    style.label(axes["M"], "biceps and brachialis", "time [s]", "mean activation", ylim=(0, None))
    style.legend(axes["F"], loc="lower right")
    return made


EXPERIMENT = Experiment(
    "fig15",
    "Fig. 15: dumbbells and a sensor",
    "When the mass of the dumbbells suddenly increases, arms are lowered for an instant and come "
    "back, because a load is felt late. Without the model of a sensor the pose would be held "
    "perfectly.",
    run,
    (0.7, 1.2),
)
