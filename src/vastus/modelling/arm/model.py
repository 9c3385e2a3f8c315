"""The anatomical arm as a model, built from its surfaces like any other body."""

from __future__ import annotations

from dataclasses import replace

from vastus.cache import Store
from vastus.geometry.surface import Surface
from vastus.model import Bone, Drive, Model, Region, Tissue
from vastus.modelling.anatomy.body import body_of
from vastus.modelling.anatomy.parts import Ends, Part
from vastus.modelling.anatomy.pipeline import Plan
from vastus.modelling.anatomy.steps import Log
from vastus.modelling.arm.parts import (
    ATTACHMENTS,
    BODIES,
    CAPS,
    ELBOW_AXIS,
    ELBOW_CENTRE,
    FOREARM,
)
from vastus.modelling.arm.surfaces import arm_surfaces
from vastus.skeleton.joints import Hinge

# Heads that are activated together.
_MUSCLES = {
    "biceps long": "biceps",
    "biceps short": "biceps",
    "triceps long": "triceps",
    "triceps lateral": "triceps",
    "triceps medial": "triceps",
}
# Muscles that one sheath of fascia holds together.
_COMPARTMENTS = {
    "biceps long": "front",
    "biceps short": "front",
    "brachialis": "front",
    "coracobrachialis": "front",
    "triceps long": "back",
    "triceps lateral": "back",
    "triceps medial": "back",
    "deltoid": "shoulder",
    "brachioradialis": "forearm",
    "forearm flexors": "forearm",
    "forearm extensors": "forearm",
}
_GAP = 0.004  # [m] that attachments bridge
_ENVELOPE = 0.002  # [m] three times the usual: half the time, and thin tendons survive


def arm(size: float = 0.01, *, forearm_mass: float = 1.5) -> Model:
    """An anatomical right arm with shoulder blade, collar bone and hand, and eleven muscles.

    x points to the side (laterally), y forward, z up; the elbow's axis runs along x through the
    origin, so that flexion is positive. Tets have edges of about `size` [m]. `scapula`, `clavicle`
    and `humerus` are pinned, `forearm` (ulna, radius and hand) is free and weighs `forearm_mass`
    [kg], flesh that is not modelled included. The heads of `biceps` and `triceps` are activated
    together. It is built once, in about a minute, and then kept; needs the extra `mesh`.
    """
    log = Log(Store(), lambda _: None)
    shells = log.run("surfaces", arm_surfaces)
    parts = [_part(name, shell) for name, shell in shells.items()]
    model = body_of(parts, Plan(size=size, envelope=_ENVELOPE, gap=_GAP), log, "arm").model
    drives = dict.fromkeys(BODIES, Drive.PINNED) | {"forearm": Drive.FREE}
    return model.with_(
        regions=_weighed(model, forearm_mass),
        bones=tuple(Bone(name, bones, drives[name]) for name, bones in BODIES.items()),
        joints=(Hinge("elbow", ("humerus", "forearm"), ELBOW_CENTRE, ELBOW_AXIS),),
    )


def _part(name: str, surface: Surface) -> Part:
    if name not in ATTACHMENTS:
        return Part(name, surface, Tissue.BONE)
    origin, insertion = ATTACHMENTS[name]
    ends = Ends(origin, insertion, caps=CAPS[name])
    muscle, fascia = _MUSCLES.get(name, name), _COMPARTMENTS[name]
    return Part(name, surface, Tissue.MUSCLE, muscle, ends, compartment=fascia)


def _weighed(model: Model, forearm_mass: float) -> tuple[Region, ...]:
    """The regions, with bones of the forearm so dense that together they have the mass [kg]."""
    volume = float(model.mesh.volumes[model.tets_of(FOREARM)].sum())
    density = forearm_mass / volume
    return tuple(replace(r, density=density) if r.name in FOREARM else r for r in model.regions)
