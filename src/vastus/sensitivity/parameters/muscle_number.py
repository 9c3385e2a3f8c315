"""Numbers of a muscle: how strong it is, and what its architecture says of that."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from vastus.errors import ModelError
from vastus.inputs import Inputs
from vastus.model import Model
from vastus.muscle import Muscle
from vastus.numerics.types import Floats
from vastus.sensitivity.laws import pull_of_laws, pull_of_resistance
from vastus.sensitivity.parameters.parameter import Parameter

if TYPE_CHECKING:
    from vastus.sensitivity.equilibrium import StableEquilibrium

UNITS = {
    "strength": "Pa",
    "force": "N",
    "pcsa": "m^2",
    "volume": "m^3",
    "optimal": "",
    "fibre_length": "m",
}
LINEAR = ("strength", "force", "pcsa", "volume")  # active stress is proportional to it


class MuscleNumber(Parameter):
    """A number that a muscle has: strength [Pa], force [N], pcsa [m^2], optimal stretch, ..."""

    kind, form, of_model = "muscle", "muscles.{muscle}.{number}", True

    @property
    def unit(self) -> str:  # type: ignore[override]
        """The unit of the number."""
        return UNITS.get(self.names["number"], "")

    @classmethod
    def all_of(cls, model: Model) -> Iterator[dict[str, str]]:
        """Those that count in a muscle: none that another one overrides."""
        for muscle in model.muscles:
            for number in UNITS:
                if _has(muscle, number) is not None and not _overridden(muscle, number):
                    yield {"muscle": muscle.name, "number": number}

    @classmethod
    def read(cls, path: str) -> dict[str, str] | None:
        """The names in a path whose last word is one number of a muscle."""
        found = super().read(path)
        return found if found and "." not in found["number"] else None

    def check(self, model: Model, inputs: Inputs) -> None:
        """Refuse what the muscle does not have, or does not go by."""
        muscle, number = model.muscles[model.muscle(self.names["muscle"])], self.names["number"]
        own = [n for n in UNITS if _has(muscle, n) is not None]
        if number not in own:
            raise ModelError(f"muscle '{muscle.name}' has no '{number}'; it has: {', '.join(own)}")
        if other := _overridden(muscle, number):
            raise ModelError(
                f"muscle '{muscle.name}' goes by its '{other}', so that its '{number}' counts for "
                f"nothing; vary muscles.{muscle.name}.{other}"
            )

    def value(self, model: Model, inputs: Inputs) -> float:
        """The number."""
        self.check(model, inputs)
        found = _has(model.muscles[model.muscle(self.names["muscle"])], self.names["number"])
        assert found is not None
        return found

    def varied(self, model: Model, inputs: Inputs, value: float) -> tuple[Model, Inputs]:
        """The model with another number."""
        index, muscles = model.muscle(self.names["muscle"]), list(model.muscles)
        muscles[index] = replace(muscles[index], **{self.names["number"]: value})  # type: ignore[arg-type]
        return model.with_laws(muscles=tuple(muscles)), inputs

    def pull(self, here: StableEquilibrium) -> Floats:
        """The muscle's own active forces over the number, where they are proportional to it."""
        if here.limited:
            return here.difference(self)
        if self.names["number"] not in LINEAR:
            return pull_of_laws(here, self)
        model, index = here.model, here.model.muscle(self.names["muscle"])
        share = np.zeros(len(model.muscles))
        share[index] = here.inputs.excitation[index] / self.value(model, here.inputs)
        tissue = here.tissue.change(tension=here.problem.elastic.tension(share))
        own = here.reduced(tissue + here.belly_forces(share))
        return own + pull_of_resistance(here, self)


def _has(muscle: Muscle, number: str) -> float | None:
    """The number, if the muscle has it; fibres are at their optimal length at rest unless told."""
    value: float | None = getattr(muscle, number)
    if number == "optimal" and value is None and muscle.fibre_length is None:
        return 1.0
    return None if value is None else float(value)


def _overridden(muscle: Muscle, number: str) -> str:
    """The number that a muscle goes by in place of this one; empty if by this one."""
    if muscle.force is not None and number in ("strength", "pcsa", "volume"):
        return "force"
    if muscle.pcsa is not None and number == "volume":
        return "pcsa"
    return "optimal" if muscle.optimal is not None and number == "fibre_length" else ""
