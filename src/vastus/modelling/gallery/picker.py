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
from vastus.skeleton.joints import Hinge, Joint, Rolling, Slider

RAIL = 0.36  # [m] height of the rails
GAUGE = 0.085  # [m] of each rail from the middle
WHEEL, TREAD = 0.014, 0.012  # [m] radius and width of a wheel
AXLES = {"front": 0.04, "rear": -0.04}  # [m] where along x
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

    Bones: `rails`, which are fixed, `trolley` on the slider `roll` along x, its wheels `front` and
    `rear`, which roll on the rails, `palm` on the slider `lift` along z, and the fruits `apple`,
    `pear` and `plum`. Actuators: a flexor and an extensor of each of the digits left, right and
    back, with a `strength` [Pa].
    """
    check_tets(tets)
    edge = float((6 * RIGID / ((1 - SHARE) * tets)) ** (1 / 3))
    bones = (
        Bone("rails", ("rails", "stand"), Drive.PINNED),
        Bone("trolley", ("trolley",)),
        *(Bone(name, (name,)) for name in AXLES),
        Bone("palm", ("palm", "roots")),
        *(Bone(name, (name,)) for name in FRUITS),
    )
    muscles = [f"{name} {what}" for name in DIGITS for what in ("flexor", "extensor")]
    digits = _digits(digit_cells(SHARE * tets / 3))
    body = joined(
        "picker",
        [*_rails(edge), *_trolley(edge), *_wheels(edge), *_palm(edge), *digits, *_fruits(edge)],
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
            *(joint for name, x in AXLES.items() for joint in _rolling(name, x)),
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
    # A slot is left for the rod of the palm, and room for the wheels beside.
    found = [
        block((x, 0.0, RAIL + 0.03), (0.021, GAUGE - 0.75 * TREAD, 0.012), edge, "trolley")
        for x in (-0.034, 0.034)
    ]
    found += [
        block((0.0, y, RAIL + 0.03), (0.014, 0.034, 0.012), edge, "trolley") for y in (-0.05, 0.05)
    ]
    found += [
        block((x, 0.0, RAIL + 0.06), (0.007, 0.02, 0.022), edge, "trolley") for x in (-0.021, 0.021)
    ]
    return found


def _wheels(edge: float) -> list[Piece]:
    """Two wheels on each axle, with two spokes across, by which one sees them turn."""
    found = []
    for name, x in AXLES.items():
        height = float(_middle(x)[2])
        found.append(block((x, 0.0, height), (0.002, GAUGE, 0.002), edge, name))
        for y in (-GAUGE, GAUGE):
            at = (x, y, height)
            found.append(_tyre(name, np.array(at), edge))
            found.append(block(at, (0.8 * WHEEL, 0.4 * TREAD, 0.0015), edge, name))
            found.append(block(at, (0.0015, 0.4 * TREAD, 0.8 * WHEEL), edge, name))
    return found


def _tyre(name: str, middle: Floats, edge: float) -> Piece:
    cells = max(12, round(np.pi * WHEEL / edge)), 1, max(1, round(TREAD / edge))
    place = annulus(0.7 * WHEEL, lambda angle: np.full_like(angle, WHEEL), TREAD)
    return grid(cells, lambda U: place(U) + middle, name, closed=True)


def _middle(x: float) -> Floats:
    """(3,) the middle of an axle [m], whose wheels stand a hair above the rails."""
    return np.array([x, 0.0, RAIL + WHEEL + 5e-4])


def _rolling(name: str, x: float) -> tuple[Joint, Joint]:
    """What holds an axle to the trolley, and lets its wheels roll on the rails."""
    middle, across = _middle(x), np.array([0.0, 1.0, 0.0])
    touch = middle - np.array([0.0, 0.0, WHEEL])
    return (
        Hinge(f"{name} axle", ("trolley", name), middle, across),
        Rolling(f"{name} wheels", ("rails", name), middle, across, touch),
    )


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
