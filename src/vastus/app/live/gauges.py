"""What is measured of a state before the page hears of it."""

from __future__ import annotations

from dataclasses import replace

from vastus.app.live.messages import Answer, Question
from vastus.measure.fields import Fields
from vastus.measure.outputs import Outputs, joint_columns
from vastus.model import Model
from vastus.state import Report, State


class Gauges:
    """The outputs of any state of one model, and its fields, which wait until they are shown."""

    def __init__(self, model: Model) -> None:
        self._model, self._fields, self._outputs = model, Fields(model), Outputs(model)

    def warm_up(self, state: State) -> None:
        """Measure a state for nobody, so that kernels are compiled."""
        self._outputs.of(state)

    def answer(
        self,
        question: Question,
        state: State,
        seconds: float,
        report: Report | None = None,
        pace: float | None = None,
        *,
        joints_alone: bool = False,
    ) -> Answer:
        """A state as the answer to a question that took so many seconds up to now.

        The places of joints alone, which need no tet, are found at once.
        """
        outputs = joint_columns(self._model, state) if joints_alone else self._outputs.of(state)
        answer = Answer(question.number, state, {}, outputs, seconds, report, {}, pace)
        return with_fields(answer, self._fields)


def with_fields(answer: Answer, fields: Fields) -> Answer:
    """An answer with the fields of its state, each found when it is asked for."""
    points = fields.lazily_on_vertices(answer.state)
    return replace(answer, fields=fields.lazily(answer.state), point_fields=points)
