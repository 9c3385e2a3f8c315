"""A muscle whose belly forks into two heads: a tube and two half-tubes that continue it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from vastus.modelling.assembly import stacked
from vastus.modelling.disc import Disc, even, half
from vastus.modelling.resolution import Part
from vastus.modelling.sweep import Solid, Swept, Tube

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


def glued(solids: Sequence[Swept]) -> Solid:
    """One mesh of stem and heads, whose ends are the insertion and the origin of each head.

    The segments of head k are numbered from 3 (k + 1).
    """
    whole = stacked(solids)
    insertion, fork, *rest = whole.ends
    number = np.arange(len(whole.X))
    for start, sign in zip(rest[::2], _SIDES, strict=True):
        number[start] = fork[half(solids[0].disc, sign)[1]]
    part = np.repeat(np.arange(len(solids)), [len(s.T) for s in solids])
    kept, T = np.unique(number[whole.T], return_inverse=True)
    ends = tuple(np.searchsorted(kept, e) for e in (insertion, *rest[1::2]))
    return Solid(whole.X[kept], T.reshape(-1, 4), whole.segment + 3 * part, ends)
