"""A right elbow: biceps and triceps between shoulder and forearm."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vastus.model import Bone, Drive, Model, Region
from vastus.modelling.arm_bones import fingers, flexed, humerus, mitten, radius, ulna, wrist
from vastus.modelling.arm_muscles import REST_ANGLE, biceps, triceps
from vastus.modelling.assembly import Assembly, assembled, stacked
from vastus.modelling.disc import rimmed
from vastus.modelling.fibres import laplace_fibres
from vastus.modelling.forked import ATTACHED, BELLY, glued
from vastus.modelling.resolution import Part, meshed
from vastus.modelling.scapula import BLADE_SIZE, blade, blade_section, processes
from vastus.modelling.sweep import Solid, Swept, Tube
from vastus.modelling.tissues import BONE_DENSITY, Materials, bone_region
from vastus.numerics.types import Floats, Ints
from vastus.skeleton.joints import Hinge

_MUSCLES = {"biceps": biceps, "triceps": triceps}
_FINGERS_FROM = 6_000  # tets
_FOREARM = ("ulna", "radius", "hand")
# To which bone insertion and heads are fixed. The tendon of the long head of the biceps is held
# in a groove of the humerus, so it follows that bone.
_FIXED_TO = ("forearm", "scapula", "humerus")


def elbow(
    tets: int = 12_000, *, forearm_mass: float = 1.5, materials: Materials | None = None
) -> Model:
    """A right arm with the muscles `biceps` and `triceps` and the hinge `elbow`.

    x points to the side (laterally), y forward, z up; the elbow's axis runs along x through the
    origin, so that flexion is positive. The upper arm hangs down and the forearm is flexed by 25
    degrees, palm forward. `humerus` and `scapula` are pinned, `forearm` (ulna, radius and hand) is
    free. Its density is such that it weighs `forearm_mass` [kg], flesh that is not modelled
    included. Solids of the same bone overlap where they meet; below 6000 tets the fingers are one.
    """
    materials = materials or Materials()
    arm = assembled(_solids(tets))
    bones = [name for name in arm.names if name not in _MUSCLES]
    regions = [_bone_region(arm, name, forearm_mass) for name in bones]
    for name in _MUSCLES:
        regions += [materials.belly(name), materials.sinew(f"{name} tendon", name)]
    return Model(
        mesh=arm.mesh,
        region=_region_of_tet(arm),
        regions=tuple(regions),
        fibre=_fibres(arm),
        muscles=tuple(materials.named(name) for name in _MUSCLES),
        bones=(
            _bone(arm, "humerus", ("humerus",), Drive.PINNED),
            _bone(arm, "scapula", ("scapula",), Drive.PINNED),
            _bone(arm, "forearm", _FOREARM, Drive.FREE),
        ),
        joints=(Hinge("elbow", ("humerus", "forearm"), np.zeros(3), np.array([1.0, 0.0, 0.0])),),
        name="elbow",
    )


def _solids(tets: int) -> dict[str, Solid]:
    """A solid for each region of bone, then one for each muscle."""
    parts = {
        "humerus": _bony(humerus(), 1.2),
        "scapula": [*_bony(processes(), 1.8), Part(blade(), blade_section, size=BLADE_SIZE)],
        "ulna": _bony(flexed(ulna(), REST_ANGLE), 2.4),
        "radius": _bony(flexed(radius(), REST_ANGLE), 2.2),
        "hand": _hand(tets),
        **{name: make().parts() for name, make in _MUSCLES.items()},
    }
    made = iter(meshed([part for group in parts.values() for part in group], tets))
    return {name: _one(name, made, len(group)) for name, group in parts.items()}


def _hand(tets: int) -> list[Part]:
    if tets < _FINGERS_FROM:
        return _bony(flexed(wrist() + mitten(), REST_ANGLE), 1.2)
    rays = [Part(ray, rimmed, slab=2.5) for ray in flexed(fingers(), REST_ANGLE)]
    return [*_bony(flexed(wrist(), REST_ANGLE), 1.5), *rays]


def _bony(tubes: list[Tube], rings: float) -> list[Part]:
    return [Part(tube, rimmed, rings=rings, slab=1.6) for tube in tubes]


def _one(name: str, made: Iterator[Swept], count: int) -> Solid:
    solids = [next(made) for _ in range(count)]
    return glued(solids) if name in _MUSCLES else stacked(solids)


def _bone_region(arm: Assembly, name: str, forearm_mass: float) -> Region:
    if name not in _FOREARM:
        return bone_region(name, BONE_DENSITY)
    volume = sum(arm.mesh.volumes[arm.tets(part)].sum() for part in _FOREARM)
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
