"""Skeletons and tissue together: runs of bodies that drive tissue, and tissue that moves bones."""

from vastus.coupling.coupled import Coupled
from vastus.coupling.driven import Pairing, driven_inputs, line_moments
from vastus.coupling.leading import Lead
from vastus.coupling.skeleton import skeleton_of

__all__ = ["Coupled", "Lead", "Pairing", "driven_inputs", "line_moments", "skeleton_of"]
