"""Models to start from, drawn by formulas: muscles, limbs, creatures and soft robots.

Each takes about how many tets it should have and returns a `Model`; `members` says what there is
and has a scene for each.
"""

from __future__ import annotations

from vastus.modelling.gallery.biceps import biceps
from vastus.modelling.gallery.chest import chest
from vastus.modelling.gallery.contacting import curved, side_by_side
from vastus.modelling.gallery.elephant import elephant
from vastus.modelling.gallery.gripper import gripper
from vastus.modelling.gallery.hand import hand
from vastus.modelling.gallery.leg import leg
from vastus.modelling.gallery.picker import picker
from vastus.modelling.gallery.skull import skull
from vastus.modelling.gallery.swimmer import swimmer
from vastus.modelling.gallery.upper_arm import upper_arm
from vastus.modelling.gallery.wheel import wheel

__all__ = [
    "biceps",
    "chest",
    "curved",
    "elephant",
    "gripper",
    "hand",
    "leg",
    "picker",
    "side_by_side",
    "skull",
    "swimmer",
    "upper_arm",
    "wheel",
]
