"""The body of Lee, Yu, Park, Aanjaneya, Sifakis and Lee (2018), from the files of its authors.

Files are `skeleton.json` (bodies, joints, and how a common frame of anchors lies in each body) and
`muscle_params.xml` (130 units as anchors, origin to insertion). The files are y up; the body is z
up and begins in their first pose, which is the zero of its joints. The three locked joints of the
trunk and two of the neck are left out.

As they are, the files give joints whose centre differs by up to 58 mm between their two bodies, and
arms of 13 kg; each correction has a name, and can be left out. Paths are straight between anchors,
without anything to run around: moment arms of several muscles change sign, corrected or not.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from vastus.bodies.body import Body, Unit, mujoco_package
from vastus.bodies.limbs import arms_of
from vastus.errors import FileError, ModelError, known
from vastus.files.foreign import existing
from vastus.files.safe import TEXT, read_bytes
from vastus.numerics.rotation import exp_map, quaternions
from vastus.numerics.types import Floats

STRESS = 0.35e6  # [Pa] of every belly; the files give none
_UP = (0.5, 0.5, 0.5, 0.5)  # turns x left, y up, z forward into x forward, y left, z up
_FREE = (-1.5, 1.5)  # [rad] of hinges whose limits the files do not give
_ARMATURE, _DAMPING = 0.0005, 0.05

# Where a body's joint lies in its parent [m] on the right side; x changes sign on the left.
_CENTRES: dict[str, dict[str, tuple[float, float, float]]] = {
    "shoulder centres": {"Shoulder": (-0.107, -0.012, -0.027)},
    "elbow centres": {"Elbow": (-0.182, 0.0, 0.018)},
    "wrist centres": {"Hand": (-0.16, 0.0, 0.0)},
}
# [kg] and the edges of the box [m] whose inertia it has: a cube of 7 cm turns too easily.
_MASSES: dict[str, tuple[float, tuple[float, float, float]]] = {
    "Shoulder": (2.1, (0.32, 0.09, 0.09)),
    "Elbow": (1.2, (0.26, 0.07, 0.07)),
    "Hand": (0.45, (0.19, 0.09, 0.04)),
}
_KEYS = (
    "name", "parent", "joint", "axis", "p_to_joint", "c_to_joint", "mass", "box", "limits",
    "mesh_to_body",
)  # fmt: skip
CORRECTIONS = (*_CENTRES, "arm masses")


def from_lee2018(
    folder: str | Path, corrected: bool | Collection[str] = True, *, stress: float = STRESS
) -> Body:
    """The body of 14 degrees of freedom and 130 units in a folder of the two files.

    `corrected` chooses corrections: all, none, or some of 'shoulder centres', 'elbow centres',
    'wrist centres' and 'arm masses'. A unit's greatest force is `stress` [Pa] times the square of
    its width, which the files give as a part of its belly's length.
    """
    chosen = _chosen(corrected)
    folder = Path(folder)
    bodies, pose = _skeleton(folder / "skeleton.json")
    spec = _begun()
    made: dict[str, Any] = {}
    for row in bodies:
        _add_body(spec, made, _corrected(row, chosen), pose.get(row["name"], ()))
    path = folder / "muscle_params.xml"
    frames = {row["name"]: np.array(row["mesh_to_body"], float) for row in bodies}
    units = _add_units(spec, made, frames, path, stress)
    palms = {"right": "HandR", "left": "HandL"}
    arms, model = arms_of(spec, palms, len(units), str(folder / "skeleton.json"))
    return Body(model, tuple(units), arms, np.zeros(model.nq), spec)


def _chosen(corrected: bool | Collection[str]) -> tuple[str, ...]:
    if isinstance(corrected, bool):
        return CORRECTIONS if corrected else ()
    names = (corrected,) if isinstance(corrected, str) else tuple(corrected)
    for name in names:
        if name not in CORRECTIONS:
            raise known("correction", name, CORRECTIONS)
    return names


def _skeleton(path: Path) -> tuple[list[dict[str, Any]], Mapping[str, list[float]]]:
    text = read_bytes(existing(path), TEXT)
    try:
        read = json.loads(text)
        bodies, pose = list(read["bodies"]), dict(read["initial_pose"])
        rows = [{key: row[key] for key in _KEYS} for row in bodies]
        names = [row["name"] for row in rows]
    except KeyError as error:
        raise FileError(f"'{path}' is not a skeleton of 2018: it has no {error}") from None
    except (ValueError, TypeError) as error:
        raise FileError(f"'{path}' is not a skeleton of 2018: {error}") from None
    for k, row in enumerate(rows):
        if row["parent"] not in (None, *names[:k]):
            raise FileError(f"'{path}': body '{row['name']}' stands before its parent, or has none")
    return rows, pose


def _corrected(row: dict[str, Any], chosen: tuple[str, ...]) -> dict[str, Any]:
    part, side = row["name"][:-1], -1.0 if row["name"].endswith("L") else 1.0
    row = dict(row)
    for correction, centres in _CENTRES.items():
        if correction in chosen and part in centres:
            x, y, z = centres[part]
            row["p_to_joint"] = [side * x, y, z]
    if "arm masses" in chosen and part in _MASSES:
        row["mass"], row["box"] = _MASSES[part]
    return row


def _begun() -> Any:
    mujoco = mujoco_package()
    spec = mujoco.MjSpec()
    spec.modelname = "lee2018"
    spec.compiler.degree = False
    spec.option.timestep = 0.001
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    return spec


def _add_body(spec: Any, made: dict[str, Any], row: dict[str, Any], pose: Any) -> None:
    """A body at its centre, with its joint where the files put it, already turned by the pose."""
    mujoco = mujoco_package()
    axis, angles = row["axis"], np.asarray(pose, float)
    turn = np.asarray(axis, float) * angles if axis and len(angles) else angles
    R = exp_map(turn) if len(turn) else np.eye(3)
    at, own = np.array(row["p_to_joint"], float), np.array(row["c_to_joint"], float)
    parent = made.get(row["parent"])
    if parent is None:
        parent = spec.worldbody.add_body(name="base", pos=[0.0, 0.0, 1.0], quat=_UP)
    size = np.array(row["box"], float)
    body = parent.add_body(
        name=row["name"],
        pos=at - R @ own,
        quat=quaternions(R[None])[0],
        mass=float(row["mass"]),
        inertia=row["mass"] / 12.0 * ((size**2).sum() - size**2),
        explicitinertial=True,
    )
    body.add_geom(
        name=row["name"], type=mujoco.mjtGeom.mjGEOM_BOX, size=size / 2,
        contype=0, conaffinity=0, rgba=[0.9, 0.87, 0.78, 1.0], mass=0.0,
    )  # fmt: skip
    for name, direction, limits in _hinges(row, angles):
        body.add_joint(
            name=name, type=mujoco.mjtJoint.mjJNT_HINGE, pos=own, axis=direction, range=limits,
            armature=_ARMATURE, damping=_DAMPING,
        )  # fmt: skip
    made[row["name"]] = body


def _hinges(row: dict[str, Any], angles: Floats) -> list[tuple[str, Any, tuple[float, float]]]:
    """The hinges of a joint by name, axis and limits from its pose; a ball is three of them."""
    if row["joint"] == "weld":
        return []
    if row["joint"] == "ball":
        axes, limits = dict(zip("xyz", np.eye(3), strict=True)), row["limits"] or [_FREE] * 3
        angles = np.zeros(3)  # limits are about the pose: those of a ball do not turn with it
    else:
        axes, limits = {"": np.array(row["axis"], float)}, row["limits"]
        angles = angles if len(angles) else np.zeros(1)
    return [
        (f"{row['name']}_{letter}".rstrip("_"), axis, (low - angle, high - angle))
        for (letter, axis), (low, high), angle in zip(axes.items(), limits, angles, strict=True)
        if low < high  # equal limits lock a joint
    ]


def _add_units(
    spec: Any, made: Mapping[str, Any], frames: Mapping[str, Floats], path: Path, stress: float
) -> list[Unit]:
    """The paths of the file, as tendons through sites, and their units."""
    units: list[Unit] = []
    for row in _rows(path):
        name = _unused(row.get("name", "unit"), {unit.name for unit in units})
        try:
            unit, bones, X = _unit(row, name, stress)
            for bone in bones:
                if bone not in made:
                    raise known("body", bone, made)
        except (ValueError, ModelError) as error:
            raise FileError(f"muscle '{name}' of '{path}': {error}") from None
        tendon = spec.add_tendon(name=name, width=0.003, rgba=[0.72, 0.16, 0.14, 1.0])
        for k, (bone, point) in enumerate(zip(bones, X, strict=True), 1):
            local = (frames[bone] @ np.append(point, 1.0))[:3]
            made[bone].add_site(name=f"{name}.{k}", pos=local, size=[0.003] * 3)
            tendon.wrap_site(f"{name}.{k}")
        units.append(unit)
    return units


def _rows(path: Path) -> list[ElementTree.Element]:
    text = read_bytes(existing(path), TEXT)
    if b"<!" in text.replace(b"<!--", b""):
        raise FileError(f"'{path}' declares entities or a document type, which is not read")
    try:
        return list(ElementTree.fromstring(text).iter("unit"))
    except ElementTree.ParseError as error:
        raise FileError(f"'{path}' is not a table of muscles: {error}") from None


def _unit(row: ElementTree.Element, name: str, stress: float) -> tuple[Unit, list[str], Floats]:
    """A unit, the bodies of its anchors and their points (k, 3) [m] in the common frame.

    The belly lies between the last origin and the first insertion, the rest is tendon.
    """
    origins, insertions = row.findall("origin/anchor"), row.findall("insertion/anchor")
    if not (origins and insertions):
        raise ModelError("it has no path from an origin to an insertion")
    anchors, mesh = [*origins, *insertions], row.find("mesh")
    if mesh is None or mesh.get("ratio") is None:
        raise ModelError("it has no mesh with a ratio of width to length")
    X = 0.01 * np.array([[float(anchor.get(c, "nan")) for c in "xyz"] for anchor in anchors])
    spans = np.linalg.norm(np.diff(X, axis=0), axis=1)
    belly = float(spans[len(origins) - 1])
    area = (float(mesh.get("ratio", "nan")) * belly) ** 2
    unit = Unit(name, stress * area, belly, float(spans.sum()) - belly, area)
    return unit, [anchor.get("body", "") for anchor in anchors], X


def _unused(name: str, names: Collection[str]) -> str:
    """The name, with a number if another unit has it already: two names of the file do."""
    number, free = 1, name
    while free in names:
        number += 1
        free = f"{name}_{number}"
    return free
