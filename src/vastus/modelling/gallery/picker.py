"""A fruit picker: a trolley on rails with a hand on a lift, over three fruits on the ground.

z points up, the rails run along x.
"""

from __future__ import annotations

import numpy as np

from vastus.model import Model
from vastus.modelling.gallery.digits import cup, digit, digit_cells, resting, rubber
from vastus.modelling.gallery.hand import block
from vastus.modelling.gallery.labelled_body import (
    Cells,
    Piece,
    annulus,
    ellipsoid_piece,
    grid,
    joined,
)
from vastus.modelling.shapes.arguments import checked
from vastus.modelling.shapes.assembly import check_tets
from vastus.numerics.types import Floats
from vastus.parts import Bone, Contact, ContactKind, Drive, Floor
from vastus.skeleton.joints import Slider

RAIL = 0.36  # [m] height of the rails
GAUGE = 0.085  # [m] of each rail from the middle
FRUIT = 0.03  # [m] radius of the apple
FRUITS = {"apple": -0.12, "pear": 0.0, "plum": 0.12}  # [m] where along x
SIZES = {"apple": 1.0, "pear": 0.95, "plum": 0.9}
PALM = 0.19  # [m] height of the palm's lower side
REACH = 0.044  # [m] of the digits from the middle of the palm
DIGITS = {"left": 210.0, "right": 330.0, "back": 90.0}  # [deg] where around the palm
FRICTION = 0.9
BOWL = 0.2  # [m] where along x the bowl is
LIGHT = 500.0  # [kg/m^3] of the fruits
RIGID = 2.14e-3  # [m^3] of what is not digits
SHARE = 0.1  # of the tets are in the digits


@checked
def picker(tets: int = 289_000, *, strength: float = 2e5) -> Model:
    """A picker of about `tets` tets over three fruits in soft cups on the floor.

    Bones: `rails`, which are fixed, `trolley` on the slider `roll` along x, `palm` on the slider
    `lift` along z, and the fruits `apple`, `pear` and `plum`. Actuators: a flexor and an extensor
    of each of the digits left, right and back, with a `strength` [Pa].
    """
    check_tets(tets)
    edge = float((6 * RIGID / ((1 - SHARE) * tets)) ** (1 / 3))
    bones = (
        Bone("rails", ("rails", "stand"), Drive.PINNED),
        Bone("trolley", ("trolley", "wheels")),
        Bone("palm", ("palm", "roots")),
        *(Bone(name, (name,)) for name in FRUITS),
    )
    muscles = [f"{name} {what}" for name in DIGITS for what in ("flexor", "extensor")]
    digits = _digits(digit_cells(SHARE * tets / 3))
    body = joined(
        "picker",
        [*_rails(edge), *_trolley(edge), *_palm(edge), *digits, *_fruits(edge)],
        bones,
        muscles,
        materials=rubber(strength),
        densities=dict.fromkeys(FRUITS, LIGHT),
    )
    at = np.array([0.0, 0.0, RAIL])
    return body.with_(
        joints=(
            Slider("roll", ("rails", "trolley"), at, np.array([1.0, 0.0, 0.0])),
            Slider("lift", ("trolley", "palm"), at, np.array([0.0, 0.0, 1.0])),
        ),
        contact=Contact(muscles=ContactKind.NONE, gap=1e-3, friction=FRICTION),
        floor=Floor(),
    )


def _rails(edge: float) -> list[Piece]:
    """Two rails on legs, and the ties between them at their ends."""
    found = [
        block((0.0, y, RAIL - 0.009), (0.29, 0.007, 0.009), edge, "rails") for y in (-GAUGE, GAUGE)
    ]
    found += [
        block((x, 0.0, RAIL - 0.009), (0.007, GAUGE, 0.007), edge, "rails") for x in (-0.28, 0.28)
    ]
    found += [
        block((x, y, 0.5 * RAIL - 0.003), (0.007, 0.007, 0.5 * RAIL - 0.004), edge, "rails")
        for x in (-0.28, 0.28)
        for y in (-GAUGE, GAUGE)
    ]
    return found


def _trolley(edge: float) -> list[Piece]:
    # A slot is left for the rod of the palm.
    found = [
        block((x, 0.0, RAIL + 0.03), (0.021, GAUGE, 0.012), edge, "trolley")
        for x in (-0.034, 0.034)
    ]
    found += [
        block((0.0, y, RAIL + 0.03), (0.014, 0.034, 0.012), edge, "trolley") for y in (-0.05, 0.05)
    ]
    found += [
        block((x, 0.0, RAIL + 0.06), (0.007, 0.02, 0.022), edge, "trolley") for x in (-0.021, 0.021)
    ]
    wheels = [_wheel(x, y, edge) for x in (-0.04, 0.04) for y in (-GAUGE, GAUGE)]
    return [*found, *wheels]


def _wheel(x: float, y: float, edge: float) -> Piece:
    radius, width = 0.014, 0.012
    cells = (
        max(8, round(np.pi * radius / edge)),
        max(1, round(0.011 / edge)),
        max(1, round(width / edge)),
    )
    place = annulus(0.003, lambda angle: np.full_like(angle, radius), width)

    def moved(U: Floats) -> Floats:
        return place(U) + np.array([x, y, RAIL + radius + 0.001])

    return grid(cells, moved, "wheels", closed=True)


def _palm(edge: float) -> list[Piece]:
    plate = block((0.0, 0.0, PALM + 0.012), (0.056, 0.056, 0.012), edge, "palm")
    rod = block((0.0, 0.0, PALM + 0.15), (0.010, 0.010, 0.135), edge, "palm")
    return [plate, rod]


def _digits(cells: Cells) -> list[Piece]:
    digits = []
    for name, angle in DIGITS.items():
        out = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle)), 0.0])
        base = REACH * out + np.array([0.0, 0.0, PALM])
        digits.append(
            digit(
                base.tolist(), (-out).tolist(), cells, root="roots",
                flexors=[f"{name} flexor"], extensor=f"{name} extensor",
            )
        )  # fmt: skip
    return digits


def _fruits(edge: float) -> list[Piece]:
    """The fruits, each in a soft cup, and a larger one as the bowl that they are dropped into."""
    found = []
    for name, x in FRUITS.items():
        size = FRUIT * SIZES[name]
        found.append(ellipsoid_piece((x, 0.0, resting(size)), (size, size, size), edge, name))
        found.append(cup(x, size, edge, stand="stand"))
    return [*found, cup(BOWL, 1.5 * FRUIT, edge, stand="stand")]
