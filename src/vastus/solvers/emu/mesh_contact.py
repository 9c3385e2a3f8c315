"""Contact of the nearest mesh, as deformation space sees it.

The energy E_c(y) of contact is one of the mesh y = L⁻¹ Dᵀ W (F - F0) that is nearest to the
gradients, so that its slope by them is W D L⁻¹ f with f = dE_c/dy: contact forces go through the
adjoint as external ones do (EMU eq. 22). Where alpha W is stiff beside contact, its stiffness adds
to that of the coarse space S (theory, "EMU").
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np
from scipy.sparse import csr_matrix

from vastus.energies.energy import Energy, Forces, Stiffness
from vastus.numerics.types import Floats
from vastus.solvers.emu.space import Space
from vastus.solvers.problem import Configuration


class MeshContact:
    """The contact energies of a problem, over coordinates of the nearest mesh about a start."""

    def __init__(self, space: Space, energies: Sequence[Energy], start: Configuration) -> None:
        self._space, self._energies, self._start = space, tuple(energies), start
        self._q0, _ = space.origin(start)
        self._seen: tuple[Floats, Configuration] | None = None
        self.noise = 0.0  # [J] round-off of the last value
        self.load = 0.0  # [N] size of the forces that may cancel in the last slope

    def __bool__(self) -> bool:
        return bool(self._energies)

    def place(self, y: Floats) -> Configuration:
        """The mesh y (n_y, 3) placed; made once for each y."""
        if self._seen is None or self._seen[0] is not y:
            x = self._q0 + self._space.vertices(y)
            poses = self._space.poses(self._start.poses, y[: self._space.k])
            self._seen = y, Configuration(self._space.problem, x, poses)
        return self._seen[1]

    def value(self, y: Floats) -> float:
        """The energy [J]."""
        q = self.place(y)
        total = sum(energy.value(q) for energy in self._energies)
        self.noise = sum(energy.noise for energy in self._energies)
        return float(total)

    def slope(self, y: Floats) -> Floats:
        """(n_y, 3) the derivative by the coordinates of the mesh [N]."""
        q, space = self.place(y), self._space
        forces = Forces(
            np.zeros_like(q.x),
            np.zeros((0, 3)),
            np.zeros((space.bones, 3, 3)),
            np.zeros((space.bones, 3)),
            np.zeros(0),
        )
        sizes = [energy.add_forces(q, forces) for energy in self._energies]
        self.load = float(reduce(np.hypot, sizes, 0.0))
        slope = space.pull(forces.nodes)
        slope[: space.k] += np.einsum("fck,frc->kr", space.strain_of, forces.turns)
        slope[: space.k] += np.einsum("fk,fr->kr", space.shift_of, forces.shifts)
        return slope

    def stiffness(self, y: Floats) -> csr_matrix | None:
        """(3 n, 3 n) its second derivative by the vertices, made definite [N/m]."""
        q, stiffness = self.place(y), Stiffness(np.zeros((0, 9, 9)), definite=True)
        for energy in self._energies:
            energy.add_stiffness(q, stiffness)
        return stiffness.matrix(q.x.size)

    def longest(self, y: Floats, way: Floats) -> float:
        """The largest part, at most 1, of a way (n_y, 3) of the mesh that leads to no touch."""
        shift = self._space.vertices(way)
        return min((e.longest(self.place(y), shift) for e in self._energies), default=1.0)
