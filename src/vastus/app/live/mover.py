"""A model that moves in time: no faster than the clock, with what is asked of it meanwhile."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from vastus.app.live.follower import TRIAL
from vastus.app.live.gauges import Gauges
from vastus.app.live.messages import Message, Question, Trouble
from vastus.app.live.pull import Grip
from vastus.errors import SolveError
from vastus.inputs import Inputs
from vastus.model import Model
from vastus.solvers.motion.dynamic import Dynamic
from vastus.solvers.motion.explicit import Explicit
from vastus.state import Report, State, rest
from vastus.timeloop import Solver, warm_up

SHOWN = 1 / 30  # [s] between states that are told
LATE = 0.1  # [s] behind the clock, after which it is not caught up with
JUDGED = 30  # states told, from which the pace is found


def in_time(solver: Solver | None) -> bool:
    """Whether a solver moves a model in time, rather than to equilibria."""
    return isinstance(solver, Dynamic | Explicit)


class Mover:
    """Makes one step after the other under the newest question, for as long as that lets it run.

    `newer` and `tell`, `start` and `since` are as in `Follower`.
    """

    def __init__(
        self,
        model: Model,
        solver: Solver,
        newer: Callable[[], bool],
        tell: Callable[[Message], None],
        start: State | None = None,
        since: int = 0,
    ) -> None:
        self._model, self._newer, self._tell = model, newer, tell
        self._grip, self._gauges = Grip(), Gauges(model)
        self._stepper = solver.prepare(model.with_(energies=(*model.energies, self._grip)))
        self._state = self._stepper.begin(start or rest(model))
        self._since, self._told = since, 0.0
        self._clock: tuple[float, float] | None = None  # [s] real, and of the motion
        self._pace: deque[tuple[float, float]] = deque(maxlen=JUDGED)

    def warm_up(self) -> None:
        """Make one iteration for nobody, so that kernels are compiled and matrices analysed."""
        inputs = replace(Inputs.of(self._state), time=self._state.time + self._dt)
        inputs = replace(inputs, excitation=inputs.excitation + TRIAL)
        with suppress(SolveError):
            warm_up(self._stepper, self._state, inputs, iterations=1)
        self._gauges.warm_up(self._state)

    def answer(self, question: Question) -> bool:
        """Make a step under a question, and tell it if it is time; whether there is more to do."""
        if question.since > self._since:
            self._since, self._clock = question.since, None
            self._state = self._stepper.begin(rest(self._model))
        self._grip.hold(question.pull)
        if not question.running:
            self._clock = None
            return False
        self._wait()
        began = time.perf_counter()
        try:
            inputs = replace(question.inputs, time=self._state.time + self._dt)
            self._state, report = self._stepper.step(self._state, inputs)
        except SolveError as error:
            self._clock = None
            self._tell(Trouble(question.number, f"{error}; the motion stands still"))
            return False
        if began - self._told >= SHOWN or self._newer():
            self._show(question, report, time.perf_counter() - began)
        return True

    @property
    def _dt(self) -> float:
        return self._stepper.dt or 0.0

    def _wait(self) -> None:
        """Be no faster than real time; who is slower begins to count anew."""
        now = time.perf_counter()
        if self._clock is None:
            self._clock = now, self._state.time
            self._pace.clear()
            return
        ahead = self._state.time - self._clock[1] - (now - self._clock[0])
        if ahead > 0:
            time.sleep(min(ahead, self._dt))
        elif ahead < -LATE:
            self._clock = now, self._state.time

    def _show(self, question: Question, report: Report, seconds: float) -> None:
        now = time.perf_counter()
        self._pace.append((now, self._state.time))
        (then, earlier), (now, here) = self._pace[0], self._pace[-1]
        pace = (here - earlier) / (now - then) if now > then else 0.0
        self._told = now
        self._tell(self._gauges.answer(question, self._state, seconds, report, pace))
