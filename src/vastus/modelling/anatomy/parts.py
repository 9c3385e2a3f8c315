"""A part of the body: a closed surface with a name, the tissue inside it and how it is attached."""

from __future__ import annotations

from dataclasses import dataclass

from vastus.geometry.surface import Surface
from vastus.model import Tissue
from vastus.modelling.anatomy.paint import Dab

# Where parts overlap, the first of these tissues has the place.
PRECEDENCE = (Tissue.BONE, Tissue.TENDON, Tissue.MUSCLE, Tissue.PASSIVE)


@dataclass(frozen=True)
class Ends:
    """What an author says of the ends of a muscle; None is to be found.

    `caps`, `tendons` and `fibre_caps` are fractions of its length from the origin and from the
    insertion. An end that is painted, by `origin_at` or `insertion_at`, has no cap.
    """

    origin: tuple[str, ...] | None = None
    insertion: tuple[str, ...] | None = None
    caps: tuple[float | None, float | None] | None = None
    tendons: tuple[float, float] | None = None
    fibre_caps: tuple[float | None, float | None] | None = None
    origin_at: tuple[Dab, ...] = ()
    insertion_at: tuple[Dab, ...] = ()

    @property
    def named(self) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
        """The names of the parts at each end."""
        return self.origin, self.insertion

    @property
    def painted(self) -> tuple[tuple[Dab, ...], tuple[Dab, ...]]:
        """What is painted for each end."""
        return self.origin_at, self.insertion_at

    def cap(self, end: int) -> float | None:
        """How far from an end its attachment may reach."""
        return None if self.caps is None else self.caps[end]

    def fibre_cap(self, end: int) -> float | None:
        """How far from an end fibres may begin."""
        return None if self.fibre_caps is None else self.fibre_caps[end]


@dataclass(frozen=True, eq=False)
class Part:
    """A named surface [m]; `muscle` is the muscle that muscle or tendon belongs to.

    A `compartment` is what one sheath of fascia holds together.
    """

    name: str
    surface: Surface
    tissue: Tissue
    muscle: str | None = None
    ends: Ends = Ends()
    size: float | None = None  # [m] edge of its tets
    compartment: str | None = None

    @property
    def bony(self) -> bool:
        """Whether it is bone."""
        return self.tissue is Tissue.BONE
