"""What a parameter of an equilibrium is: a number of a model, or of what drives it, with a path."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from vastus.inputs import Inputs
from vastus.model import Model
from vastus.numerics.types import Floats

if TYPE_CHECKING:
    from vastus.sensitivity.equilibrium import StableEquilibrium

AXES = ("x", "y", "z")
STEP = 2e-3  # of its scale: how far a parameter is moved to see what its forces do
# Differences of outputs, measured on an elbow whose tendons leave their toes and whose muscles lie
# on bones: at the step of forces kinks err by 1e-4, below .05 of it round-off shows.
FINE = 0.2


class Parameter(ABC):
    """One number p that an equilibrium depends on.

    `form` is the pattern of its paths: words, and names in braces that become its attributes.
    """

    kind: ClassVar[str]
    form: ClassVar[str]
    of_model: ClassVar[bool] = False  # whether it is of the model, not of what drives it
    unit: str = ""

    def __init__(self, **names: str) -> None:
        self.names = names

    @classmethod
    def read(cls, path: str) -> dict[str, str] | None:
        """The names in a path of this form; None if it has another."""
        pattern = re.escape(cls.form).replace(r"\{", "{").replace(r"\}", "}")
        found = re.fullmatch(re.sub(r"\{(\w+)\}", r"(?P<\1>.+)", pattern), path)
        return found.groupdict() if found else None

    @classmethod
    @abstractmethod
    def all_of(cls, model: Model) -> Iterator[dict[str, str]]:
        """The names of every parameter of this kind that a model has."""

    @property
    def path(self) -> str:
        """Its path, as studies and fits write it."""
        return self.form.format(**self.names)

    @abstractmethod
    def value(self, model: Model, inputs: Inputs) -> float:
        """Its present value."""

    @abstractmethod
    def varied(self, model: Model, inputs: Inputs, value: float) -> tuple[Model, Inputs]:
        """The model and its inputs where it has another value."""

    def scale(self, model: Model, inputs: Inputs) -> float:
        """A change of it that matters: its own size unless a kind knows better."""
        return abs(self.value(model, inputs)) or 1.0

    def check(self, model: Model, inputs: Inputs) -> None:  # noqa: B027
        """Refuse what cannot be varied here, in a sentence."""

    def pull(self, here: StableEquilibrium) -> Floats:
        """(k + f,) the derivative g_p of the reduced gradient, all unknowns held."""
        return here.difference(self)

    def step(self, model: Model, inputs: Inputs) -> float:
        """How far it is moved in differences of forces."""
        return STEP * self.scale(model, inputs)

    def fine(self, model: Model, inputs: Inputs) -> float:
        """How far it is moved in differences of outputs, and of what laws are made of."""
        return FINE * self.step(model, inputs)


NEAR = 0.03  # of an edge: it matters to tendons, and where bodies touch, whose forces grow fast


def reach(model: Model) -> float:
    """A distance [m] that matters, from the edges of tets as if they were regular."""
    return NEAR * float(np.cbrt(np.median(np.abs(model.mesh.volumes)) * 6 * 2**0.5))
