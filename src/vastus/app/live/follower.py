"""A model that follows questions: the newest counts, and nothing that was gained is lost."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from time import perf_counter

import numpy as np

from vastus.app.live.gauges import Gauges
from vastus.app.live.messages import Message, Question, Trouble
from vastus.app.live.preview import Previewer
from vastus.errors import SolveError
from vastus.inputs import Inputs
from vastus.model import Model
from vastus.numerics.minimise import Moment
from vastus.solvers.newton import Newton
from vastus.state import Report, State, rest
from vastus.timeloop import Solver, Stepper, warm_up

PREVIEW = 0.1  # [s] between states that are shown on the way
TRIAL = 0.01  # activation with which it warms up


class Follower:
    """Answers one question after the other, each from where the one before it ended.

    While it solves, `newer` says whether to give up; `tell` hears the answers. It begins at
    `start`, if given, which was reached by questions of the same `since`.
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
        self._previewer = Previewer(model, solver) if isinstance(solver, Newton) else None
        self._stepper: Stepper = (
            self._previewer.stepper if self._previewer else solver.prepare(model)
        )
        self._gauges = Gauges(model)
        self._good = self._place = start or self._rest()
        self._since = since
        self._idle, self._shown = True, 0.0  # whether nobody waits, and when something was shown

    def warm_up(self) -> None:
        """Make one iteration for nobody, so that kernels are compiled and matrices analysed."""
        inputs = Inputs.of(self._good)
        inputs = replace(inputs, excitation=inputs.excitation + TRIAL)
        with suppress(SolveError):
            warm_up(self._stepper, self._good, inputs, iterations=1)
        self._gauges.warm_up(self._good)

    def answer(self, question: Question) -> bool:
        """Seek the equilibrium of a question, and tell it unless a newer one comes meanwhile.

        An equilibrium leaves nothing to do.
        """
        if question.since > self._since:
            self._since = question.since
            self._go_back(self._rest())
        began = perf_counter()
        if self._idle:
            self._shown = began
        self._foresee(question, began)
        try:
            state, report = self._reached(question, began)
        except SolveError as error:
            self._go_back(self._good)
            self._tell(Trouble(question.number, f"{error}; the last equilibrium is kept"))
            self._idle = True
        else:
            self._idle = report.converged
            if report.converged:
                self._good = self._place = state
                self._show(question, state, began, report)
        return False

    def _rest(self) -> State:
        return self._stepper.begin(rest(self._model))

    def _go_back(self, state: State) -> None:
        """Be at an equilibrium from before, or at rest."""
        self._good = self._place = state
        if self._previewer:
            self._previewer.forget()

    def _foresee(self, question: Question, began: float) -> None:
        """Show where one back-solve leads, and go on from there."""
        ahead = self._previewer.ahead(self._place, question.inputs) if self._previewer else None
        if ahead is not None:
            self._place = ahead
            answer = self._gauges.answer(question, ahead, perf_counter() - began, joints_alone=True)
            self._tell(answer)
            self._shown = perf_counter()

    def _reached(self, question: Question, began: float) -> tuple[State, Report]:
        """The equilibrium, or how far it came before a newer question.

        A way that began between two equilibria and fails begins anew at the last of them.
        """

        def watch(at: Moment) -> bool:
            return self._enough(question, at, began)

        while True:
            try:
                return self._stepper.step(self._place, question.inputs, watch)
            except SolveError:
                if self._place is self._good:
                    raise
                self._place = self._good

    def _enough(self, question: Question, at: Moment, began: float) -> bool:
        """Show an iteration from time to time; whether to give up for a newer question.

        Every question gets one iteration, or a large model would stand still while it is dragged.
        """
        if at.iteration == 0 or at.residual <= at.target:
            return False
        newer, due = self._newer(), perf_counter() - self._shown >= PREVIEW
        if not (newer or due):
            return False
        q = at.place()
        if (np.linalg.det(q.F) > 0).all():
            state = q.state(question.inputs)
            if due:
                self._show(question, state, began)
            if newer:
                self._place = state
        return newer

    def _show(
        self, question: Question, state: State, began: float, report: Report | None = None
    ) -> None:
        self._tell(self._gauges.answer(question, state, perf_counter() - began, report))
        self._shown = perf_counter()
