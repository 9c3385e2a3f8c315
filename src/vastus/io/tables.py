"""The table of scalar outputs, one row a frame, as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from vastus.errors import FileError
from vastus.io.files import append_text, keep_lines
from vastus.io.limits import read_text
from vastus.motion import Frame
from vastus.numerics.types import Floats

Row = Mapping[str, float]


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
