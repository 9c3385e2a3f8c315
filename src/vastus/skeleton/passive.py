"""How a joint resists by itself: limits of a coordinate, a spring, and a damper."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite


@dataclass(frozen=True)
class Passive:
    """What resists one coordinate of a joint, in radians or metres from the model's rest.

    Beyond its `range` nothing goes but what is stronger than all muscles. A spring of `stiffness`
    [N m/rad or N/m] pulls back to `neutral`. `damping` [N m s/rad or N s/m] is for dynamics: a
    static solve has no speed that it could resist.
    """

    range: tuple[float, float] = (-inf, inf)
    stiffness: float = 0.0
    neutral: float = 0.0
    damping: float = 0.0

    @property
    def limited(self) -> bool:
        """Whether the range ends anywhere."""
        return any(isfinite(end) for end in self.range)
