"""What an experiment is asked, the runs that it makes, and what it finds in their tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from vastus.errors import ModelError, known
from vastus.inputs import Schedule
from vastus.materials.base import require
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.timeloop import Observer, Solver

Table = Mapping[str, Floats]


@dataclass(frozen=True, eq=False)
class Question:
    """What is asked of a model: which muscles and joint, how active, over which range.

    What is None is chosen by the experiment.
    """

    model: Model
    solver: Solver
    muscles: tuple[str, ...] = ()
    joint: str | None = None
    activation: float = 1.0
    low: float | None = None
    high: float | None = None
    steps: int | None = None
    rest_angle: float = 0.0  # [deg] of the joint in the pose that the model is made in

    def chosen(self) -> str:
        """The muscle: the one that is named, or the only one."""
        names = [muscle.name for muscle in self.model.muscles]
        require(len(names) > 0, f"model '{self.model.name}' has no muscle")
        for name in self.muscles:
            self.model.muscle(name)
        given = self.muscles or names
        if len(given) > 1:
            raise ModelError(f"name one muscle by --muscle: {', '.join(names)}")
        return given[0]


@dataclass(frozen=True, eq=False)
class Run:
    """A simulation of an experiment; the last `counted` frames are points of its curve."""

    name: str
    model: Model
    inputs: Schedule
    counted: int
    observers: tuple[Observer, ...] = ()  # that measure more than every run does


@dataclass(frozen=True, eq=False)
class Finding:
    """The curves of an experiment: columns over the column `x`, drawn with their labels."""

    table: dict[str, Floats]
    x: str
    x_label: str
    y_label: str
    curves: dict[str, str]  # labels by column
    sentence: str
    other_x: dict[str, str] = field(default_factory=dict)  # of columns that have their own


class Trial(ABC):
    """An experiment; `low`, `high` and `steps` are its range unless others are asked for."""

    name: ClassVar[str]
    title: ClassVar[str]
    says: ClassVar[str]  # how it is done, for the help
    who: ClassVar[str] = "The muscle; the only one unless given."
    jointed: ClassVar[bool] = False  # whether it drives a joint
    levelled: ClassVar[bool] = True  # whether it is done at the activation that is asked for
    unit: ClassVar[str]  # of the range
    bounds: ClassVar[str] = ""  # what the range is, in words, before its numbers
    low: ClassVar[float]
    high: ClassVar[float]
    steps: ClassVar[int]

    def __init__(self, question: Question) -> None:
        self.asked, level = question, question.activation
        require(0 <= level <= 1, f"--activation is {level:g}; it must be between 0 and 1")
        require(
            self.levelled or level == 1,
            f"{self.name} has no --activation: its range is in {self.unit}",
        )
        count = self.steps if question.steps is None else question.steps
        low = self.low if question.low is None else question.low
        high = self.high if question.high is None else question.high
        require(low < high, f"the range is from {low:g} to {high:g}; it must rise")
        require(count >= 2, f"--steps {count} make no curve; 2 are the fewest")
        self.range = np.linspace(low, high, count)

    @property
    def subject(self) -> str:
        """What the experiment is done on: the name of the model, and of its muscle or joint."""
        return self.asked.model.name

    @abstractmethod
    def runs(self) -> Sequence[Run]:
        """What has to be simulated."""

    @abstractmethod
    def finding(self, tables: Mapping[str, Table]) -> Finding:
        """The curves in the counted frames of the tables of the runs."""


def find_trial(name: str, trials: Mapping[str, type[Trial]]) -> type[Trial]:
    """The experiment of a name."""
    if name not in trials:
        raise known("experiment", name, list(trials))
    return trials[name]
