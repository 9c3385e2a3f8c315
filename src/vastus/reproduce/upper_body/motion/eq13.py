"""Eq. 13: inverse dynamics at the present state, at the next one, and of the step itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.control.upper_body.dynamics import Dynamics
from vastus.control.upper_body.exercises import arms
from vastus.control.upper_body.hybrid_inverse import (
    StepInverse,
    hybrid_torques,
    next_state_torques,
)
from vastus.control.upper_body.implicit_step import solved
from vastus.control.upper_body.musculoskeleton import Musculoskeleton
from vastus.control.upper_body.targets import KeyPoses
from vastus.files.html import Table
from vastus.numerics.types import Floats
from vastus.reproduce import style
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting
from vastus.reproduce.upper_body import paper
from vastus.reproduce.upper_body.body import dynamics_of

PRESENT, NEXT, STEP = "at the present state", "at the next state, seven steps", "of the step itself"
Torques = Callable[[Dynamics, Floats, Floats, Floats, float], Floats]
STEPS = (0.002, paper.STEP)  # [s]
SECONDS = (0.6, 1.5)
REACHED = 0.5  # [s] when the pose is there
LOST = 3.0  # [rad] of a joint that has run away
HOLDS = 0.1  # [rad] within which a target is followed
WRONG = 0.1  # of accelerations that count as wrong


@dataclass(frozen=True, eq=False)
class Course:
    """How targets were followed: times (k,) [s], the largest error of a joint (k,) [rad].

    `wrong` (k,) is how far accelerations were from wanted ones, by the largest of these.
    """

    times: Floats
    errors: Floats
    wrong: Floats
    lost: float | None  # [s] when a joint ran away

    @property
    def worst(self) -> float:
        """The largest error [rad]."""
        return float(self.errors.max())

    @property
    def follows(self) -> bool:
        """Whether targets were followed to the end."""
        return self.lost is None and self.worst < HOLDS


Found = Mapping[tuple[str, float], Course]


def run(setting: Setting) -> Finding:
    """Follow targets by torques that three kinds of inverse dynamics give."""
    dynamics = dynamics_of()
    found = {}
    for h in STEPS:
        for name, torques in METHODS.items():
            setting.note(f"{name}, {1e3 * h:g} ms")
            found[name, h] = followed(dynamics, torques, h, SECONDS[setting.full])
    return Finding(
        agreement=agreement(found),
        sentence=sentence(found),
        tables=(_table(found),),
        figure=_drawn(found),
        caption="The largest error of a driven joint over time, spine, neck, shoulders and elbows "
        "moving to a pose in half a second, by torques that act on the joints directly; "
        "muscles are relaxed, and resist. A curve that ends early ran away.",
    )


def targets(dynamics: Dynamics) -> KeyPoses:
    """Spine, neck, shoulders and elbows move."""
    pose = arms(dynamics, elbow=1.0, abduction=0.3)
    pose |= {f"L{k}_flex": 0.03 for k in (2, 3, 4)}
    pose |= {f"C{k}_turn": 0.06 for k in (3, 4, 5)}
    return KeyPoses.of(dynamics.body, [(0.0, {}), (REACHED, pose)])


def _present(dynamics: Dynamics, q: Floats, v: Floats, wanted: Floats, h: float) -> Floats:
    body = dynamics.body
    return hybrid_torques(dynamics.passive(dynamics.at(q, v)), wanted, body.driven, body.followers)


def _next(dynamics: Dynamics, q: Floats, v: Floats, wanted: Floats, h: float) -> Floats:
    return next_state_torques(dynamics, dynamics.at(q, v), wanted, h)


def _step(dynamics: Dynamics, q: Floats, v: Floats, wanted: Floats, h: float) -> Floats:
    body, system = dynamics.body, dynamics.passive(dynamics.at(q, v)).system(v, h)
    return StepInverse.of(system, h, body.driven, body.followers).torques(wanted)


METHODS: dict[str, Torques] = {PRESENT: _present, NEXT: _next, STEP: _step}


def followed(dynamics: Dynamics, torques: Torques, h: float, seconds: float) -> Course:
    """A run of so many seconds, by linearised implicit steps of h [s]."""
    body, keys = dynamics.body, targets(dynamics)
    q, v = np.zeros(body.model.nv), np.zeros(body.model.nv)
    times, errors, wrong, lost = [], [], [], None
    for step in range(1, round(seconds / h) + 1):
        goal = keys.at(step * h)
        wanted = goal.acceleration(q, v)[body.driven]
        A, b = dynamics.passive(dynamics.at(q, v)).system(v, h)
        b[body.driven] += h * torques(dynamics, q, v, wanted, h)
        change = solved(A, b)
        v = v + change
        q = q + h * v
        if not np.abs(q[~body.slides]).max() < LOST:
            lost = step * h
            break
        times.append(step * h)
        errors.append(_largest(q - goal.q, body))
        wrong.append(_relative(change[body.driven] / h - wanted, wanted))
    return Course(np.array(times), np.array(errors), np.array(wrong), lost)


def _largest(off: Floats, body: Musculoskeleton) -> float:
    return float(np.abs(off[body.driven]).max())


def _relative(off: Floats, wanted: Floats) -> float:
    return float(np.abs(off).max() / max(np.abs(wanted).max(), 1e-12))


def agreement(found: Found) -> Agreement:
    """Whether the present state is wrong at the paper's step, as it says, and its steps hold."""
    h = paper.STEP
    wrong = float(np.median(found[PRESENT, h].wrong)) > WRONG
    return Agreement.of(wrong, found[NEXT, h].follows)


def sentence(found: Found) -> str:
    """What holds and what does not."""
    present = float(np.median(found[PRESENT, paper.STEP].wrong))
    told = [f"{name} {' and '.join(_told(found[name, h], h) for h in STEPS)}" for name in METHODS]
    literal = found[NEXT, paper.STEP]
    after = (
        "The paper's procedure holds at its own step here."
        if literal.follows
        else "The paper's procedure, taken literally, does not hold at its own step here: its "
        "look-ahead is an explicit step, which throws cartilages as stiff as these too far."
    )
    wrong = max(float(np.median(found[STEP, h].wrong)) for h in STEPS)
    return (
        f"Inverse dynamics {'; '.join(told)}. At 7 ms torques of the present state give "
        f"accelerations that are wrong by {100 * present:.0f} % on the median. {after} Torques of "
        "the step itself, passive joints eliminated from the same linear system that the step "
        f"solves, give the wanted ones within {wrong:.0e} of their size; what is left of the error "
        "is how gently targets are followed."
    )


def _told(course: Course, h: float) -> str:
    if course.lost is not None:
        return f"loses the body after {course.lost:.2f} s at {1e3 * h:g} ms"
    return f"is {course.worst:.3f} rad off at most at {1e3 * h:g} ms"


def _table(found: Found) -> Table:
    columns = ("inverse dynamics", "step [ms]", "largest error [rad]",
               "accelerations wrong by, median", "ran away after [s]")  # fmt: skip
    rows = [
        (name, 1e3 * h, course.worst, float(np.median(course.wrong)), course.lost)
        for (name, h), course in found.items()
    ]
    return Table("Targets followed by torques", columns, rows)


def _drawn(found: Found) -> Any:
    made, plots = style.figure(2, width=5.2)
    colours = dict(zip(METHODS, (style.ORANGE, style.RED, style.BLUE), strict=True))
    for axes, h in zip(plots, STEPS, strict=True):
        for name, colour in colours.items():
            course = found[name, h]
            axes.semilogy(course.times, np.maximum(course.errors, 1e-6), color=colour, label=name)
            if course.lost is not None:
                axes.plot(course.times[-1], course.errors[-1], "x", color=colour, ms=9, mew=2)
        style.label(axes, f"steps of {1e3 * h:g} ms", "time [s]", "largest error [rad]")
        axes.set_ylim(1e-4, 5.0)
    style.legend(plots[0], loc="upper right")
    return made


EXPERIMENT = Experiment(
    "eq13",
    "Eq. 13: hybrid inverse dynamics",
    "Torques found at the present state do not give the wanted motion when steps are implicit and "
    "long. The paper looks one step ahead by forward Euler, and finds torques there, in seven "
    "steps.",
    run,
    (0.4, 1.0),
)
