"""The table as CSV: one row a frame, empty where a quantity has no value."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from vastus.errors import FileError
from vastus.export.columns import columns
from vastus.export.formats import Watch
from vastus.export.regions import Copy
from vastus.files.foreign import existing
from vastus.files.safe import write_text
from vastus.results.frame_rows import line
from vastus.results.playback import Playback


def write(playback: Playback, path: Path, watch: Watch) -> None:
    """Write the table in UTF-8, all digits kept."""
    table = columns(playback, watch)
    rows = zip(*(column.tolist() for column in table.values()), strict=True)
    cells = [["" if value != value else value for value in row] for row in rows]
    write_text(path, line(list(table)) + "".join(line(row) for row in cells))


def read(path: Path) -> Copy:
    """What such a file holds."""
    with existing(path).open(encoding="utf-8", newline="") as file:
        head, *rows = list(csv.reader(file)) or [[]]
    try:
        values = np.array([[float(cell or "nan") for cell in row] for row in rows])
        table = dict(zip(head, values.reshape(len(rows), len(head)).T, strict=True))
        return Copy(table["time_s"], table=table)
    except (ValueError, KeyError):
        raise FileError(f"the table '{path}' is damaged") from None
