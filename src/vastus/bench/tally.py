"""How often matrices are factored and solved with while a solver is measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from vastus.numerics.factor import FACTORS, SINGLE, Library, best_factor
from vastus.numerics.types import Floats, Ints


@dataclass
class Tally:
    """Factorisations, those among them that failed, and right-hand sides by their length."""

    factors: int = 0
    failed: int = 0
    sides: Counter[int] = field(default_factory=Counter)

    @property
    def solves(self) -> float:
        """Back-solves, in those of the largest matrix: three of a scalar one count as one."""
        return sum(rows * count for rows, count in self.sides.items()) / max(self.sides, default=1)


@contextmanager
def counted() -> Iterator[Tally]:
    """Count what all factors do that are made meanwhile."""
    tally, name = Tally(), best_factor()
    kept = [(kinds, kinds[name]) for kinds in (FACTORS, SINGLE) if name in kinds]
    for kinds, library in kept:
        kinds[name] = _counting(library, tally)
    try:
        yield tally
    finally:
        for kinds, library in kept:
            kinds[name] = library


def _counting(library: type[Library], tally: Tally) -> type[Library]:
    class Counting:
        """The library's factor, which tells the tally what it is asked."""

        def __init__(self, indptr: Ints, indices: Ints) -> None:
            self._own = library(indptr, indices)
            self.entries = self._own.entries

        @staticmethod
        def available() -> bool:
            return True

        def factor(self, values: Floats) -> bool:
            positive = self._own.factor(values)
            tally.factors += 1
            tally.failed += not positive
            return positive

        def solve(self, b: Floats) -> Floats:
            tally.sides[len(b)] += int(np.prod(np.shape(b)[1:]))
            return self._own.solve(b)

    return Counting
