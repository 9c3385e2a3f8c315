"""Parts of a body: closed surfaces with a name, a tissue, and how and where they are attached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vastus.geometry.surface import Surface
from vastus.numerics.types import Bools, Floats
from vastus.parts import Tissue
from vastus.scene.fibres import End

# Where parts overlap, the first of these tissues has the place.
PRECEDENCE = (Tissue.BONE, Tissue.TENDON, Tissue.MUSCLE, Tissue.PASSIVE)


@dataclass(frozen=True)
class Spot:
    """A ball [m] of the brush; all that it covers is painted."""

    centre: tuple[float, float, float]
    radius: float


def beyond(spots: Sequence[Spot], points: Floats) -> Floats:
    """(k,) how far points (k, 3) are outside all spots [m]; zero or less inside."""
    away = np.full(len(points), np.inf)
    for spot in spots:
        np.minimum(away, np.linalg.norm(points - spot.centre, axis=1) - spot.radius, out=away)
    return away


def covered(spots: Sequence[Spot], points: Floats) -> Bools:
    """(k,) whether points (k, 3) are painted."""
    return np.asarray(beyond(spots, points) <= 0)


@dataclass(frozen=True)
class Decided:
    """What is decided of the ends of a muscle on its surface, before there are tets.

    The names of the parts at origin and insertion, and the tips there [m].
    """

    parts: tuple[tuple[str, ...], tuple[str, ...]]
    tips: tuple[tuple[float, float, float], tuple[float, float, float]]


@dataclass(frozen=True)
class Ends:
    """What an author says of the ends of a muscle; None is to be found.

    `caps`, `tendons` and `fibre_caps` are fractions of its length from the origin and from the
    insertion. An end that is painted, by `origin_at` or `insertion_at`, has no cap. What the author
    leaves out is `decided` before meshing. Its attachments may bridge a `gap` [m].
    """

    origin: tuple[str, ...] | None = None
    insertion: tuple[str, ...] | None = None
    caps: tuple[float | None, float | None] | None = None
    tendons: tuple[float, float] | None = None
    fibre_caps: tuple[float | None, float | None] | None = None
    origin_at: tuple[Spot, ...] = ()
    insertion_at: tuple[Spot, ...] = ()
    decided: Decided | None = None
    gap: float | None = None

    @property
    def named(self) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
        """The names of the parts at each end."""
        return self.origin, self.insertion

    @property
    def painted(self) -> tuple[tuple[Spot, ...], tuple[Spot, ...]]:
        """What is painted for each end."""
        return self.origin_at, self.insertion_at

    def cap(self, end: End) -> float | None:
        """How far from an end its attachment may reach."""
        return None if self.caps is None else end.of(self.caps)

    def fibre_cap(self, end: End) -> float | None:
        """How far from an end fibres may begin."""
        return None if self.fibre_caps is None else end.of(self.fibre_caps)


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
