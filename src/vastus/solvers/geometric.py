"""The stiffness that stress gives a tet, taken at the stress that a step leads to.

A tangent has two parts: how stress changes, and how the stress there is resists turning. Where
tissue is nearly incompressible, or a tendon stiff, a place that is a hair off has stresses that are
wrong by many times the tissue's shear modulus: their part makes the tangent indefinite, and steps
wrong. The stress that is linear in the step is much nearer to that at the end (theory, "Stresses
foreseen").
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vastus.energies.loops import pull_back
from vastus.numerics.types import Floats

if TYPE_CHECKING:
    from vastus.solvers.problem import Configuration, Equilibrium

NUDGE = 1e-4  # of a step, across which stress is differentiated
NEAR = 1e-2  # of the load: forces out of balance where stresses are those of the end already


def near_balance(objective: Equilibrium, g: Floats) -> bool:
    """Whether a place with the gradient g has nearly the stresses of the equilibrium."""
    return bool(np.linalg.norm(g) <= NEAR * objective.load)


def second_stress(objective: Equilibrium, F: Floats) -> Floats:
    """(s, 3, 3) the second Piola stress of the soft tets at gradients F (s, 3, 3) [Pa].

    It does not mind rotations, so that those of several states can be combined.
    """
    S = np.empty_like(F)
    pull_back(F, objective.stress(F), S)
    return S


def linear_stress(objective: Equilibrium, before: Configuration, now: Configuration) -> Floats:
    """(s, 3, 3) the second Piola stress, linear in the step from `before` to `now` [Pa]."""
    first = second_stress(objective, before.F)
    nudged = second_stress(objective, before.F + NUDGE * (now.F - before.F))
    return first + (nudged - first) / NUDGE
