"""Fibres of tendon: slack when short, then a toe, then straight.

    psi = k (e^3 / (6 e0)) for e <= e0,   k (e^2/2 - e e0/2 + e0^2/6) above,   e = max(|F d| - 1, 0)

The tension grows with the square of the strain e up to the toe e0 and has the modulus k from there,
so that the tangent has no step. The stretch is the true one: the stretch at constant volume of a
fibre so stiff would let the tissue swell instead of bearing tension.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from vastus.materials.base import check_positive, register
from vastus.materials.functions import maximum, minimum
from vastus.materials.traced import TracedLaw, traced


def energy(F: Any, d: Any, modulus: Any, toe: Any) -> Any:
    y = F @ d
    # The tiny number keeps the derivative finite for a fibre crushed to nothing.
    strain = maximum(np.sqrt(y @ y + 1e-30) - 1.0, 0.0)
    curved = minimum(strain, toe)
    straight = strain - curved
    return modulus * (curved**3 / (6 * toe) + straight * toe / 2 + straight**2 / 2)


@register
@dataclass(frozen=True)
class TendonFibre(TracedLaw):
    """Fibres of tendon, to be added to a law of the ground substance.

    `modulus` [Pa] is the slope of the tension per rest area, `toe` the strain from which it has it.
    Those given have the tension at a stretch of 1.03 and the slope beyond it of Blemker, Pinsky and
    Delp 2005.
    """

    modulus: float = 5.0e8
    toe: float = 0.0275

    name: ClassVar[str] = "tendon_fibre"
    fibrous: ClassVar[bool] = True
    module = traced(energy)

    def __post_init__(self) -> None:
        check_positive(self.name, modulus=self.modulus, toe=self.toe)
