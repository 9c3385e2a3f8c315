"""Wavefront OBJ, one file a frame and in it one object a region."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from vastus.errors import FileError
from vastus.export.folders import read_series, write_series
from vastus.export.formats import Watch
from vastus.export.regions import Copy, MeshCopy, Parts, parts_of
from vastus.files.identifiers import clean_names
from vastus.numerics.types import Floats, Ints
from vastus.results.playback import Playback, Snapshot


def write(playback: Playback, path: Path, watch: Watch) -> None:
    """Write a folder of OBJ files, in metres, z up."""
    parts = parts_of(playback.model)
    names = list(clean_names(region.name for region in playback.model.regions).values())
    ends = [_ending(parts, index) for index in range(len(names))]

    def save(file: Path, moment: Snapshot) -> None:
        with file.open("w", encoding="ascii", newline="\n") as out:
            out.write("# metres, z up\n")
            for name, skin, end in zip(names, parts.skins, ends, strict=True):
                out.write(f"o {name}\n{_lines('v %.9g %.9g %.9g', moment.x[skin.vertices])}{end}")

    write_series(playback, path, watch, "obj", save)


def read(path: Path) -> Copy:
    """What such a folder holds."""
    return read_series(path, _objects)


def _ending(parts: Parts, index: int) -> str:
    """The faces of a region, which are the same in all frames; OBJ counts from 1 in a file."""
    return _lines("f %d %d %d", parts.skins[index].faces + parts.starts[index] + 1)


def _lines(form: str, rows: Floats | Ints) -> str:
    return (f"{form}\n" * len(rows)) % tuple(rows.ravel().tolist())


def _objects(file: Path) -> Iterator[MeshCopy]:
    start = 1
    for text in file.read_text(encoding="ascii").split("\no ")[1:]:
        lines = text.splitlines()[1:]
        x = _values(file, [line[2:] for line in lines if line.startswith("v ")], np.float64)
        faces = _values(file, [line[2:] for line in lines if line.startswith("f ")], np.int64)
        yield MeshCopy(faces - start, x[None])
        start += len(x)


def _values(file: Path, lines: list[str], kind: type) -> np.ndarray:
    try:
        return np.array(" ".join(lines).split(), kind).reshape(len(lines), 3)
    except ValueError:
        raise FileError(f"'{file}' is damaged: a line has not three numbers") from None
