"""The averaged volume: patches of tets resist the change of their whole volume (theory, eq. 39).

Tets keep a small part of their bulk modulus. Its rest acts on the volume ratio of the patch, so
that there are fewer constraints than vertices, and a mesh of nearly incompressible tets can bend.
"""

from __future__ import annotations

from copy import copy

import numpy as np

from vastus.energies.energy import Energy, Forces, Placement, Stiffness
from vastus.geometry.topology import patches
from vastus.materials.base import Bulk, Law
from vastus.model import Model
from vastus.numerics.jit import kernel, prange
from vastus.numerics.small import add_cofactor_derivative, cofactor, det
from vastus.numerics.sparse import Cliques
from vastus.numerics.types import Floats, Ints
from vastus.parts import Region


def split(region: Region) -> tuple[tuple[Law, ...], Bulk]:
    """The laws of a region with small bulk moduli, and what that took away."""
    parts = [law.split() for law in region.laws]
    return tuple(law for law, _ in parts), sum((b for _, b in parts if b), Bulk())


class AveragedVolume(Energy):
    """Patches of the soft tets and what resists a change of their volume."""

    label = "an averaged volume"

    def __init__(self, model: Model) -> None:
        soft = model.soft
        T, region = model.mesh.T[soft], model.region[soft]
        self._B, self._volumes = model.mesh.gradients[soft], model.mesh.volumes[soft]
        self.patch = patches(T, region)  # (s,) the patch of each soft tet
        self._rest = np.bincount(self.patch, self._volumes)  # (p,) [m^3]
        self._region = region[np.unique(self.patch, return_index=True)[1]]  # (p,)
        self._bulk = self._moduli(model)
        keys = self.patch[:, None] * model.mesh.n_vertices + T
        members, self._member = np.unique(keys, return_inverse=True)  # the latter (s, 4)
        self.cliques = Cliques(*np.divmod(members, model.mesh.n_vertices))
        self._T, self._n = T, model.mesh.n_vertices

    def with_laws(self, model: Model) -> AveragedVolume:
        """The same patches with the laws that their regions have in another model."""
        other = copy(self)
        other._bulk = self._moduli(model)
        return other

    def resists_as(self, other: AveragedVolume) -> bool:
        """Whether the patches of another model resist by the same moduli."""
        return all(a == b for (a, _), (b, _) in zip(self._bulk, other._bulk, strict=True))

    def _moduli(self, model: Model) -> list[tuple[Bulk, Ints]]:
        """What resists in the patches of each region, and which those are."""
        return [
            (split(model.regions[index])[1], np.flatnonzero(self._region == index))
            for index in np.unique(self._region)
        ]

    def value(self, q: Placement) -> float:
        """The energy of all patches [J]."""
        energies = self.energy(q.F)
        self.noise = 1e-15 * float(np.abs(energies).sum())
        return float(energies.sum())

    def add_forces(self, q: Placement, forces: Forces) -> float:
        """Add the pressures' pulls; they balance the tissue's, whose size counts already."""
        corners = np.zeros((len(q.F), 4, 3))
        _add_forces(q.F, self._B, self._volumes * self._tension(q.F), corners)
        for i in range(3):
            forces.nodes[:, i] += np.bincount(
                self._T.ravel(), corners[:, :, i].ravel(), minlength=self._n
            )
        return 0.0

    def add_stiffness(self, q: Placement, stiffness: Stiffness) -> None:
        """Add the part within the tets, and the matrices of rank one that couple them."""
        self.add_tangents(q.F, stiffness.tangents)
        stiffness.outers = self.outers(q.F)

    def energy(self, F: Floats) -> Floats:
        """(s,) each tet's share of its patch's energy [J], for gradients F (s, 3, 3)."""
        return self._volumes * self._at(F)[0][self.patch]

    def add_stress(self, F: Floats, P: Floats) -> None:
        """Add the first Piola stress to P (s, 3, 3) [Pa]."""
        _add_stress(F, self._tension(F), P)

    def add_tangents(self, F: Floats, H: Floats) -> None:
        """Add the second derivative within each tet, over its volume, to H (s, 9, 9) [Pa]."""
        _add_tangent(F, self._tension(F), H)

    def outers(self, F: Floats) -> tuple[Floats, Floats]:
        """g (k, 3) [m^2] and c g (k, 3) of one matrix c g g^T for each clique, by members."""
        corners = np.zeros((len(F), 4, 3))
        _add_forces(F, self._B, self._volumes, corners)
        g = self._gathered(corners)
        return g, g * self.curvatures(F)[self.cliques.clique, None]

    def gradients(self, F: Floats) -> Floats:
        """(s, 3, 3) the derivative of each patch's volume by the gradients of its tets [m^3]."""
        out = np.zeros_like(F)
        _add_stress(F, self._volumes, out)
        return out

    def curvatures(self, F: Floats) -> Floats:
        """(p,) the second derivative of each patch's energy by its volume, where positive.

        Beyond J = e the logarithm softens: without it the matrix stays positive.
        """
        return np.asarray(np.maximum(self._at(F)[2], 0.0) / self._rest)

    def relieved(self, F: Floats, rates: Floats) -> Floats:
        """(s,) by how much a patch resists less, along `rates` (s,) of its tets' volumes [m^3].

        That is per volume [m^3] that it has more at rest.
        """
        of_patch = self._at(F)[2] * self._ratio(F) * np.bincount(self.patch, rates) / self._rest
        return np.asarray(of_patch[self.patch])

    def members(self, S: Floats) -> Floats:
        """(k, 3) what tensors S (s, 3, 3) [J] pull with at the vertices of each clique [N]."""
        return self._gathered(np.einsum("eij,eaj->eai", S, self._B))

    def _gathered(self, corners: Floats) -> Floats:
        out = np.empty((len(self.cliques.vertex), 3))
        for i in range(3):
            out[:, i] = np.bincount(self._member.ravel(), corners[:, :, i].ravel())
        return out

    def _tension(self, F: Floats) -> Floats:
        """(s,) the derivative of the energy of each tet's patch by its volume [Pa]."""
        return np.asarray(self._at(F)[1][self.patch])

    def _at(self, F: Floats) -> Floats:
        """(3, p) the energy of each patch per rest volume, its slope and its curvature by J."""
        J = self._ratio(F)
        found = np.empty((3, len(J)))
        for bulk, chosen in self._bulk:
            found[:, chosen] = bulk.at(J[chosen])
        return found

    def _ratio(self, F: Floats) -> Floats:
        """(p,) the volumes of the patches over those at rest."""
        deformed = np.empty(len(F))
        _deformed(F, self._volumes, deformed)
        return np.bincount(self.patch, deformed) / self._rest


@kernel
def _deformed(F, volumes, out):  # type: ignore[no-untyped-def]
    for e in prange(len(F)):
        out[e] = volumes[e] * det(F[e])


@kernel
def _add_stress(F, tension, P):  # type: ignore[no-untyped-def]
    for e in prange(len(F)):
        C = cofactor(F[e])
        for i in range(9):
            P[e, i // 3, i % 3] += tension[e] * C[i]


@kernel
def _add_forces(F, B, weight, forces):  # type: ignore[no-untyped-def]
    for e in prange(len(F)):
        C, w = cofactor(F[e]), weight[e]
        for a in range(4):
            b0, b1, b2 = w * B[e, a, 0], w * B[e, a, 1], w * B[e, a, 2]
            forces[e, a, 0] += C[0] * b0 + C[1] * b1 + C[2] * b2
            forces[e, a, 1] += C[3] * b0 + C[4] * b1 + C[5] * b2
            forces[e, a, 2] += C[6] * b0 + C[7] * b1 + C[8] * b2


@kernel
def _add_tangent(F, tension, H):  # type: ignore[no-untyped-def]
    for e in prange(len(F)):
        add_cofactor_derivative(F[e], tension[e], H[e])
