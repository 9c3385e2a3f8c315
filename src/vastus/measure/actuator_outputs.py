"""Outputs of cavities and cables: volumes and pressures, lengths and tensions."""

from __future__ import annotations

from vastus.energies.actuators.cables import Cables
from vastus.energies.actuators.cavities import Cavities, enclosed
from vastus.inputs import Inputs, as_in
from vastus.measure.muscle_outputs import Row
from vastus.model import Model
from vastus.state import State


class ActuatorOutputs:
    """The outputs of all cavities and cables of one model."""

    def __init__(self, model: Model) -> None:
        self._usual = as_in(model)
        self._cavities, self._cables = Cavities(model), Cables(model)

    def with_laws(self, model: Model) -> ActuatorOutputs:
        """The same: laws and strengths of tissue are nothing to them."""
        return self

    def of(self, state: State) -> Row:
        """The outputs by name, as drawn and inflated in the state."""
        inputs = Inputs.of(state).whole(self._usual)
        return self._of_cavities(state, inputs) | self._of_cables(state, inputs)

    def _of_cavities(self, state: State, inputs: Inputs) -> Row:
        out: Row = {}
        pressures = self._cavities.at(inputs).pressures(state.x)
        for cavity, pressure in zip(self._cavities.cavities, pressures, strict=True):
            out[f"{cavity.name}_volume_m3"] = enclosed(state.x, cavity.faces)
            out[f"{cavity.name}_pressure_Pa"] = float(pressure)
        return out

    def _of_cables(self, state: State, inputs: Inputs) -> Row:
        """Lengths and tensions; those at the far ends of cables with friction by their bends."""
        out: Row = {}
        drawn = self._cables.at(inputs)
        for i, line in enumerate(drawn.lines(state.x)):
            name, tension = line.cable.name, drawn.tension(i, line)
            out[f"{name}_length_m"] = line.length
            out[f"{name}_tension_N"] = tension
            if line.cable.friction:
                out[f"{name}_end_tension_N"] = tension * float(line.shares[-1])
        return out
