"""Folders of one file a frame, with a file that says what they hold."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from vastus.errors import FileError
from vastus.export.formats import Watch
from vastus.export.regions import Copy, MeshCopy
from vastus.files.identifiers import clean_names
from vastus.files.safe import replacing_folder, write_text
from vastus.results.playback import Playback, Snapshot

MANIFEST = "export.json"
Save = Callable[[Path, Snapshot], None]
Finish = Callable[[Path, list[str]], None]


def require_ours(path: Path) -> None:
    """Refuse to replace a folder that no export wrote."""
    if path.is_dir() and any(path.iterdir()) and not (path / MANIFEST).is_file():
        raise FileError(
            f"'{path}' holds other files (it has no {MANIFEST}) and is not replaced; "
            "give a folder that does not exist yet"
        )


def file_of(number: int, suffix: str) -> str:
    """The file of a frame in a folder of frames."""
    return f"frame_{number:04d}{suffix}"


def write_manifest(folder: Path, playback: Playback, form: str, files: list[str]) -> None:
    """Say which files hold which times, and how the regions were called."""
    clean = clean_names(region.name for region in playback.model.regions)
    contents = {
        "vastus": version("vastus"),
        "format": form,
        "length_unit": "m",
        "up_axis": "z",
        "frames": [
            {"file": file, "time_s": time}
            for file, time in zip(files, playback.times.tolist(), strict=True)
        ],
        "regions": [
            {"name": r.name, "called": clean[r.name], "tissue": r.tissue.value}
            for r in playback.model.regions
        ],
    }
    write_text(folder / MANIFEST, json.dumps(contents, indent=2) + "\n")


def read_manifest(folder: Path) -> dict[str, Any]:
    """What a folder says about itself."""
    try:
        contents: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FileError(f"'{folder}' is not an exported folder: it has no {MANIFEST}") from None
    except (OSError, ValueError):
        raise FileError(f"cannot read '{folder / MANIFEST}'") from None
    return contents


def write_series(
    playback: Playback,
    path: Path,
    watch: Watch,
    form: str,
    save: Save,
    finish: Finish | None = None,
) -> None:
    """Write a folder of `save(file, moment)` for each moment; the form is also the suffix.

    `finish(folder, files)` writes what the files have in common.
    """
    with replacing_folder(path, require_ours) as folder:
        files = [file_of(number, f".{form}") for number in range(len(playback))]
        for number, (file, moment) in enumerate(zip(files, playback, strict=True)):
            save(folder / file, moment)
            watch(number + 1, len(playback))
        write_manifest(folder, playback, form, files)
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
