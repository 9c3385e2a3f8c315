"""The flesh of the body, its skin and its lattice, made once for all experiments."""

from __future__ import annotations

from functools import cache

import numpy as np

from vastus.flesh.build import FleshSettings, build_flesh
from vastus.flesh.motion import Motion
from vastus.flesh.parts import FleshParts
from vastus.flesh.skin import skin_of
from vastus.flesh.solver import STILL, FleshSolver
from vastus.flesh.upper_body import UPPER_BODY_SKIN, on_volumes, upper_body_parts
from vastus.geometry.lattice.cutting import Cut, cut
from vastus.geometry.lattice.level_set import LevelSet
from vastus.numerics.types import Floats
from vastus.reproduce.upper_body import paper
from vastus.reproduce.upper_body.body import upper_body

SPACING = (0.014, paper.SPACING)  # [m] of small sizes and of all


@cache
def upper_parts() -> FleshParts:
    """Bones, muscles and what else fills the skin."""
    return upper_body_parts()


@cache
def upper_skin() -> LevelSet:
    """The skin around the parts."""
    return skin_of(upper_parts(), UPPER_BODY_SKIN)


@cache
def upper_lattice(spacing: float) -> Cut:
    """The lattice of a spacing [m], cut along the skin."""
    return cut(upper_skin(), spacing)


@cache
def upper_solver(spacing: float) -> FleshSolver:
    """The flesh in a lattice of a spacing [m], with what solves it."""
    settings = FleshSettings(spacing=spacing, skin=UPPER_BODY_SKIN)
    return FleshSolver(build_flesh(upper_parts(), settings, body=upper_skin()))


def levels_of(activations: Floats) -> dict[str, float]:
    """The activations of muscles from those of lines (m,)."""
    names = tuple(line.name for line in upper_body().lines)
    lines = Motion(np.zeros(1), ("pelvis",), STILL[None, None], names, activations[None])
    return on_volumes(lines).at(0)[1]
