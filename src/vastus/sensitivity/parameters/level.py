"""Single numbers that drive a model: activations, torques, pressures, and what cables are told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from vastus.inputs import Inputs, as_in
from vastus.model import Model, Named, index_of
from vastus.numerics.types import Floats
from vastus.sensitivity.parameters.parameter import Parameter

if TYPE_CHECKING:
    from vastus.sensitivity.equilibrium import StableEquilibrium


class Level(Parameter):
    """One entry of an array of the inputs, by the name of what it drives."""

    of: ClassVar[str]  # the field of the inputs
    noun: ClassVar[str]  # what is driven
    least: ClassVar[float]  # the smallest change that matters

    @classmethod
    def items(cls, model: Model) -> Sequence[Named]:
        """What of the model is driven so."""
        raise NotImplementedError

    @classmethod
    def all_of(cls, model: Model) -> Iterator[dict[str, str]]:
        """One for each of those."""
        return ({"name": item.name} for item in cls.items(model))

    def _index(self, model: Model) -> int:
        return index_of(self.noun, self.names["name"], self.items(model))

    def _values(self, model: Model, inputs: Inputs) -> Floats:
        given = getattr(inputs, self.of)
        return np.array(as_in(model)[self.of] if given is None else given, float)

    def value(self, model: Model, inputs: Inputs) -> float:
        """Its present value."""
        return float(self._values(model, inputs)[self._index(model)])

    def varied(self, model: Model, inputs: Inputs, value: float) -> tuple[Model, Inputs]:
        """The inputs with another entry."""
        values = self._values(model, inputs)
        values[self._index(model)] = value
        return model, replace(inputs, **{self.of: values})  # type: ignore[arg-type]

    def scale(self, model: Model, inputs: Inputs) -> float:
        """Its own size, or what matters."""
        return max(abs(self.value(model, inputs)), self.least)


class Activation(Level):
    """The activation of a muscle; forces are proportional to it in every law but a user's."""

    noun = "muscle"
    kind, form, of, least = "activation", "inputs.activation.{name}", "excitation", 1.0

    @classmethod
    def items(cls, model: Model) -> Sequence[Named]:
        """Muscles."""
        return model.muscles

    def pull(self, here: StableEquilibrium) -> Floats:
        """The active stresses of the muscle's tets, and of its belly as a whole."""
        index, model = self._index(here.model), here.model
        rise = np.zeros(len(model.muscles))
        rise[index] = 1.0
        tissue = here.tissue.change(tension=here.problem.elastic.tension(rise))
        return here.reduced(tissue + here.belly_forces(rise))


class Torque(Level):
    """A torque [N m] about the axis of a joint, or a force [N] along a slider."""

    noun = "joint"
    kind, form, of, least = "torque", "inputs.torques.{name}", "torques", 0.1
    unit = "N m"

    @classmethod
    def items(cls, model: Model) -> Sequence[Named]:
        """Joints that have one axis."""
        return model.joints

    @classmethod
    def all_of(cls, model: Model) -> Iterator[dict[str, str]]:
        """Those with an axis only."""
        return ({"name": j.name} for j in model.joints if j.direction is not None)


class Pressure(Level):
    """The pressure [Pa] of a cavity."""

    noun = "cavity"
    kind, form, of, least = "pressure", "cavities.{name}.pressure", "pressures", 100.0
    unit = "Pa"

    @classmethod
    def items(cls, model: Model) -> Sequence[Named]:
        """Cavities."""
        return model.cavities


class Tension(Level):
    """The tension [N] of a cable."""

    noun = "cable"
    kind, form, of, least = "tension", "cables.{name}.tension", "tensions", 0.1
    unit = "N"

    @classmethod
    def items(cls, model: Model) -> Sequence[Named]:
        """Cables that have no stiffness."""
        return [cable for cable in model.cables if not cable.spooled]

    def _index(self, model: Model) -> int:
        index_of("cable", self.names["name"], self.items(model))
        return index_of("cable", self.names["name"], model.cables)


class Shortening(Level):
    """The length [m] that a spool has drawn in of a cable."""

    noun = "cable"
    kind, form, of, least = "shortening", "cables.{name}.shortening", "shortenings", 1e-4
    unit = "m"

    @classmethod
    def items(cls, model: Model) -> Sequence[Named]:
        """Cables on spools."""
        return [cable for cable in model.cables if cable.spooled]

    def _index(self, model: Model) -> int:
        index_of("cable", self.names["name"], self.items(model))
        return index_of("cable", self.names["name"], model.cables)
