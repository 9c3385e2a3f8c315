"""The table of bodies and joints of the whole upper body.

The skeleton of 68 bones and 147 degrees of freedom follows Lee, Sifakis and Terzopoulos (2009),
who leave open how they are shared out. Here the pelvis is a body, and there are four bodies of
costal cartilage a side. Vertebrae have three hinges, ribs 1 to 10 one, and
sternum and cartilages move freely, held by the ribs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np

from vastus.errors import ModelError
from vastus.modelling.trunk.landmarks import LEVELS, SIDES, Landmarks, Side, sign
from vastus.numerics.types import Floats

Cage = tuple[tuple[int, ...], ...]  # ribs whose cartilages are one body, from above
Place = Callable[[Landmarks], Floats]

PAPER_CAGE: Cage = ((2,), (3,), (4,), (5, 6, 7, 8, 9, 10))
FINE_CAGE: Cage = ((1,), (2,), (3,), (4,), (5,), (6,), (7, 8, 9, 10))

X, Y, Z = np.eye(3)
_BEHIND = 0.05  # [m] from the front of hyoid and thyroid to the axis they swing about

# Springs of the joints [N m/rad].
_NECK, _CHEST, _LOINS, _SKULL, _RIB, _CARTILAGE = 25.0, 150.0, 90.0, 10.0, 6.0, 3.0
_GIRDLE, _SHOULDER, _LIMB, _THROAT, _JAW = 30.0, 4.0, 0.5, 1.0, 1.0

# Hanging arms are at an end of what elbows and shoulders can do: triceps and adductors are as short
# as they can be. Passive torques of both joints are below 1 to 2 N m up to these angles [rad].
RELAXED: tuple[dict[str, float], ...] = tuple(
    {f"{joint}{side}{way}": np.radians(degrees) for side in SIDES}
    for joint, way, degrees in (
        ("elbow", "", 90.0), ("shoulder", "_abd", 60.0), ("shoulder", "_flex", 60.0)
    )
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class JointRow:
    """A hinge, or a slide, about or along an axis (3,) at rest; its spring [N m/rad or N/m]."""

    name: str
    axis: Place
    stiffness: float = 0.0
    slide: bool = False


@dataclass(frozen=True, eq=False)
class BodyRow:
    """A body: what it hangs on, where its joints are, and the bones it carries.

    `arm` is true below the shoulder. `passive` bodies are moved by no muscle, only by ties.
    """

    name: str
    parent: str
    origin: Place
    joints: tuple[JointRow, ...]
    bones: tuple[str, ...]
    passive: bool = False
    arm: bool = False


@dataclass(frozen=True)
class Totals:
    """Sums over a table: bodies, degrees of freedom, and how those are shared."""

    bodies: int
    dofs: int
    trunk: int  # degrees of freedom of head, neck and trunk
    driven: int
    passive: int


def joint_table(cartilages: Sequence[Sequence[int]] = PAPER_CAGE) -> tuple[BodyRow, ...]:
    """All rows, a parent before what hangs on it.

    `cartilages` are the ribs whose costal cartilages make one body each. Ribs 2 to 10 must be in
    one of them; the first cartilage is part of the sternum unless it is named.
    """
    cage = _checked(cartilages)
    return (
        BodyRow("pelvis", "", _disc("L5"), (), ("sacrum", "hipL", "hipR")),
        *_spine(),
        *_head(),
        *_ribs(),
        _sternum(cage),
        *(_cartilage(group, side) for side in SIDES for group in cage),
        *chain.from_iterable(_arm(side) for side in SIDES),
    )


def totals(rows: Sequence[BodyRow]) -> Totals:
    """What a table adds up to."""
    dofs = [(row, joint) for row in rows for joint in row.joints]
    passive = sum(row.passive for row, _ in dofs)
    arms = sum(row.arm for row, _ in dofs)
    return Totals(len(rows), len(dofs), len(dofs) - arms, len(dofs) - passive, passive)


def cartilage_name(group: Sequence[int], side: Side) -> str:
    """The name of the body of a group of cartilages."""
    ends = f"{group[0]}" if len(group) == 1 else f"{group[0]}_{group[-1]}"
    return f"cart{ends}{side}"


def rib_body(number: int, side: Side) -> str:
    """The body that a rib belongs to: ribs 11 and 12 are part of their vertebrae."""
    return f"rib{number}{side}" if number <= 10 else f"T{number}"


def cartilage_body(number: int, side: Side, cage: Cage) -> str:
    """The body that the cartilage of a rib belongs to."""
    return next((cartilage_name(g, side) for g in cage if number in g), "sternum")


def _checked(cartilages: Sequence[Sequence[int]]) -> Cage:
    cage = tuple(tuple(group) for group in cartilages)
    numbers = [number for group in cage for number in group]
    if numbers not in (list(range(1, 11)), list(range(2, 11))):
        raise ModelError(
            f"cartilages {[list(group) for group in cage]} do not add up: the ribs 2 to 10, with or"
            " without 1, must each be there once and in order"
        )
    return cage


def _spine() -> Iterator[BodyRow]:
    parents = ["pelvis", *reversed(LEVELS)]
    springs = {"C": _NECK, "T": _CHEST, "L": _LOINS}
    for parent, level in pairwise(parents):
        discs = (f"disc{level}",) if level != "C1" else ()
        ribs = tuple(f"rib{level[1:]}{side}" for side in SIDES) if level in ("T11", "T12") else ()
        yield BodyRow(
            level, parent, _disc(level), _turns(level, springs[level[0]]), (level, *discs, *ribs)
        )


def _head() -> Iterator[BodyRow]:
    yield BodyRow("skull", "C1", _at("condyles"), _turns("skull", _SKULL), ("skull",))
    jaw = JointRow("jaw", _across("jaw_condyle"), _JAW)
    yield BodyRow("jaw", "skull", _between("jaw_condyle"), (jaw,), ("mandible",))
    lift, turn = JointRow("hyoid_lift", _fixed(-X), _THROAT), JointRow("hyoid_turn", _fixed(Z), 1.0)
    yield BodyRow("hyoid", "C3", _behind("hyoid"), (lift, turn), ("hyoid",))
    lift = JointRow("thyroid_lift", _fixed(-X), _THROAT)
    yield BodyRow("thyroid", "C5", _behind("thyroid"), (lift,), ("thyroid",), passive=True)


def _ribs() -> Iterator[BodyRow]:
    for number in range(1, 11):
        for side in SIDES:
            name = rib_body(number, side)
            joint = JointRow(name, _rib_axis(number, side), _RIB)
            yield BodyRow(name, f"T{number}", _rib_head(number, side), (joint,), (name,))


def _sternum(cage: Cage) -> BodyRow:
    axes = zip("xyz", np.eye(3), strict=True)
    pairs = [(letter, axis) for letter, axis in axes]
    joints = [JointRow(f"sternum_t{letter}", _fixed(axis), slide=True) for letter, axis in pairs]
    joints += [JointRow(f"sternum_r{letter}", _fixed(axis)) for letter, axis in pairs]
    first = () if 1 in cage[0] else tuple(f"cart1{side}" for side in SIDES)
    bones = ("sternum", *first)
    return BodyRow("sternum", "T1", _at("sternum"), tuple(joints), bones, passive=True)


def _cartilage(group: tuple[int, ...], side: Side) -> BodyRow:
    """A body of cartilages, hinged to the sternum where its first seven are on the mean."""
    name = cartilage_name(group, side)
    joints = tuple(
        JointRow(f"{name}_{letter}", _fixed(axis), _CARTILAGE)
        for letter, axis in zip("xyz", np.eye(3), strict=True)
    )
    true = [number for number in group if number <= 7]
    # Cartilages 8 to 10 are one surface.
    bones = tuple(dict.fromkeys(f"cart{min(number, 8)}{side}" for number in group))

    def origin(marks: Landmarks) -> Floats:
        ends = [marks.cartilages[number, side].sternal for number in true]
        return np.mean(ends, axis=0)

    return BodyRow(name, "sternum", origin, joints, bones, passive=True)


def _arm(side: Side) -> Iterator[BodyRow]:
    """Clavicle with scapula, and the arm below; the clavicle hangs on the spine.

    On the sternum it would hang the weight of the arm on the cartilages.
    """
    s = sign(side)
    girdle = (
        JointRow(f"clavicle{side}_elev", _fixed(-s * Y), _GIRDLE),
        JointRow(f"clavicle{side}_prot", _fixed(-s * Z), _GIRDLE),
    )
    bones = (f"clavicle{side}", f"scapula{side}")
    yield BodyRow(f"clavicle{side}", "T1", _at("sternal", side), girdle, bones)
    shoulder = (
        JointRow(f"shoulder{side}_flex", _fixed(-X), _SHOULDER),
        JointRow(f"shoulder{side}_abd", _fixed(-s * Y), _SHOULDER),
        JointRow(f"shoulder{side}_rot", _fixed(s * Z), _SHOULDER),
    )
    chain_of = (
        ("humerus", "clavicle", "head", shoulder),
        ("ulna", "humerus", "elbow", (JointRow(f"elbow{side}", _elbow_axis(side), _LIMB),)),
        ("radius", "ulna", "radial_head",
         (JointRow(f"forearm{side}", _forearm_axis(side), _LIMB),)),
        ("hand", "radius", "wrist",
         (JointRow(f"wrist{side}_flex", _fixed(-X), _LIMB),
          JointRow(f"wrist{side}_dev", _fixed(s * Y), _LIMB))),
    )  # fmt: skip
    for name, parent, place, joints in chain_of:
        body = f"{name}{side}"
        yield BodyRow(body, f"{parent}{side}", _at(place, side), joints, (body,), arm=True)


def _turns(name: str, stiffness: float) -> tuple[JointRow, ...]:
    axes = (("flex", X), ("bend", Y), ("turn", Z))
    return tuple(JointRow(f"{name}_{what}", _fixed(axis), stiffness) for what, axis in axes)


def _fixed(axis: Floats) -> Place:
    return lambda marks: axis


def _disc(level: str) -> Place:
    return lambda marks: marks.vertebrae[level].below


def _at(name: str, side: Side | None = None) -> Place:
    return lambda marks: marks.point(name, side)


def _between(name: str) -> Place:
    return lambda marks: (marks.point(name, "L") + marks.point(name, "R")) / 2


def _across(name: str) -> Place:
    return lambda marks: _unit(marks.point(name, "L") - marks.point(name, "R"))


def _behind(name: str) -> Place:
    return lambda marks: marks.point(name) + _BEHIND * Y


def _rib_head(number: int, side: Side) -> Place:
    return lambda marks: marks.ribs[number, side].head


def _rib_axis(number: int, side: Side) -> Place:
    return lambda marks: marks.ribs[number, side].axis


def _elbow_axis(side: Side) -> Place:
    """Through both epicondyles; flexion is positive."""

    def axis(marks: Landmarks) -> Floats:
        outward = marks.point("epicondyle", side) - marks.point("epitrochlea", side)
        return _unit(-sign(side) * outward)

    return axis


def _forearm_axis(side: Side) -> Place:
    """Through the heads of ulna and radius; supination is positive."""

    def axis(marks: Landmarks) -> Floats:
        up = marks.point("radial_head", side) - marks.point("ulnar_head", side)
        return _unit(sign(side) * up)

    return axis


def _unit(v: Floats) -> Floats:
    return v / np.linalg.norm(v)
