"""What the forces of soft tets owe to active stress, fibres and numbers of laws, all places held.

Derivatives of a law's stress at a point are central differences of fourth order with a step of
1e-4 of what is varied: nothing cancels at a point, so that they are right to 1e-11 for any law,
one of a user included, and nothing has to be compiled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vastus.energies.elastic import Term
from vastus.numerics.types import Floats, Ints
from vastus.solvers.problem import Problem

STEP = 1e-4
STENCIL = ((1.0, 2.0 / 3.0), (2.0, -1.0 / 12.0))


@dataclass(frozen=True, eq=False)
class Change:
    """The derivative of what tets are made of: active stresses, fibres, and rows of numbers."""

    tension: Floats | None = None  # (s,) [Pa]
    fibre: Floats | None = None  # (s, 3)
    rows: Sequence[Floats] | None = None  # (rows, p) for each term


class Tissue:
    """The soft tets of a problem at gradients F (s, 3, 3) and active stresses (s,) [Pa]."""

    def __init__(self, problem: Problem, F: Floats, tension: Floats) -> None:
        self._problem, self._elastic = problem, problem.elastic
        self.F, self.tension = np.ascontiguousarray(F), tension

    @property
    def stress_scale(self) -> float:
        """A size [Pa] of active stresses."""
        return max(float(np.abs(self.tension).max(initial=0.0)), 1e3)

    def change(
        self,
        *,
        tension: Floats | None = None,
        fibre: Floats | None = None,
        rows: Sequence[Floats] | None = None,
    ) -> Floats:
        """(n, 3) the derivative of the tets' forces [N] by what changes so."""
        return self.gather(self.stress(Change(tension, fibre, rows)))

    def stress(self, by: Change) -> Floats:
        """(s, 3, 3) the derivative of the tets' stresses [Pa]."""
        total = np.zeros_like(self.F)
        for index, term in enumerate(self._elastic.terms):
            tets = self._touched(by, index, term)
            if len(tets):
                self._add(total, by, index, tets)
        return total

    def gather(self, P: Floats) -> Floats:
        """(n, 3) the forces [N] of stresses P (s, 3, 3) [Pa]."""
        corners = np.einsum("e,eij,eaj->eai", self._elastic.volumes, P, self._elastic.B)
        return self._problem.scatter.gather(corners)

    def _touched(self, by: Change, index: int, term: Term) -> Ints:
        """Positions among the tets of a term of those that anything changes in."""
        found = np.zeros(len(term.tets), bool)
        if by.tension is not None:
            found |= by.tension[term.tets] != 0.0
        if by.fibre is not None:
            found |= by.fibre[term.tets].any(axis=1)
        if by.rows is not None:
            found |= np.asarray(by.rows[index].any(axis=1))[term.row]
        return np.flatnonzero(found)

    def _add(self, total: Floats, by: Change, index: int, chosen: Ints) -> None:
        """Add the differences of one term's stress over some of its tets."""
        term = self._elastic.terms[index]
        tets, row = term.tets[chosen], term.row[chosen]
        h = self._step(by, index)
        # Loops visit the tets that they are told of, in arrays of their own.
        F, here = np.ascontiguousarray(self.F[tets]), np.arange(len(tets))
        out = np.empty_like(F)
        for far, weight in STENCIL:
            for side in (far, -far):
                d, T0, p = self._elastic.fibre[tets], self.tension[tets], term.parameters
                if by.fibre is not None:
                    d = d + side * h * by.fibre[tets]
                if by.tension is not None:
                    T0 = T0 + side * h * by.tension[tets]
                if by.rows is not None:
                    p = p + side * h * by.rows[index]
                term.loops.stress(here, F, np.ascontiguousarray(d), T0, row, p, out)
                total[tets] += np.sign(side) * weight / h * out

    def _step(self, by: Change, index: int) -> float:
        """How far to go: a small part of what would change any number by its own size."""
        sizes = [np.inf]
        if by.tension is not None and by.tension.any():
            sizes.append(self.stress_scale / float(np.abs(by.tension).max()))
        if by.fibre is not None and by.fibre.any():
            sizes.append(1.0 / float(np.abs(by.fibre).max()))
        if by.rows is not None:
            numbers = self._elastic.terms[index].parameters
            changed = (by.rows[index] != 0.0) & (numbers != 0.0)
            ways = np.abs(numbers[changed] / by.rows[index][changed])
            sizes.append(float(ways.min(initial=np.inf)))
        least = min(sizes)
        return STEP * (least if np.isfinite(least) else 1.0)
