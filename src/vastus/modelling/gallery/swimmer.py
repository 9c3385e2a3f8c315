"""A squid-like creature: a mantle with fins and eyes, and four arms that open and close in turn.

z points up, along the mantle; arms hang from the head below it. It floats: its scene has no
gravity.
"""

from __future__ import annotations

import numpy as np

from vastus.materials import StableNeoHookean, TautFibre
from vastus.model import Model
from vastus.modelling.gallery.labelled_body import (
    Cells,
    Piece,
    along,
    ellipsoid_piece,
    grid,
    joined,
)
from vastus.modelling.shapes.arguments import checked
from vastus.modelling.shapes.assembly import check_tets
from vastus.modelling.tissues import Materials
from vastus.numerics.types import Floats, Ints
from vastus.parts import Bone, Drive, Volume

ARMS = ("a", "b", "c", "d")
FLESH = StableNeoHookean(young=3e4, poisson=0.45)
# Height [m] and half-widths of the mantle with the head, from below.
MANTLE = np.array(
    [
        [0.000, 0.022, 0.022],
        [0.008, 0.031, 0.029],
        [0.024, 0.037, 0.034],
        [0.042, 0.034, 0.031],  # the neck
        [0.054, 0.042, 0.038],  # the rim of the mantle
        [0.090, 0.051, 0.046],
        [0.140, 0.048, 0.043],
        [0.190, 0.037, 0.033],
        [0.230, 0.022, 0.020],
        [0.262, 0.006, 0.006],
    ]
)
# Of an arm: how far down [m], how far out, half-widths. The last part is its club.
ARM = np.array(
    [
        [-0.012, 0.0195, 0.0125, 0.0125],
        [0.004, 0.0215, 0.0125, 0.0125],
        [0.050, 0.036, 0.0120, 0.0120],
        [0.110, 0.052, 0.0100, 0.0100],
        [0.170, 0.064, 0.0080, 0.0080],
        [0.215, 0.077, 0.0062, 0.0060],
        [0.240, 0.090, 0.0120, 0.0050],
        [0.262, 0.106, 0.0050, 0.0030],
    ]
)
CLUB = 0.85  # where the club begins, of an arm's length
ROOT = 0.09  # of an arm is held by the head
SHARE = 0.82  # of the tets are in the arms


@checked
def swimmer(tets: int = 220_000, *, strength: float = 1e5) -> Model:
    """A creature of about `tets` tets: bones `mantle`, which is held, and a club on each arm.

    Each of the arms a to d has a muscle `in` and a muscle `out`, with a `strength` [Pa], which
    bend it to the middle and away from it.
    """
    check_tets(tets)
    bones = (
        Bone("mantle", ("mantle", "eyes", "fins", "roots"), Drive.PINNED),
        *(Bone(f"club {name}", (f"club {name}",)) for name in ARMS),
    )
    muscles = [f"arm {name} {way}" for name in ARMS for way in ("in", "out")]
    arms = [_arm(name, k, _arm_cells(tets)) for k, name in enumerate(ARMS)]
    materials = Materials(muscle=(FLESH, TautFibre()), strength=strength, volume=Volume.TET)
    body = joined("swimmer", [*_trunk(tets), *arms], bones, muscles, materials=materials)
    return body.with_(gravity=np.zeros(3))


def _arm_cells(tets: int) -> Cells:
    """An even number across, and about 2.8 times as long as wide cells along."""
    cells = SHARE * tets / (4 * 6)
    across = max(2, 2 * round(0.5 * (cells / 13) ** (1 / 3)))
    return max(16, round(cells / across**2)), across, across


def _arm(name: str, number: int, cells: Cells) -> Piece:
    angle = np.pi / 4 + np.pi / 2 * number
    out, down = np.array([np.cos(angle), np.sin(angle), 0.0]), np.array([0.0, 0.0, -1.0])
    line = np.outer(ARM[:, 0], down) + np.outer(ARM[:, 1], out) + np.array([0.0, 0.0, 0.008])
    first, second, third = np.cross(-out, down).tolist()
    root = np.ceil(ROOT * cells[0]) / cells[0]
    regions = ("roots", f"arm {name} out", f"arm {name} in", f"club {name}")

    def label(U: Floats) -> Ints:
        found = np.where(U[:, 2] < 0.5, 1, 2)
        found = np.where(U[:, 0] > CLUB, 3, found)
        return np.where(U[:, 0] < root, 0, found)

    return grid(cells, along(line, ARM[:, 2:], (first, second, third), 3.0), regions, label=label)


def _trunk(tets: int) -> list[Piece]:
    """The mantle with the head, the eyes and two fins."""
    cells = (1 - SHARE) * tets / 6
    across = max(4, round((0.75 * cells / 2.2) ** (1 / 3)))
    line = np.column_stack([np.zeros((len(MANTLE), 2)), MANTLE[:, 0]])
    mantle = grid(
        (max(8, round(0.75 * cells / across**2)), across, across),
        along(line, MANTLE[:, 1:], (1.0, 0.0, 0.0), 2.4),
        "mantle",
    )
    eyes = [
        ellipsoid_piece((x, -0.022, 0.022), (0.010, 0.010, 0.010), 0.09 / across, "eyes")
        for x in (-0.029, 0.029)
    ]
    return [mantle, *eyes, *(_fin(sign, across) for sign in (-1, 1))]


def _fin(sign: int, across: int) -> Piece:
    """A flap beside the upper mantle: u runs out, v up, w through it."""
    cells = (max(4, across // 2), max(6, across), 2)

    def place(U: Floats) -> Floats:
        up = 0.165 + 0.075 * U[:, 1]
        base = np.interp(up, MANTLE[:, 0], MANTLE[:, 1]) - 0.004
        width = 0.052 * np.sin(np.pi * (0.08 + 0.84 * U[:, 1])) ** 0.8
        thick = 0.0045 * (1 - 0.55 * U[:, 0])
        x = sign * (base + U[:, 0] * width)
        return np.column_stack([x, thick * (2 * U[:, 2] - 1), up + 0.004 * U[:, 0]])

    return grid(cells, place, "fins")
