"""Folders of one file a frame, each of which holds all regions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from vastus.export.copy import Copy, MeshCopy
from vastus.export.folders import file_of, read_manifest, replacing_folder, write_manifest
from vastus.export.registry import Watch
from vastus.io.tape import Moment, Tape

Save = Callable[[Path, Moment], None]
Finish = Callable[[Path, list[str]], None]


def write_series(
    tape: Tape, path: Path, watch: Watch, form: str, save: Save, finish: Finish | None = None
) -> None:
    """Write a folder of `save(file, moment)` for each moment; the form is also the suffix.

    `finish(folder, files)` writes what the files have in common.
    """
    with replacing_folder(path) as folder:
        files = [file_of(number, f".{form}") for number in range(len(tape))]
        for number, (file, moment) in enumerate(zip(files, tape, strict=True)):
            save(folder / file, moment)
            watch(number + 1, len(tape))
        write_manifest(folder, tape, form, files)
        if finish:
            finish(folder, files)


def read_series(path: Path, load: Callable[[Path], Iterable[MeshCopy]]) -> Copy:
    """The folder as `load` reads each file: one mesh of one frame for each region, in order."""
    said = read_manifest(path)
    frames = [list(load(path / frame["file"])) for frame in said["frames"]]
    times = np.array([frame["time_s"] for frame in said["frames"]])
    names = [region["name"] for region in said["regions"]]
    stories = zip(*frames, strict=True)
    meshes = {name: _joined(story) for name, story in zip(names, stories, strict=True)}
    return Copy(times, meshes)


def _joined(story: tuple[MeshCopy, ...]) -> MeshCopy:
    """One mesh over all frames, from one of each frame."""
    fields = {
        name: np.concatenate([mesh.fields[name] for mesh in story]) for name in story[0].fields
    }
    return MeshCopy(story[0].faces, np.concatenate([mesh.x for mesh in story]), fields)
