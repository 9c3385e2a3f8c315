"""Energies of the bones themselves: their elasticity if affine, and springs in their joints."""

from __future__ import annotations

import numpy as np

from vastus.energies.energy import Energy, Forces, Placement, Stiffness
from vastus.energies.loops import loops
from vastus.materials.neo_hookean import StableNeoHookean
from vastus.model import Model
from vastus.numerics.types import Floats, Ints


class BoneElastic(Energy):
    """One element per free affine bone, with the bone's volume; `reach` [m] is a bone's size."""

    label = "a bone's elasticity"
    local = True

    def __init__(self, model: Model, free: Ints, young: float, reach: float = np.inf) -> None:
        law = StableNeoHookean(young=young, poisson=0.49)
        volumes = [model.mesh.volumes[model.tets_of(model.bones[b].regions)].sum() for b in free]
        self.volumes = np.array(volumes)
        self.noise = 1e-15 * young * float(self.volumes.sum())  # [J] round-off
        self.force_noise = self.noise / reach
        self._free = free
        self._loops = loops((law.point, law.slots))
        none = np.zeros((len(free), 3))
        self._fixed = (np.arange(len(free)), none, np.zeros(len(free)))
        self._parameters = (np.zeros(len(free), np.int64), np.array([law.parameters()]))

    def value(self, q: Placement) -> float:
        """The energy of all free bones [J]."""
        return float(self.energy(q.poses).sum())

    def add_forces(self, q: Placement, forces: Forces) -> float:
        """Add the stresses; what cancels within a stiff bone says nothing about the tissue."""
        forces.turns += self.gradient(q.poses).reshape(-1, 3, 3)
        return 0.0

    def add_stiffness(self, q: Placement, stiffness: Stiffness) -> None:
        """Add the tangents."""
        H = self.hessian(q.poses)
        stiffness.turns = H if stiffness.turns is None else stiffness.turns + H

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


class TiedJoints(Energy):
    """Springs of one stiffness [N/m] between the two images of every joint point.

    Of the `tied` points, the first half are carried by the first bones of their joints.
    """

    label = "a spring in a joint"

    def __init__(self, stiffness: float, count: int, reach: float) -> None:
        self.stiffness = stiffness
        self._a = np.arange(count)
        self._b = self._a + count
        self.force_noise = 1e-16 * reach * stiffness * count

    def value(self, q: Placement) -> float:
        """The energy [J]."""
        return 0.5 * self.stiffness * float((self._apart(q) ** 2).sum())

    def add_forces(self, q: Placement, forces: Forces) -> float:
        """Add the springs' pulls; what cancels in a stiff joint says nothing about the tissue."""
        pull = self.stiffness * self._apart(q)
        forces.tied[self._a] += pull
        forces.tied[self._b] -= pull
        return 0.0

    def add_stiffness(self, q: Placement, stiffness: Stiffness) -> None:
        """Add the springs."""
        stiffness.springs.append((self._a, self._b, self.stiffness))

    def _apart(self, q: Placement) -> Floats:
        """(k, 3) how far apart the images are [m]."""
        return q.tied[self._a] - q.tied[self._b]
