"""The head of an elephant: its trunk, in four quarters, reaches up and then curls to the mouth.

z points up, the elephant looks along -y, x is to its left. Lengths are those of a puppet.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np

from vastus.materials import StableNeoHookean, TautFibre
from vastus.model import Model
from vastus.modelling.gallery.labelled_body import (
    Cells,
    Piece,
    Place,
    along,
    ball_piece,
    ellipsoid_piece,
    grid,
    joined,
    rounded,
    star,
)
from vastus.modelling.shapes.arguments import checked
from vastus.modelling.shapes.assembly import check_tets
from vastus.modelling.shapes.implicit import Field, ellipsoid, join
from vastus.modelling.tissues import Materials
from vastus.numerics.types import Floats, Ints
from vastus.parts import Bone, Contact, ContactKind, Drive, Volume
from vastus.skeleton.joints import Hinge

EARS = {"left ear": 1, "right ear": -1}
QUARTERS = ("upper left", "upper right", "lower left", "lower right")
FLESH = StableNeoHookean(young=6e4, poisson=0.45)
# Centres [m] and half-widths of the ellipsoids that the skull is blended from.
SKULL = (
    ((0.0, 0.030, 0.045), (0.098, 0.115, 0.110)),
    ((-0.040, 0.005, 0.105), (0.056, 0.075, 0.060)),
    ((0.040, 0.005, 0.105), (0.056, 0.075, 0.060)),
    ((0.0, -0.060, 0.010), (0.072, 0.062, 0.088)),
    ((-0.048, -0.060, -0.030), (0.030, 0.045, 0.035)),
    ((0.048, -0.060, -0.030), (0.030, 0.045, 0.035)),
)
MIDDLE, BLEND = (0.0, 0.0, 0.035), 0.035
EYES = (((-0.076, -0.062, 0.050), (0.014, 0.016, 0.014)),
        ((0.076, -0.062, 0.050), (0.014, 0.016, 0.014)))  # fmt: skip
# Of the jaw: y, z [m] and the half-widths; it begins close below the skull, and does not touch it.
JAW = np.array(
    [
        [0.078, -0.073, 0.040, 0.013],
        [0.045, -0.090, 0.050, 0.020],
        [0.010, -0.110, 0.048, 0.024],
        [-0.040, -0.119, 0.036, 0.018],
        [-0.075, -0.119, 0.018, 0.010],
    ]
)
# Of the trunk: y, z [m] and the half-width; it begins inside the face.
TRUNK = np.array(
    [
        [-0.060, 0.020, 0.056],
        [-0.100, 0.000, 0.054],
        [-0.138, -0.045, 0.049],
        [-0.158, -0.110, 0.042],
        [-0.165, -0.185, 0.035],
        [-0.168, -0.260, 0.029],
        [-0.176, -0.325, 0.024],
        [-0.195, -0.375, 0.020],
        [-0.225, -0.405, 0.017],
    ]
)
# Of a tusk: out, y, z [m] and the half-width.
TUSK = np.array(
    [
        [0.060, -0.060, -0.030, 0.017],
        [0.083, -0.110, -0.075, 0.0165],
        [0.094, -0.165, -0.110, 0.0145],
        [0.098, -0.225, -0.122, 0.011],
        [0.094, -0.280, -0.106, 0.0055],
    ]
)
EDGE = 0.0018  # [m] beyond the skull, to which what is held to it reaches


@checked
def elephant(tets: int = 29_000, *, strength: float = 2e5) -> Model:
    """A head of about `tets` tets: bones `skull`, which is fixed, and `jaw`, on a hinge.

    The trunk has four muscles, its quarters from root to tip, with a `strength` [Pa]: `upper left`,
    `upper right`, `lower left` and `lower right`. The muscles `left ear` and `right ear` bend the
    ears forward.
    """
    check_tets(tets)
    bones = (Bone("skull", ("skull", "tusks", "roots"), Drive.PINNED), Bone("jaw", ("jaw",)))
    body = joined(
        "elephant",
        [*_skull(tets), _jaw(tets), *_tusks(tets), *_ears(tets), _trunk(tets)],
        bones,
        [*QUARTERS, *EARS],
        materials=Materials(muscle=(FLESH, TautFibre()), strength=strength, volume=Volume.TET),
    )
    joint, axis = np.array([0.0, 0.082, -0.073]), np.array([1.0, 0.0, 0.0])
    return body.with_(
        joints=(Hinge("mouth", ("skull", "jaw"), joint, axis),),
        contact=Contact(muscles=ContactKind.NONE),
    )


def _head() -> Field:
    return join(*(ellipsoid(centre, half) for centre, half in SKULL), blend=BLEND)


def _skull(tets: int) -> list[Piece]:
    n = max(3, round((0.31 * tets / 9) ** (1 / 3)))
    eyes = [ellipsoid_piece(*eye, 0.06 / n, "skull") for eye in EYES]
    return [ball_piece(n, star(_head(), MIDDLE, 0.25), "skull", around=1), *eyes]


def _jaw(tets: int) -> Piece:
    line = np.column_stack([np.zeros(len(JAW)), JAW[:, :2]])
    n = max(2, round((0.03 * tets / 12) ** (1 / 3)))
    return grid((2 * n, n, n), along(line, JAW[:, 2:], (1.0, 0.0, 0.0), 2.6), "jaw")


def _tusks(tets: int) -> list[Piece]:
    found = []
    for sign in (-1, 1):
        line = TUSK[:, :3] * np.array([sign, 1.0, 1.0])
        widths = np.repeat(TUSK[:, 3:], 2, axis=1)
        n = max(2, round((0.02 * tets / 24) ** (1 / 3)))
        found.append(grid((4 * n, n, n), along(line, widths, (1.0, 0.0, 0.0), 2.4), "tusks"))
    return found


def _nearest(place: Place, cells: Cells) -> Callable[[Floats], Floats]:
    """How far [m] cells with middles (k, 3) are outside the head, by their innermost corner."""
    head, half = _head(), 0.5 / np.asarray(cells)
    corners = [half * np.array(signs) for signs in product((-1, 1), repeat=3)]
    return lambda U: np.min([head(place(U + corner)) for corner in corners], axis=0)


def _trunk(tets: int) -> Piece:
    """u runs from the root to the tip, v to the left, w up."""
    line = np.column_stack([np.zeros(len(TRUNK)), TRUNK[:, :2]])
    cells = 0.5 * tets / 6
    across = max(4, 2 * round(0.5 * (cells / 7) ** (1 / 3)))
    counts = (max(16, round(cells / across**2)), across, across)
    place = along(line, np.column_stack([TRUNK[:, 2], 0.92 * TRUNK[:, 2]]), (1.0, 0.0, 0.0), 2.8)
    outside = _nearest(place, counts)

    def label(U: Floats) -> Ints:
        left, upper = U[:, 1] > 0.5, U[:, 2] > 0.5
        quarter = np.where(upper, np.where(left, 0, 1), np.where(left, 2, 3))
        # All of the trunk up to where the last of it leaves the head is held.
        near = (outside(U) < EDGE) & (U[:, 0] < 0.4)
        return np.where(U[:, 0] <= U[near, 0].max(), 4, quarter)

    return grid(counts, place, (*QUARTERS, "roots"), label=label)


def _ears(tets: int) -> list[Piece]:
    return [_ear(name, sign, tets) for name, sign in EARS.items()]


def _ear(name: str, sign: int, tets: int) -> Piece:
    """A flap: u runs out from the head, v up, w through it."""
    n = max(3, round((0.07 * tets / 12) ** (1 / 2) / 1.6))
    counts = (round(1.3 * n), round(1.3 * n), 2)

    def place(U: Floats) -> Floats:
        u, v = U[:, 0], 2 * U[:, 1] - 1
        # A disc drawn from a square, broad above and with a lobe below.
        out, up = rounded(np.column_stack([2 * u - 1, v]), 3.0).T
        x = 0.158 + 0.084 * out + 0.010 * up
        y = 0.045 + 0.30 * (x - 0.074) * (1 + 0.25 * np.sin(2.5 * up))
        z = 0.035 + (0.128 + 0.02 * out) * up - 0.030 * (up < 0) * up**2
        thick = 0.010 * (1 - 0.45 * u)
        return np.column_stack([sign * x, y + thick * (2 * U[:, 2] - 1), z])

    outside = _nearest(place, counts)

    def label(U: Floats) -> Ints:
        return np.where(outside(U) < EDGE, 2, (U[:, 2] > 0.5).astype(np.int64))

    return grid(counts, place, (name, "ears", "roots"), label=label)
