"""What is measured of a state before the page hears of it."""

from __future__ import annotations

from vastus.app.live.messages import SHOWN, Answer, Question
from vastus.measure.fields import Fields
from vastus.measure.outputs import Outputs
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.state import Report, State

Measured = tuple[dict[str, Floats], dict[str, float], dict[str, Floats]]


class Gauges:
    """The fields that are shown, and the outputs, of any state of one model."""

    def __init__(self, model: Model) -> None:
        self._fields, self._outputs = Fields(model), Outputs(model)

    def of(self, state: State) -> Measured:
        """Fields over tets, outputs, and fields over vertices, by name."""
        fields = self._fields.of(state)
        points = self._fields.on_vertices(state) | self._fields.in_motion(state)
        return {name: fields[name] for name in SHOWN}, self._outputs.of(state), points

    def answer(
        self,
        question: Question,
        state: State,
        seconds: float,
        report: Report | None = None,
        pace: float | None = None,
    ) -> Answer:
        """A state as the answer to a question that took so many seconds up to now."""
        shown, outputs, points = self.of(state)
        return Answer(question.number, state, shown, outputs, seconds, report, points, pace)
