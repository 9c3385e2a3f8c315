"""A soft gripper that air moves: three fingers with bellows pick a ball up and let it fall.

z points up. The palm slides along z on its base. A finger is a bar of rubber with a hollow in its
outer half, whose folds open under a pressure, and a sheet on its inner side that hardly stretches:
pressure bends it inward, suction outward.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vastus.actuators import Cavity
from vastus.materials import StableNeoHookean
from vastus.model import Model
from vastus.modelling.actuators import hollow
from vastus.modelling.gallery.digits import cup, resting
from vastus.modelling.gallery.hand import block
from vastus.modelling.gallery.labelled_body import (
    Cells,
    Piece,
    Place,
    along,
    ellipsoid_piece,
    grid,
    joined,
)
from vastus.modelling.shapes.arguments import checked
from vastus.modelling.shapes.assembly import check_tets
from vastus.modelling.tissues import Materials
from vastus.numerics.types import Floats, Ints
from vastus.parts import Bone, Contact, ContactKind, Drive, Floor, Volume
from vastus.skeleton.joints import Slider

FINGERS = {"left": 210.0, "right": 330.0, "back": 90.0}  # [deg] where around the palm
BALL, LIGHT = 0.03, 500.0  # [m] radius and [kg/m^3]
PALM, GUIDE = 0.19, 0.315  # [m] heights of the palm's lower side and of the base
REACH = 0.050  # [m] of the fingers from the middle
FRICTION = 0.9
RUBBER = StableNeoHookean(young=2e5, poisson=0.42)
SHEET = StableNeoHookean(young=3e6, poisson=0.42)
# How far down a finger each point of its line is [m], and the half-widths there.
ROWS = np.array([[-0.012, 0.0115, 0.0115], [0.050, 0.0115, 0.0115], [0.110, 0.0095, 0.0095]])
FOLDS, DEEP = 7, 0.0035  # [m] how far folds go in
ROUND = 12.0  # exponent of the section: rounder corners make bad tets
# Where cells end across a finger, from 0 to 1: walls, hollow, and the sheet, from the outer side.
SIDEWAYS = np.array([0.0, 0.15, 0.5, 0.85, 1.0])
INWARD = np.array([0.0, 0.14, 0.36, 0.58, 0.86, 1.0])
HELD, TIP = 0.1, 0.92  # of a finger's length: what the palm holds, and where the hollow ends
RIGID = 1.0e-3  # [m^3] of what is not fingers
SHARE = 0.5  # of the tets are in the fingers


@checked
def gripper(tets: int = 18_000) -> Model:
    """A gripper of about `tets` tets over a ball in a soft cup on the floor.

    Bones: `base`, which is fixed, `palm` on the slider `reach` along z, and `ball`. Cavities: those
    in the fingers `left`, `right` and `back`.
    """
    check_tets(tets)
    edge = float((6 * RIGID / ((1 - SHARE) * tets)) ** (1 / 3))
    bones = (
        Bone("base", ("base", "stand"), Drive.PINNED),
        Bone("palm", ("palm", "roots")),
        Bone("ball", ("ball",)),
    )
    cells = finger_cells(SHARE * tets / 3)
    body = joined(
        "gripper",
        [*_rigid(edge), *(finger(angle, cells) for angle in FINGERS.values())],
        bones,
        [],
        materials=Materials(muscle=(RUBBER,), volume=Volume.TET),
        densities={"ball": LIGHT},
    )
    regions = tuple(replace(r, laws=(SHEET,)) if r.name == "sheet" else r for r in body.regions)
    cavities = tuple(
        Cavity(name, hollow(body.mesh, middle(angle))) for name, angle in FINGERS.items()
    )
    at, up = np.array([0.0, 0.0, GUIDE]), np.array([0.0, 0.0, 1.0])
    return body.with_(
        regions=regions,
        cavities=cavities,
        joints=(Slider("reach", ("base", "palm"), at, up),),
        contact=Contact(muscles=ContactKind.NONE, gap=1e-3, friction=FRICTION),
        floor=Floor(),
    )


def finger_cells(tets: float) -> Cells:
    """The cells of a finger of about so many tets: four at least along each fold."""
    across = max(1, round((tets / 3000) ** (1 / 3)))
    along_it = max(4 * FOLDS, round(tets / (6 * 17 * across**2)))
    return along_it, 4 * across, 5 * across


def _rigid(edge: float) -> list[Piece]:
    """The ball in its cup, a guide around the rod of the palm, and the palm."""
    guide = [
        ((-0.034, 0.0, GUIDE), (0.018, 0.03, 0.018)),
        ((0.034, 0.0, GUIDE), (0.018, 0.03, 0.018)),
        ((0.0, -0.023, GUIDE), (0.018, 0.007, 0.018)),
        ((0.0, 0.023, GUIDE), (0.018, 0.007, 0.018)),
    ]
    palm = [
        ((0.0, 0.0, PALM + 0.012), (0.066, 0.066, 0.012)),
        ((0.0, 0.0, PALM + 0.107), (0.012, 0.012, 0.09)),
    ]
    ball = ellipsoid_piece((0.0, 0.0, resting(BALL) + 0.0005), (BALL, BALL, BALL), edge, "ball")
    pieces = [ball, cup(0.0, BALL, 0.6 * edge, stand="stand")]
    pieces += [block(centre, half, edge, "base") for centre, half in guide]
    return pieces + [block(centre, half, edge, "palm") for centre, half in palm]


def _place(angle: float) -> Place:
    """Of a finger at an angle [deg]: u runs down, v sideways, w inward."""
    out = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle)), 0.0])
    down = np.array([0.0, 0.0, -1.0])
    side = np.cross(-out, down)
    line = REACH * out + np.outer(ROWS[:, 0], down) + np.array([0.0, 0.0, PALM])
    first, second, third = side.tolist()
    straight = along(line, ROWS[:, 1:], (first, second, third), ROUND)

    def place(U: Floats) -> Floats:
        v = np.interp(U[:, 1], np.linspace(0, 1, len(SIDEWAYS)), SIDEWAYS)
        w = np.interp(U[:, 2], np.linspace(0, 1, len(INWARD)), INWARD)
        phase = np.clip((U[:, 0] - HELD) / (TIP - HELD), 0.0, 1.0) * FOLDS
        fold = DEEP * (0.5 - 0.5 * np.cos(2 * np.pi * phase))
        # Folds go in from the outer side and from both flanks, not where the sheet is.
        here = fold * np.interp(w, [INWARD[1], INWARD[3]], [1.0, 0.0])
        X = straight(np.column_stack([U[:, 0], v, w]))
        return np.asarray(X - here[:, None] * out - ((2 * v - 1) * here)[:, None] * side)

    return place


def middle(angle: float) -> Floats:
    """(3,) a place [m] in the hollow of the finger at an angle [deg]."""
    return np.asarray(_place(angle)(np.array([[0.5, 0.5, 0.36]]))[0])


def finger(angle: float, cells: Cells) -> Piece:
    """Rubber with a hollow, whose tets are left out, and a sheet on its inner side."""

    def label(U: Floats) -> Ints:
        across, inward = U[:, 1] * 4, U[:, 2] * 5
        found = np.where(inward > 4, 2, 1)
        inside = (abs(across - 2) < 1) & (abs(inward - 2) < 1)
        inside &= (U[:, 0] > HELD) & (U[:, 0] < TIP)
        found = np.where(inside, 3, found)
        return np.where(U[:, 0] < HELD, 0, found)

    whole = grid(cells, _place(angle), ("roots", "finger", "sheet", "air"), label=label)
    full = np.flatnonzero(whole.region < 3)
    mesh, _ = whole.mesh.submesh(full)
    return Piece(mesh, whole.regions[:3], whole.region[full], whole.fibre[full])
