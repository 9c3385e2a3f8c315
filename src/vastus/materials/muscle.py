"""Transversely isotropic muscle: shear about the fibre, passive and active tension, bulk.

    psi = G1 B1^2 + G2 B2^2 + smax p(lam/Lofl) + T0 f(lam/Lofl) + K/2 (ln J)^2,   1e40 where J <= 0

with lam = J^(-1/3) |F d|. The derivative of p(x) is the passive tension p1 (exp(p2 (x - 1)) - 1),
zero below 1 and straight above lam_max/Lofl; that of f(x) is the active force-length curve
1 - 4 (x - 1)^2 between 0.6 and 1.4, then 9 (|x - 1| - 0.6)^2 down to zero at 0.4 and 1.6. B1 and B2
are the shears along and across the fibre (`functions.shear_about_fibre`).

The tangent has small steps where the curves are joined, at x = 1 for the passive one. Beyond the
optimal length the active tension falls, so that the tangent may be indefinite.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from vastus.materials.base import check_positive, register, require
from vastus.materials.functions import (
    bulk,
    det,
    exponential_linear,
    isochoric_stretch,
    maximum,
    minimum,
    shear_about_fibre,
    upright,
    where,
)
from vastus.materials.traced import TracedLaw, traced


def active_work(x: Any) -> Any:
    """The integral from 1 to x of the active force-length curve."""
    u = where(x < 1, 1 - x, x - 1)
    m, n = minimum(u, 0.4), minimum(maximum(u, 0.4), 0.6)
    work = m - 4 / 3 * m**3 + 3 * (0.2**3 - (0.6 - n) ** 3)
    return where(x < 1, -work, work)


def energy(
    F: Any,
    d: Any,
    T0: Any,
    G1: Any,
    G2: Any,
    p1: Any,
    p2: Any,
    Lofl: Any,
    lam_max: Any,
    smax: Any,
    K: Any,
) -> Any:
    J, priced = upright(det(F))
    x = isochoric_stretch(F, d, J) / Lofl
    fibre = smax * exponential_linear(x, p1, p2, lam_max / Lofl) + T0 * active_work(x)
    return priced(shear_about_fibre(F, d, J, G1, G2) + fibre + bulk(J, K))


@register
@dataclass(frozen=True)
class MuscleTissue(TracedLaw):
    """Muscle tissue with passive and active fibres; stresses in pascal.

    `G1`, `G2` shear moduli along and across the fibre; `smax`, `p1` and `p2` scale, relative scale
    and exponent of the passive tension; `Lofl` the stretch at optimal length; `lam_max` the stretch
    where the passive curve turns straight; `K` bulk modulus.
    """

    G1: float = 500.0
    G2: float = 500.0
    p1: float = 0.05
    p2: float = 6.6
    Lofl: float = 1.0
    lam_max: float = 1.4
    smax: float = 3e5
    K: float = 1e7

    name: ClassVar[str] = "muscle"
    bulk_modulus: ClassVar[str | None] = "K"
    active: ClassVar[bool] = True
    fibrous: ClassVar[bool] = True
    per_fibre: ClassVar[str | None] = "smax"
    module = traced(energy)

    def __post_init__(self) -> None:
        moduli = {"G1": self.G1, "G2": self.G2, "K": self.K, "smax": self.smax}
        check_positive(self.name, **moduli, p1=self.p1, p2=self.p2, Lofl=self.Lofl)
        require(
            self.lam_max >= self.Lofl,
            f"{self.name}: lam_max is {self.lam_max:g}; it must not be below Lofl ({self.Lofl:g})",
        )
