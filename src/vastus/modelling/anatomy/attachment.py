"""An attachment of a muscle: which end, on what, and where it may hold."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from vastus.modelling.anatomy.paint import Dab, covered
from vastus.numerics.types import Bools, Floats


class End(IntEnum):
    """An end of a muscle."""

    ORIGIN = 0
    INSERTION = 1

    @property
    def word(self) -> str:
        """What authors call it."""
        return self.name.lower()

    def along(self, s: Floats) -> Floats:
        """How far from this end, as a fraction of the length."""
        return s if self is End.ORIGIN else 1.0 - s


@dataclass(frozen=True)
class Attachment:
    """One end of a muscle on another part; parts by their position.

    It holds where the muscle touches the other part within `cap` of its length from the end, or, if
    the author `painted` it, within these places. Fibres begin there too, within `fibre_cap`.
    """

    part: int
    end: End
    to: int
    cap: float
    distance: float  # [m] between the tip, or the painted places, and the other part
    given: bool  # by the author
    painted: tuple[Dab, ...] = ()
    fibre_cap: float = 1.0

    def reaches(self, points: Floats, s: Floats) -> Bools:
        """(k,) whether it may hold at points (k, 3) [m] with the coordinates s (k,)."""
        if self.painted:
            return covered(self.painted, points)
        return self.end.along(s) <= self.cap
