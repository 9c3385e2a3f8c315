"""The automatic choice of alpha: the largest before the iterations rise sharply (EMU 3.7)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from vastus.model import Model
from vastus.motion import Inputs, rest_inputs
from vastus.numerics.types import Floats

SHARP = 2.0  # times as many iterations as for the alpha before
LARGEST = 1e4  # the error falls as 1/alpha: beyond this there is nothing left to gain


@dataclass(frozen=True)
class AlphaChoice:
    """An alpha, the iterations that each tried alpha took, and why it was chosen."""

    alpha: float
    iterations: dict[float, int]
    reason: str


def search_alpha(
    tally: Callable[[float], tuple[int, bool]], largest: float = LARGEST
) -> AlphaChoice:
    """Raise alpha tenfold from 1; `tally` gives its iterations, and whether they suffice."""
    tried: dict[float, int] = {}
    alpha, best = 1.0, 1.0
    while alpha <= largest:
        tried[alpha], enough = tally(alpha)
        if not enough:
            return AlphaChoice(best, tried, _unsolved(alpha, best, tried[alpha]))
        if tried[alpha] > SHARP * tried[best] and alpha > 1.0:
            return AlphaChoice(best, tried, _risen(alpha, best, tried))
        alpha, best = 10.0 * alpha, alpha
    return AlphaChoice(best, tried, f"alpha {best:g}: up to here iterations do not rise sharply")


def trial_inputs(model: Model, young: float) -> Inputs:
    """Every muscle activated to a stress of 0.3 `young` [Pa], or to its limit."""
    level = [min(m.limit, 0.3 * young / m.strength) for m in model.muscles]
    none = rest_inputs(model, time=1.0)
    activation: Floats = np.array(level, float)
    return Inputs(none.time, activation, none.poses)


def _unsolved(alpha: float, best: float, count: int) -> str:
    return f"alpha {best:g}: {count} iterations were not enough at alpha {alpha:g}"


def _risen(alpha: float, best: float, tried: dict[float, int]) -> str:
    return (
        f"alpha {best:g}: iterations rise from {tried[best]} to {tried[alpha]} "
        f"between alpha {best:g} and {alpha:g}"
    )
