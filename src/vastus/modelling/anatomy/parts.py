"""A part of the body: a closed surface with a name, the tissue inside it and how it is attached."""

from __future__ import annotations

from dataclasses import dataclass

from vastus.geometry.surface import Surface
from vastus.model import Tissue

# Where parts overlap, the first of these tissues has the place.
PRECEDENCE = (Tissue.BONE, Tissue.TENDON, Tissue.MUSCLE, Tissue.PASSIVE)


@dataclass(frozen=True)
class Ends:
    """What an author says of the ends of a muscle; None is to be found.

    `caps` and `tendons` are fractions of its length from the origin and from the insertion.
    """

    origin: tuple[str, ...] | None = None
    insertion: tuple[str, ...] | None = None
    caps: tuple[float, float] | None = None
    tendons: tuple[float, float] | None = None


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
