"""What the page asks of the solver, and what the solver tells the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from vastus.app.live.pull import Pull
from vastus.inputs import Inputs
from vastus.numerics.types import Floats
from vastus.state import Report, State

AGAIN = "the next move starts a new one from the last equilibrium"  # when a process has ended


@dataclass(frozen=True, eq=False)
class Question:
    """Inputs to follow; `since` is the number of the question that last began at rest.

    A motion has its own time; it goes on only while `running`, and may be pulled by hand.
    """

    number: int
    inputs: Inputs
    since: int
    running: bool = True
    pull: Pull | None = None


@dataclass(frozen=True)
class Ready:
    """The process has imported, compiled and analysed all it needs; it took so many seconds."""

    seconds: float


@dataclass(frozen=True, eq=False)
class Answer:
    """A state on the way to the inputs of a question; with a report it is their equilibrium.

    One of a motion has a report of its step, and a `pace`: seconds of it in a second of real time.

    `fields` are over all tets, and `point_fields` over vertices, each found when it is asked for;
    `outputs` of the first state on the way may be those of joints alone. `seconds` count from when
    the solver took up the question.
    """

    number: int
    state: State
    fields: Mapping[str, Floats]
    outputs: Mapping[str, float]
    seconds: float
    report: Report | None = None
    point_fields: Mapping[str, Floats] = field(default_factory=dict)
    pace: float | None = None

    @property
    def final(self) -> bool:
        """Whether the state is one to go on from: an equilibrium, or the end of a step."""
        return self.report is not None


@dataclass(frozen=True)
class Trouble:
    """One sentence: no state at a question, or, without a number, no process any more."""

    number: int | None
    sentence: str


Message = Ready | Answer | Trouble
