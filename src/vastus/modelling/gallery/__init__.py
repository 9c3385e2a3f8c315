"""Models to start from, drawn by formulas: muscles, limbs, creatures and soft robots.

Each takes about how many tets it should have and returns a `Model`; `members` says what there is
and has a scene for each.
"""

from __future__ import annotations

from vastus.modelling.gallery.contacting import curved, side_by_side
from vastus.modelling.gallery.wheel import wheel

__all__ = ["curved", "side_by_side", "wheel"]
