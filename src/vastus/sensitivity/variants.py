"""Models beside one model, with a parameter changed, and what measures them.

Many equilibria of one model, as a fit has, are derived by the same parameters: what differs by a
step of one of them is made once, if it is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vastus.inputs import Inputs
from vastus.measure.outputs import Outputs
from vastus.model import Model

if TYPE_CHECKING:
    from vastus.sensitivity.parameters.parameter import Parameter


class Variants:
    """Makes models with another value of a parameter; keeps them if they are wanted again."""

    def __init__(self, *, kept: bool = False) -> None:
        self._kept = kept
        self._models: dict[tuple[str, float], Model] = {}
        self._measured: dict[int, tuple[Model, Outputs]] = {}

    def of(
        self, parameter: Parameter, model: Model, inputs: Inputs, value: float
    ) -> tuple[Model, Inputs]:
        """The model and the inputs where a parameter has another value."""
        if not (self._kept and parameter.of_model):
            return parameter.varied(model, inputs, value)
        key = parameter.path, value
        if key not in self._models:
            self._models[key], same = parameter.varied(model, inputs, value)
            if same is not inputs:  # it is of both, and so of this moment
                return self._models.pop(key), same
        return self._models[key], inputs

    def measured(self, usual: Outputs, model: Model) -> Outputs:
        """What measures a model of other laws as some outputs measure the usual one."""
        if not self._kept:
            return usual.with_laws(model)
        if id(model) not in self._measured:
            self._measured[id(model)] = model, usual.with_laws(model)
        return self._measured[id(model)][1]
