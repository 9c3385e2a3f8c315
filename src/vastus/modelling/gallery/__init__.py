"""Models to start from, drawn by formulas: muscles, limbs, creatures and soft robots.

Each takes about how many tets it should have and returns a `Model`; `members` says what there is
and has a scene for each.
"""

from __future__ import annotations

from vastus.modelling.gallery.contacting import curved, side_by_side
from vastus.modelling.gallery.elephant import elephant
from vastus.modelling.gallery.hand import hand
from vastus.modelling.gallery.picker import picker
from vastus.modelling.gallery.swimmer import swimmer
from vastus.modelling.gallery.wheel import wheel

__all__ = ["curved", "elephant", "hand", "picker", "side_by_side", "swimmer", "wheel"]
