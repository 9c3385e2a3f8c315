"""Hill-type activation: an active stress that depends on the length of the fibre.

    psi = T0 w sqrt(pi)/2 (erf((lam - o)/w) - erf((1 - o)/w)),   lam = |F d|

so that the force along the fibre per rest area is T0 exp(-((lam - o)/w)^2): a bell of width w about
the optimal stretch o. Beyond the optimum the force falls with length and the tangent is negative
along the fibre: a passive law must be stiffer than the steepest fall, 0.86 T0/w, for a stable
equilibrium.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Any, ClassVar

import numpy as np

from vastus.materials.base import check_positive, register
from vastus.materials.functions import erf
from vastus.materials.traced import TracedLaw, traced


def energy(F: Any, d: Any, T0: Any, optimal: Any, width: Any) -> Any:
    y = F @ d
    # The tiny number keeps the derivative finite for a fibre crushed to nothing.
    lam = np.sqrt(y @ y + 1e-30)
    rise = erf((lam - optimal) / width) - erf((1 - optimal) / width)
    return T0 * width * (pi**0.5 / 2) * rise


@register
@dataclass(frozen=True)
class HillFibre(TracedLaw):
    """Active stress with a bell-shaped force-length curve about the `optimal` stretch."""

    optimal: float = 1.0
    width: float = 0.45

    name: ClassVar[str] = "hill_fibre"
    active: ClassVar[bool] = True
    fibrous: ClassVar[bool] = True
    at_optimal: ClassVar[str | None] = "optimal"
    module = traced(energy)

    def __post_init__(self) -> None:
        check_positive(self.name, optimal=self.optimal, width=self.width)
