"""A small trunk that has all that a whole one has: a closed cage, passive joints, arms, lines."""

from __future__ import annotations

import numpy as np
import pytest

from vastus.control.upper_body.musculoskeleton import Line, Musculoskeleton, Tie

# Lines: name, group, part, and points of bodies [m] in the world at rest.
_TRUNK = [
    ("back_L0", "back", "trunk", ("pelvis", (0.03, 0.06, 0.85)), ("T1", (0.03, 0.05, 1.1))),
    ("belly_L0", "belly", "trunk", ("pelvis", (0.05, -0.1, 0.85)), ("T1", (0.05, -0.08, 1.1))),
    ("oblique_L0", "oblique", "trunk", ("pelvis", (0.1, 0.02, 0.9)), ("T1", (0.02, -0.1, 1.1))),
    ("oblique_L1", "oblique", "trunk", ("pelvis", (0.1, -0.02, 0.9)), ("T1", (0.02, 0.1, 1.1))),
    ("nape_L0", "nape", "neck", ("T1", (0.02, 0.05, 1.15)), ("skull", (0.02, 0.05, 1.35))),
    ("throat_L0", "throat", "neck", ("T1", (0.02, -0.05, 1.15)), ("skull", (0.02, -0.05, 1.35))),
    ("turner_L0", "turner", "neck", ("T1", (0.06, -0.03, 1.2)), ("skull", (0.03, 0.06, 1.32))),
    ("external_L0", "external intercostal", "trunk",
     ("T1", (0.06, 0.0, 1.2)), ("rib1L", (0.09, -0.06, 1.07))),
    ("internal_L0", "internal intercostal", "trunk",
     ("pelvis", (0.08, -0.05, 0.9)), ("rib1L", (0.09, -0.06, 1.07))),
    ("sternal_L0", "sternal", "neck",
     ("skull", (0.03, 0.0, 1.33)), ("sternum", (0.01, -0.12, 1.08))),
]  # fmt: skip
_ARM = [
    ("pectoralis_L0", "pectoralis major", "arm",
     ("T1", (0.05, -0.08, 1.08)), ("humerusL", (0.18, -0.03, 1.02))),
    ("teres_L0", "teres", "arm", ("T1", (0.07, 0.06, 1.08)), ("humerusL", (0.18, 0.02, 1.02))),
    ("deltoid_L0", "deltoid", "arm", ("T1", (0.2, 0.0, 1.2)), ("humerusL", (0.22, 0.0, 1.0))),
    ("deltoid_L1", "deltoid", "arm",
     ("T1", (0.18, -0.05, 1.17)), ("humerusL", (0.19, -0.03, 0.98))),
    ("deltoid_L2", "deltoid", "arm", ("T1", (0.18, 0.05, 1.17)), ("humerusL", (0.19, 0.03, 0.98))),
    ("latissimus_L0", "latissimus", "arm",
     ("T1", (0.06, 0.0, 1.0)), ("humerusL", (0.17, 0.0, 1.03))),
    ("biceps_L0", "biceps", "arm",
     ("humerusL", (0.18, -0.03, 1.05)), ("ulnaL", (0.18, -0.03, 0.77))),
    ("triceps_L0", "triceps", "arm",
     ("humerusL", (0.18, 0.03, 1.05)), ("ulnaL", (0.18, 0.025, 0.79))),
]  # fmt: skip
# Bodies: name, parent, place [m], mass [kg], joints (name, kind, axis, stiffness).
_BODIES = [
    ("pelvis", None, (0, 0, 0.9), 5.0, []),
    ("T1", "pelvis", (0, 0, 1.0), 12.0,
     [("T1_flex", "hinge", (1, 0, 0), 60), ("T1_bend", "hinge", (0, 1, 0), 60),
      ("T1_turn", "hinge", (0, 0, 1), 60)]),
    ("skull", "T1", (0, 0, 1.3), 4.0,
     [("skull_flex", "hinge", (1, 0, 0), 10), ("skull_turn", "hinge", (0, 0, 1), 10)]),
    ("rib1L", "T1", (0.02, 0.02, 1.1), 0.4, [("rib1L", "hinge", (-0.8, -0.6, 0), 6)]),
    ("rib1R", "T1", (-0.02, 0.02, 1.1), 0.4, [("rib1R", "hinge", (-0.8, 0.6, 0), 6)]),
    ("sternum", "T1", (0, -0.12, 1.06), 0.4,
     [("sternum_tx", "slide", (1, 0, 0), 20), ("sternum_ty", "slide", (0, 1, 0), 20),
      ("sternum_tz", "slide", (0, 0, 1), 20), ("sternum_rx", "hinge", (1, 0, 0), 1)]),
]  # fmt: skip
_LIMB = [
    ("humerusL", "T1", (0.18, 0, 1.12), 1.8,
     [("shoulderL_flex", "hinge", (1, 0, 0), 4), ("shoulderL_abd", "hinge", (0, -1, 0), 4)]),
    ("ulnaL", "humerusL", (0.18, 0, 0.82), 1.0, [("elbowL", "hinge", (1, 0, 0), 1)]),
    ("handL", "ulnaL", (0.18, 0, 0.57), 0.4, []),
]  # fmt: skip


def small_trunk(area: float = 2e-3) -> Musculoskeleton:
    """A trunk of 14 driven and 4 passive joints, with 36 lines of one `area` [m^2]."""
    mujoco = pytest.importorskip("mujoco")
    bodies = [*_BODIES, *_LIMB, *map(_mirror_body, _LIMB)]
    rows = [*_TRUNK, *_ARM]
    rows = [*rows, *map(_mirror_line, rows)]
    places = {name: np.array(place, float) for name, _, place, _, _ in bodies}
    spec = mujoco.MjSpec()
    spec.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE
    made = {}
    for name, parent, _, mass, joints in bodies:
        above = spec.worldbody if parent is None else made[parent]
        offset = places[name] - (places[parent] if parent else 0.0)
        made[name] = above.add_body(name=name, pos=offset)
        made[name].mass, made[name].inertia = mass, mass * np.full(3, 4e-3)
        made[name].ipos, made[name].explicitinertial = (0, 0, 0.05 if mass > 3 else -0.05), True
        for joint, kind, axis, stiffness in joints:
            number = mujoco.mjtJoint.mjJNT_SLIDE if kind == "slide" else mujoco.mjtJoint.mjJNT_HINGE
            added = made[name].add_joint(name=joint, type=number, axis=axis)
            added.stiffness[0], added.damping[0] = stiffness, 0.05 * stiffness
    for name, _, _, *points in rows:
        tendon = spec.add_tendon(name=name)
        for k, (body, point) in enumerate(points):
            made[body].add_site(name=f"{name}.{k}", pos=np.array(point) - places[body])
            tendon.wrap_site(f"{name}.{k}")
    ties = []
    for side, sign in (("L", 1.0), ("R", -1.0)):
        for shift in np.eye(3) * 0.01:
            point = np.array([sign * 0.03, -0.12, 1.06]) + shift
            ends = point - places[f"rib1{side}"], point - places["sternum"]
            ties.append(Tie(f"rib1{side}", ends[0], "sternum", ends[1], 5000.0, 250.0))
    lines = tuple(Line(name, group, _part(part, name), area) for name, group, part, *_ in rows)
    passive = ("sternum_tx", "sternum_ty", "sternum_tz", "sternum_rx")
    return Musculoskeleton(spec.compile(), lines, tuple(ties), passive)


def _part(part: str, name: str) -> str:
    if part != "arm":
        return part
    return "arm_left" if "_L" in name else "arm_right"


def _mirror_body(row: tuple) -> tuple:
    name, parent, (x, y, z), mass, joints = row
    swapped = [(n.replace("L", "R"), kind, (a, -b, -c), k) for n, kind, (a, b, c), k in joints]
    return _other(name), _other(parent), (-x, y, z), mass, swapped


def _mirror_line(row: tuple) -> tuple:
    name, group, part, *points = row
    mirrored = [(_other(body), (-x, y, z)) for body, (x, y, z) in points]
    return (name.replace("_L", "_R"), group, part, *mirrored)


def _other(name: str) -> str:
    return f"{name[:-1]}R" if name.endswith("L") else name
