"""Energies of the bones themselves: their elasticity if affine, and springs in their joints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.energies.loops import loops
from vastus.materials.stable_neo_hookean import StableNeoHookean
from vastus.model import Model
from vastus.numerics.types import Floats, Ints


class BoneElastic:
    """One element per free affine bone, with the bone's volume."""

    def __init__(self, model: Model, free: Ints, young: float) -> None:
        law = StableNeoHookean(young=young, poisson=0.49)
        volumes = [model.mesh.volumes[model.tets_of(model.bones[b].regions)].sum() for b in free]
        self.volumes = np.array(volumes)
        self.noise = 1e-15 * young * float(self.volumes.sum())  # [J] round-off
        self._free = free
        self._loops = loops(law.point)
        none = np.zeros((len(free), 3))
        self._fixed = (np.arange(len(free)), none, np.zeros(len(free)))
        self._parameters = (np.zeros(len(free), np.int64), np.array([law.parameters()]))

    def energy(self, poses: Floats) -> Floats:
        """(f,) energy of each free bone [J]."""
        return self.volumes * self._run("energy", poses, ())

    def gradient(self, poses: Floats) -> Floats:
        """(9 f,) derivative by the free bones' deformation gradients [J]."""
        return (self.volumes[:, None, None] * self._run("stress", poses, (3, 3))).ravel()

    def hessian(self, poses: Floats) -> Floats:
        """(9 f, 9 f) second derivative [J], block diagonal."""
        blocks = self.volumes[:, None, None] * self._run("tangent", poses, (9, 9))
        out = np.zeros((9 * len(blocks), 9 * len(blocks)))
        for k, block in enumerate(blocks):
            out[9 * k : 9 * k + 9, 9 * k : 9 * k + 9] = block
        return out

    def _run(self, what: str, poses: Floats, shape: tuple[int, ...]) -> Floats:
        F = np.ascontiguousarray(poses[self._free, :, :3])
        out = np.zeros((len(F), *shape))
        tets, fibre, tension = self._fixed
        getattr(self._loops, what)(tets, F, fibre, tension, *self._parameters, out)
        return out


@dataclass(frozen=True)
class Springs:
    """Springs of one stiffness [N/m] between carried points `a` (k,) and `b` (k,)."""

    stiffness: float
    a: Ints
    b: Ints

    def energy(self, x: Floats) -> float:
        """The energy [J] for carried points x (h, 3)."""
        return 0.5 * self.stiffness * float(((x[self.a] - x[self.b]) ** 2).sum())

    def add_gradient(self, x: Floats, g: Floats) -> None:
        """Add the derivative to g (h, 3) [N]."""
        force = self.stiffness * (x[self.a] - x[self.b])
        np.add.at(g, self.a, force)
        np.add.at(g, self.b, -force)

    def hessian(self, push_a: Floats, push_b: Floats) -> Floats:
        """(k, k) the stiffness for points that move by these maps (3 points, k)."""
        apart = push_a - push_b
        return self.stiffness * apart.T @ apart
