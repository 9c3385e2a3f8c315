"""Models to start from, drawn by formulas: muscles, limbs, creatures and soft robots.

Each takes about how many tets it should have and returns a `Model`; `members` says what there is
and has a scene for each.
"""

from __future__ import annotations

from vastus.modelling.gallery.biceps import biceps
from vastus.modelling.gallery.chest import chest
from vastus.modelling.gallery.contacting import curved, side_by_side
from vastus.modelling.gallery.leg import leg
from vastus.modelling.gallery.skull import skull
from vastus.modelling.gallery.upper_arm import upper_arm

__all__ = ["biceps", "chest", "curved", "leg", "side_by_side", "skull", "upper_arm"]
