"""The list of frames for ParaView: a PVD file, complete after each frame."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import quoteattr

from vastus.errors import FileError
from vastus.io.files import reason, require_own, write_text

HEAD = '<?xml version="1.0"?>\n<VTKFile type="Collection" version="0.1">\n  <Collection>\n'
TAIL = "  </Collection>\n</VTKFile>\n"


def write_collection(path: Path, times: Sequence[float], files: Sequence[str]) -> None:
    """Write the file that gives each frame's file its time [s]."""
    entries = [_entry(time, file) for time, file in zip(times, files, strict=True)]
    write_text(path, HEAD + "".join(entries) + TAIL)


def append_to_collection(path: Path, time: float, file: str) -> None:
    """Add one frame's file and its time [s] in place: to write all again would cost ever more."""
    require_own(path)
    try:
        with path.open("r+b") as collection:
            collection.seek(-len(TAIL), os.SEEK_END)
            collection.write((_entry(time, file) + TAIL).encode())
    except OSError as error:
        raise FileError(f"cannot write '{path}': {reason(error)}") from None


def _entry(time: float, file: str) -> str:
    return f'    <DataSet timestep="{time!r}" part="0" file={quoteattr(file)}/>\n'
