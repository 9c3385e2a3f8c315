"""An exercise carried out: frames at 30 a second, from a body that has settled.

Steps go on from a state and from what the programs of the last one found, so that a run that is
taken up again is the run that was not interrupted, to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from time import process_time
from typing import NamedTuple

import numpy as np

from vastus.control.upper_body.coactivation import Sharer
from vastus.control.upper_body.controller import BodyState, Controller, Gains
from vastus.control.upper_body.dynamics import Dynamics
from vastus.control.upper_body.exercises import Exercise
from vastus.errors import ModelError, SolveError
from vastus.numerics.dual_newton import Optimum
from vastus.numerics.types import Floats

FPS, STEPS = 30, 5  # frames a second, and steps in each
SETTLING = 150  # steps at most before the exercise, in which passive joints find their places
STILL = 1e-5  # [rad/s or m/s] a body that has settled
RUNAWAY = 20.0  # [rad] that no joint reaches
BEYOND = 50.0  # an activation that tells of a target that no body can follow


class Frame(NamedTuple):
    """A body at a time [s]: coordinates and speeds (n,), activations (m,), missing torques (d,).

    Of the steps since the last frame, `missing` [N m] are the largest torques that lacked,
    `off` [rad/s^2] how far accelerations were from wanted ones, `cpu` [s] what they took, and
    `peaks` (m,) the greatest activations.
    """

    time: float
    q: Floats
    v: Floats
    activations: Floats
    missing: Floats
    peaks: Floats
    off: float
    cpu: float


@dataclass(frozen=True, eq=False)
class Moment:
    """From where a run can go on: how many frames it has, its state, what programs begin from."""

    frames: int
    state: BodyState
    memory: dict[str, Optimum]


class Simulation:
    """A body that does an exercise."""

    def __init__(
        self,
        dynamics: Dynamics,
        exercise: Exercise,
        *,
        gains: Gains | None = None,
        sharer: Sharer | None = None,
        steps: int = STEPS,
    ) -> None:
        if not 1 <= steps <= 100:
            raise ModelError(f"{steps} steps a frame; there must be between 1 and 100")
        self.dynamics, self.exercise, self.steps = dynamics, exercise, steps
        self.h = 1.0 / (FPS * steps)
        self.count = max(1, round(exercise.seconds * FPS))
        self.controller = Controller(
            dynamics, sharer or Sharer(len(dynamics.body.muscles)), gains or Gains(), exercise.loads
        )
        self.moment: Moment | None = None

    def frames(self, moment: Moment | None = None) -> Iterator[Frame]:
        """The frames after a moment, or all, the first of which is the body when it has settled."""
        if moment is None:
            state = self._settled()
            yield self._note(0, state, state.activations, np.zeros(0), 0.0, 0.0)
            first = 1
        else:
            state, first = deepcopy(moment.state), moment.frames
            self.controller.sharer.recall(moment.memory)
        for number in range(first, self.count + 1):
            began = process_time()
            state, peaks, missing, off = self._advance(state, number)
            yield self._note(number, state, peaks, missing, off, process_time() - began)

    def _settled(self) -> BodyState:
        """The body held at the first pose for a while, to which its loads are no surprise."""
        first = self.exercise.aim(0.0)
        still = first.wanted._replace(
            v=np.zeros_like(first.wanted.q), a=np.zeros_like(first.wanted.q)
        )
        q = still.q.copy()
        q[self.dynamics.body.followers] = self.dynamics.rest[self.dynamics.body.followers]
        state = self.controller.begin(q)
        aim = type(first)(still, first.coactivation, first.prescribed)
        for _ in range(SETTLING):
            state, _ = self.controller.step(state, aim, self.h)
            state.time = 0.0
            self._require_held(state)
            if np.abs(state.v).max() < STILL:
                break
        return state

    def _advance(self, state: BodyState, number: int) -> tuple[BodyState, Floats, Floats, float]:
        missing = np.zeros(len(self.dynamics.body.driven))
        peaks, off = np.zeros(len(self.dynamics.body.muscles)), 0.0
        for step in range(self.steps):
            # From whole numbers, so that a run that goes on has the same times.
            state.time = ((number - 1) * self.steps + step) * self.h
            state, outcome = self.controller.step(
                state, self.exercise.aim(state.time + self.h), self.h
            )
            lack = outcome.sharing.missing
            missing = np.where(np.abs(lack) > np.abs(missing), lack, missing)
            peaks = np.maximum(peaks, state.activations)
            off = max(off, float(np.abs(outcome.had - outcome.wanted).max()))
            self._require_held(state)
        return state, peaks, missing, off

    def _require_held(self, state: BodyState) -> None:
        body, most = self.dynamics.body, int(np.argmax(state.activations))
        if state.activations[most] > BEYOND:
            raise SolveError(
                f"the target at {state.time:.2f} s is out of the muscles' reach: "
                f"'{body.names[most]}' would need {state.activations[most]:.0f} times its strength"
            )
        if not np.abs(state.q).max() < RUNAWAY:
            worst = body.joints[int(np.argmax(np.abs(state.q)))]
            raise SolveError(
                f"the body is out of control at {state.time:.2f} s: joint '{worst}' runs away; "
                "shorter steps or a smaller load may help"
            )

    def _note(
        self, number: int, state: BodyState, peaks: Floats, missing: Floats, off: float, cpu: float
    ) -> Frame:
        self.moment = Moment(number + 1, state, dict(self.controller.sharer.memory))
        lacking = missing if len(missing) else np.zeros(len(self.dynamics.body.driven))
        time = number / FPS
        return Frame(time, state.q, state.v, state.activations, lacking, peaks, off, cpu)
