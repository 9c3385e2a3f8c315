"""The whole upper body put together: 68 bones, 147 degrees of freedom, 814 lines of muscle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from vastus.bodies.body import Unit, mujoco_package
from vastus.bodies.upper.arm_lines import ARM_ROWS
from vastus.bodies.upper.flesh import Inertia, inertias
from vastus.bodies.upper.joint_table import PAPER_CAGE, RELAXED, BodyRow, joint_table
from vastus.bodies.upper.lines import Line, lines_of
from vastus.bodies.upper.neck_lines import NECK
from vastus.bodies.upper.record import UpperBody
from vastus.bodies.upper.ties import RELAXATION, STIFFNESS, TiePoint, tie_points, ties_of
from vastus.bodies.upper.trunk_lines import TRUNK
from vastus.errors import ModelError
from vastus.geometry.surface import Surface
from vastus.modelling.trunk.skeleton import Skeleton, parametric
from vastus.numerics.types import Floats

LINE_ROWS = NECK + TRUNK + ARM_ROWS
STRESS = 0.5e6  # [Pa] greatest, of all muscles
SLACK = 1.05  # length at which a line goes slack over its length when relaxed
SPEED = 8.0  # [slack lengths/s]
STEP = 0.007  # [s]
_FREE_DAMPING = 0.02  # [N m s/rad or N s/m] of joints without a spring
_BONE, _CARTILAGE = [0.89, 0.85, 0.74, 1.0], [0.55, 0.68, 0.75, 1.0]
_MUSCLE = [0.72, 0.16, 0.14, 1.0]
_BONE_GROUP, _TIE_GROUP = 1, 4


def whole_upper_body(
    skeleton: Skeleton | None = None,
    *,
    cartilages: Sequence[Sequence[int]] = PAPER_CAGE,
    stress: float = STRESS,
    slack: float = SLACK,
    tie_stiffness: float = STIFFNESS,
) -> UpperBody:
    """A human upper body with an articulated rib cage, standing, arms hanging.

    `skeleton` has landmarks and surfaces: the parametric one unless given. `cartilages` are the
    ribs whose cartilages make one body each. A line's greatest force is its cross-section times
    `stress` [Pa]; it goes slack at `slack` times its length when relaxed. `tie_stiffness` [N/m] is
    that of each of three springs between a rib and its cartilage.
    """
    for what, value in (("stress", stress), ("slack", slack), ("tie_stiffness", tie_stiffness)):
        if not (np.isfinite(value) and value > 0):
            raise ModelError(f"{what} {value} of the upper body: it must be above zero")
    skeleton = parametric() if skeleton is None else skeleton
    rows = joint_table(cartilages)
    lines = lines_of(LINE_ROWS, skeleton.landmarks)
    points = tie_points(skeleton.landmarks, tuple(tuple(group) for group in cartilages))
    masses = inertias(rows, skeleton.bones, lines, symmetric=skeleton.symmetric)
    spec = _spec(rows, skeleton, masses, lines, points)
    model = spec.compile()
    units = tuple(
        Unit(line.name, stress * line.area, slack * length, 0.0, line.area, speed=SPEED)
        for line, length in zip(lines, _relaxed_lengths(model), strict=True)
    )
    return UpperBody(
        model, units, (), np.zeros(model.nq), spec,
        rows, lines, ties_of(points, tie_stiffness), skeleton.landmarks, skeleton.bones,
        RELAXED,
    )  # fmt: skip


def _relaxed_lengths(model: Any) -> Floats:
    """(m,) [m] the greatest lengths of lines at rest and in the postures that leave them slack."""
    mujoco = mujoco_package()
    data, longest = mujoco.MjData(model), np.zeros(model.ntendon)
    for pose in ({}, *RELAXED):
        data.qpos[:] = 0.0
        for joint, value in pose.items():
            data.joint(joint).qpos[0] = value
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_tendon(model, data)
        longest = np.maximum(longest, data.ten_length)
    return longest


def _spec(
    rows: Sequence[BodyRow],
    skeleton: Skeleton,
    masses: Mapping[str, Inertia],
    lines: Sequence[Line],
    points: Sequence[TiePoint],
) -> Any:
    mujoco = mujoco_package()
    spec = mujoco.MjSpec()
    spec.modelname = "upper_body"
    spec.compiler.degree = False
    spec.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE
    spec.option.timestep = STEP
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    bodies, origins = {"": spec.worldbody}, {"": np.zeros(3)}
    for row in rows:
        origins[row.name] = row.origin(skeleton.landmarks)
        bodies[row.name] = _add_body(bodies[row.parent], row, origins, masses[row.name])
        for joint in row.joints:
            _add_joint(bodies[row.name], joint, skeleton)
        for bone in row.bones:
            _add_bone(spec, bodies[row.name], bone, skeleton.bones[bone], origins[row.name])
    for line in lines:
        tendon = spec.add_tendon(name=line.name, width=0.001, rgba=_MUSCLE)
        for k, anchor in enumerate(line.path):
            place = anchor.point - origins[anchor.body]
            bodies[anchor.body].add_site(name=f"{line.name}.{k}", pos=place, size=[0.001] * 3)
            tendon.wrap_site(f"{line.name}.{k}")
    for tie in points:
        for body, site in zip((tie.rib, tie.cartilage), tie.sites, strict=True):
            place = tie.point - origins[body]
            bodies[body].add_site(name=site, pos=place, size=[0.001] * 3, group=_TIE_GROUP)
    return spec


def _add_body(parent: Any, row: BodyRow, origins: Mapping[str, Any], inertia: Inertia) -> Any:
    t = inertia.tensor
    return parent.add_body(
        name=row.name,
        pos=origins[row.name] - origins[row.parent],
        mass=inertia.mass,
        ipos=inertia.centre - origins[row.name],
        fullinertia=[t[0, 0], t[1, 1], t[2, 2], t[0, 1], t[0, 2], t[1, 2]],
        explicitinertial=True,
    )


def _add_joint(body: Any, joint: Any, skeleton: Skeleton) -> None:
    kinds = mujoco_package().mjtJoint
    body.add_joint(
        name=joint.name,
        type=kinds.mjJNT_SLIDE if joint.slide else kinds.mjJNT_HINGE,
        axis=joint.axis(skeleton.landmarks),
        stiffness=joint.stiffness,
        damping=RELAXATION * joint.stiffness or _FREE_DAMPING,
    )


def _add_bone(spec: Any, body: Any, name: str, surface: Surface, origin: Any) -> None:
    """A surface to be looked at, without mass or contact."""
    mujoco = mujoco_package()
    spec.add_mesh(
        name=name,
        uservert=(surface.X - origin).ravel(),
        userface=surface.faces.ravel(),
        inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
    )
    soft = name.startswith(("disc", "cart", "thyroid"))
    body.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_MESH,
        meshname=name,
        contype=0,
        conaffinity=0,
        group=_BONE_GROUP,
        rgba=_CARTILAGE if soft else _BONE,
        mass=0.0,
    )


def write_mjcf(body: UpperBody, path: str | Path) -> Path:
    """Write the model as MJCF with its surfaces inside, for MuJoCo and its viewer."""
    path = Path(path)
    path.write_text(body.spec.to_xml())
    return path
