"""Soft digits of robot hands: bars that bend to the side whose half contracts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vastus.materials import StableNeoHookean, TautFibre
from vastus.modelling.gallery.labelled_body import Cells, Piece, along, annulus, grid
from vastus.modelling.tissues import Materials
from vastus.numerics.types import Floats, Ints
from vastus.parts import Volume

# Silicone rubber that contracts, as by the thin pneumatic muscles that are cast into it.
RUBBER = (StableNeoHookean(young=1e5, poisson=0.42), TautFibre())
# How far down a digit each point of its line is [m], how far out, and the half-widths there.
ROWS = np.array(
    [
        [-0.010, 0.000, 0.0105, 0.0105],
        [0.000, 0.000, 0.0105, 0.0105],
        [0.028, 0.008, 0.0105, 0.0105],
        [0.058, 0.011, 0.0100, 0.0100],
        [0.086, 0.006, 0.0090, 0.0090],
        [0.108, -0.003, 0.0060, 0.0060],
    ]
)
ROOT = 0.0115 / 0.118  # of the whole line is held
CUP = 0.010  # [m] height of the inner rim of a cup
NAIL = 0.86  # where a nail begins


def rubber(strength: float) -> Materials:
    """The materials of digits that contract with a `strength` [Pa]."""
    return Materials(muscle=RUBBER, strength=strength, volume=Volume.TET)


def digit_cells(tets: float) -> Cells:
    """The cells of a digit of about so many tets: along it, and an even number across it."""
    across = max(2, 2 * round(0.5 * (tets / 37) ** (1 / 3)))
    return max(10, round(tets / (6 * across**2))), across, across


def digit(
    base: Sequence[float],
    inward: Sequence[float],
    cells: Cells,
    *,
    root: str,
    flexors: Sequence[str],
    extensor: str,
    nail: str | None = None,
) -> Piece:
    """A digit that hangs from its `base` (3,) [m] and bends `inward` (3,) by its flexors.

    Of several flexors each has its share of the width. A `nail` is the outer side of the tip.
    """
    inner, down = np.asarray(inward, float), np.array([0.0, 0.0, -1.0])
    side = np.cross(inner, down)
    line = np.asarray(base, float) + np.outer(ROWS[:, 0], down) - np.outer(ROWS[:, 1], inner)
    held = np.ceil(ROOT * cells[0] - 0.3) / cells[0]
    names = (root, extensor, *flexors, *([nail] if nail else []))

    def label(U: Floats) -> Ints:
        share = np.minimum((U[:, 1] * len(flexors)).astype(int), len(flexors) - 1)
        found = np.where(U[:, 2] < 0.5, 1, 2 + share)
        if nail:
            found = np.where((U[:, 0] > NAIL) & (U[:, 2] < 0.45), len(names) - 1, found)
        return np.where(U[:, 0] < held, 0, found)

    first, second, third = side.tolist()
    place = along(line, ROWS[:, 2:], (first, second, third))
    return grid(cells, place, names, label=label)


def cup(x: float, ball: float, edge: float, *, stand: str) -> Piece:
    """A soft ring on the floor at `x` [m], in which a ball of a radius `ball` [m] rests.

    Without it nothing would keep what is grasped from slipping away on the floor. Its lower half
    belongs to the bone region `stand`; its upper half is the region `cup`.
    """
    inner, outer = 0.4 * ball, 0.8 * ball
    ring = annulus(inner, lambda angle: np.full_like(angle, outer), 1.0)
    cells = (max(12, round(np.pi * (inner + outer) / edge)), max(2, round(0.4 * ball / edge)), 2)

    def place(U: Floats) -> Floats:
        y, _, z = ring(U).T
        top = CUP + 0.8 * (U[:, 1] * (outer - inner))
        return np.column_stack([x + y, z, U[:, 2] * top])

    return grid(
        cells, place, (stand, "cup"), label=lambda U: (U[:, 2] > 0.5).astype(int), closed=True
    )


def resting(ball: float) -> float:
    """The height [m] of the middle of a ball of a radius [m] that rests in its cup."""
    return CUP + 0.001 + float(np.sqrt(ball**2 - (0.4 * ball) ** 2))
