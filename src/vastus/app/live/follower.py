"""A model that follows questions: the newest counts, and nothing that was gained is lost."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from time import perf_counter

import numpy as np

from vastus.app.live.messages import SHOWN, Answer, Message, Question, Trouble
from vastus.errors import SolveError
from vastus.inputs import Inputs
from vastus.measure.fields import Fields
from vastus.measure.outputs import Outputs
from vastus.model import Model
from vastus.numerics.minimise import Moment
from vastus.numerics.psd import project_psd
from vastus.state import Report, State, rest
from vastus.timeloop import Solver

PREVIEW = 0.1  # [s] between states that are shown on the way
TRIAL = 0.01  # activation of a rehearsal


class Newer(Exception):
    """The question being answered is no longer the newest."""


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
        self._stepper = solver.prepare(model)
        self._fields, self._outputs = Fields(model), Outputs(model)
        self._good = self._place = start or rest(model)
        self._since = since
        self._idle, self._shown = True, 0.0  # whether nobody waits, and when something was shown

    def rehearse(self) -> None:
        """Make one iteration for nobody, so that kernels are compiled and matrices analysed."""
        project_psd(np.eye(9)[None].copy())  # needed only where a Hessian is indefinite
        inputs = Inputs.of(self._good)
        inputs = replace(inputs, excitation=inputs.excitation + TRIAL)
        with suppress(Newer, SolveError):
            self._stepper.step(self._good, inputs, _once)
        self._fields.of(self._good)
        self._outputs.of(self._good)

    def answer(self, question: Question) -> None:
        """Seek the equilibrium of a question, and tell it unless a newer one comes meanwhile."""
        if question.since > self._since:
            self._since = question.since
            self._good = self._place = rest(self._model)
        began = perf_counter()
        if self._idle:
            self._shown = began
        try:
            state, report = self._reached(question, began)
        except Newer:
            self._idle = False
            return
        except SolveError as error:
            self._place = self._good
            self._tell(Trouble(question.number, f"{error}; the last equilibrium is kept"))
        else:
            self._good = self._place = state
            self._show(question, state, began, report)
        self._idle = True

    def _reached(self, question: Question, began: float) -> tuple[State, Report]:
        """The equilibrium; a way that began between two of them and fails begins at the last."""

        def watch(at: Moment) -> None:
            self._look(question, at, began)

        while True:
            try:
                return self._stepper.step(self._place, question.inputs, watch)
            except SolveError:
                if self._place is self._good:
                    raise
                self._place = self._good

    def _look(self, question: Question, at: Moment, began: float) -> None:
        """Show an iteration from time to time, and give up when there is a newer question.

        Every question gets one iteration, or a large model would stand still while it is dragged.
        """
        if at.iteration == 0 or at.residual <= at.target:
            return
        newer, due = self._newer(), perf_counter() - self._shown >= PREVIEW
        if not (newer or due):
            return
        q = at.place()
        if (np.linalg.det(q.F) > 0).all():
            state = q.state(question.inputs)
            if due:
                self._show(question, state, began)
            if newer:
                self._place = state
        if newer:
            raise Newer

    def _show(
        self, question: Question, state: State, began: float, report: Report | None = None
    ) -> None:
        fields = self._fields.of(state)
        shown = {name: fields[name] for name in SHOWN}
        outputs, seconds = self._outputs.of(state), perf_counter() - began
        self._tell(Answer(question.number, state, shown, outputs, seconds, report))
        self._shown = perf_counter()


def _once(at: Moment) -> None:
    if at.iteration > 0:
        raise Newer
