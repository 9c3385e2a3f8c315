"""The text files of a result, a row or line for each frame: table, penetrations, poses, reports."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import TypeAdapter

from vastus.errors import FileError
from vastus.files.safe import DAMAGED, append_text, keep_lines, read_text, write_text
from vastus.geometry.penetration import Penetration
from vastus.inputs import OUTSIDE, Inputs
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.referee import Verdict
from vastus.results.provenance import described
from vastus.state import Frame, Report

Row = Mapping[str, float]

COLUMNS = ("frame", "time_s", "one", "other", "depth_m", "volume_m3")  # of penetrations
DRIVE = ("excitation", *OUTSIDE)  # what of the inputs is in a file of its own


def row_of(frame: Frame, number: int) -> dict[str, float]:
    """One row: frame number, time, outputs, and how the frame was solved."""
    report = frame.report
    return {
        "frame": number,
        "time_s": frame.time,
        **frame.outputs,
        "iterations": report.iterations,
        "substeps": report.substeps,
        "residual_N": report.residual,
        "load_N": report.load,
        "energy_J": report.energy,
        "seconds": report.seconds,
    }


def append_row(path: Path, row: Row, columns: Sequence[str]) -> None:
    """Add a row at the end of the table, with a heading if it is the first."""
    cells = [row.get(name, float("nan")) for name in columns]
    append_text(path, (line(columns) if not path.exists() else "") + line(cells))


def keep_rows(path: Path, count: int) -> None:
    """Drop all but the first `count` rows, or the table itself if there are none."""
    keep_lines(path, count + 1 if count else 0)


def read_table(path: Path) -> dict[str, Floats]:
    """The columns by name; a last row that was cut off is left out."""
    if not path.exists():
        return {}
    text = read_text(path)
    whole = text[: text.rfind("\n") + 1]
    try:
        head, *rows = list(csv.reader(io.StringIO(whole))) or [[]]
        values = np.array([[float(cell) for cell in row] for row in rows])
        return dict(zip(head, values.reshape(len(rows), len(head)).T, strict=True))
    except (ValueError, csv.Error):
        raise FileError(f"the table '{path}' is damaged") from None


def line(cells: Sequence[object]) -> str:
    """One line of a table."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue()


def append_penetrations(path: Path, number: int, frame: Frame) -> None:
    """Add the rows of one more frame, after a heading if it is the first."""
    rows = [line([number, frame.time, *vars(p).values()]) for p in frame.penetrations]
    append_text(path, "".join([line(COLUMNS)] * (not path.exists()) + rows))


def keep_penetrations(path: Path, count: int) -> None:
    """Drop the rows of all but the first `count` frames, or the table if there are none."""
    if not count:
        path.unlink(missing_ok=True)
    elif path.exists():
        kept = [row for row in _rows(path) if int(row[0]) < count]
        write_text(path, "".join(line(row) for row in [COLUMNS, *kept]))


def read_penetrations(path: Path, count: int) -> tuple[tuple[Penetration, ...], ...]:
    """The penetrations of each of the first `count` frames; nothing if there is no table."""
    if not path.exists():
        return ()
    penetrations: list[list[Penetration]] = [[] for _ in range(count)]
    for frame, _, one, other, depth, volume in _rows(path):
        if int(frame) < count:
            penetrations[int(frame)].append(Penetration(one, other, float(depth), float(volume)))
    return tuple(tuple(frame) for frame in penetrations)


def _rows(path: Path) -> list[list[str]]:
    """The rows below the heading; a last row that was cut off is left out."""
    try:
        text = read_text(path)
        rows = list(csv.reader(io.StringIO(text[: text.rfind("\n") + 1])))[1:]
        good = all(map(_sound, rows))
    except (ValueError, csv.Error):
        good = False
    if not good:
        raise FileError(f"the table '{path}' is missing or damaged")
    return rows


def _sound(row: list[str]) -> bool:
    """Whether it is a frame, a time, two names, a depth and a volume."""
    frame, time, _, _, depth, volume = row
    return int(frame) >= 0 and all(isfinite(float(cell)) for cell in (time, depth, volume))


def append_poses(path: Path, model: Model, poses: Floats) -> None:
    """Add the poses (bones, 3, 4) of one more frame."""
    named = {bone.name: pose.tolist() for bone, pose in zip(model.bones, poses, strict=True)}
    append_text(path, json.dumps(named) + "\n")


def read_poses(path: Path, model: Model, count: int) -> Floats:
    """(count, bones, 3, 4) the poses of the first `count` frames."""
    try:
        lines = read_text(path).split("\n")[:count] if count else []
        named = [json.loads(line) for line in lines]
        listed = [[frame[bone.name] for bone in model.bones] for frame in named]
        poses = np.array(listed, float).reshape(count, len(model.bones), 3, 4)
    except DAMAGED:
        raise FileError(f"the poses '{path}' are missing or damaged") from None
    if not np.isfinite(poses).all():
        raise FileError(f"the poses '{path}' hold a number that is not finite")
    return poses


def append_inputs(path: Path, inputs: Inputs) -> None:
    """Add what drove one more frame."""
    drive = {name: getattr(inputs, name) for name in DRIVE}
    lists = {name: _plain(values) for name, values in drive.items() if values is not None}
    append_text(path, json.dumps({"time": inputs.time, **lists}) + "\n")


def _plain(values: Floats) -> list[Any]:
    """Numbers as JSON has them, where a joint that moves freely is null."""
    listed = values.astype(object)
    listed[np.isnan(values)] = None
    return listed.tolist()


def read_inputs(
    path: Path, model: Model, table: Mapping[str, Floats], poses: Floats
) -> tuple[Inputs, ...]:
    """What drove each of the frames with these poses (frames, bones, 3, 4).

    A result of version 0.1 has no such file, but its muscles and poses were all that drove it.
    """
    if not path.exists():
        none, names = np.zeros(len(poses)), [f"{m.name}_activation" for m in model.muscles]
        levels = np.array([table.get(name, none) for name in names]).reshape(len(names), -1).T
        rows = zip(table.get("time_s", none), levels, poses, strict=True)
        return tuple(Inputs(float(time), level, pose) for time, level, pose in rows)
    shapes: dict[str, tuple[int, ...]] = {
        "excitation": (len(model.muscles),),
        "torques": (len(model.joints),),
        "loads": (len(model.loads), 3),
        "shifts": (len(model.pins), 3),
        "gravity": (3,),
        "joints": (model.n_coordinates,),
        "pressures": (len(model.cavities),),
        "tensions": (len(model.cables),),
        "shortenings": (len(model.cables),),
    }
    try:
        lines = [json.loads(line) for line in read_text(path).split("\n")[: len(poses)]]
        return tuple(
            Inputs(
                float(line["time"]),
                poses=pose,
                **{k: np.array(line[k], float).reshape(shapes[k]) for k in DRIVE if k in line},
            )
            for line, pose in zip(lines, poses, strict=True)
        )
    except (*DAMAGED, TypeError):
        raise FileError(f"the inputs '{path}' are damaged") from None


def append_report(path: Path, report: Report, *, warmed: bool) -> None:
    """Add the report of one more frame; if `warmed`, its seconds have no compiling in them."""
    append_text(path, json.dumps(asdict(report) | {"warmed": warmed}) + "\n")


def read_reports(path: Path, count: int) -> tuple[dict[str, Any], ...]:
    """The reports of the first `count` frames, a mapping each; none if there is no file."""
    if not path.exists():
        return ()
    try:
        reports = tuple(json.loads(line) for line in read_text(path).split("\n")[:count])
        TypeAdapter(tuple[Report, ...]).validate_python(reports)
    except DAMAGED:
        raise FileError(f"the reports '{path}' are damaged") from None
    if len(reports) != count:
        raise FileError(f"'{path}' has {len(reports)} reports, but {count} frames are finished")
    return reports


def write_verdicts(path: Path, referee: object, verdicts: Sequence[Verdict]) -> None:
    """Write the verdicts of a referee (a dataclass), whole or not at all."""
    contents = {"referee": described(referee), "verdicts": [asdict(v) for v in verdicts]}
    write_text(path, json.dumps(contents, indent=1) + "\n")


def read_verdicts(path: Path, referee: object = None) -> tuple[Verdict, ...]:
    """The verdicts in a file, if there is one; only those of `referee` if that is given."""
    if not path.exists():
        return ()
    try:
        contents = json.loads(read_text(path))
        if referee is not None and contents["referee"] != described(referee):
            return ()
        return TypeAdapter(tuple[Verdict, ...]).validate_python(contents["verdicts"])
    except DAMAGED:
        raise FileError(f"the verdicts '{path}' are damaged") from None
