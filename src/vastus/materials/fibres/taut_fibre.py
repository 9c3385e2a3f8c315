"""Passive fibres: slack when short, then a toe, then straight.

    psi = o smax (p(lam/o) - p(1/o)),   lam = |F d|

The derivative of p(x) is the tension p1 (exp(p2 (x - 1)) - 1), zero below 1 and straight above
`lam_max`, of the fibre's length x over its optimal one. The stretch is the true one, not that at
constant volume, so that fibres along a tube carry exactly one tension. The tangent has a small step
at x = 1, where the slack fibre becomes taut.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from vastus.materials.base import check_positive, register, require
from vastus.materials.functions import exponential_linear
from vastus.materials.traced import TracedLaw, traced


def energy(F: Any, d: Any, smax: Any, p1: Any, p2: Any, lam_max: Any, optimal: Any) -> Any:
    y = F @ d
    # The tiny number keeps the derivative finite for a fibre crushed to nothing.
    x = np.sqrt(y @ y + 1e-30) / optimal
    rest = exponential_linear(1 / optimal, p1, p2, lam_max)
    return optimal * smax * (exponential_linear(x, p1, p2, lam_max) - rest)


@register
@dataclass(frozen=True)
class TautFibre(TracedLaw):
    """Fibres that only resist being stretched.

    `smax` [Pa], `p1` and `p2` are scale, relative scale and exponent of the tension, `lam_max` the
    length over the optimal one where the curve turns straight, and `optimal` the stretch at which
    the fibre has its optimal length. Where that is below 1, the fibre is tense at rest.
    """

    smax: float = 3e5
    p1: float = 0.05
    p2: float = 6.6
    lam_max: float = 1.4
    optimal: float = 1.0

    name: ClassVar[str] = "taut_fibre"
    fibrous: ClassVar[bool] = True
    per_fibre: ClassVar[str | None] = "smax"
    at_optimal: ClassVar[str | None] = "optimal"
    module = traced(energy)

    def __post_init__(self) -> None:
        check_positive(self.name, smax=self.smax, p1=self.p1, p2=self.p2, optimal=self.optimal)
        require(self.lam_max > 1, f"{self.name}: lam_max is {self.lam_max:g}; it must be above 1")
