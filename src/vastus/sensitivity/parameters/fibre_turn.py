"""A turn of all fibres of a muscle: what an error of its pennation does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from vastus.inputs import Inputs
from vastus.model import Model
from vastus.muscle import belly_of
from vastus.numerics.rotation import exp_map
from vastus.numerics.types import Floats
from vastus.sensitivity.laws import pull_of_laws
from vastus.sensitivity.parameters.parameter import AXES, Parameter
from vastus.sensitivity.parameters.vector import axis_of

if TYPE_CHECKING:
    from vastus.sensitivity.equilibrium import StableEquilibrium


class FibreTurn(Parameter):
    """A turn [deg] of all fibres of a muscle about an axis; it begins at zero."""

    kind, form, unit, of_model = "fibres", "muscles.{muscle}.fibres.turn_{axis}", "deg", True
    whole: ClassVar[float] = 10.0  # [deg] a turn that matters

    @classmethod
    def all_of(cls, model: Model) -> Iterator[dict[str, str]]:
        """Three for each muscle."""
        return ({"muscle": m.name, "axis": axis} for m in model.muscles for axis in AXES)

    def value(self, model: Model, inputs: Inputs) -> float:
        """Zero: the present fibres are where it begins."""
        model.muscle(self.names["muscle"])
        return 0.0

    def varied(self, model: Model, inputs: Inputs, value: float) -> tuple[Model, Inputs]:
        """The model with fibres that are turned."""
        axis = np.zeros(3)
        axis[axis_of(self.names["axis"])] = np.radians(value)
        muscle = model.muscle(self.names["muscle"])
        tets, fibre = belly_of(model, muscle), model.fibre.copy()
        fibre[tets] = fibre[tets] @ exp_map(axis).T
        return model.with_fibres(muscle, fibre), inputs

    def scale(self, model: Model, inputs: Inputs) -> float:
        """A turn that matters."""
        return self.whole

    def pull(self, here: StableEquilibrium) -> Floats:
        """What stresses and bellies owe to fibres, and to how densely these lie."""
        return here.difference(self) if here.limited else pull_of_laws(here, self)
