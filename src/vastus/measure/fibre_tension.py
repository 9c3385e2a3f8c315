"""The tension that the fibres of a muscle carry, active and passive apart.

The fibre stress of a tet is what its fibrous laws answer to a stretch of its fibre alone: their
stress at the gradient that has the tet's fibre stretch and volume ratio and no shear, by the
stretch of the fibre at constant volume. It is a function of fibre stretch and active stress only,
continuous in both; the tissue around the fibres, and what shears them, is no part of it. Fibres do
not push: a passive stress below zero counts as none.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np

from vastus.energies.belly import heads_of
from vastus.energies.elastic import laws_of, rows_of
from vastus.energies.loops import loops
from vastus.measure.muscle_line import belly_length
from vastus.model import Model
from vastus.muscle import ForceLength, belly_of
from vastus.numerics.small import determinants
from vastus.numerics.types import Floats, Ints
from vastus.state import State


@dataclass(frozen=True, eq=False)
class FibreStress:
    """The stretch (k,) of the fibres of some tets, and their stresses (k,) [Pa] per rest area."""

    stretch: Floats
    active: Floats
    passive: Floats

    @property
    def total(self) -> Floats:
        """(k,) [Pa], active and passive."""
        return self.active + self.passive


class FibreLaws:
    """The fibrous laws of some muscle tets of a model."""

    def __init__(self, model: Model, tets: Ints) -> None:
        self.d = np.ascontiguousarray(model.fibre[tets])
        self._groups = []
        for index in np.unique(model.region[tets]):
            laws = [law for law in laws_of(model, int(index)) if law.fibrous]
            if laws:
                chosen = np.flatnonzero(model.region[tets] == index)
                rows = rows_of(model, laws, tets[chosen])
                summed = loops(*((law.point, law.slots) for law in laws))
                self._groups.append((summed, chosen, np.ascontiguousarray(rows)))

    def of(self, F: Floats, T0: Floats) -> FibreStress:
        """The fibre stresses for gradients F (k, 3, 3) and active stresses T0 (k,) [Pa]."""
        stretch = np.linalg.norm(np.einsum("kij,kj->ki", F, self.d), axis=1)
        pure = self.pure(stretch, determinants(F))
        passive = self._along(pure, np.zeros(len(F)), stretch)
        whole = self._along(pure, T0, stretch) if T0.any() else passive
        return FibreStress(stretch, np.maximum(whole - passive, 0.0), np.maximum(passive, 0.0))

    def pure(self, stretch: Floats, J: Floats) -> Floats:
        """(k, 3, 3) the gradients of a fibre stretch and a volume ratio without shear."""
        across = np.sqrt(np.where(J > 0, J, 1.0) / np.maximum(stretch, 1e-6))
        dd = np.einsum("ki,kj->kij", self.d, self.d)
        return across[:, None, None] * (np.eye(3) - dd) + stretch[:, None, None] * dd

    def _along(self, F: Floats, T0: Floats, stretch: Floats) -> Floats:
        """(k,) dpsi/dstretch [Pa] at constant volume, of gradients without shear."""
        P = np.zeros_like(F)
        for summed, chosen, parameters in self._groups:
            summed.stress(chosen, F, self.d, T0, np.arange(len(chosen)), parameters, P)
        pushed = np.einsum("kij,kij->k", P, F)
        along = np.einsum("ki,kij,kj->k", self.d, P, self.d) * stretch
        return np.asarray((1.5 * along - 0.5 * pushed) / np.maximum(stretch, 1e-6))


class FibreTension:
    """The fibre tension of one muscle: the mean over its fibres of the force that each carries.

    With the mean fibre length at rest Lf [m], it is (1/Lf) sum V t over the tets of the muscle
    tissue, where t is the fibre stress. Lf is the volume over the area through which the fibres
    pass on their tension from end to end; where none does, it is the length of the belly.
    """

    def __init__(self, model: Model, muscle: int) -> None:
        self.tets = belly_of(model, muscle)
        self.volumes = model.mesh.volumes[self.tets]
        whole, area = float(self.volumes.sum()), model.fluxes[muscle].area
        self.fibre_length = whole / area if area > 0 else belly_length(model, muscle)
        fibres = self.volumes * model.density[self.tets]
        self.share = fibres / fibres.sum()  # (k,) of the muscle's fibres
        self._muscle, self._regions = muscle, np.unique(model.region[self.tets])
        self.heads = [
            (head, np.searchsorted(self.tets, model.soft[head.tets]))
            for head in heads_of(model, muscle)
        ]
        self._corners, self._gradients = model.mesh.T[self.tets], model.mesh.gradients[self.tets]
        self._take(model)

    def _take(self, model: Model) -> None:
        """Take laws and strength from a model."""
        self._said = self._of(model)
        whole = float(self.volumes.sum())
        self.strongest = float(model.stress[self._muscle]) * whole / self.fibre_length  # [N]
        # Where force follows the belly's length, the laws of the tets have no active part.
        local = model.force_length(self._muscle) is ForceLength.LOCAL
        self._strength = model.strength[self.tets] * local
        self.laws = FibreLaws(model, self.tets)
        self._quick = any(head.velocity for head, _ in self.heads)

    def with_laws(self, model: Model) -> FibreTension:
        """The same muscle in a model of the same shape and fibres, with laws of the same kinds.

        It is this one itself where the muscle and its tissue are as they were.
        """
        if all(now is then for now, then in zip(self._of(model), self._said, strict=True)):
            return self
        other = copy(self)
        other.heads = [(head.with_laws(model), mine) for head, mine in self.heads]
        other._take(model)
        return other

    def _of(self, model: Model) -> tuple[object, ...]:
        """What a model says of the muscle, and of the regions of its tissue."""
        return model.muscles[self._muscle], *(model.regions[r] for r in self._regions)

    def stress(self, F: Floats, activation: Floats, changing: Floats | None = None) -> FibreStress:
        """The fibre stresses for gradients F (k, 3, 3) of its tets, at activations (muscles,).

        Where velocity counts, the gradients are `changing` (k, 3, 3) [1/s].
        """
        level = float(activation[self._muscle])
        stress = self.laws.of(F, self._strength * level)
        for head, mine in self.heads:
            rate = None if changing is None else changing[mine]
            stress.active[mine] = head.pull(F[mine], level, rate).tension
        return stress

    def at(self, state: State, F: Floats) -> FibreStress:
        """The fibre stresses of a state with gradients F (k, 3, 3) of its tets."""
        changing = None
        if self._quick and state.v.any():
            changing = np.einsum("kai,kaj->kij", state.v[self._corners], self._gradients)
        return self.stress(F, state.activation, changing)

    def of(self, stress: FibreStress) -> tuple[float, float]:
        """The active and the passive tension [N]."""
        weights = self.volumes / self.fibre_length
        return float(weights @ stress.active), float(weights @ stress.passive)

    def spread(self, stress: FibreStress) -> tuple[float, float]:
        """The mean of the fibres' stretch, which is their length over that at rest, and its spread.

        A tet counts by its volume and the density of its fibres; the spread is the standard
        deviation.
        """
        mean = float(self.share @ stress.stretch)
        return mean, float(np.sqrt(self.share @ (stress.stretch - mean) ** 2))

    def work(self, before: FibreStress, after: FibreStress) -> float:
        """What the fibres did to the rest [J] from one state to another: trapezoidal rule."""
        mean = 0.5 * (before.total + after.total)
        return -float(self.volumes @ (mean * (after.stretch - before.stretch)))
