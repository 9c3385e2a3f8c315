"""Steps a second of what moves, touches, pulls or is controlled, against size."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from vastus.bellies.belly import Belly
from vastus.bellies.condensed import Condensed
from vastus.bellies.law import MotorUnit
from vastus.bellies.shapes import diamond
from vastus.bellies.volumes import Bellies
from vastus.bench.jobs import forget_peak, peak
from vastus.bench.rows import Status
from vastus.bench.runs import clock
from vastus.inputs import Inputs
from vastus.model import Model
from vastus.modelling.shapes.elbow import elbow
from vastus.modelling.shapes.torus import torus
from vastus.numerics.jit import use_threads
from vastus.parts import Contact, Floor
from vastus.schedules import ramp
from vastus.solvers.motion.dynamic import Dynamic
from vastus.solvers.motion.explicit import Explicit
from vastus.state import State, rest

LONGEST, MOST = 20.0, 100  # seconds, and steps, that are measured
STEP = 5e-3  # [s] of implicit motion, and between commands
RISE, LEVEL = 0.1, 0.3  # [s] in which the biceps is activated so far
STRENGTH = 3e5  # [Pa]


class Going(NamedTuple):
    """What goes on by some steps at each call, its true size, and the length of a step [s]."""

    proceed: Callable[[], int]
    size: int
    length: float


@dataclass(frozen=True)
class System:
    """Something that is stepped: a note, what its size counts, and how one of a size is made."""

    note: str
    unit: str
    make: Callable[[int], Going]


def _swinging(model: Model) -> Going:
    """An elbow in motion, whose biceps is activated."""
    schedule = ramp(model, biceps=LEVEL, seconds=RISE, fps=10)
    stepper = Dynamic(step=STEP, viscosity=2e-3).prepare(model)
    state = stepper.begin(rest(model))

    def proceed() -> int:
        nonlocal state
        due = state.time + STEP
        now = schedule.inputs(min(due, RISE))
        state, report = stepper.step(state, Inputs(due, now.excitation, now.poses))
        return report.substeps

    return Going(proceed, model.mesh.n_tets, STEP)


def _dynamics(tets: int) -> Going:
    return _swinging(elbow(tets=tets))


def _contact(tets: int) -> Going:
    return _swinging(elbow(tets=tets).with_(contact=Contact()))


def _explicit(tets: int) -> Going:
    """A torus that falls on a floor."""
    model = torus(tets=tets, height=0.045, tilt=25.0)
    model = model.with_(floor=Floor((0.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    stepper = Explicit().prepare(model)
    state: State = stepper.begin(rest(model))

    def proceed() -> int:
        nonlocal state
        state, report = stepper.step(state, Inputs.rest(model, time=state.time + stepper.dt))
        return report.substeps

    return Going(proceed, model.mesh.n_tets, 0.9 * stepper.stable)


def _pulling(law: Bellies | Condensed) -> Going:
    """Bellies that shorten, lengthen and are activated as in arms that juggle."""
    rng = np.random.default_rng(1)
    optimal, time = np.array([unit.optimal for unit in law.units]), 0.0
    phase, rate = rng.uniform(0, 2 * np.pi, (2, len(optimal))), rng.uniform(3, 10, len(optimal))

    def proceed() -> int:
        nonlocal time
        time += STEP
        swing = 0.15 * optimal
        length = optimal + swing * np.sin(rate * time + phase[0])
        speed = swing * rate * np.cos(rate * time + phase[0])
        law.forces(length, speed, 0.5 + 0.45 * np.sin(1.3 * rate * time + phase[1]))
        return 1

    return Going(proceed, len(optimal), STEP)


def _diamonds(count: int) -> Going:
    return _pulling(Bellies(_bellies(count)))


def _condensed(count: int) -> Going:
    return _pulling(Condensed(_bellies(count)))


def _bellies(count: int) -> list[Belly]:
    rng = np.random.default_rng(0)
    widths, lengths = rng.uniform(0.1, 0.3, count), rng.uniform(0.05, 0.3, count)
    units = [
        MotorUnit(f"muscle {k}", STRENGTH * (w * l) ** 2, l)
        for k, (w, l) in enumerate(zip(widths, lengths, strict=True))
    ]
    return [diamond(unit, width=float(np.sqrt(unit.force / STRENGTH))) for unit in units]


def _arms(_: int) -> Going:
    """Two arms that follow a swing, under gravity, by their muscles alone."""
    from vastus.bodies import juggler
    from vastus.control.plant import Plant
    from vastus.control.tracking import Reference, Tracker

    body = juggler()
    plant, tracker, n = Plant(body), Tracker(body, period=STEP), len(body.home)
    rng = np.random.default_rng(1)
    size, rate = rng.uniform(0.1, 0.2, n), 2 * np.pi * rng.uniform(0.6, 1.1, n)

    def proceed() -> int:
        now, then = (size * rate * np.sin(rate * s) for s in (plant.time, plant.time + STEP))
        q = body.home + size * (1 - np.cos(rate * plant.time))
        command = tracker.activation(plant, Reference(q, now, (then - now) / STEP))
        for _ in range(round(STEP / 1e-3)):
            plant.step(command.activation)
        return 1

    return Going(proceed, len(body.units), STEP)


def _upper_body(_: int) -> Going:
    """A whole upper body that lifts its forearms."""
    from vastus.bodies.upper.assembly import whole_upper_body
    from vastus.control.upper_body.dynamics import Dynamics
    from vastus.control.upper_body.exercises import curl
    from vastus.control.upper_body.musculoskeleton import Musculoskeleton
    from vastus.control.upper_body.simulation import Simulation

    dynamics = Dynamics(Musculoskeleton.of(whole_upper_body()))
    going = Simulation(dynamics, curl(dynamics, seconds=LONGEST))
    controller, h = going.controller, going.h
    state = controller.begin(dynamics.rest)

    def proceed() -> int:
        nonlocal state
        state, _ = controller.step(state, going.exercise.aim(state.time + h), h)
        return 1

    return Going(proceed, len(dynamics.body.muscles), h)


SYSTEMS: Mapping[str, System] = {
    "dynamics": System("elbow that swings, implicit", "tets", _dynamics),
    "contact": System("the same with contact of all bodies", "tets", _contact),
    "explicit": System("torus that falls on a floor", "tets", _explicit),
    "bellies": System("volumetric muscles, Newton's method", "muscles", _diamonds),
    "tables": System("the same from tables", "muscles", _condensed),
    "control": System("two arms follow a swing: programs and body", "muscles", _arms),
    "upper body": System("a curl: programs and whole upper body", "muscles", _upper_body),
}


@dataclass(frozen=True)
class SystemJob:
    """The steps a second of a system of about some size, on one thread."""

    system: str
    size: int
    kind: str = "system"

    @property
    def key(self) -> str:
        """What it is called among the results."""
        return f"system {self.system} {self.size}"

    @property
    def guess(self) -> float:
        """About how long it may take [s]."""
        return 10.0 + 0.5 * LONGEST

    @property
    def patience(self) -> float:
        """After how long [s] by the clock the process is ended."""
        return 30.0 * LONGEST

    def __call__(self, began: Callable[[], None]) -> dict[str, Any]:
        """The record, as JSON values."""
        use_threads(1)
        going = SYSTEMS[self.system].make(self.size)
        going.proceed()  # compiles what is not compiled yet
        forget_peak()
        began()
        start, steps = clock(), 0
        while steps < MOST and clock() - start < LONGEST:
            steps += going.proceed()
        seconds = clock() - start
        found = {"rate": steps / seconds, "length": going.length, "peak": peak()}
        return self._record(Status.DONE, SYSTEMS[self.system].note, true=going.size, **found)

    def lost(self, sentence: str, *, late: bool) -> dict[str, Any]:
        """The record of a process that did not come back."""
        return self._record(Status.LATE if late else Status.FAILED, sentence)

    def _record(self, status: Status, sentence: str, **figures: Any) -> dict[str, Any]:
        unit = SYSTEMS[self.system].unit
        who = {"system": self.system, "size": self.size, "unit": unit, "limit": LONGEST}
        return who | {"status": status, "sentence": sentence, **figures}
