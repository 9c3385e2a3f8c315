"""How a page shows a model: colours, what is hidden, a cut; a value that panels change."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from vastus.numerics.types import Floats

Limits = tuple[float, float]


class Paint(StrEnum):
    """What colours stand for; all but tissue are the names of fields in `vastus.io.colours`."""

    TISSUE = "tissue"
    ACTIVATION = "activation"
    STRETCH = "stretch"
    STRESS = "stress"
    VOLUME = "volume ratio"
    DISTANCE = "distance"


@dataclass(frozen=True, eq=False)
class Plane:
    """A plane through a point (3,) [m]; what lies beyond, along its normal (3,), is cut away."""

    point: Floats
    normal: Floats

    def beyond(self, x: Floats) -> Floats:
        """(k,) how far points (k, 3) lie beyond the plane [m]."""
        return np.asarray((x - self.point) @ self.normal)


@dataclass(frozen=True)
class Look:
    """How a model is shown; names are those of its regions."""

    paint: Paint = Paint.TISSUE
    limits: dict[Paint, Limits] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    isolated: frozenset[str] | None = None  # all but these are hidden, if given
    cut: Plane | None = None
    fibres: bool = False
    joints: bool = True

    def shows(self, name: str) -> bool:
        """Whether a region is seen."""
        return name not in self.hidden and (self.isolated is None or name in self.isolated)
