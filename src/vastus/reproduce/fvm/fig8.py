"""Fig. 8: an arm is swung; its muscles, activated as poses ask for, follow through."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.files.html import Table
from vastus.inputs import Schedule
from vastus.model import Model
from vastus.muscle import belly_of
from vastus.numerics.types import Floats
from vastus.parts import Drive
from vastus.pictures.renderer import Image
from vastus.reproduce import style
from vastus.reproduce.experiment import Agreement, Experiment, Film, Finding, Setting
from vastus.reproduce.fvm.posture import Lines, bone_poses
from vastus.reproduce.fvm.upper_arm import HEADS, SIDE, upper_arm
from vastus.schedules import from_arrays
from vastus.solvers.motion.dynamic import Dynamic
from vastus.solvers.newton import Newton
from vastus.state import Frame, Report, State, rest
from vastus.timeloop import simulate

STOP, SECONDS = 0.2, (0.4, 0.7)  # [s] when the bones stand still, and the end
BRAKE = STOP / 2  # [s] from when they are slower and slower
SHOULDER, ELBOW = 40.0, 70.0  # [deg] of the swing
EVERY, APART = 0.01, 0.025  # [s] between frames in motion, and between static ones
MOVING = Dynamic(step=2e-3, viscosity=1e-3, tolerance=1e-4)
STILL = Newton(tolerance=1e-4)
SHOWN = (0.0, 0.1, 0.2, 0.25, 0.3)  # [s] in the strip
BALLISTIC = 1e-3  # [m] beyond the static place, that is no round-off
COLOURS = (style.RED, style.ORANGE, style.BLUE, style.GREEN, style.VIOLET)


@dataclass(frozen=True, eq=False)
class Swing:
    """How far bellies (k, heads) [m] are ahead of where statics has them, along the swing."""

    times: Floats  # (k,) [s]
    ahead: Floats
    apart: Floats  # (k, heads) [m] in any direction
    levels: Floats  # (k, heads) the activations
    iterations: float  # a step

    @property
    def lag(self) -> float:
        """The farthest that a belly stays behind while bones gather speed [m]."""
        return float(-self.ahead[self.times < BRAKE].min())

    @property
    def through(self) -> float:
        """The farthest that a belly goes beyond while they brake, and after [m]."""
        return float(self.ahead[self.times >= BRAKE].max())

    @property
    def swings(self) -> float:
        """The farthest that a belly is to either side after they stopped [m]."""
        return float(np.abs(self.ahead[self.times >= STOP]).max())

    @property
    def left(self) -> float:
        """The farthest that any belly is from its static place in the end [m]."""
        return float(self.apart[-1].max())


def run(setting: Setting) -> Finding:
    """Swing the arm, in time and as a sequence of equilibria."""
    model = upper_arm(setting, humerus=Drive.SCRIPTED, forearm=Drive.SCRIPTED)
    lines = Lines(upper_arm(setting, forearm=Drive.FREE))
    end = SECONDS[setting.full]
    times = np.linspace(0.0, end, round(end / EVERY) + 1)
    schedule = swung(model, lines, times)
    start, _ = STILL.prepare(model).step(rest(model), schedule[0])
    static = _static(model, schedule, start, setting)
    setting.note("in time")
    frames = list(_moved(model, schedule, start))
    states = [frame.state for frame in frames]
    found = compared(model, schedule, states, static, [f.report for f in frames[1:]])
    pictures = style.pictures(model, [*states, *static.values()], 520, view=SIDE)
    moving, still = pictures[: len(states)], dict(zip(static, pictures[len(states) :], strict=True))
    return Finding(
        agreement=agreement(found),
        sentence=sentence(found),
        tables=(_table(found),),
        figure=_drawn(found, moving, still),
        caption="The arm in motion (above) and in equilibrium at the same angles and activations "
        "(below); how far each belly is ahead of its equilibrium, in the direction in which the "
        "humerus swings; and the activations. The bones stop at the dashed line. In the film, at "
        "a fifth of the speed.",
        solvers={"in time": MOVING, "static": STILL},
        film=Film(moving, 0.2 / EVERY),
    )


def _moved(model: Model, schedule: Schedule, start: State) -> Iterator[Frame]:
    solver: Any = MOVING  # whose steps are never of any length
    return simulate(model, solver, schedule, start=start, measured=False)


def swung(model: Model, lines: Lines, times: Floats) -> Schedule:
    """Bones that swing smoothly and stop, and the activations that hold each pose."""
    part = progress(times)
    angles = np.radians([SHOULDER, ELBOW]) * part[:, None]
    poses = [bone_poses(*pair) for pair in angles]
    levels = np.array([lines.hold(*pair).activations for pair in angles])
    placed = {name: np.array([p[name] for p in poses]) for name in ("humerus", "forearm")}
    return from_arrays(model, times, dict(zip(HEADS, levels.T, strict=True)), poses=placed)


def progress(times: Floats) -> Floats:
    """(k,) from 0 to 1 at `STOP`, with the least jerk on the way."""
    s = np.clip(times / STOP, 0.0, 1.0)
    return np.asarray(s**3 * (10 - 15 * s + 6 * s**2))


def _static(model: Model, schedule: Schedule, start: State, setting: Setting) -> dict[float, State]:
    """Equilibria by time, up to the end of the swing: what follows has the inputs of that."""
    stepper, state = STILL.prepare(model), start
    found = {0.0: start}
    for time in np.arange(APART, STOP + 1e-9, APART):
        setting.note(f"equilibrium at {time:.3f} s")
        state, _ = stepper.step(state, schedule.inputs(float(time)))
        found[round(float(time), 6)] = state
    return found


def compared(
    model: Model,
    schedule: Schedule,
    states: Sequence[State],
    static: dict[float, State],
    reports: Sequence[Report],
) -> Swing:
    """The bellies of a motion beside those of equilibria, seen from the humerus."""
    times = np.array([state.time for state in states])
    moving = np.array([middles(model, state) for state in states])
    known = np.array([middles(model, state) for state in static.values()])
    flat = known.reshape(len(known), -1).T
    # Statics depends on time by the angles alone, and is nearly straight in them.
    part, at = progress(times), progress(np.array(list(static)))
    still = np.array([np.interp(part, at, column) for column in flat])
    away = moving - still.T.reshape(moving.shape)
    levels = np.array([inputs.excitation for inputs in schedule])
    made = sum(report.substeps for report in reports)
    per_step = sum(report.iterations for report in reports) / max(made, 1)
    # Flexion moves the humerus forward, and forward is y at rest.
    return Swing(times, away[:, :, 1], np.linalg.norm(away, axis=2), levels, per_step)


def middles(model: Model, state: State) -> Floats:
    """(heads, 3) the centres of the bellies [m], seen from the humerus."""
    pose = state.poses[model.bone("humerus")]
    out = []
    for index in range(len(model.muscles)):
        tets = belly_of(model, index)
        weights = model.mesh.volumes[tets] / model.mesh.volumes[tets].sum()
        centre = weights @ state.x[model.mesh.T[tets]].mean(axis=1)
        out.append(pose[:, :3].T @ (centre - pose[:, 3]))
    return np.array(out)


def agreement(found: Swing) -> Agreement:
    """Whether muscles stay behind, then go on beyond where statics leaves them."""
    return Agreement.of(found.lag > BALLISTIC, found.through > BALLISTIC)


def sentence(found: Swing) -> str:
    """What the bellies do."""
    later = found.times >= BRAKE
    head = int(found.ahead[later].max(axis=0).argmax())
    when = float(found.times[later][found.ahead[later][:, head].argmax()])
    return (
        f"While shoulder and elbow flex by {SHOULDER:g} and {ELBOW:g} degrees in {STOP:g} s, "
        f"bellies first stay behind their equilibrium by up to {1e3 * found.lag:.1f} mm; then, as "
        f"the bones brake, the {HEADS[head]} head goes beyond its own by "
        f"{1e3 * found.through:.1f} mm, most at {when:.2f} s. When the bones stand still, bellies "
        f"go on swinging by up to {1e3 * found.swings:.1f} mm, and at {found.times[-1]:g} s the "
        f"farthest is {1e3 * found.left:.1f} mm away. Activations are at most "
        f"{found.levels.max():.2f}. Nothing surrounds the muscles, so that they swing more than in "
        "a body."
    )


def _table(found: Swing) -> Table:
    columns = ("head", "most behind [mm]", "most beyond [mm]", "last [mm]",
               "largest activation")  # fmt: skip
    later = found.times >= BRAKE
    rows = [
        (
            name,
            1e3 * float(-found.ahead[~later, k].min()),
            1e3 * float(found.ahead[later, k].max()),
            1e3 * float(found.apart[-1, k]),
            float(found.levels[:, k].max()),
        )
        for k, name in enumerate(HEADS)
    ]
    return Table("Bellies in motion beside equilibria", columns, rows)


def _drawn(found: Swing, moving: Sequence[Image], still: dict[float, Image]) -> Any:
    made, axes = style.mosaic("abcdeFF;ghijkLL", width=1.9, height=2.9)
    last = max(still)
    for letters, time in zip(zip("abcde", "ghijk", strict=True), SHOWN, strict=True):
        frame = int(np.abs(found.times - time).argmin())
        style.picture(axes[letters[0]], moving[frame], f"{time:.2f} s, in motion")
        style.picture(axes[letters[1]], still[min(time, last)], "equilibrium")
    for k, (name, colour) in enumerate(zip(HEADS, COLOURS, strict=True)):
        axes["F"].plot(found.times, 1e3 * found.ahead[:, k], color=colour, label=name)
        axes["L"].plot(found.times, found.levels[:, k], color=colour)
    for letter in "FL":
        axes[letter].axvline(STOP, color=style.GREY, ls="--", lw=1)
    style.label(axes["F"], "ahead of equilibrium", "time [s]", "mm")
    style.label(axes["L"], "activation", "time [s]", "")
    style.legend(axes["F"], loc="best")
    return made


EXPERIMENT = Experiment(
    "fig8",
    "Fig. 8: contraction while the arm moves",
    "Angles of elbow and shoulder are prescribed, and activations are those that hold the poses. "
    "The muscles deform much in the motion and follow through when it ends, the more because no "
    "other tissue surrounds them.",
    run,
    (4.0, 20.0),
)
