"""A muscle whose belly forks into two heads: a tube and two half-tubes that continue it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from vastus.modelling.assembly import stacked
from vastus.modelling.disc import Disc, even, half
from vastus.modelling.resolution import Part
from vastus.modelling.sweep import Solid, Tube

_SIDES = (1, -1)
# The segments that are contractile, and those fixed to bone: at the insertion and at each head.
BELLY = (2, 3, 6)
ATTACHED = (0, 5, 8)


@dataclass(frozen=True, eq=False)
class Forked:
    """A stem from the insertion to the fork, and two heads from there.

    Stem and heads have three segments each: attached, tendon, belly; and belly, tendon, attached.
    The first head continues the half of the stem towards (direction of the line) x (side). The
    half-widths of a head are those of the whole section that it is half of.
    """

    stem: Tube
    heads: tuple[Tube, Tube]

    def parts(self) -> list[Part]:
        """The three parts to mesh."""
        size = self.stem.size
        return [
            Part(self.stem),
            *(
                Part(head, partial(_half_section, sign), size=size)
                for head, sign in zip(self.heads, _SIDES, strict=True)
            ),
        ]


def _half_section(sign: int, rings: int) -> Disc:
    return half(even(rings), sign)[0]


def glued(solids: Sequence[Solid]) -> Solid:
    """One mesh of stem and heads; the segments of head k are numbered from 3 (k + 1)."""
    stem, *heads = solids
    whole = stacked(solids)
    disc = even(round((-3 + np.sqrt(12 * stem.section - 3)) / 6))
    starts = np.cumsum([len(s.X) for s in solids])
    number = np.arange(len(whole.X))
    for k, (head, sign) in enumerate(zip(heads, _SIDES, strict=True)):
        number[starts[k] + head.first] = stem.last[half(disc, sign)[1]]
    part = np.repeat(np.arange(3), [len(s.T) for s in solids])
    kept, T = np.unique(number[whole.T], return_inverse=True)
    return replace(whole, X=whole.X[kept], T=T.reshape(-1, 4), segment=whole.segment + 3 * part)
