"""The motion of an articulated body in a result folder: the body as MJCF, and what it did.

`body.xml` and `units.csv` are the body, which MuJoCo and `vastus.bodies.read_body` take as well;
`motion.npz` has times, positions of joints and activations, and the hash of the body that moved.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from vastus.bodies.body import Body, mujoco_package
from vastus.bodies.read import COLUMNS, read_units
from vastus.errors import FileError
from vastus.files.npz import read_npz, write_npz
from vastus.files.safe import read_bytes, write_text
from vastus.numerics.types import Floats, Ints
from vastus.results.provenance import Record

BODY, UNITS, MOTION, PROVENANCE = "body.xml", "units.csv", "motion.npz", "provenance.json"
FPS = 25.0  # frames a second that are exported; records are finer


@dataclass(frozen=True, eq=False)
class BodyMotion:
    """A body over time: times (k,) [s], MuJoCo's positions (k, nq), activations (k, units)."""

    name: str
    body: Body
    times: Floats
    positions: Floats
    activations: Floats
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.times)

    def at(self, rows: Sequence[int] | Ints) -> BodyMotion:
        """Only these rows, in this order."""
        k = np.asarray(rows, np.int64)
        return replace(
            self, times=self.times[k], positions=self.positions[k], activations=self.activations[k]
        )

    def frames(self, fps: float = FPS) -> BodyMotion:
        """Evenly spaced rows, about so many a second; all, if there are no more."""
        step = np.median(np.diff(self.times)) if len(self) > 1 else 1.0
        return self.at(np.arange(0, len(self), max(1, round(1.0 / (fps * float(step))))))

    def angles(self, joint: str) -> Floats:
        """(k,) the values of a joint of one degree of freedom [rad or m]."""
        m = self.body.model
        names = {m.joint(j).name: j for j in range(m.njnt)}
        if joint not in names:
            raise FileError(f"the body has no joint '{joint}'; joints: {', '.join(names)}")
        return self.positions[:, m.jnt_qposadr[names[joint]]]


def write_body_motion(folder: Path, motion: BodyMotion) -> None:
    """Write a body and its motion to a folder; its provenance is written by whoever made it."""
    body = motion.body
    xml = body.spec.to_xml()
    write_text(folder / BODY, xml)
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(COLUMNS)
    rows.writerows([repr(getattr(u, c)) if c != "name" else u.name for c in COLUMNS]
                   for u in body.units)  # fmt: skip
    write_text(folder / UNITS, text.getvalue())
    arrays = {name: getattr(motion, name) for name in ("times", "positions", "activations")}
    arrays["body"] = np.array(_digest(xml.encode()))
    write_npz(folder / MOTION, arrays)


def is_body_motion(folder: Path) -> bool:
    """Whether a folder holds the motion of a body."""
    return (folder / MOTION).is_file() and (folder / BODY).is_file()


def read_body_motion(folder: str | Path) -> BodyMotion:
    """The motion of a body that a folder holds."""
    folder = Path(folder)
    if not folder.is_dir():
        raise FileError(f"there is no folder '{folder}' with the motion of a body")
    if not (folder / MOTION).exists():
        raise FileError(
            f"'{folder}' has no motion of a body, as 'vastus juggle' writes it: no '{MOTION}'"
        )
    arrays = read_npz(folder / MOTION)
    missing = {"times", "positions", "activations", "body"} - set(arrays)
    if missing:
        raise FileError(f"'{folder / MOTION}' has no '{min(missing)}', so it is no body's motion")
    xml = read_bytes(folder / BODY)
    if str(arrays["body"]) != _digest(xml):
        raise FileError(f"'{folder / MOTION}' moves another body than '{BODY}' beside it")
    body = _body(folder, xml)
    shapes = [arrays[n].shape for n in ("times", "positions", "activations")]
    k = len(np.atleast_1d(arrays["times"]))
    if shapes != [(k,), (k, body.model.nq), (k, len(body.units))] or not k:
        raise FileError(f"the arrays of '{folder / MOTION}' do not fit the body: {shapes}")
    told = folder / PROVENANCE
    provenance = Record.read(told).contents if told.is_file() else {}
    name = folder.resolve().name
    times, positions, activations = (arrays[n] for n in ("times", "positions", "activations"))
    return BodyMotion(name, body, times, positions, activations, provenance)


def _body(folder: Path, xml: bytes) -> Body:
    mujoco = mujoco_package()
    try:
        spec = mujoco.MjSpec.from_string(xml.decode("utf-8"))
        model = spec.compile()
    except (ValueError, mujoco.FatalError, MemoryError) as error:
        why = " ".join(str(error).split())
        raise FileError(f"'{folder / BODY}' is not a body that MuJoCo can read: {why}") from None
    units = read_units(folder / UNITS)
    paths = [model.tendon(t).name for t in range(model.ntendon)][: len(units)]
    if paths != [unit.name for unit in units]:
        raise FileError(f"the units of '{folder / UNITS}' are not the paths of '{BODY}', in order")
    return Body(model, tuple(units), (), np.array(model.qpos0), spec)


def _digest(xml: bytes) -> str:
    return sha256(xml).hexdigest()[:16]
