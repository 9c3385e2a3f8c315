"""Line muscles and bones of a MuJoCo model (MJCF), in one pose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import numpy as np

from vastus.errors import FileError, MissingExtra, ModelError, known
from vastus.files.foreign import existing
from vastus.files.safe import TEXT, read_bytes, regular
from vastus.materials.fibres.curves import Rows
from vastus.modelling.lines.lines import LineMuscle, Lines, LineWrap, chosen, usable
from vastus.modelling.lines.mjcf_bodies import bones_of, named_groups
from vastus.modelling.lines.mjcf_joints import follow_couplings
from vastus.numerics.types import Floats, Ints

MOST_COPIES = 10_000
_MULTIPLY = ("replicate", "composite", "flexcomp")
_FOLDERS = ("assetdir", "meshdir", "texturedir")
_STEP = 0.03  # [rad] between samples of an arc: its length is right to 4e-5 of itself
_SITE, _PULLEY = -1, -2
_FALL = np.linspace(0.0, 1.0, 21)  # of the way from the optimal length to an end of the curve


def require_mjcf(path: Path) -> None:
    """Raise a `FileError` if a file that it names is not regular, or it repeats without end."""
    elements = list(_elements(path, set()))
    folders = {path.parent, *(path.parent / e.get(f, "") for e in elements for f in _FOLDERS)}
    for element in elements:
        for key, name in element.items():
            if key.startswith("file"):
                _require_regular([folder / name for folder in folders])
    copies = prod(_copies(path, e) for e in elements if e.tag in _MULTIPLY)
    if copies > MOST_COPIES:
        raise FileError(f"'{path}' asks for {copies} copies of a part; {MOST_COPIES} can be")


def _elements(path: Path, seen: set[Path]) -> Iterator[ElementTree.Element]:
    """The elements of a file and of those that it includes."""
    seen.add(path)
    for element in _root(path).iter():
        yield element
        included = path.parent / element.get("file", "")
        if element.tag == "include" and included.exists() and included not in seen:
            yield from _elements(included, seen)


def _root(path: Path) -> ElementTree.Element:
    contents = read_bytes(path, TEXT)
    if b"<!DOCTYPE" in contents or b"<!ENTITY" in contents or b"\0" in contents[:4]:
        raise FileError(f"'{path}' declares entities or a document type, which is not read")
    try:
        return ElementTree.fromstring(contents)
    except ElementTree.ParseError as error:
        raise FileError(f"'{path}' is not an MJCF model that can be read: {error}") from None


def _require_regular(places: list[Path]) -> None:
    for place in places:
        if place.exists() and not place.is_dir():
            regular(place)


def _copies(path: Path, element: ElementTree.Element) -> int:
    try:
        return max(1, prod(int(word) for word in element.get("count", "1").split()))
    except ValueError:
        raise FileError(f"'{path}' has a count that is not a whole number") from None


@dataclass(frozen=True, eq=False)
class Wire:
    """Points (k, 3) [m] and the body (k,) that each lies on, -1 where the line is free.

    `sites` are the positions of its sites among the points.
    """

    points: Floats
    bodies: Ints
    sites: tuple[int, ...]


def sampled(m: Any, d: Any, actuator: int) -> Wire:
    """The path of an actuator's tendon; arcs are sampled, and straight stretches are not."""
    t = m.actuator_trnid[actuator, 0]
    rows = slice(d.ten_wrapadr[t], d.ten_wrapadr[t] + d.ten_wrapnum[t])
    X = np.array(d.wrap_xpos).reshape(-1, 3)[rows]
    what = np.array(d.wrap_obj).ravel()[rows]
    if (what == _PULLEY).any():
        raise ModelError(f"muscle '{m.actuator(actuator).name}' branches at a pulley, not one line")
    sites = iter(_sites(m, t))
    points: list[Floats] = []
    bodies, places, k = [], [], 0
    while k < len(X):
        arc = [X[k]] if what[k] == _SITE else _arc(m, d, what[k], X[k - 1], X[k], X[k + 1])
        body = m.site_bodyid[next(sites)] if what[k] == _SITE else m.geom_bodyid[what[k]]
        places += [len(points)] if what[k] == _SITE else []
        points += list(arc)
        bodies += [body] * len(arc)
        k += 1 if what[k] == _SITE else 2
    return Wire(np.array(points), np.array(bodies), tuple(places))


def wraps_of(m: Any, d: Any, actuator: int, names: Mapping[int, str]) -> list[LineWrap]:
    """The geoms that an actuator's tendon may run around on the outside, touched or not."""
    t = m.actuator_trnid[actuator, 0]
    found = []
    for row in range(m.tendon_adr[t], m.tendon_adr[t] + m.tendon_num[t]):
        kind, geom = m.wrap_type[row], int(m.wrap_objid[row])
        if kind in (4, 5) and not _inside(m, d, geom, int(m.wrap_prm[row])):
            axis = d.geom_xmat[geom].reshape(3, 3)[:, 2] if kind == 5 else np.zeros(3)
            bone = names[m.body_weldid[m.geom_bodyid[geom]]]
            name, radius = str(m.geom(geom).name), float(m.geom_size[geom, 0])
            centre = np.array(d.geom_xpos[geom])
            found.append(LineWrap(name, bone, centre, np.array(axis), radius))
    return found


def wrapped_bodies(m: Any, actuator: int) -> list[int]:
    """The bodies of the geoms that an actuator's tendon may run around."""
    t = m.actuator_trnid[actuator, 0]
    rows = slice(m.tendon_adr[t], m.tendon_adr[t] + m.tendon_num[t])
    geoms = m.wrap_objid[rows][np.isin(m.wrap_type[rows], (4, 5))]  # mjWRAP_SPHERE, CYLINDER
    return m.geom_bodyid[geoms].tolist()


def _inside(m: Any, d: Any, geom: int, site: int) -> bool:
    """Whether a side site asks for a line that runs through the inside of a geom."""
    if site < 0:
        return False
    own = d.geom_xmat[geom].reshape(3, 3).T @ (d.site_xpos[site] - d.geom_xpos[geom])
    across = own[:2] if m.geom_type[geom] == 5 else own  # mjGEOM_CYLINDER
    return float(np.linalg.norm(across)) < float(m.geom_size[geom, 0])


def lie_on(m: Any, wire: Wire, names: Mapping[int, str]) -> tuple[str, ...]:
    """The bone of each point, by the names of the bodies that move as one."""
    return tuple(names[m.body_weldid[body]] if body >= 0 else "" for body in wire.bodies)


def _sites(m: Any, tendon: int) -> Ints:
    rows = slice(m.tendon_adr[tendon], m.tendon_adr[tendon] + m.tendon_num[tendon])
    return m.wrap_objid[rows][m.wrap_type[rows] == 3]  # mjWRAP_SITE


def _arc(m: Any, d: Any, geom: int, before: Floats, start: Floats, end: Floats) -> Floats:
    """The points around a geom from where the line touches it to where it leaves."""
    axes = d.geom_xmat[geom].reshape(3, 3)
    axis = axes[:, 2] if m.geom_type[geom] == 5 else None  # mjGEOM_CYLINDER
    return around(d.geom_xpos[geom], axis, before, start, end)


def around(
    centre: Floats, axis: Floats | None, before: Floats, start: Floats, end: Floats
) -> Floats:
    """(n, 3) an arc of a great circle, or a helix if there is an axis, from start to end [m].

    It turns the way in which the line from `before` arrives.
    """
    flat = np.eye(3) if axis is None else np.eye(3) - np.outer(axis, axis)
    u, v, way = (flat @ w for w in (start - centre, end - centre, start - before))
    way = way - u * (way @ u) / (u @ u)
    if np.linalg.norm(end - start) < 1e-9 or np.linalg.norm(way) < 1e-12:
        return np.array([start, end])
    way *= np.linalg.norm(u) / np.linalg.norm(way)
    angle = np.arctan2(v @ way, v @ u) % (2 * np.pi)
    if angle > 2 * np.pi - 1e-3:  # a hair's breadth backwards is no full turn
        return np.array([start, end])
    turns = np.linspace(0.0, angle, 2 + int(angle / _STEP))[:, None]
    climb = (end - start - (v - u)) * (turns / angle if angle else 0.0)
    return centre + (start - centre - u) + np.cos(turns) * u + np.sin(turns) * way + climb


def read_mjcf(
    path: str | Path, muscles: Sequence[str] = (), *, pose: Mapping[str, float] | None = None
) -> Lines:
    """The named muscles of an MJCF file, or all, and the bones that they touch.

    `pose` gives values of joints [rad or m]; the others stay at the file's reference, and joints
    that the file couples to them follow.
    """
    path = Path(path)
    mujoco, m = open_mjcf(path)
    d = posed(mujoco, m, pose or {})
    numbers = {m.actuator(a).name: a for a in muscle_actuators(mujoco, m)}
    if not numbers:
        raise FileError(f"'{path}' has no muscle: no actuator of it is a muscle on a tendon")
    wanted = [numbers[name] for name in chosen(tuple(muscles), list(numbers))]
    wires = [sampled(m, d, a) for a in wanted]
    touched = {body for wire in wires for body in wire.bodies if body >= 0}
    touched |= {body for a in wanted for body in wrapped_bodies(m, a)}
    names = named_groups(m, touched)
    lines = [
        replace(
            _muscle(m, a, wire.points, lie_on(m, wire, names)),
            via=wire.sites[1:-1],
            wraps=tuple(wraps_of(m, d, a, names)),
        )
        for a, wire in zip(wanted, wires, strict=True)
    ]
    bones = bones_of(mujoco, m, d, names)
    return Lines(path.stem, tuple(lines), bones, np.array(m.opt.gravity))


def mjcf_lengths(
    path: Path, muscles: Sequence[str], poses: Sequence[Mapping[str, float]]
) -> Floats:
    """(poses, muscles) the lengths [m] of lines of an MJCF file in poses [rad or m]."""
    mujoco, m = open_mjcf(path)
    numbers = {m.actuator(a).name: a for a in muscle_actuators(mujoco, m)}
    tendons = m.actuator_trnid[[numbers[name] for name in muscles], 0]
    return np.array([posed(mujoco, m, pose).ten_length[tendons] for pose in poses])


def open_mjcf(path: Path) -> tuple[ModuleType, Any]:
    """MuJoCo, and the model of a file as it reads it."""
    try:
        import mujoco
    except ImportError:
        raise MissingExtra("mujoco", "skeleton") from None
    require_mjcf(existing(path))
    try:
        return mujoco, mujoco.MjModel.from_xml_path(str(path))
    except (ValueError, mujoco.FatalError, MemoryError) as error:
        why = " ".join(str(error).split())
        raise FileError(f"'{path}' is not an MJCF model that MuJoCo can read: {why}") from None


def muscle_actuators(mujoco: ModuleType, m: Any) -> list[int]:
    """The actuators that are muscles on a tendon through space."""
    gain = m.actuator_gaintype == mujoco.mjtGain.mjGAIN_MUSCLE
    tendon = m.actuator_trntype == mujoco.mjtTrn.mjTRN_TENDON
    spatial = m.wrap_type[m.tendon_adr[m.actuator_trnid[:, 0]]] != mujoco.mjtWrap.mjWRAP_JOINT
    return np.flatnonzero(gain & tendon & spatial).tolist()


def posed(mujoco: ModuleType, m: Any, pose: Mapping[str, float]) -> Any:
    """The data of a model with joints at values [rad or m]; joints coupled to them follow."""
    try:
        d = mujoco.MjData(m)
    except (mujoco.FatalError, MemoryError):
        raise FileError("the MJCF model asks for more memory than there is") from None
    joints = {m.joint(j).name: j for j in range(m.njnt)}
    for name, value in pose.items():
        if name not in joints:
            raise known("joint", name, joints)
        kind, kinds = mujoco.mjtJoint(m.jnt_type[joints[name]]), mujoco.mjtJoint
        if kind in (kinds.mjJNT_BALL, kinds.mjJNT_FREE):
            raise ModelError(f"joint '{name}' of the pose turns freely: one number does not set it")
        d.qpos[m.jnt_qposadr[joints[name]]] = value
    follow_couplings(mujoco, m, d)
    mujoco.mj_forward(m, d)
    return d


def peak_force(m: Any, a: int) -> float:
    """The greatest isometric force [N] of an actuator that is a muscle."""
    peak, scale = m.actuator_gainprm[a, 2:4]
    # A negative peak force asks MuJoCo to scale by the actuator's reference acceleration.
    return float(peak if peak >= 0 else scale / m.actuator_acc0[a])


def _muscle(m: Any, a: int, points: np.ndarray, bones: tuple[str, ...]) -> LineMuscle:
    length = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
    r0, r1 = m.actuator_gainprm[a, :2]
    shortest, longest = m.actuator_lengthrange[a]
    fibre = (longest - shortest) / (r1 - r0) if longest > shortest else 0.6 * length
    tendon = shortest - r0 * fibre if longest > shortest else 0.4 * length
    hill = usable(float(fibre), float(tendon), length)
    shortest = min(float(shortest), length) if longest > shortest else length
    return LineMuscle(
        m.actuator(a).name, points, bones, peak_force(m, a),
        hill.fibre_length, hill.tendon_length, shortest, hill.notes,
        active_rows(*m.actuator_gainprm[a, 4:6]),
    )  # fmt: skip


def active_rows(shortest: float, longest: float) -> Rows:
    """MuJoCo's active force over the fibres' length, which ends at these lengths."""
    rise, fall = (abs(end - 1.0) for end in (shortest, longest))
    x = np.concatenate([1.0 - rise * _FALL[::-1], 1.0 + fall * _FALL[1:]])
    away = np.concatenate([_FALL[::-1], _FALL[1:]])
    y = np.where(away < 0.5, 1.0 - 2.0 * away**2, 2.0 * (1.0 - away) ** 2)
    return tuple((float(a), float(b)) for a, b in zip(x, y, strict=True))
