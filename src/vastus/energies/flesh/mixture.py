"""Tissue that several muscles share: a passive law once, and the fibres of each by its share.

    psi(F) = psi_p(F) + sum_m d_m n_m psi_m(lam_m, a_m),   lam_m = J^(-1/3) |F f_m|

with the share d_m of a tet that muscle m fills, the density n_m of its fibres, and one fibre f_m
for each pair of a tet and a muscle (theory, eq. 91). The matrix of a muscle is the passive tissue,
so its shares add to 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vastus.energies.flesh.elements import add_rows
from vastus.energies.flesh.matrix import FleshMatrix
from vastus.energies.loops import Loops, loops
from vastus.materials.base import Law, require
from vastus.materials.fibres.isochoric_fibre import IsochoricFibre
from vastus.numerics.types import Floats, Ints


@dataclass(frozen=True)
class Tissue:
    """What flesh is made of: matrix and fibres.

    The shear modulus at rest, 2 (mu10 + mu01) = 8 kPa, is that of relaxed tissue: elastography by
    magnetic resonance found 3.9 to 6.2 kPa in nine muscles of the thigh and 3.0 kPa in fat
    (Chakouch and others 2015); what skin and fascia add is not known as well. Fibres have their
    optimal length at rest: a biceps with its optimum at a stretch of 1.4, which shortens by half of
    that length over the range of the elbow (Murray and others 2000), could not pull when bent.
    """

    mu10: float = 1e3  # [Pa]
    mu01: float = 3e3  # [Pa]
    bulk: float = 1e6  # [Pa] more makes linear tets lock, less lets active fibres change volume
    stress: float = 5e5  # [Pa] the greatest of a fibre: as much as lines of muscle have
    optimal: float = 1.0  # the stretch at which a fibre has it
    density: float = 1060.0  # [kg/m^3]

    @classmethod
    def paper(cls) -> Tissue:
        """The figures of the paper on the upper body (Lee and others 2009), but for the bulk.

        Its matrix is twenty times as stiff; its bulk modulus of 10 MPa makes linear tets lock.
        """
        return cls(mu10=2e4, mu01=6e4, stress=3e5, optimal=1.4)

    def __post_init__(self) -> None:
        for name in ("mu10", "bulk", "stress", "optimal", "density"):
            value = getattr(self, name)
            require(value > 0, f"flesh: {name} is {value:g}; it must be positive")
        require(self.mu01 >= 0, f"flesh: mu01 is {self.mu01:g}; it must not be negative")

    @property
    def matrix(self) -> Law:
        """The passive law."""
        return FleshMatrix(self.mu10, self.mu01, self.bulk)

    @property
    def fibre(self) -> IsochoricFibre:
        """The law of fibres: d psi/d lam = stress/optimal f(lam/optimal)."""
        return IsochoricFibre(smax=self.stress / self.optimal, optimal=self.optimal)


@dataclass(frozen=True, eq=False)
class Shares:
    """Which muscles fill which tets: one row for each pair, ascending by tet."""

    tet: Ints  # (r,)
    muscle: Ints  # (r,)
    share: Floats  # (r,) of the tet's volume
    fibre: Floats  # (r, 3) unit, at rest
    density: Floats  # (r,) of the muscle's fibres where it is

    @classmethod
    def none(cls) -> Shares:
        """Of tissue without muscles."""
        empty = np.zeros(0, np.int64)
        return cls(empty, empty, np.zeros(0), np.zeros((0, 3)), np.zeros(0))

    @property
    def fibres(self) -> Floats:
        """(r,) of fibres in a tet, over those of one full of a muscle of density 1."""
        return self.share * self.density


class Mixture:
    """Energy, stress and tangent of `count` tets that muscles share."""

    def __init__(self, tissue: Tissue, shares: Shares, count: int) -> None:
        self.tissue, self.shares, self.count = tissue, shares, count
        self._start = np.searchsorted(shares.tet, np.arange(count + 1))

    @cached_property
    def _matrix(self) -> tuple[Loops, Floats]:
        law = self.tissue.matrix
        return loops((law.point, law.slots)), np.array([law.parameters()])

    @cached_property
    def _fibres(self) -> tuple[Loops, Floats]:
        law = self.tissue.fibre
        return loops((law.point, law.slots)), law.parameters_at(self.shares.fibres)

    def tension(self, activation: Floats) -> Floats:
        """(r,) the active stress [Pa] of each row for activations (muscles,)."""
        greatest = self.tissue.stress / self.tissue.optimal
        return np.asarray(greatest * self.shares.fibres * activation[self.shares.muscle])

    def energy(self, F: Floats, activation: Floats) -> Floats:
        """(m,) energies per rest volume [J/m^3]."""
        return self._sum("energy", F, activation, ())

    def stress(self, F: Floats, activation: Floats) -> Floats:
        """(m, 3, 3) first Piola stresses [Pa]."""
        return self._sum("stress", F, activation, (3, 3))

    def tangent(self, F: Floats, activation: Floats) -> Floats:
        """(m, 9, 9) derivatives of the stresses by F [Pa], not projected."""
        return self._sum("tangent", F, activation, (9, 9))

    def _sum(self, what: str, F: Floats, activation: Floats, shape: tuple[int, ...]) -> Floats:
        m, r = self.count, len(self.shares.tet)
        out = np.empty((m, *shape))
        law, parameters = self._matrix
        everywhere, none = np.arange(m), np.zeros(m)
        d = np.zeros((m, 3))
        getattr(law, what)(everywhere, F, d, none, np.zeros(m, np.int64), parameters, out)
        if r:
            fibres, parameters = self._fibres
            own, rows = np.empty((r, *shape)), np.arange(r)
            tension = self.tension(activation)
            call = getattr(fibres, what)
            call(rows, F[self.shares.tet], self.shares.fibre, tension, rows, parameters, own)
            add_rows(self._start, own.reshape(r, -1), out.reshape(m, -1))
        return out
