"""Bodies of MJCF files: any skeleton with spatial tendons that muscles pull along."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from vastus.bodies.body import Body, Unit, mujoco_package
from vastus.bodies.limbs import arms_of
from vastus.bodies.tendon_order import move_last
from vastus.errors import FileError, ModelError, known
from vastus.files.foreign import existing
from vastus.files.safe import TEXT, read_bytes
from vastus.modelling.lines.mjcf import peak_force, require_mjcf
from vastus.numerics.types import Floats

STRENGTH = 0.35e6  # [Pa] of bellies whose area no file gives
COLUMNS = ("name", "force", "optimal", "slack", "area", "speed")


def read_body(
    path: str | Path,
    *,
    units: Sequence[Unit] | str | Path | None = None,
    hands: Mapping[str, str] | None = None,
    home: Mapping[str, float] | None = None,
    strength: float = STRENGTH,
) -> Body:
    """A body from an MJCF file.

    Its units are the file's muscle actuators on spatial tendons, or `units`: values, or a CSV file
    with the columns name, force [N], optimal [m], slack [m], area [m^2] and, if wanted, speed; its
    names are those of tendons. Areas of actuators are force over `strength` [Pa]. Tendons that no
    unit pulls stay, after the others. Actuators are taken out, and sensors and key frames with
    them: what pulls is decided outside of MuJoCo.

    `hands` gives the palm of each arm, a site or a body, by the name of the arm; without it sites
    whose names contain 'palm' are taken. `home` gives values of joints [rad or m]; the others are
    at those of the file's first key frame, if it has one.
    """
    path = Path(path)
    spec = _opened(path)
    model = _compiled(path, spec)
    found = _given(path, model, units) if units is not None else _muscles(path, model, strength)
    pose = _home(path, model, home or {})
    for kind in (spec.sensors, spec.keys, spec.actuators):  # what refers to actuators goes first
        for element in list(kind):
            spec.delete(element)
    move_last(spec, {t for t in range(max(found)) if t not in found})
    palms = dict(hands) if hands is not None else _palms(path, model)
    arms, model = arms_of(spec, palms, len(found), str(path))
    return Body(model, tuple(found[t] for t in sorted(found)), arms, pose, spec)


def read_units(path: str | Path) -> list[Unit]:
    """The units of a CSV table with a row of titles."""
    path = Path(path)
    text = read_bytes(existing(path), TEXT).decode("utf-8", errors="replace")
    rows = list(csv.DictReader(text.splitlines(), skipinitialspace=True))
    units = []
    for line, row in enumerate(rows, 2):
        missing = [c for c in COLUMNS[:-1] if not row.get(c)]
        if missing:
            raise FileError(
                f"'{path}', line {line}: no {missing[0]}; the columns are {', '.join(COLUMNS)}"
            )
        try:
            numbers = {c: float(row[c]) for c in COLUMNS[1:] if row.get(c)}
            units.append(Unit(row["name"], **numbers))
        except (ValueError, ModelError) as error:
            raise FileError(f"'{path}', line {line}: {error}") from None
    if not units:
        raise FileError(f"'{path}' has no row of a unit; the columns are {', '.join(COLUMNS)}")
    return units


def _opened(path: Path) -> Any:
    mujoco = mujoco_package()
    require_mjcf(existing(path))
    try:
        return mujoco.MjSpec.from_file(str(path))
    except (ValueError, mujoco.FatalError, MemoryError) as error:
        raise _unreadable(path, error) from None


def _compiled(path: Path, spec: Any) -> Any:
    mujoco = mujoco_package()
    try:
        return spec.compile()
    except (ValueError, mujoco.FatalError, MemoryError) as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: BaseException) -> FileError:
    why = " ".join(str(error).split())
    return FileError(f"'{path}' is not an MJCF model that MuJoCo can read: {why}")


def _spatial(m: Any) -> list[int]:
    """The tendons that run through space."""
    joint = mujoco_package().mjtWrap.mjWRAP_JOINT
    return [t for t in range(m.ntendon) if m.wrap_type[m.tendon_adr[t]] != joint]


def _require_paths(path: Path, m: Any) -> list[int]:
    tendons = _spatial(m)
    if not tendons:
        raise FileError(f"'{path}' has no path that a muscle could pull along: no spatial tendon")
    return tendons


def _muscles(path: Path, m: Any, strength: float) -> dict[int, Unit]:
    """The muscle actuators of a model, by the number of their tendons."""
    mujoco = mujoco_package()
    tendons = _require_paths(path, m)
    units: dict[int, Unit] = {}
    for a in np.flatnonzero(m.actuator_gaintype == mujoco.mjtGain.mjGAIN_MUSCLE).tolist():
        name, tendon = m.actuator(a).name, int(m.actuator_trnid[a, 0])
        if m.actuator_trntype[a] != mujoco.mjtTrn.mjTRN_TENDON or tendon not in tendons:
            raise FileError(f"muscle '{name}' of '{path}' has no path: it pulls no spatial tendon")
        if tendon in units:
            other = units[tendon].name
            raise FileError(f"muscles '{other}' and '{name}' of '{path}' pull the same tendon")
        units[tendon] = _unit(path, m, a, strength)
    if not units:
        raise FileError(
            f"'{path}' has no muscle: no actuator of it is a muscle on a tendon, and no table of"
            " units is given"
        )
    return units


def _unit(path: Path, m: Any, a: int, strength: float) -> Unit:
    """MuJoCo's muscle: lengths of fibre and tendon are those that its length range means."""
    name, gear = m.actuator(a).name, abs(float(m.actuator_gear[a, 0]))
    r0, r1 = m.actuator_gainprm[a, :2]
    shortest, longest = m.actuator_lengthrange[a] / gear
    fibre = float((longest - shortest) / (r1 - r0))
    force = gear * peak_force(m, a)
    try:
        return Unit(
            name, force, fibre, max(float(shortest - r0 * fibre), 0.0), force / strength,
            speed=float(m.actuator_gainprm[a, 6]),
        )  # fmt: skip
    except ModelError as error:
        raise FileError(f"'{path}': {error}") from None


def _given(path: Path, m: Any, units: Sequence[Unit] | str | Path) -> dict[int, Unit]:
    """Units of a table, by the number of the tendons that have their names."""
    tendons = {m.tendon(t).name: t for t in _require_paths(path, m)}
    table = read_units(units) if isinstance(units, (str, Path)) else list(units)
    for unit in table:
        if unit.name not in tendons:
            near = known("tendon", unit.name, tendons)
            raise FileError(f"unit '{unit.name}' has no path in '{path}': {near}")
    if len({unit.name for unit in table}) < len(table):
        names = [unit.name for unit in table]
        twice = next(name for name in names if names.count(name) > 1)
        raise FileError(f"unit '{twice}' of '{path}' is given twice")
    return {tendons[unit.name]: unit for unit in table}


def _home(path: Path, m: Any, home: Mapping[str, float]) -> Floats:
    pose = np.array(m.key_qpos[0] if m.nkey else m.qpos0)
    joints = {m.joint(j).name: j for j in range(m.njnt)}
    for name, value in home.items():
        if name not in joints:
            raise known("joint", name, joints)
        pose[m.jnt_qposadr[joints[name]]] = value
    return pose


def _palms(path: Path, m: Any) -> dict[str, str]:
    """Sites that say they are palms; an arm is called by what else their names say."""
    names = [m.site(s).name for s in range(m.nsite)]
    palms = [name for name in names if "palm" in name.lower()]
    if not palms:
        raise FileError(
            f"'{path}' has no hand: no site of it has 'palm' in its name; name a site or a body for"
            " each, as hands={'right': 'hand'}"
        )
    return {_said(name): name for name in palms}


def _said(name: str) -> str:
    rest = name.lower().replace("palm", "").strip("_-. ")
    return {"r": "right", "l": "left", "": "arm"}.get(rest, rest)
