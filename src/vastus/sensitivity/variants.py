"""Models beside one model, with a parameter changed, and what measures them.

Pulls and outputs are derived by the same models, and a fit derives many equilibria of one model by
the same parameters: what differs by a step of one of them is made once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from vastus.inputs import Inputs
from vastus.measure.outputs import Outputs
from vastus.model import Model
from vastus.state import State

if TYPE_CHECKING:
    from vastus.sensitivity.parameters.parameter import Parameter


class Variants:
    """Makes models with another value of a parameter, and keeps those of the same mesh.

    Others are large; they are kept if they are wanted for more than one equilibrium.
    """

    def __init__(self, *, kept: bool = False) -> None:
        self._kept = kept
        self._models: dict[tuple[str, float], Model] = {}
        self._measured: dict[tuple[int, int], tuple[Outputs, Model, Outputs]] = {}
        self._restricted: dict[tuple[int, str], tuple[Outputs, Outputs]] = {}

    def of(
        self, parameter: Parameter, model: Model, inputs: Inputs, value: float
    ) -> tuple[Model, Inputs]:
        """The model and the inputs where a parameter has another value."""
        key = parameter.path, value
        if key in self._models:
            return self._models[key], inputs
        found, same = parameter.varied(model, inputs, value)
        # One that changes inputs too is of this moment.
        if parameter.of_model and same is inputs and (self._kept or found.mesh is model.mesh):
            self._models[key] = found
        return found, same

    def measured(self, usual: Outputs, model: Model) -> Outputs:
        """What measures a model of the same shape as some outputs measure the usual one."""
        key = id(usual), id(model)
        if key not in self._measured:
            self._measured[key] = usual, model, usual.with_laws(model)
        return self._measured[key][-1]

    def only(self, usual: Outputs, names: Sequence[str], state: State) -> Outputs:
        """What measures some columns alone."""
        key = id(usual), " ".join(names)
        if key not in self._restricted:
            self._restricted[key] = usual, usual.only(names, state)
        return self._restricted[key][-1]
