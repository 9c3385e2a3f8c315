"""What a step of an arm in motion costs, and whether slow motion is statics: `motion.py`.

The arm of `vastus reproduce fvm` (Fig. 8), all heads of biceps and triceps with contact of all
bodies, is swung to and fro at shoulder and elbow by activations that hold each pose. `--slow` makes
one swing at a part of the speed and compares vertices with those of equilibria at the same times.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from vastus import Model
from vastus.inputs import Schedule
from vastus.numerics.types import Floats
from vastus.parts import Contact, Drive
from vastus.reproduce.experiment import Setting
from vastus.reproduce.fvm.fig8 import ELBOW, MOVING, SHOULDER, STILL
from vastus.reproduce.fvm.posture import Lines, bone_poses
from vastus.reproduce.fvm.upper_arm import HEADS, upper_arm
from vastus.schedules import from_arrays
from vastus.state import State, rest

PERIOD = 1.0  # [s] of a swing to and fro
EVERY = 0.01  # [s] between the key poses


def swings(model: Model, lines: Lines, seconds: float, period: float) -> Schedule:
    """Bones that swing to and fro, and the activations that hold each pose."""
    times = np.linspace(0.0, seconds, round(seconds / (EVERY * period)) + 1)
    part = 0.5 * (1.0 - np.cos(2.0 * np.pi * times / period))
    angles = np.radians([SHOULDER, ELBOW]) * part[:, None]
    poses = [bone_poses(*pair) for pair in angles]
    levels = np.array([lines.hold(*pair).activations for pair in angles])
    placed = {name: np.array([p[name] for p in poses]) for name in ("humerus", "forearm")}
    return from_arrays(model, times, dict(zip(HEADS, levels.T, strict=True)), poses=placed)


def moved(model: Model, schedule: Schedule, times: Floats) -> Iterator[State]:
    """The states at times [s], each step told with its cost."""
    start, _ = STILL.prepare(model).step(rest(model), schedule[0])
    stepper = replace(MOVING, step=float(times[1] - times[0])).prepare(model)
    state = stepper.begin(start)
    yield state
    spent, made = 0.0, 0
    for number, due in enumerate(times[1:], 1):
        begun = time.process_time()
        state, report = stepper.step(state, schedule.inputs(float(due)))
        spent, made = spent + time.process_time() - begun, made + report.iterations
        if number % 10 == 0:
            print(
                f"{due:.3f} s: {spent / number:.2f} s of the processor and "
                f"{made / number:.1f} iterations a step, {report.sentence}",
                flush=True,
            )
        yield state


def slow(model: Model, lines: Lines, speed: float, step: float) -> None:
    """One swing at a part of the speed, beside equilibria."""
    period = PERIOD / speed
    schedule = swings(model, lines, period / 2, period)
    times = np.linspace(0.0, period / 2, round(period / 2 / step) + 1)
    still, extent, worst = STILL.prepare(model), np.ptp(model.mesh.X, axis=0).max(), 0.0
    static: State | None = None
    every = max(1, (len(times) - 1) // 10)
    for number, state in enumerate(moved(model, schedule, times)):
        if number % every:
            continue
        static, _ = still.step(static or state, schedule.inputs(state.time))
        apart = float(np.linalg.norm(state.x - static.x, axis=1).max())
        worst = max(worst, apart)
        print(f"{state.time:.2f} s: {100 * apart / extent:.3f} % of the length from equilibrium")
    print(f"at {speed:g} of the speed at most {100 * worst / extent:.3f} % of the length")


def main() -> None:
    """Read the options and run."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=2.0)
    options.add_argument("--step", type=float, default=MOVING.step, help="[s]")
    options.add_argument("--slow", type=float, help="part of the speed, of one swing")
    given = options.parse_args()
    setting = Setting(full=True)
    model = upper_arm(setting, humerus=Drive.SCRIPTED, forearm=Drive.SCRIPTED)
    model = model.with_(contact=Contact())
    lines = Lines(upper_arm(setting, forearm=Drive.FREE))
    tissue = len(model.mesh.T) - len(model.tets_of([r for b in model.bones for r in b.regions]))
    print(f"{len(model.mesh.T)} tets, {tissue} of them soft, {model.contact}", flush=True)
    if given.slow:
        slow(model, lines, given.slow, given.step)
        return
    schedule = swings(model, lines, given.seconds, PERIOD)
    times = np.linspace(0.0, given.seconds, round(given.seconds / given.step) + 1)
    for state in moved(model, schedule, times):
        last = state
    print(f"no failure to {last.time:g} s")


if __name__ == "__main__":
    main()
