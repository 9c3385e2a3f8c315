"""Fibres of muscle that see the change of shape alone: passive and active, for any matrix.

    psi = o (smax p(lam/o) + T0 f(lam/o)),   lam = J^(-1/3) |F d|,   and 1e40 where J <= 0

with the passive and active curves of `muscle`. A change of volume does not stretch these fibres, so
that their stress has no mean: pressure is the matrix's alone, as in the uncoupled laws of Weiss,
Maker and Govindjee 1996. With `mooney_rivlin` it is the tissue of Teran and others 2003. The
tangent has a small step at lam = o, where the slack fibre becomes taut.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from vastus.materials.base import check_positive, register, require
from vastus.materials.functions import det, exponential_linear, isochoric_stretch, upright
from vastus.materials.muscle import active_work
from vastus.materials.traced import TracedLaw, traced


def energy(F: Any, d: Any, T0: Any, smax: Any, p1: Any, p2: Any, lam_max: Any, optimal: Any) -> Any:
    J, priced = upright(det(F))
    x, rest = isochoric_stretch(F, d, J) / optimal, 1 / optimal
    passive = exponential_linear(x, p1, p2, lam_max) - exponential_linear(rest, p1, p2, lam_max)
    return priced(optimal * (smax * passive + T0 * (active_work(x) - active_work(rest))))


@register
@dataclass(frozen=True)
class IsochoricFibre(TracedLaw):
    """Passive and active fibres of the stretch at constant volume, to be added to a matrix.

    `smax` [Pa], `p1` and `p2` are scale, relative scale and exponent of the passive tension,
    `lam_max` the length over the optimal one where its curve turns straight, and `optimal` the
    stretch at which the fibre has its optimal length.
    """

    smax: float = 3e5
    p1: float = 0.05
    p2: float = 6.6
    lam_max: float = 1.4
    optimal: float = 1.0

    name: ClassVar[str] = "isochoric_fibre"
    active: ClassVar[bool] = True
    fibrous: ClassVar[bool] = True
    at_optimal: ClassVar[str | None] = "optimal"
    per_fibre: ClassVar[str | None] = "smax"
    module = traced(energy)

    def __post_init__(self) -> None:
        check_positive(self.name, smax=self.smax, p1=self.p1, p2=self.p2, optimal=self.optimal)
        require(self.lam_max > 1, f"{self.name}: lam_max is {self.lam_max:g}; it must be above 1")
