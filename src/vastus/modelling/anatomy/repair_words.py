"""What every step of a repair returns, and how it tells of what it did."""

from __future__ import annotations

import numpy as np

from vastus.geometry.surface import Surface
from vastus.numerics.types import Floats

Step = tuple[Surface, str]  # the better surface, and a phrase; nothing if it was sound


def counted(count: int, what: str) -> str:
    """`1 face`, `2 faces`, `2 vertices`."""
    plural = what.removesuffix("ex") + "ices" if what.endswith("ex") else what + "s"
    return f"{count} {what if count == 1 else plural}"


def percent(share: float) -> str:
    """`12 %`, `0.4 %`, or `under 0.01 %`."""
    if share < 1e-4:
        return "under 0.01 %"
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:.0f} %"


def place(point: Floats) -> str:
    """`[0.1, 0.25, 0]`."""
    return "[" + ", ".join(f"{c:.3g}" for c in np.round(point, 9) + 0.0) + "]"
