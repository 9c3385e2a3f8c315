"""A soft robot's wheel: members between a fixed hub and a ring that turns on it, pulled aslant.

The wheel lies in the plane of x and z and turns about y. Two members of the actuator `forward` lean
one way and two of `backward` the other way: when one actuator contracts, the ring turns until its
members are nearly radial, and those of the other are stretched.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from vastus.model import Model
from vastus.modelling.gallery.labelled_body import Piece, along, annulus, grid, joined
from vastus.modelling.shapes.arguments import checked
from vastus.modelling.shapes.assembly import check_tets
from vastus.modelling.tissues import Materials
from vastus.numerics.types import Floats, Ints
from vastus.parts import Bone, Contact, Drive
from vastus.skeleton.joints import Hinge

BORE, HUB, INNER, RING, TOOTH = 0.008, 0.02, 0.06, 0.067, 0.006  # [m] radii, and of the teeth
DEPTH, THICK, WIDE = 0.022, 0.005, 0.008  # [m] of the rings, and half-widths of a member
TEETH = 16
LEAN = 50.0  # [deg] between the ends of a member
ROOT = 0.006  # [m] of a member inside the hub and inside the ring
# Where members begin at the hub [deg], and which way they lean.
MEMBERS = {
    "forward": ((20.0, 1), (200.0, 1)),
    "backward": ((160.0, -1), (340.0, -1)),
}


@checked
def wheel(tets: int = 3_000, *, strength: float = 1e5) -> Model:
    """A wheel of about `tets` tets: bones `hub`, which is fixed, and `ring`, on a hinge about y.

    Actuators `forward` and `backward` turn it when they contract, with a `strength` [Pa].
    """
    check_tets(tets)
    edge = _edge(tets)
    bones = (
        Bone("hub", ("hub", "root"), Drive.PINNED),
        Bone("ring", ("ring", "end")),
    )
    pieces = [_hub(edge), _ring(edge)]
    pieces += [
        _member(name, start, lean, edge) for name, own in MEMBERS.items() for start, lean in own
    ]
    body = joined("wheel", pieces, bones, list(MEMBERS), materials=Materials(strength=strength))
    axle = Hinge("axle", ("hub", "ring"), np.zeros(3), np.array([0.0, 1.0, 0.0]))
    return body.with_(joints=(axle,), contact=Contact())


def _edge(tets: int) -> float:
    """The edge [m] of cells, six tets each, that fill all parts with so many tets."""
    rings = np.pi * DEPTH * ((HUB**2 - BORE**2) + ((RING + TOOTH / 2) ** 2 - INNER**2))
    members = 4 * 4 * THICK * WIDE * 0.058
    return float((6 * (rings + members) / tets) ** (1 / 3))


def _cells(length: float, edge: float, least: int = 2) -> int:
    return max(least, round(length / edge))


def _hub(edge: float) -> Piece:
    around = 2 * _cells(np.pi * (HUB + BORE) / 2, edge, 8)
    cells = (around, _cells(HUB - BORE, edge, 1), _cells(DEPTH, edge, 1))
    return grid(cells, annulus(BORE, lambda a: np.full_like(a, HUB), DEPTH), "hub", closed=True)


def _ring(edge: float) -> Piece:
    each = 2 * _cells(np.pi * RING / TEETH, edge, 1)
    cells = (TEETH * each, _cells(RING + TOOTH / 2 - INNER, edge, 1), _cells(DEPTH, edge, 1))

    def outer(angle: Floats) -> Floats:
        return RING + TOOTH * np.clip(0.5 + 1.5 * np.cos(TEETH * angle), 0.0, 1.0)

    return grid(cells, annulus(INNER, outer, DEPTH), "ring", closed=True)


def _member(name: str, start: float, lean: int, edge: float) -> Piece:
    """A bar from inside the hub to inside the ring; what is inside belongs to them."""
    first, last = np.radians([start, start + lean * LEAN])
    out = [np.array([np.cos(a), 0.0, np.sin(a)]) for a in (first, last)]
    # It leaves the hub and enters the ring at right angles, clear of both.
    line = np.array(
        [
            (HUB - ROOT) * out[0],
            (HUB + 0.001) * out[0],
            (HUB + 0.007) * out[0] + lean * 0.002 * np.array([-out[0][2], 0.0, out[0][0]]),
            (INNER - 0.007) * out[1] - lean * 0.002 * np.array([-out[1][2], 0.0, out[1][0]]),
            (INNER - 0.001) * out[1],
            (INNER + ROOT) * out[1],
        ]
    )
    knots = np.concatenate([[0.0], np.cumsum([np.linalg.norm(b - a) for a, b in pairwise(line)])])
    count = _cells(float(knots[-1]), edge, 8)
    widths = np.tile([WIDE, THICK], (len(line), 1))
    marks = np.round(knots[[1, 4]] / knots[-1] * count) / count

    def label(U: Floats) -> Ints:
        return np.searchsorted(marks, U[:, 0])

    return grid(
        (count, _cells(2 * WIDE, edge), _cells(2 * THICK, edge)),
        along(line, widths, (0.0, 1.0, 0.0)),
        ("root", name, "end"),
        label=label,
    )
