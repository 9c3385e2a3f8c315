"""The table as NumPy arrays: one (frames,) a column, nan where a quantity has no value."""

from __future__ import annotations

from pathlib import Path

from vastus.errors import FileError
from vastus.export.columns import columns
from vastus.export.formats import Watch
from vastus.export.regions import Copy
from vastus.files.npz import read_npz, write_npz
from vastus.results.playback import Playback


def write(playback: Playback, path: Path, watch: Watch) -> None:
    """Write the columns by name."""
    write_npz(path, columns(playback, watch))


def read(path: Path) -> Copy:
    """What such a file holds."""
    table = read_npz(path)
    if "time_s" not in table:
        raise FileError(f"'{path}' has no array 'time_s'")
    return Copy(table["time_s"], table=table)
