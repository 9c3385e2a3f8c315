"""Components of the vectors that act on a model: forces of loads, and gravity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from vastus.errors import known
from vastus.inputs import Inputs, as_in
from vastus.model import Model, index_of
from vastus.numerics.types import Floats
from vastus.sensitivity.parameters.parameter import AXES, Parameter

if TYPE_CHECKING:
    from vastus.sensitivity.equilibrium import StableEquilibrium


def axis_of(name: str) -> int:
    """The number of an axis that is called x, y or z, or 0, 1 or 2 as places in lists are."""
    axes = {**{axis: k for k, axis in enumerate(AXES)}, **{str(k): k for k in range(3)}}
    if name not in axes:
        raise known("axis", name, AXES)
    return axes[name]


class LoadForce(Parameter):
    """A component of a load's force [N]."""

    kind, form, unit = "load", "loads.{load}.force.{axis}", "N"

    @classmethod
    def all_of(cls, model: Model) -> Iterator[dict[str, str]]:
        """Three for each load."""
        return ({"load": load.name, "axis": axis} for load in model.loads for axis in AXES)

    def _forces(self, model: Model, inputs: Inputs) -> Floats:
        return np.array(as_in(model)["loads"] if inputs.loads is None else inputs.loads, float)

    def _place(self, model: Model) -> tuple[int, int]:
        return index_of("load", self.names["load"], model.loads), axis_of(self.names["axis"])

    def value(self, model: Model, inputs: Inputs) -> float:
        """The component [N]."""
        return float(self._forces(model, inputs)[self._place(model)])

    def varied(self, model: Model, inputs: Inputs, value: float) -> tuple[Model, Inputs]:
        """The inputs with another force."""
        forces = self._forces(model, inputs)
        forces[self._place(model)] = value
        return model, replace(inputs, loads=forces)

    def pull(self, here: StableEquilibrium) -> Floats:
        """Minus the weights of the load's vertices."""
        index, axis = self._place(here.model)
        load, nodes = here.model.loads[index], np.zeros_like(here.q.x)
        np.add.at(nodes[:, axis], load.vertices, -load.weights)
        return here.reduced(nodes)


class Gravity(Parameter):
    """A component of gravity [m/s^2]."""

    kind, form, unit = "gravity", "gravity.{axis}", "m/s^2"

    @classmethod
    def all_of(cls, model: Model) -> Iterator[dict[str, str]]:
        """Three."""
        return ({"axis": axis} for axis in AXES)

    def _now(self, model: Model, inputs: Inputs) -> Floats:
        return np.array(model.gravity if inputs.gravity is None else inputs.gravity, float)

    def value(self, model: Model, inputs: Inputs) -> float:
        """The component [m/s^2]."""
        return float(self._now(model, inputs)[axis_of(self.names["axis"])])

    def varied(self, model: Model, inputs: Inputs, value: float) -> tuple[Model, Inputs]:
        """The inputs with another gravity."""
        gravity = self._now(model, inputs)
        gravity[axis_of(self.names["axis"])] = value
        return model, replace(inputs, gravity=gravity)

    def pull(self, here: StableEquilibrium) -> Floats:
        """Minus the masses of the vertices."""
        nodes = np.zeros_like(here.q.x)
        nodes[:, axis_of(self.names["axis"])] = -here.problem.loads.mass
        return here.reduced(nodes)
