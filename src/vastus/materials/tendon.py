"""Transversely isotropic tendon: as muscle, with stiffer fibres that do not contract.

    psi = G1 B1^2 + G2 B2^2 + t(lam) + K/2 (ln J)^2,   and 1e40 where J <= 0

with lam = J^(-1/3) |F d|. The derivative of t is the tension L1 (exp(L2 (lam - 1)) - 1) per rest
area, zero below 1 and straight above lam_max; B1 and B2 are the shears along and across the fibre.
The tangent has a step at lam = 1, where the slack fibre becomes taut.
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
    shear_about_fibre,
    upright,
)
from vastus.materials.traced import TracedLaw, traced


def energy(F: Any, d: Any, G1: Any, G2: Any, L1: Any, L2: Any, lam_max: Any, K: Any) -> Any:
    J, priced = upright(det(F))
    fibre = exponential_linear(isochoric_stretch(F, d, J), L1, L2, lam_max)
    return priced(shear_about_fibre(F, d, J, G1, G2) + fibre + bulk(J, K))


@register
@dataclass(frozen=True)
class TendonTissue(TracedLaw):
    """Tendon tissue; stresses in pascal.

    `G1`, `G2` shear moduli along and across the fibre, `L1`, `L2` scale and exponent of the fibre's
    tension, `lam_max` where its curve turns straight, `K` bulk modulus.
    """

    G1: float = 5e4
    G2: float = 5e4
    L1: float = 2.7e6
    L2: float = 46.4
    lam_max: float = 1.03
    K: float = 5e8

    name: ClassVar[str] = "tendon"
    bulk_modulus: ClassVar[str | None] = "K"
    fibrous: ClassVar[bool] = True
    module = traced(energy)

    def __post_init__(self) -> None:
        moduli = {"G1": self.G1, "G2": self.G2, "K": self.K}
        check_positive(self.name, **moduli, L1=self.L1, L2=self.L2)
        require(
            self.lam_max >= 1, f"{self.name}: lam_max is {self.lam_max:g}; it must not be below 1"
        )
