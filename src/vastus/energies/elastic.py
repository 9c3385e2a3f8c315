"""The elastic energy of the soft tets, whatever laws they obey."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vastus.energies.energy import Energy, Forces, Placement, Stiffness
from vastus.energies.loops import Loops, deformation, loops
from vastus.energies.volume import split
from vastus.inputs import Inputs
from vastus.materials.base import Law, PointLaw
from vastus.materials.consistency import check_users
from vastus.materials.fibres.published import active_curve
from vastus.materials.fibres.table_fibre import TableFibre
from vastus.model import Model
from vastus.muscle import ForceLength
from vastus.numerics.sparse import Scatter
from vastus.numerics.types import Floats, Ints
from vastus.parts import Tissue


@dataclass(frozen=True, eq=False)
class Term:
    """One sum of laws over the tets that obey it; `row` picks each tet's parameters."""

    loops: Loops
    tets: Ints  # (k,) positions among the soft tets
    row: Ints  # (k,)
    parameters: Floats  # (rows, p)
    regions: tuple[tuple[int, Ints], ...]  # the regions that it is of, each with its tets

    def numbers(self, model: Model) -> Floats:
        """(rows, p) the parameters in a model of the same shape, with laws of the same kinds."""
        return np.concatenate([_parameters(model, index, tets) for index, tets in self.regions])


@dataclass(frozen=True, eq=False)
class Response:
    """Energies (s,) [J] and corner forces (s, 4, 3) [N] of the soft tets."""

    energies: Floats
    forces: Floats


class Elastic:
    """Energy, stress and tangent of a model's soft tets, in the order of `model.soft`.

    Of a model whose volume is averaged, it is what is left to each tet.
    """

    def __init__(self, model: Model) -> None:
        check_users(law for region in model.regions for law in region.laws)
        soft = model.soft
        self.T = model.mesh.T[soft]
        self.B = np.ascontiguousarray(model.mesh.gradients[soft])
        self.volumes = np.ascontiguousarray(model.mesh.volumes[soft])
        self.fibre = np.ascontiguousarray(model.fibre[soft])
        self._muscle = model.muscle_of_tet[soft]
        self._reach = float(np.abs(model.mesh.X).max())
        self._take(model)

    def _take(self, model: Model) -> None:
        """Take laws and strengths from a model."""
        self._strength = strength_of(model)
        self._bulk = _averaged_bulk(model)
        self.terms = terms_of(model)
        shear = np.array([sum(law.stiffness() for law in r.laws) for r in model.regions])
        whole = float(self.volumes @ shear[model.region[model.soft]])
        self.noise = 1e-15 * whole  # [J] round-off
        self._scratch = threading.local()

    def with_laws(self, model: Model) -> Elastic:
        """The same tets with the laws and strengths of another model of the same shape."""
        other = copy(self)
        other._take(model)
        return other

    def deformation(self, x: Floats) -> Floats:
        """(s, 3, 3) deformation gradients for vertices x (n, 3)."""
        F = np.empty((len(self.T), 3, 3))
        deformation(np.require(x, requirements="W"), self.T, self.B, F)  # not compiled twice
        return F

    def tension(self, activation: Floats) -> Floats:
        """(s,) active stress [Pa] for activations (muscles,), where the laws of tets decide."""
        return self._strength * np.append(activation, 0.0)[self._muscle]

    def energy(self, F: Floats, T0: Floats) -> Floats:
        """(s,) energy of each tet [J]."""
        return self.volumes * self._run("energy", F, T0, np.empty(len(F)))

    def stress(self, F: Floats, T0: Floats) -> Floats:
        """(s, 3, 3) first Piola stress [Pa]."""
        return self._run("stress", F, T0, np.empty((len(F), 3, 3)))

    def tangent(self, F: Floats, T0: Floats, out: Floats | None = None) -> Floats:
        """(s, 9, 9) derivative of each tet's stress by its own F [Pa], symmetric, not projected.

        Who asks often gives `out`: new memory costs more than the arithmetic.
        """
        return self._run("tangent", F, T0, np.empty((len(F), 9, 9)) if out is None else out)

    def respond(self, x: Floats, T0: Floats) -> Response:
        """Energies and corner forces for vertices x (n, 3), in one pass over the tets.

        The arrays are scratch of this thread's own: they hold until its next call.
        """
        out = self._response
        for term in self.terms:
            term.loops.respond(
                (term.tets, term.row, term.parameters),
                (x, self.T, self.B, self.volumes, self.fibre, T0),
                out.energies,
                out.forces,
            )
        return out

    @property
    def _response(self) -> Response:
        """Room for a response: kept, as new memory costs more, and not shared with a thread."""
        kept: Response | None = getattr(self._scratch, "response", None)
        if kept is None:
            kept = Response(np.zeros(len(self.T)), np.zeros((len(self.T), 4, 3)))
            self._scratch.response = kept
        return kept

    @cached_property
    def modulus(self) -> Floats:
        """(s,) a typical stiffness of each tet at rest [Pa]: the mean of its tangent's diagonal."""
        return self._diagonal.mean(axis=1)

    @cached_property
    def force_noise(self) -> float:
        """The forces [N] that the round-off of the coordinates makes."""
        modulus = np.abs(self._diagonal).max(axis=1)
        stiffness = modulus * self.volumes * (self.B**2).sum(axis=(1, 2))  # [N/m]
        return float(np.finfo(float).epsneg * self._reach * np.linalg.norm(stiffness))

    @cached_property
    def _diagonal(self) -> Floats:
        """(s, 9) the diagonal of the tangent at rest [Pa], with all of the bulk modulus."""
        rest = np.tile(np.eye(3), (len(self.T), 1, 1))
        H = self.tangent(rest, np.zeros(len(self.T)))
        diagonal = np.diagonal(H, axis1=1, axis2=2)
        if self._bulk is None:
            return diagonal
        return diagonal + self._bulk[:, None] * np.eye(3).ravel()

    def _run(self, what: str, F: Floats, T0: Floats, out: Floats) -> Floats:
        for term in self.terms:
            loop = getattr(term.loops, what)
            loop(term.tets, F, self.fibre, T0, term.row, term.parameters, out)
        return out


class TissueEnergy(Energy):
    """The elastic energy of a model's soft tets under active stresses `tension` (s,) [Pa]."""

    label = "the tissue"
    local = True

    def __init__(self, elastic: Elastic, scatter: Scatter, tension: Floats | None = None) -> None:
        self.elastic, self._scatter = elastic, scatter
        self.tension = np.zeros(len(elastic.T)) if tension is None else tension
        self.force_noise = elastic.force_noise
        self._seen: tuple[Placement, Internal] | None = None

    def at(self, inputs: Inputs) -> TissueEnergy:
        """The tissue at the inputs' excitation, which in statics it has at once."""
        return TissueEnergy(self.elastic, self._scatter, self.elastic.tension(inputs.excitation))

    def value(self, q: Placement) -> float:
        """The energy [J]."""
        internal = self.internal(q)
        self.noise = self.elastic.noise + 1e-15 * internal.magnitude
        return internal.energy

    def add_forces(self, q: Placement, forces: Forces) -> float:
        """Add the tets' pulls on their corners."""
        internal = self.internal(q)
        forces.nodes += internal.forces
        return internal.load

    def add_stress(self, F: Floats, P: Floats) -> None:
        """Add the tets' stress."""
        P += self.elastic.stress(F, self.tension)

    def add_stiffness(self, q: Placement, stiffness: Stiffness) -> None:
        """Write the tangents; it is the first to do so."""
        self.elastic.tangent(q.F, self.tension, stiffness.tangents)

    def internal(self, q: Placement) -> Internal:
        """Energy and forces, in one pass over the tets for each placement."""
        if self._seen is None or self._seen[0] is not q:
            response = self.elastic.respond(q.x, self.tension)
            internal = Internal(
                energy=float(response.energies.sum()),
                magnitude=float(np.abs(response.energies).sum()),
                forces=self._scatter.gather(response.forces),
                load=float(np.linalg.norm(response.forces)),
            )
            self._seen = (q, internal)
        return self._seen[1]


@dataclass(frozen=True, eq=False)
class Internal:
    """What the tissue does in a placement.

    `load` is the size of the unassembled forces: what cancels in equilibrium, whatever drives it.
    """

    energy: float  # [J]
    magnitude: float  # [J] the sum of the tets' energies without their signs
    forces: Floats  # (n, 3) [N] derivative of the energy
    load: float  # [N]


def strength_of(model: Model) -> Floats:
    """(s,) the active stress at activation 1 [Pa] of soft tets whose own laws are active."""
    local = [model.force_length(i) is ForceLength.LOCAL for i in range(len(model.muscles))]
    acts = np.append(local, False)[model.muscle_of_tet[model.soft]]
    return np.where(acts, model.strength[model.soft], 0.0)


def _averaged_bulk(model: Model) -> Floats | None:
    """(s,) the bulk modulus [Pa] that averaging takes from each tet, if it does."""
    if not model.volume.averaged:
        return None
    moduli = np.array([split(region)[1].modulus for region in model.regions])
    return np.asarray(moduli[model.region[model.soft]])


def terms_of(model: Model) -> list[Term]:
    """Regions grouped by the kinds of their laws: one loop per group, and each tet in one."""
    groups: dict[tuple[tuple[PointLaw, int], ...], list[int]] = {}
    for index, region in enumerate(model.regions):
        if region.laws:
            kinds = tuple((law.point, law.slots) for law in laws_of(model, index))
            groups.setdefault(kinds, []).append(index)
    region_of_tet = model.region[model.soft]
    terms = []
    for kinds, regions in groups.items():
        tets = [np.flatnonzero(region_of_tet == index) for index in regions]
        parts = [_parameters(model, r, t) for r, t in zip(regions, tets, strict=True)]
        starts = np.cumsum([0, *(len(part) for part in parts[:-1])])
        row = [
            start + (np.arange(len(t)) if len(part) > 1 else np.zeros(len(t), np.int64))
            for start, part, t in zip(starts, parts, tets, strict=True)
        ]
        terms.append(
            Term(
                loops(*kinds),
                np.concatenate(tets),
                np.concatenate(row),
                np.concatenate(parts),
                tuple(zip(regions, tets, strict=True)),
            )
        )
    return terms


def _parameters(model: Model, region: int, tets: Ints) -> Floats:
    """The numbers of a region's laws: one row for all of its soft tets, or one for each.

    Each has its own where fibres lie more densely here than there, and a law minds, or where a law
    reads more of each tet.
    """
    laws, chosen = laws_of(model, region), model.soft[tets]
    alike = all(law.per_fibre is None for law in laws) or (model.density[chosen] == 1.0).all()
    if alike and not any(law.per_tet for law in laws):
        chosen = chosen[:1]
    return rows_of(model, laws, chosen)


def rows_of(model: Model, laws: Sequence[Law], tets: Ints) -> Floats:
    """(k, p) the numbers that these laws read in each of some tets of the model."""
    density, columns = model.density[tets], []
    for law in laws:
        columns.append(law.parameters_at(density))
        for name, size in law.per_tet:
            here = model.directions[name] if size == 3 else model.quantities[name]
            columns.append(here[tets].reshape(len(tets), size))
    return np.concatenate(columns, axis=1)


def laws_of(model: Model, region: int) -> tuple[Law, ...]:
    """The laws that the tets of a region obey each for itself.

    Fibres of a muscle have its optimal length. Tissue without an active law whose muscle goes by
    the length of each tet gets one.
    """
    part = model.regions[region]
    laws = split(part)[0] if model.volume.averaged else part.laws
    if part.tissue is not Tissue.MUSCLE or part.muscle is None:
        return laws
    index = model.muscle(part.muscle)
    local = model.force_length(index) is ForceLength.LOCAL
    if local and not any(law.active for law in laws):
        rows = active_curve(model.muscles[index].curve).rows()
        laws = (*laws, TableFibre(active_curve=rows, passive_curve=()))
    return tuple(law.lengthened(float(model.optimal[index])) for law in laws)
