"""Line muscles and bones of a MuJoCo model (MJCF), in one pose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from vastus.errors import FileError, MissingExtra, known
from vastus.io.foreign import existing
from vastus.io.mjcf_bodies import bones_of, named_groups
from vastus.io.mjcf_checks import require_mjcf
from vastus.io.mjcf_path import lie_on, sampled
from vastus.modelling.lines.hill import usable
from vastus.modelling.lines.parts import LineMuscle, Lines, chosen


def read_mjcf(
    path: str | Path, muscles: Sequence[str] = (), *, pose: Mapping[str, float] | None = None
) -> Lines:
    """The named muscles of an MJCF file, or all, and the bones that they touch.

    `pose` gives values of joints [rad or m]; the others stay at the file's reference, and joints
    that the file couples to them follow.
    """
    mujoco = _mujoco()
    path = existing(Path(path))
    m = _model(mujoco, path)
    d = _posed(mujoco, m, pose or {})
    numbers = {m.actuator(a).name: a for a in _muscles(mujoco, m)}
    if not numbers:
        raise FileError(f"'{path}' has no muscle: no actuator of it is a muscle on a tendon")
    wanted = [numbers[name] for name in chosen(tuple(muscles), list(numbers))]
    wires = [sampled(m, d, a) for a in wanted]
    touched = {body for wire in wires for body in wire.bodies if body >= 0}
    names = named_groups(m, touched)
    lines = [
        _muscle(m, a, wire.points, lie_on(m, wire, names))
        for a, wire in zip(wanted, wires, strict=True)
    ]
    bones = bones_of(mujoco, m, d, names)
    return Lines(path.stem, tuple(lines), bones, np.array(m.opt.gravity))


def _mujoco() -> ModuleType:
    try:
        import mujoco
    except ImportError:
        raise MissingExtra("mujoco", "skeleton") from None
    return mujoco


def _model(mujoco: ModuleType, path: Path) -> Any:
    require_mjcf(path)
    try:
        return mujoco.MjModel.from_xml_path(str(path))
    except (ValueError, mujoco.FatalError, MemoryError) as error:
        why = " ".join(str(error).split())
        raise FileError(f"'{path}' is not an MJCF model that MuJoCo can read: {why}") from None


def _muscles(mujoco: ModuleType, m: Any) -> list[int]:
    """The actuators that are muscles on a tendon through space."""
    gain = m.actuator_gaintype == mujoco.mjtGain.mjGAIN_MUSCLE
    tendon = m.actuator_trntype == mujoco.mjtTrn.mjTRN_TENDON
    spatial = m.wrap_type[m.tendon_adr[m.actuator_trnid[:, 0]]] != mujoco.mjtWrap.mjWRAP_JOINT
    return np.flatnonzero(gain & tendon & spatial).tolist()


def _posed(mujoco: ModuleType, m: Any, pose: Mapping[str, float]) -> Any:
    try:
        d = mujoco.MjData(m)
    except (mujoco.FatalError, MemoryError):
        raise FileError("the MJCF model asks for more memory than there is") from None
    joints = {m.joint(j).name: j for j in range(m.njnt)}
    for name, value in pose.items():
        if name not in joints:
            raise known("joint", name, joints)
        d.qpos[m.jnt_qposadr[joints[name]]] = value
    _couple(mujoco, m, d)
    mujoco.mj_forward(m, d)
    return d


def _couple(mujoco: ModuleType, m: Any, d: Any) -> None:
    """Set the joints that polynomials tie to others; only dynamics would do it otherwise."""
    ties = np.flatnonzero((m.eq_type == mujoco.mjtEq.mjEQ_JOINT) & (m.eq_active0 != 0))
    for _ in range(len(ties)):  # a joint may follow one that follows another
        before = d.qpos.copy()
        for k in ties:
            follower, leader = m.eq_obj1id[k], m.eq_obj2id[k]
            turn = 0.0 if leader < 0 else _turn(m, d, leader)
            at = m.jnt_qposadr[follower]
            d.qpos[at] = m.qpos0[at] + np.polynomial.polynomial.polyval(turn, m.eq_data[k, :5])
        if np.array_equal(before, d.qpos):
            return


def _turn(m: Any, d: Any, joint: int) -> float:
    at = m.jnt_qposadr[joint]
    return float(d.qpos[at] - m.qpos0[at])


def _muscle(m: Any, a: int, points: np.ndarray, bones: tuple[str, ...]) -> LineMuscle:
    length = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
    r0, r1, peak, scale = m.actuator_gainprm[a, :4]
    shortest, longest = m.actuator_lengthrange[a]
    fibre = (longest - shortest) / (r1 - r0) if longest > shortest else 0.6 * length
    tendon = shortest - r0 * fibre if longest > shortest else 0.4 * length
    hill = usable(float(fibre), float(tendon), length)
    # A negative peak force asks MuJoCo to scale by the actuator's reference acceleration.
    force = float(peak if peak >= 0 else scale / m.actuator_acc0[a])
    shortest = min(float(shortest), length) if longest > shortest else length
    return LineMuscle(
        m.actuator(a).name, points, bones, force, *(hill.fibre_length, hill.tendon_length),
        shortest, hill.notes,
    )  # fmt: skip
