"""What a muscle with its tendons is drawn from: strands between bones, and where they are fixed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.modelling.arm.swept import Rows, Swept
from vastus.modelling.sweep import Triple
from vastus.numerics.types import Floats


@dataclass(frozen=True)
class Strand:
    """A belly with its tendons, from origin to insertion.

    Rows are x, y, z, half-width along `side` and half-width across [mm]. Those in `fore` turn with
    the forearm; they are drawn with it hanging straight down.
    """

    upper: Rows
    fore: Rows = ()
    side: Triple = (1.0, 0.0, 0.0)

    def solid(self, turn: Floats) -> Swept:
        """The strand with the forearm turned by `turn` (3, 3)."""
        rows = np.array([*self.upper, *self.fore], float)
        first = len(self.upper)
        rows[first:, :3] = rows[first:, :3] @ turn.T
        return Swept(rows, self.side)


@dataclass(frozen=True)
class Seam:
    """A line along which a muscle is fixed to a bone over some width [mm]."""

    bone: str
    line: tuple[Triple, ...]
    width: float


@dataclass(frozen=True)
class Muscle:
    """Strands that are one muscle, the bones at its two ends, and long seams between the ends.

    A muscle gives way to those of lower `layer`; those of one layer meet half way. Strands are
    joined over about `blend` [mm]; `rims` join them crosswise and end at no bone. `caps` are the
    fractions of its length, from origin and insertion, in which it is fixed to bones.
    """

    strands: tuple[Strand, ...]
    origins: tuple[str, ...]
    insertions: tuple[str, ...]
    layer: int
    faces: int = 2500
    seams: tuple[Seam, ...] = ()
    blend: float = 6.0
    rims: tuple[Strand, ...] = ()
    caps: tuple[float, float] = (0.15, 0.15)
