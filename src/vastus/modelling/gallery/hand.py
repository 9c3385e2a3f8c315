"""A soft robot's hand that reaches down, grasps a ball, lifts it and lets it fall.

z points up. Three fingers and a thumb hang from the palm; the palm slides along z on its base.
"""

from __future__ import annotations

import numpy as np

from vastus.model import Model
from vastus.modelling.gallery.digits import cup, digit, digit_cells, resting, rubber
from vastus.modelling.gallery.labelled_body import (
    Cells,
    Piece,
    ellipsoid_piece,
    grid,
    joined,
    solid_block,
)
from vastus.modelling.shapes.arguments import checked
from vastus.modelling.shapes.assembly import check_tets
from vastus.parts import Bone, Contact, ContactKind, Drive, Floor
from vastus.skeleton.joints import Slider

BALL = 0.03  # [m] radius
PALM = 0.18  # [m] height of its lower side
GUIDE = 0.315  # [m] height of the base
FINGERS = {"index": 270.0, "middle": 180.0, "ring": 90.0}  # [deg] where around the palm
REACH = 0.043  # [m] of the digits from the middle
FRICTION = 0.9
LIGHT = 500.0  # [kg/m^3] of the ball
RIGID = 1.05e-3  # [m^3] of what is not digits
SHARE = 0.35  # of the tets are in the digits


@checked
def hand(tets: int = 18_000, *, strength: float = 2e5) -> Model:
    """A hand of about `tets` tets over a ball in a soft cup on the floor.

    Bones: `base`, which is fixed, `palm` on the slider `reach` along z, a nail on each of the four
    digits, and `ball`. Actuators: a flexor and an extensor of each digit, and an opposer of the
    thumb, with a `strength` [Pa].
    """
    check_tets(tets)
    edge = float((6 * RIGID / ((1 - SHARE) * tets)) ** (1 / 3))
    digits = [*FINGERS, "thumb"]
    bones = (
        Bone("base", ("base", "stand"), Drive.PINNED),
        Bone("palm", ("palm", "roots")),
        *(Bone(f"{name} nail", (f"{name} nail",)) for name in digits),
        Bone("ball", ("ball",)),
    )
    muscles = [f"{name} {what}" for name in digits for what in ("flexor", "extensor")]
    muscles.append("thumb opposer")
    body = joined(
        "hand",
        [*_rigid(edge), *_digits(digit_cells(SHARE * tets / 4))],
        bones,
        muscles,
        materials=rubber(strength),
        densities={"ball": LIGHT},
    )
    up = np.array([0.0, 0.0, 1.0])
    return body.with_(
        joints=(Slider("reach", ("base", "palm"), np.array([0.0, 0.0, GUIDE]), up),),
        contact=Contact(muscles=ContactKind.NONE, gap=1e-3, friction=FRICTION),
        floor=Floor(),
    )


def _rigid(edge: float) -> list[Piece]:
    blocks = {
        # A guide around the rod of the palm, which it does not touch.
        "base": [
            ((-0.043, 0.0, GUIDE), (0.027, 0.03, 0.018)),
            ((0.043, 0.0, GUIDE), (0.027, 0.03, 0.018)),
            ((0.0, -0.023, GUIDE), (0.018, 0.007, 0.018)),
            ((0.0, 0.023, GUIDE), (0.018, 0.007, 0.018)),
        ],
        "palm": [
            ((0.0, 0.0, PALM + 0.012), (0.056, 0.056, 0.012)),
            ((0.0, 0.0, PALM + 0.112), (0.012, 0.012, 0.095)),
        ],
    }
    ball = ellipsoid_piece((0.0, 0.0, resting(BALL)), (BALL, BALL, BALL), edge, "ball")
    return [ball, cup(0.0, BALL, 0.6 * edge, stand="stand")] + [
        block(centre, half, edge, name) for name, own in blocks.items() for centre, half in own
    ]


def block(
    centre: tuple[float, float, float],
    half: tuple[float, float, float],
    edge: float,
    name: str,
) -> Piece:
    """A rounded block of half-widths (3,) about a centre (3,) [m], with cells of an `edge` [m]."""
    x, y, z = (max(2, round(2 * h / edge)) for h in half)
    return grid((x, y, z), solid_block(centre, half), name)


def _digits(cells: Cells) -> list[Piece]:
    found = []
    for name, angle in (*FINGERS.items(), ("thumb", 0.0)):
        out = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle)), 0.0])
        base = REACH * out + np.array([0.0, 0.0, PALM])
        more = ["thumb opposer"] if name == "thumb" else []
        found.append(
            digit(
                base.tolist(), (-out).tolist(), cells, root="roots",
                flexors=[f"{name} flexor", *more], extensor=f"{name} extensor",
                nail=f"{name} nail",
            )
        )  # fmt: skip
    return found
