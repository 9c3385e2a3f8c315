"""A body with its disorders: what it has become, and how to take each change back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from vastus.bellies.belly import Belly
from vastus.bellies.law import MuscleLaw
from vastus.bellies.line import LineLaw
from vastus.bellies.shapes import Loft, tube
from vastus.bodies.body import Body, Unit
from vastus.control.disorders.disorder import Disorder
from vastus.control.disorders.impaired_law import ImpairedLaw
from vastus.control.disorders.paralysis import STRETCHES, Paralysis, remaining
from vastus.errors import ModelError
from vastus.numerics.types import Floats


@dataclass(frozen=True, eq=False)
class Patient:
    """A healthy body, the disorders that came over it one after another, and the body since.

    `loft` is how bellies are divided and taper where single cells matter.
    """

    healthy: Body
    body: Body
    disorders: tuple[Disorder, ...] = ()
    loft: Loft = field(default_factory=Loft)

    @classmethod
    def of(
        cls, body: Body, disorders: Iterable[Disorder] = (), *, loft: Loft | None = None
    ) -> Patient:
        """The body after these disorders, in their order."""
        patient = cls(body, body, loft=loft or Loft())
        for disorder in disorders:
            patient = patient.after(disorder)
        return patient

    def after(self, disorder: Disorder) -> Patient:
        """The patient with one more disorder."""
        changed = disorder.body(self.body)
        return Patient(self.healthy, changed, (*self.disorders, disorder), self.loft)

    def undone(self, index: int = -1) -> Patient:
        """The patient without one of the disorders, the last unless told."""
        if not -len(self.disorders) <= index < len(self.disorders):
            raise ModelError(f"no disorder {index} to undo; there are {len(self.disorders)}")
        index %= len(self.disorders)
        left = (*self.disorders[:index], *self.disorders[index + 1 :])
        return Patient.of(self.healthy, left, loft=self.loft)

    def of_muscle(self, name: str) -> tuple[Disorder, ...]:
        """The disorders of one muscle."""
        return tuple(disorder for disorder in self.disorders if name in disorder.muscles)

    def belly(self, name: str, *, healthy: bool = False) -> Belly:
        """The volume of a muscle, with all that came over it, or as it was.

        The strength of its tets is always that of health.
        """
        belly = _tube(self.healthy.unit(name), self.loft)
        for disorder in () if healthy else self.of_muscle(name):
            belly = disorder.belly(belly)
        return belly

    @cached_property
    def law(self) -> MuscleLaw:
        """The law of the muscles as they are.

        Of paralysed cells each pull has what the volume of its belly has left at each stretch.
        """
        shares = np.array([self.contractile(name) for name in self.body.names])
        law = LineLaw(self.body.units)
        return law if (shares == 1.0).all() else ImpairedLaw(law, STRETCHES, shares)

    def contractile(self, name: str) -> Floats:
        """(STRETCHES,) the share of a muscle's active force, for its area, that is left."""
        changes = self.of_muscle(name)
        share = float(np.prod([disorder.contractile for disorder in changes]))
        if not any(isinstance(disorder, Paralysis) for disorder in changes):
            return np.full(len(STRETCHES), share)
        sound = _tube(self.healthy.unit(name), self.loft)
        changed = sound
        for disorder in changes:
            changed = disorder.belly(changed)
            if disorder.contractile == 1.0 and not isinstance(disorder, Paralysis):
                sound = disorder.belly(sound)
        return remaining(changed, sound)


def _tube(unit: Unit, loft: Loft) -> Belly:
    """A round belly of the volume of a unit."""
    x = np.linspace(0.0, 1.0, loft.slabs + 1)
    mean = float(np.trapezoid(loft.radius(x) ** 2, x))
    corners = loft.around / (2 * np.pi) * np.sin(2 * np.pi / loft.around)  # of a disk's area
    width = 2.0 * np.sqrt(unit.area / (np.pi * mean * corners))
    return tube(unit, width=width, loft=loft)
