"""What the paper gives: its tissue, the stress as it is printed, and its counts of operations.

J. Teran, S. Blemker, V. Ng-Thow-Hing and R. Fedkiw, Finite volume methods for the simulation of
skeletal muscle, Symposium on Computer Animation 2003. It gives the form of the law and no constants
of it: those below are of this package.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.materials import IsochoricFibre, MooneyRivlin, TautFibre
from vastus.materials.base import Law
from vastus.materials.fibres.published import Kind, published
from vastus.numerics.types import Floats

# Sections 4.1 and 4.2: multiplications for the forces of a tet from its stress, and numbers stored.
PIOLA, CAUCHY, TYPICAL = 54, 54, 288
PIOLA_ADDITIONS, CAUCHY_ADDITIONS = 42, 45
STORED, STORED_BY_OTHERS = 9, 45


@dataclass(frozen=True)
class Constants:
    """Constants of the law [Pa]: of the matrix, of volume, of the passive fibres, and strength."""

    A: float = 2.5e3
    B: float = 2.5e3
    K: float = 5e6
    fibres: float = 3e5
    strength: float = 3e5

    @property
    def laws(self) -> tuple[Law, ...]:
        """The paper's tissue as laws of this package, whose bulk modulus stands for 2 K."""
        return (MooneyRivlin(self.A, self.B, 2 * self.K), IsochoricFibre(self.fibres))


MUSCLE = Constants()
# Stiffer, and never active. Fibres so stiff must follow the true stretch: at that of constant
# volume the tissue swells instead.
TENDON: tuple[Law, ...] = (
    MooneyRivlin(2.5e5, 0.0, 1e7),
    TautFibre(smax=3e7, p1=0.09, p2=46.4, lam_max=1.03),
)


def fibre_slope(stretch: float, activation: float, constants: Constants = MUSCLE) -> float:
    """The derivative of the fibres' energy by their stretch [Pa]: the curves of Fig. 5."""
    active = published(Kind.ACTIVE)["blemker"].curve.force(stretch)
    passive = published(Kind.PASSIVE)["blemker"].curve.force(stretch)
    return activation * constants.strength * active + constants.fibres * passive


def cauchy_stress(
    F: Floats, a0: Floats, activation: float, constants: Constants = MUSCLE
) -> Floats:
    """(3, 3) the stress [Pa] at F (3, 3) with fibres along a0 (3,), as printed in section 5.

    With W_i = dW/dI_i and W_4 I_4 = (stretch/2) dW/dstretch it is the pressure and the deviator of
    2/J [(W_1 + I_1 W_2) B - W_2 B^2 + W_4 I_4 a a^T].
    """
    J = float(np.linalg.det(F))
    B = J ** (-2 / 3) * F @ F.T
    y = J ** (-1 / 3) * F @ a0
    stretch = float(np.linalg.norm(y))
    a, eye = y / stretch, np.eye(3)
    I1 = float(np.trace(B))
    I2 = 0.5 * (I1**2 - float(np.trace(B @ B)))
    W1, W2 = constants.A, constants.B
    fibre = 0.5 * stretch * fibre_slope(stretch, activation, constants)
    p = 2 * constants.K * float(np.log(J)) / J  # dU/dJ; as printed it has K twice
    mean = 2 / (3 * J) * (W1 * I1 + 2 * W2 * I2 + fibre)
    pulled = (W1 + I1 * W2) * B - W2 * B @ B + fibre * np.outer(a, a)
    return np.asarray((p - mean) * eye + 2 / J * pulled)
