"""What the page asks of the solver, and what the solver tells the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from vastus.inputs import Inputs
from vastus.numerics.types import Floats
from vastus.state import Report, State

AGAIN = "the next move starts a new one from the last equilibrium"  # when a process has ended
SHOWN = ("activation", "fibre_stretch", "von_mises", "volume_ratio")


@dataclass(frozen=True, eq=False)
class Question:
    """Inputs to follow; `since` is the number of the question that last began at rest."""

    number: int
    inputs: Inputs
    since: int


@dataclass(frozen=True)
class Ready:
    """The process has imported, compiled and analysed all it needs; it took so many seconds."""

    seconds: float


@dataclass(frozen=True, eq=False)
class Answer:
    """A state on the way to the inputs of a question; with a report it is their equilibrium.

    `fields` are those of `SHOWN`, each (m,) over all tets, and `point_fields` those over vertices;
    `seconds` count from when the solver took up the question.
    """

    number: int
    state: State
    fields: Mapping[str, Floats]
    outputs: Mapping[str, float]
    seconds: float
    report: Report | None = None
    point_fields: Mapping[str, Floats] = field(default_factory=dict)

    @property
    def final(self) -> bool:
        """Whether the state is an equilibrium."""
        return self.report is not None


@dataclass(frozen=True)
class Trouble:
    """One sentence: no equilibrium at a question, or, without a number, no process any more."""

    number: int | None
    sentence: str


Message = Ready | Answer | Trouble
