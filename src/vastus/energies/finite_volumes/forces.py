"""The forces of all soft tets at their vertices, without energies and without a stored stress."""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from vastus.energies.elastic import Elastic, Term
from vastus.energies.finite_volumes.kernels import (
    ALONE,
    CALLED,
    SCALED,
    SECOND,
    collect,
    hold_back,
    push,
)
from vastus.energies.finite_volumes.law_blocks import pushes_at, scales_at, second_at
from vastus.energies.finite_volumes.patches import Patches
from vastus.energies.law_address import respond_at
from vastus.materials.base import PointLaw
from vastus.model import Model
from vastus.numerics.types import Floats, Ints


class Form(StrEnum):
    """The stress that pushes, and the faces that it pushes on."""

    PIOLA = "piola"  # first Piola-Kirchhoff, faces at rest
    CAUCHY = "cauchy"  # Cauchy's, faces as they are


class FiniteVolumes:
    """Forces of a model's soft tets by what stress pushes through their faces."""

    def __init__(self, model: Model, elastic: Elastic, form: Form = Form.PIOLA) -> None:
        self._elastic, self._by_faces = elastic, form is Form.CAUCHY
        region = model.region[model.soft]
        self._laws, self._law_start, groups = _grouped(elastic.terms, region, self._by_faces)
        self._offset, self._parameters = _numbers(elastic.terms, len(elastic.T))
        p = Patches.of(elastic.T, model.mesh.X, groups)
        V = elastic.volumes[:, None]
        faces = (elastic.B[:, 1:] * V[:, :, None]).reshape(-1, 9)
        geometry = p.side_by_side(np.column_stack([faces, 1 / V]))
        self.patches, self._n = p, model.mesh.n_vertices
        places = (p.row_start, p.filled, p.tet, p.corners, p.slot_start, p.slot_vertex)
        self._places = (*places, geometry)
        slots = len(p.slot_vertex)
        self._own, self._copies = np.zeros((2, slots, 3)), np.zeros((slots, 3))

    def forces(self, x: Floats, tension: Floats) -> Floats:
        """(n, 3) derivative of the energy [N] for vertices x (n, 3) and active stresses (s,)."""
        numbers = (self._offset, self._parameters, self._elastic.fibre, tension)
        x = np.require(x, requirements="W")  # for one that is frozen all would be compiled again
        push(
            self._laws,
            self._law_start,
            self.patches.group,
            numbers,
            self._places,
            self._by_faces,
            x,
            self._own[0],
            self._copies,
        )
        return self._collected()

    def viscosity(self, eta: Floats) -> Floats:
        """`eta` (s,) [Pa s] as `viscous` takes it."""
        return self.patches.side_by_side(eta[:, None])

    def viscous(self, eta: Floats, x: Floats, v: Floats) -> Floats:
        """(n, 3) what holds back [N] vertices x (n, 3) with velocities v (n, 3): linear in v."""
        hold_back(eta, self._places, x, v, self._own, self._copies)
        return self._collected()

    def _collected(self) -> Floats:
        out = np.empty((self._n, 3))
        collect(self.patches.vertex_start, self.patches.slot, self._copies, out)
        return out


def _grouped(terms: list[Term], region: Ints, by_faces: bool) -> tuple[Ints, Ints, list[Ints]]:
    """(l, 4) the laws of all groups, (groups + 1,) where they start, and the tets of each group.

    Tets of a group are of one region, so that laws which read the same everywhere in a region do so
    for several tets at once.
    """
    laws, starts, groups = [], [0], []
    for term in terms:
        counts = [count for _, count in term.loops.laws]
        firsts = np.cumsum([0, *counts[:-1]])
        alone = len(counts) == 1 and not by_faces
        kinds = [_kind(law, alone) for law, _ in term.loops.laws]
        own = [[*kind, f, n] for kind, f, n in zip(kinds, firsts, counts, strict=True)]
        for number in np.unique(region[term.tets]):
            laws += own
            starts.append(len(laws))
            groups.append(term.tets[region[term.tets] == number])
    return np.array(laws, np.int64).reshape(-1, 4), np.array(starts), groups


def _kind(law: PointLaw, alone: bool) -> tuple[int, int]:
    """What a law gives at the least cost, and where that is computed."""
    if law.scales is not None:
        if alone:
            return ALONE, pushes_at(law).address
        return SCALED, scales_at(law).address
    if law.second is not None:
        return SECOND, second_at(law).address
    return CALLED, respond_at(law).address


def _numbers(terms: list[Term], count: int) -> tuple[Ints, Floats]:
    """(s,) where the parameters of each tet begin among those of all laws."""
    offset, start = np.zeros(count, np.int64), 0
    for term in terms:
        offset[term.tets] = start + term.row * term.parameters.shape[1]
        start += term.parameters.size
    return offset, np.concatenate([np.zeros(0), *(term.parameters.ravel() for term in terms)])
