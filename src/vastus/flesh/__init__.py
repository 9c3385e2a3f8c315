"""Flesh and skin around bones and muscles, moved by poses and activations, frame by frame.

`build_flesh` makes a graded lattice of what surfaces enclose, `FleshSolver` finds its equilibrium
for poses of bones and activations of muscles by name, `solve_frames` those of a whole motion.
"""

from vastus.energies.flesh.mixture import Tissue
from vastus.flesh.build import Flesh, FleshSettings, build_flesh
from vastus.flesh.flesh_file import load_flesh, save_flesh
from vastus.flesh.frames import solve_frames
from vastus.flesh.motion import Motion
from vastus.flesh.parts import BonePart, FibreSamples, FillPart, FleshParts, MusclePart
from vastus.flesh.skin import SkinGroup, SkinSettings
from vastus.flesh.solver import FleshFrame, FleshSolver

__all__ = [
    "BonePart",
    "FibreSamples",
    "FillPart",
    "Flesh",
    "FleshFrame",
    "FleshParts",
    "FleshSettings",
    "FleshSolver",
    "Motion",
    "MusclePart",
    "SkinGroup",
    "SkinSettings",
    "Tissue",
    "build_flesh",
    "load_flesh",
    "save_flesh",
    "solve_frames",
]
