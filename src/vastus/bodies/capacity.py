"""What torque the units of a body can give about each degree of freedom, in one pose.

The greatest and least torque over activations from 0 to 1, isometric and without passive tension:

    max  +- r_j . (f a)    subject to    r_k . (f a) = 0 for the other degrees of freedom k,

r_j are moment arms and f = force times force-length. Left free, the others may take any torque.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog

from vastus.bodies.body import Arm, Body
from vastus.bodies.paths import Poses
from vastus.errors import ModelError
from vastus.numerics.types import Floats

ForceLength = Callable[[Floats], Floats]
WIDTH = 0.45  # of the force-length curve, in optimal lengths


def bell(stretch: Floats) -> Floats:
    """Relative active force over stretch, exp(-((x - 1)/0.45)^2)."""
    return np.exp(-(((stretch - 1.0) / WIDTH) ** 2))


@dataclass(frozen=True)
class Capacity:
    """Torques about one degree of freedom [N m]: the greatest and the least, below zero."""

    joint: str
    greatest: float
    least: float


def torque_matrix(body: Body, q: Floats | None = None, force_length: ForceLength = bell) -> Floats:
    """(nv, units) torque [N m] of each fully active unit about each dof, in a pose q (nq,)."""
    poses = Poses(body).at(body.home if q is None else q)
    return poses.arms.T * (body.forces * force_length(poses.stretches))


def capacity(
    body: Body,
    arm: Arm,
    q: Floats | None = None,
    *,
    free: bool = False,
    force_length: ForceLength = bell,
) -> list[Capacity]:
    """The torques that an arm can give about each of its dofs, in a pose q (nq,) or at home.

    The torques about its other dofs are zero, or anything if `free`.
    """
    G = torque_matrix(body, q, force_length)[np.ix_(arm.dofs, arm.units)]
    names = [body.dof_names[dof] for dof in arm.dofs]
    if free:
        ends = [(row[row > 0].sum(), row[row < 0].sum()) for row in G]
    else:
        ends = [(_most(G, j, names), -_most(-G, j, names)) for j in range(len(G))]
    return [Capacity(n, float(a), float(b)) for n, (a, b) in zip(names, ends, strict=True)]


def margin(
    body: Body, arm: Arm, q: Floats, torques: Sequence[float], force_length: ForceLength = bell
) -> float:
    """The largest factor of all torques (dofs,) [N m] at once that the arm can give at rest."""
    G = torque_matrix(body, q, force_length)[np.ix_(arm.dofs, arm.units)]
    need = np.asarray(torques, float)
    if need.shape != (len(arm.dofs),) or not need.any():
        raise ModelError(
            f"torques of shape {need.shape} for arm '{arm.name}': it takes {len(arm.dofs)} numbers,"
            " not all of them zero"
        )
    n = len(arm.units)
    found = linprog(
        np.append(np.zeros(n), -1.0),
        A_eq=np.column_stack([G, -need]),
        b_eq=np.zeros(len(need)),
        bounds=[(0.0, 1.0)] * n + [(0.0, None)],
    )
    return float(found.x[-1])


def _most(G: Floats, j: int, names: Sequence[str]) -> float:
    """The greatest value of row j over 0 <= a <= 1 while the other rows are zero."""
    others = np.delete(G, j, axis=0)
    found = linprog(-G[j], A_eq=others, b_eq=np.zeros(len(others)), bounds=(0.0, 1.0))
    if not found.success:
        raise ModelError(f"no activations hold the torques beside '{names[j]}': {found.message}")
    return float(G[j] @ found.x)
