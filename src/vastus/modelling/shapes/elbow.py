"""A simple right elbow: biceps and triceps, which fork into two heads, between tubes of bone [m].

The lines are drawn for a forearm flexed by `REST_ANGLE`. Tendons are flat where they insert: thick
ones would resist the turn of the forearm like a clamped rod. Rows run from insertion to origin in
millimetres: x, y, z, half-width forward, half-width sideways.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from vastus.materials.base import check_positive
from vastus.model import Model, Muscle
from vastus.modelling.fibres.laplace import laplace_fibres
from vastus.modelling.shapes.arguments import checked
from vastus.modelling.shapes.assembly import (
    KEPT,
    Assembly,
    TubePart,
    assembled,
    check_tets,
    meshed,
    stacked,
)
from vastus.modelling.shapes.elbow_bones import (
    BLADE_SIZE,
    Rows,
    blade_section,
    blade_tube,
    finger_tubes,
    flexed,
    humerus_tubes,
    mitten_tubes,
    radius_tubes,
    scapula_tubes,
    tube,
    ulna_tubes,
    wrist_tubes,
)
from vastus.modelling.shapes.right_arm import FOREARM, FOREARM_MASS, elbow_hinge
from vastus.modelling.shapes.tube import (
    HALF_MIDDLE,
    Disc,
    Solid,
    SweptSolid,
    Tube,
    even,
    half,
    rimmed,
)
from vastus.modelling.tissues import BONE_DENSITY, Materials, bone_region
from vastus.numerics.types import Floats, Ints
from vastus.parts import Bone, Drive, Region

_SIDES = (1, -1)
# The segments that are contractile, and those fixed to bone: at the insertion and at each head.
BELLY = (2, 3, 6)
ATTACHED = (0, 5, 8)
# To which bone insertion and heads are fixed. The tendon of the long head of the biceps is held
# in a groove of the humerus, so it follows that bone.
_FIXED_TO = ("forearm", "scapula", "humerus")
REST_ANGLE = np.radians(25.0)
_FORWARD = (0.0, 1.0, 0.0)
_FINGERS_FROM = 6_000  # tets
FORCE = {"biceps": 775.0, "triceps": 950.0}  # [N]
OPTIMAL = {"biceps": 0.96, "triceps": 1.1}  # the stretch, from rest, of optimal length


@dataclass(frozen=True, eq=False)
class Forked:
    """A stem from the insertion to the fork, and two heads from there.

    Stem and heads have three segments each: attached, tendon, belly; and belly, tendon, attached.
    The first head continues the half of the stem towards (direction of the line) x (side). The
    half-widths of a head are those of the whole section that it is half of.
    """

    stem: Tube
    heads: tuple[Tube, Tube]

    def parts(self) -> list[TubePart]:
        """The three parts to mesh."""
        size = self.stem.size
        return [
            TubePart(self.stem),
            *(
                TubePart(head, partial(_half_section, sign), size=size)
                for head, sign in zip(self.heads, _SIDES, strict=True)
            ),
        ]


@cache
def _half_section(sign: int, rings: int) -> Disc:
    return half(even(rings), sign)[0]


def glued(solids: Sequence[SweptSolid]) -> Solid:
    """One mesh of stem and heads, whose ends are the insertion and the origin of each head.

    The segments of head k are numbered from 3 (k + 1).
    """
    whole = stacked(solids)
    insertion, fork, *rest = whole.ends
    number = np.arange(len(whole.X))
    for start, sign in zip(rest[::2], _SIDES, strict=True):
        number[start] = fork[half(solids[0].disc, sign)[1]]
    part = np.repeat(np.arange(len(solids)), [len(s.T) for s in solids])
    kept, T = np.unique(number[whole.T], return_inverse=True)
    ends = tuple(np.searchsorted(kept, e) for e in (insertion, *rest[1::2]))
    return Solid(whole.X[kept], T.reshape(-1, 4), whole.segment + 3 * part, ends)


def biceps() -> Forked:
    """From the coracoid and over the humeral head to the radial tuberosity."""
    stem: Rows = [
        (7, 23, -43, 1.5, 4.5),
        (6.5, 28, -37, 1.5, 4.5),
        (6, 33, -18, 1.8, 4.5),
        (5, 37, 10, 2.5, 4.5),
        (4.5, 39, 32, 5, 6.5),
        (4, 40, 48, 10.5, 12.5),
        (3, 41.5, 70, 15.5, 19),
        (1, 43, 115, 17.5, 23.5),
        (-2, 42.5, 155, 17.5, 23.5),
        (-4, 40.5, 190, 15.5, 20.5),
    ]
    medial: Rows = [
        (-14, 38, 215, 12, 19),
        (-18, 37, 237, 7, 13),
        (-22, 35, 256, 3, 6.5),
        (-26, 32.5, 284, 3, 6),
        (-31, 29.5, 294, 2.5, 5),
    ]
    lateral: Rows = [
        (5, 37, 215, 11.5, 18),
        (6.5, 32, 236, 6, 12),
        (6, 27.5, 254, 2.5, 6),
        (5.5, 24, 272, 2.5, 5.5),
        (-2, 17.5, 299, 2.5, 5.5),
        (-14, 1, 311, 2.5, 5.5),
        (-26, -13, 305, 2.5, 5),
    ]
    return _forked(stem, (medial, lateral), 5, (3, 3))


def triceps() -> Forked:
    """From below the socket and from the back of the humerus to the olecranon."""
    stem: Rows = [
        (-13, -25, 15, 1.7, 5.2),
        (-13, -29, 23, 1.7, 5.2),
        (-12.5, -32, 38, 1.9, 5.8),
        (-9.5, -34, 55, 3.5, 9),
        (-5, -35.5, 70, 8, 16),
        (-2, -36.5, 90, 15, 25),
        (0, -37.5, 120, 19, 30),
        (0, -37, 155, 18.5, 28),
        (-1, -35, 185, 16, 23),
    ]
    medial: Rows = [
        (-14, -32, 210, 13, 21),
        (-22, -26, 232, 7, 14),
        (-30.5, -22, 256, 3.5, 8),
        (-40, -23, 273, 3, 7),
    ]
    lateral: Rows = [
        (10, -31, 207, 13, 20),
        (9, -23, 226, 7, 13),
        (6, -15, 240, 3.5, 7),
        (2, -4, 249, 3, 6),
    ]
    return _forked(stem, (medial, lateral), 4, (2, 2))


def _forked(stem: Rows, heads: tuple[Rows, Rows], belly: int, attached: tuple[int, int]) -> Forked:
    """A forked muscle whose belly starts at a row of the stem and ends at the second of each head.

    From the row `attached` on, a head is fixed to the bone.
    """
    lower = tube(stem, side=_FORWARD, cuts=(1, belly))
    heading = lower.curve(lower.knots[-1], 1)
    x, y, z, forward, sideways = stem[-1]
    shift = HALF_MIDDLE * sideways
    starts = [(x - shift, y, z, forward, sideways), (x + shift, y, z, forward, sideways)]
    first, second = (
        tube([start, *rows], side=_FORWARD, cuts=(2, fixed + 1), heading=heading)
        for start, rows, fixed in zip(starts, heads, attached, strict=True)
    )
    return Forked(lower, (first, second))


_MUSCLES = {"biceps": biceps, "triceps": triceps}


@checked
def elbow(
    tets: int = 12_000, *, forearm_mass: float = FOREARM_MASS, materials: Materials | None = None
) -> Model:
    """A right arm with the muscles `biceps` and `triceps` and the hinge `elbow`.

    x points to the side (laterally), y forward, z up; the elbow's axis runs along x through the
    origin, so that flexion is positive. The upper arm hangs down and the forearm is flexed by 25
    degrees, palm forward. `humerus` and `scapula` are pinned, `forearm` (ulna, radius and hand) is
    free. Its density is such that it weighs `forearm_mass` [kg], flesh that is not modelled
    included. Solids of the same bone overlap where they meet; below 6000 tets the fingers are one.
    """
    check_positive("elbow", forearm_mass=forearm_mass)
    materials = materials or Materials()
    check_tets(tets)
    arm, _ = KEPT.kept(_meshed, float(tets))
    bones = [name for name in arm.names if name not in _MUSCLES]
    regions = [_bone_region(arm, name, forearm_mass) for name in bones]
    for name in _MUSCLES:
        regions += [materials.belly(name), materials.sinew(f"{name} tendon", name)]
    return Model(
        mesh=arm.mesh,
        region=_region_of_tet(arm),
        regions=tuple(regions),
        fibre=_fibres(arm),
        muscles=tuple(_named(name, materials) for name in _MUSCLES),
        bones=(
            _bone(arm, "humerus", ("humerus",), Drive.PINNED),
            _bone(arm, "scapula", ("scapula",), Drive.PINNED),
            _bone(arm, "forearm", FOREARM, Drive.FREE),
        ),
        joints=(elbow_hinge(REST_ANGLE),),
        name="elbow",
        volume=materials.volume,
    )


def _named(name: str, materials: Materials) -> Muscle:
    """Each stands for all flexors or extensors, so that it is stronger than its section is large.

    With this force the biceps holds 5 kg in the hand at activations of .5 to .7. At rest, the
    forearm flexed by 25 degrees, flexors are longer than optimal and extensors shorter.
    """
    if any(law.active for law in materials.muscle):
        return materials.named(name)
    return materials.named(name, force=FORCE[name], optimal=OPTIMAL[name])


def _meshed(tets: float) -> Assembly:
    """All solids in one mesh."""
    return assembled(_solids(tets))


def _solids(tets: float) -> dict[str, Solid]:
    """A solid for each region of bone, then one for each muscle."""
    parts = {
        "humerus": _bony(humerus_tubes(), 1.2),
        "scapula": [
            *_bony(scapula_tubes(), 1.8),
            TubePart(blade_tube(), blade_section, size=BLADE_SIZE),
        ],
        "ulna": _bony(flexed(ulna_tubes(), REST_ANGLE), 2.4),
        "radius": _bony(flexed(radius_tubes(), REST_ANGLE), 2.2),
        "hand": _hand(tets),
        **{name: make().parts() for name, make in _MUSCLES.items()},
    }
    made = iter(meshed([part for group in parts.values() for part in group], tets))
    return {name: _one(name, made, len(group)) for name, group in parts.items()}


def _hand(tets: float) -> list[TubePart]:
    if tets < _FINGERS_FROM:
        return _bony(flexed(wrist_tubes() + mitten_tubes(), REST_ANGLE), 1.2)
    rays = [TubePart(ray, rimmed, slab=2.5) for ray in flexed(finger_tubes(), REST_ANGLE)]
    return [*_bony(flexed(wrist_tubes(), REST_ANGLE), 1.5), *rays]


def _bony(tubes: list[Tube], rings: float) -> list[TubePart]:
    return [TubePart(tube, rimmed, rings=rings, slab=1.6) for tube in tubes]


def _one(name: str, made: Iterator[SweptSolid], count: int) -> Solid:
    solids = [next(made) for _ in range(count)]
    return glued(solids) if name in _MUSCLES else stacked(solids)


def _bone_region(arm: Assembly, name: str, forearm_mass: float) -> Region:
    if name not in FOREARM:
        return bone_region(name, BONE_DENSITY)
    volume = sum(arm.mesh.volumes[arm.tets(part)].sum() for part in FOREARM)
    return bone_region(name, float(forearm_mass / volume))


def _region_of_tet(arm: Assembly) -> Ints:
    """Bones in order, then a belly and a tendon for each muscle."""
    region = arm.part.copy()
    first = len(arm.names) - len(_MUSCLES)
    for k, name in enumerate(_MUSCLES):
        region[arm.tets(name)] = first + 2 * k + 1
        region[arm.tets(name, BELLY)] = first + 2 * k
    return region


def _bone(arm: Assembly, name: str, regions: tuple[str, ...], drive: Drive) -> Bone:
    segments = [s for s, bone in zip(ATTACHED, _FIXED_TO, strict=True) if bone == name]
    attached = [arm.vertices(muscle, segments) for muscle in _MUSCLES]
    return Bone(name, regions, drive, np.concatenate(attached))


def _fibres(arm: Assembly) -> Floats:
    """Fibres of muscles and their tendons run from the heads to the insertion."""
    fibre = np.zeros((arm.mesh.n_tets, 3))
    for name in _MUSCLES:
        tets = arm.tets(name)
        insertion, *origins = arm.ends[name]
        fibre[tets] = laplace_fibres(arm.mesh, tets, np.concatenate(origins), insertion)
    return fibre
