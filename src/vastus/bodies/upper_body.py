"""The default body: a trunk with two arms of seven hinges, each moved by 35 muscles."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from vastus.bodies.body import Arm, Body, Unit, mujoco_package
from vastus.bodies.bones import ARM_BONES, TRUNK_BONES, Bone, reflected, surface_of
from vastus.bodies.joints import (
    ARM_HINGES,
    ARMATURE,
    GIRDLE_HINGES,
    TRUNK_HINGES,
    Hinge,
    mirrored_axis,
)
from vastus.bodies.muscles import MUSCLES, Muscle, Point
from vastus.bodies.segments import (
    ARM_SEGMENTS,
    GIRDLE_SEGMENT,
    PALM,
    PELVIS_HEIGHT,
    TORSO,
    Segment,
    Triple,
    mirrored,
)
from vastus.bodies.volumes import belly_areas
from vastus.bodies.wraps import WRAPS, Wrap
from vastus.errors import ModelError
from vastus.numerics.types import Floats

SIDES = {"right": ("r_", 1.0), "left": ("l_", -1.0)}  # prefix of names, and the sign of y
STEP = 0.001  # [s] of rigid dynamics
_MUSCLE_COLOUR = [0.72, 0.16, 0.14, 1.0]
_WRAP_COLOUR = [0.3, 0.7, 0.8, 0.25]
_BONE_GROUP = 1
_WRAP_GROUP, _SIDE_GROUP = 3, 4  # viewers hide them unless asked
_HALF_CYLINDER = 0.03  # [m] drawn; paths take it as endless


def juggler(*, strength: float = 1.0, torso: bool = False, clavicle: bool = False) -> Body:
    """An upper body of human size and strength, at rest with bent elbows, palms up.

    `strength` scales every greatest force and leaves the bellies' areas. `torso` adds three hinges
    between pelvis and trunk, `clavicle` two at each inner end of the clavicles, both held by
    springs. Without them the body has 14 degrees of freedom: the right arm's, then the left's.
    """
    if not (np.isfinite(strength) and strength > 0):
        raise ModelError(f"strength {strength} of the body: it must be above zero")
    spec = _begun()
    trunk = _trunk(spec, torso)
    for side in SIDES:
        _add_arm(spec, trunk, side, clavicle)
    for side in SIDES:
        _add_paths(spec, side)
    model = spec.compile()
    home = np.zeros(model.nq)
    for prefix, _ in SIDES.values():
        for hinge in ARM_HINGES:
            home[model.joint(prefix + hinge.name).qposadr[0]] = hinge.home
    return Body(model, _units(strength), tuple(_arm(model, s) for s in SIDES), home, spec)


def _begun() -> Any:
    mujoco = mujoco_package()
    spec = mujoco.MjSpec()
    spec.modelname = "juggler"
    spec.compiler.degree = False
    spec.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE
    spec.option.timestep = STEP
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    return spec


def _trunk(spec: Any, moving: bool) -> Any:
    pelvis = spec.worldbody.add_body(name="pelvis", pos=[0.0, 0.0, PELVIS_HEIGHT])
    trunk = _add_segment(pelvis, TORSO, "", 1.0)
    for hinge in TRUNK_HINGES if moving else ():
        _add_hinge(trunk, hinge, "", 1.0)
    for bone in TRUNK_BONES:
        _add_bone(spec, {"pelvis": pelvis, "torso": trunk}[bone.segment], bone, "", 1.0)
    return trunk


def _add_arm(spec: Any, trunk: Any, side: str, moving_girdle: bool) -> None:
    """Hang the segments of an arm on the trunk, with their hinges, wraps and points."""
    prefix, sign = SIDES[side]
    bodies = {"torso": trunk, "girdle": trunk}
    if moving_girdle:
        bodies["girdle"] = _add_segment(trunk, GIRDLE_SEGMENT, prefix, sign)
        trunk.mass -= GIRDLE_SEGMENT.mass
        for hinge in GIRDLE_HINGES:
            _add_hinge(bodies["girdle"], hinge, prefix, sign)
    for segment in ARM_SEGMENTS:
        bodies[segment.name] = _add_segment(bodies[segment.parent], segment, prefix, sign)
    for hinge in ARM_HINGES:
        _add_hinge(bodies[hinge.segment], hinge, prefix, sign)
    for bone in ARM_BONES:
        _add_bone(spec, bodies[bone.segment], bone, prefix, sign)
    for wrap in WRAPS:
        _add_wrap(bodies[wrap.segment], wrap, prefix, sign)
    bodies["hand"].add_site(name=f"{prefix}palm", pos=mirrored(PALM, sign), size=[0.004] * 3)
    for muscle in MUSCLES:
        for name, point in _sites(muscle, prefix):
            place = mirrored(point.place, sign)
            bodies[point.segment].add_site(name=name, pos=place, size=[0.003] * 3)


def _add_segment(parent: Any, segment: Segment, prefix: str, sign: float) -> Any:
    return parent.add_body(
        name=prefix + segment.name,
        pos=mirrored(segment.origin, sign),
        mass=segment.mass,
        ipos=mirrored(segment.centre, sign),
        inertia=segment.inertia,
        explicitinertial=True,
    )


def _add_hinge(body: Any, hinge: Hinge, prefix: str, sign: float) -> None:
    body.add_joint(
        name=prefix + hinge.name,
        type=mujoco_package().mjtJoint.mjJNT_HINGE,
        axis=mirrored_axis(hinge.axis, sign),
        pos=mirrored(hinge.point, sign),
        range=hinge.limits,
        stiffness=hinge.stiffness,
        damping=hinge.damping,
        armature=ARMATURE,
        solref_limit=[0.01, 1.0],
    )


def _add_wrap(body: Any, wrap: Wrap, prefix: str, sign: float) -> None:
    kinds = mujoco_package().mjtGeom
    body.add_geom(
        name=prefix + wrap.name,
        type=kinds.mjGEOM_SPHERE if wrap.axis is None else kinds.mjGEOM_CYLINDER,
        size=[wrap.radius, _HALF_CYLINDER, 0.0],
        pos=mirrored(wrap.centre, sign),
        quat=_along(mirrored(wrap.axis or (0.0, 0.0, 1.0), sign)),
        contype=0,
        conaffinity=0,
        group=_WRAP_GROUP,
        rgba=_WRAP_COLOUR,
    )
    for name, place in wrap.sides.items():
        body.add_site(
            name=prefix + name, pos=mirrored(place, sign), group=_SIDE_GROUP, size=[0.002] * 3
        )


def _add_bone(spec: Any, body: Any, bone: Bone, prefix: str, sign: float) -> None:
    """A surface to be looked at, without mass or contact."""
    mujoco = mujoco_package()
    surface = surface_of(bone) if sign > 0 else reflected(surface_of(bone))
    name = f"{prefix}{bone.name}_bone"
    spec.add_mesh(
        name=name,
        uservert=surface.X.ravel(),
        userface=surface.faces.ravel(),
        inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
    )
    body.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_MESH,
        meshname=name,
        contype=0,
        conaffinity=0,
        group=_BONE_GROUP,
        rgba=bone.colour,
        mass=0.0,
    )


def _along(axis: Triple) -> Floats:
    """The quaternion of the shortest turn that brings z to a unit axis other than -z."""
    x, y, z = axis
    quat = np.array([1.0 + z, -y, x, 0.0])
    return quat / np.linalg.norm(quat)


def _sites(muscle: Muscle, prefix: str) -> Iterable[tuple[str, Point]]:
    """The names of a path's sites, numbered from its origin, and its points."""
    points = [step for step in muscle.path if isinstance(step, Point)]
    return ((f"{prefix}{muscle.name}.{k}", point) for k, point in enumerate(points, 1))


def _add_paths(spec: Any, side: str) -> None:
    prefix, _ = SIDES[side]
    for muscle in MUSCLES:
        tendon = spec.add_tendon(name=prefix + muscle.name, width=0.004, rgba=_MUSCLE_COLOUR)
        sites = iter(_sites(muscle, prefix))
        for step in muscle.path:
            if isinstance(step, Point):
                tendon.wrap_site(next(sites)[0])
            else:
                tendon.wrap_geom(prefix + step.wrap, prefix + step.side if step.side else "")


def _units(strength: float) -> tuple[Unit, ...]:
    areas = belly_areas()
    return tuple(
        Unit(prefix + m.name, strength * m.force, m.optimal, m.slack, areas[m.name])
        for prefix, _ in SIDES.values()
        for m in MUSCLES
    )


def _arm(model: Any, side: str) -> Arm:
    prefix, _ = SIDES[side]
    dofs = tuple(int(model.joint(prefix + hinge.name).dofadr[0]) for hinge in ARM_HINGES)
    first = len(MUSCLES) * list(SIDES).index(side)
    units = tuple(range(first, first + len(MUSCLES)))
    return Arm(side, dofs, units, f"{prefix}hand", f"{prefix}palm")
