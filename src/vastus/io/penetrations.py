"""Which bodies lie in each other, frame by frame, as CSV: one row a frame and pair."""

from __future__ import annotations

import csv
import io
from math import isfinite
from pathlib import Path

from vastus.errors import FileError
from vastus.geometry.penetration import Penetration
from vastus.io.files import append_text, write_text
from vastus.io.limits import read_text
from vastus.io.tables import line
from vastus.motion import Frame

COLUMNS = ("frame", "time_s", "one", "other", "depth_m", "volume_m3")


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
    found: list[list[Penetration]] = [[] for _ in range(count)]
    for frame, _, one, other, depth, volume in _rows(path):
        if int(frame) < count:
            found[int(frame)].append(Penetration(one, other, float(depth), float(volume)))
    return tuple(tuple(frame) for frame in found)


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
