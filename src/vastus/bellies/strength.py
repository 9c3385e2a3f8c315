"""The strength of each tet that gives a belly one axial tension from end to end.

    sum_e V_e s_e dN_i/dx = 0 at free vertices i,   = F at the end of a unit,   s_e >= 0

Then a belly at rest length stays as it is, however it is activated, and pulls with exactly its
greatest force. Many strengths do; the one nearest to an even strength is taken, so that as many
tets as possible take part:

    minimise sum_e V_e (s_e/s - 1)^2,   s = F L / V

by Newton's method on the multipliers of the equations, with a proximal term, for the shapes with
fewest tets have only one strength that does, with some tets at zero.
"""

from __future__ import annotations

import numpy as np

from vastus.bellies.belly import FREE
from vastus.bellies.law import MotorUnit
from vastus.errors import ModelError
from vastus.geometry.tetmesh import TetMesh
from vastus.numerics.types import Bools, Floats, Ints

EXACT = 1e-10  # of the greatest force, by which the tension may be uneven
PROXIMAL = 1e-4  # how far multipliers are held where they were, of the mean diagonal
ROUNDS, STEPS = 60, 40  # of the proximal term; of Newton's method in each


def strengths(mesh: TetMesh, held: Ints, unit: Ints, units: tuple[MotorUnit, ...]) -> Floats:
    """(m,) the strength of each tet [Pa]; `held` (n,) and `unit` (m,) are those of a belly."""
    out = np.zeros(mesh.n_tets)
    for k, each in enumerate(units):
        tets = unit == k
        if not tets.any():
            raise ModelError(f"unit '{each.name}' has no tets")
        out[tets] = _of_unit(mesh, held, k, each, tets)
    return out


def _of_unit(mesh: TetMesh, held: Ints, k: int, unit: MotorUnit, tets: Bools) -> Floats:
    volumes = mesh.volumes[tets]
    even = unit.force * unit.optimal / volumes.sum()
    pull = even / unit.force * volumes[:, None] * mesh.gradients[tets][:, :, 0]
    A = np.zeros((mesh.n_vertices, len(volumes)))
    np.add.at(A, (mesh.T[tets], np.arange(len(volumes))[:, None]), pull)
    at_end = A[held == k + 1].sum(axis=0)
    touched = np.flatnonzero((held == FREE) & (np.abs(A).max(axis=1) > 0))
    # What is held at the ends of other units bears nothing of this one.
    others = np.flatnonzero((held > 0) & (held != k + 1) & (np.abs(A).max(axis=1) > 0))
    A = np.vstack([A[touched], A[others], at_end])
    b = np.zeros(len(A))
    b[-1] = 1.0
    share = _nearest(A, b, volumes / volumes.mean())
    left = float(np.abs(A @ share - b).max())
    if left > EXACT:
        raise ModelError(
            f"unit '{unit.name}' has no strength of its tets that gives one tension from end to"
            f" end: {left:.2g} of its force is left; fibres along the x axis must reach both ends"
        )
    return np.asarray(even * share)


def _nearest(A: Floats, b: Floats, weight: Floats) -> Floats:
    """(m,) the least sum of weight (z - 1)^2 with A z = b and z >= 0."""
    size = np.linalg.norm(A, axis=1)
    A, b = A / size[:, None], b / size
    y = np.zeros(len(b))
    hold = PROXIMAL * float(np.mean((A**2) @ (1.0 / weight)))
    for _ in range(ROUNDS):
        before = y
        for _ in range(STEPS):
            z = np.maximum(1.0 + (A.T @ y) / weight, 0.0)
            miss = b - A @ z - hold * (y - before)
            if np.abs(miss).max() < 1e-2 * EXACT:
                break
            y = y + _step(A, b, weight, y, miss, before, hold)
        z = np.maximum(1.0 + (A.T @ y) / weight, 0.0)
        if np.abs(A @ z - b).max() < 1e-2 * EXACT:
            break
    return _polished(A, b, weight, z)


def _step(
    A: Floats, b: Floats, weight: Floats, y: Floats, miss: Floats, before: Floats, hold: float
) -> Floats:
    """A step of the multipliers y that raises the dual, whose gradient is `miss`."""
    active = 1.0 + (A.T @ y) / weight > 0
    H = (A[:, active] / weight[active]) @ A[:, active].T + hold * np.eye(len(b))
    step = np.asarray(np.linalg.solve(H, miss), np.float64)

    def dual(at: Floats) -> float:
        z = np.maximum(1.0 + (A.T @ at) / weight, 0.0)
        far = at - before
        return float(b @ at - 0.5 * (weight * z**2).sum() - 0.5 * hold * far @ far)

    start, gain = dual(y), float(miss @ step)
    for halving in range(30):
        part = 0.5**halving * step
        if dual(y + part) >= start + 1e-4 * 0.5**halving * gain - 1e-14 * abs(start):
            return part
    return np.zeros_like(y)


def _polished(A: Floats, b: Floats, weight: Floats, z: Floats) -> Floats:
    """The answer with the equations met to rounding, on the tets that take part."""
    root = np.sqrt(weight)
    for least in (1e-6, 1e-4, 0.0):
        part = z > least
        correction = np.linalg.lstsq(A[:, part] / root[part], b - A[:, part] @ z[part], rcond=1e-10)
        better = np.zeros_like(z)
        better[part] = z[part] + correction[0] / root[part]
        if better.min() >= -1e-12 and np.abs(A @ better - b).max() < EXACT:
            return np.maximum(better, 0.0)
    return z
