"""A result folder written to one of the formats, and frames written as they come."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from pkgutil import resolve_name

import numpy as np

from vastus.errors import FileError, ModelError
from vastus.export.folders import require_ours
from vastus.export.formats import FORMATS, Format, Holds, Watch, format_of
from vastus.files.foreign import by_suffix
from vastus.files.safe import require_writable
from vastus.flesh.layers import Layer, is_layered, read_layers
from vastus.model import Model
from vastus.pictures.animation import animation_of, contact_sheet, movie
from vastus.results.body_motion import is_body_motion, read_body_motion
from vastus.results.playback import Playback
from vastus.results.result import Result, read_playback
from vastus.results.writer import ResultWriter
from vastus.state import Frame

# The layers that are written unless some are chosen.
USUAL = (Layer.BONES, Layer.LINES, Layer.SKIN, Layer.LOADS)
Choice = Callable[[int], Sequence[int]]  # of so many frames
Writer = Callable[[Path, Model, Iterable[Frame]], None]


def export(
    folder: str | Path,
    path: str | Path,
    *,
    to: str,
    frames: Choice | None = None,
    height: int | None = None,
    layers: Collection[Layer] | None = None,
    overwrite: bool = False,
    watch: Watch = lambda done, total: None,
) -> None:
    """Write a result folder to `path` in the format `to`, whole or not at all.

    `frames` chooses among so many; `height` [px] is for pictures; `layers` are those of an exercise
    of the upper body, or of flesh; `watch` is told how many frames are done, of how many.
    """
    form, path = format_of(to), Path(path)
    require_possible(form, path, height=height, overwrite=overwrite)
    if is_layered(Path(folder)):
        _export_layers(Path(folder), path, form, frames, layers, watch)
        return
    if layers is not None:
        raise FileError(f"--layers are those of an exercise or of flesh, which '{folder}' is not")
    if is_body_motion(Path(folder)):
        _export_body(Path(folder), path, form, frames, watch)
        return
    fields = (*form.fields, *form.point_fields)
    playback = read_playback(folder, fields)
    if frames:
        playback = Playback(chosen(playback.result, frames(len(playback))), fields)
    options = {} if height is None else {"height": height}
    form.load().write(playback, path, watch, **options)


def _export_layers(
    folder: Path,
    path: Path,
    form: Format,
    frames: Choice | None,
    layers: Collection[Layer] | None,
    watch: Watch,
) -> None:
    """Write the layers of an exercise of the upper body or of flesh."""
    if not form.layers:
        able = ", ".join(name for name, each in FORMATS.items() if each.layers)
        raise FileError(
            f"'{folder}' is an exercise of the upper body or flesh, which is not written as "
            f"{form.name}; formats: {able}"
        )
    motion = read_layers(folder)
    absent = [layer for layer in layers or () if layer not in motion.present]
    if absent:
        there = ", ".join(motion.present)
        raise FileError(f"'{folder}' has no layer '{absent[0]}'; it has {there}")
    if frames:
        motion = motion.at(frames(len(motion)))
    resolve_name(form.layers).write(motion, path, watch, shown=layers or USUAL)


def _export_body(
    folder: Path, path: Path, form: Format, frames: Choice | None, watch: Watch
) -> None:
    """Write the motion of an articulated body, at a usual number of frames a second."""
    if not form.body:
        able = ", ".join(name for name, each in FORMATS.items() if each.body)
        raise FileError(
            f"'{folder}' is the motion of an articulated body, which is not written as {form.name};"
            f" formats: {able}"
        )
    motion = read_body_motion(folder).frames()
    if frames:
        motion = motion.at(frames(len(motion)))
    resolve_name(form.body).write(motion, path, watch)


def chosen(result: Result, frames: Sequence[int]) -> Result:
    """The result with only these frames, in this order."""
    rows = np.asarray(frames, np.int64)
    inside = result.penetrations
    return replace(
        result,
        times=result.times[rows],
        table={name: column[rows] for name, column in result.table.items()},
        frames=tuple(result.frames[i] for i in rows),
        reports=tuple(result.reports[i] for i in rows),
        poses=result.poses[rows],
        inputs=tuple(result.inputs[i] for i in rows) if result.inputs else (),
        penetrations=tuple(inside[i] for i in rows) if inside else (),
    )


def default_path(folder: Path, form: Format) -> Path:
    """Beside the result: `arm.usdc`, or the folder `arm-obj`, for the result `arm`."""
    folder = folder.resolve()
    return folder.parent / f"{folder.name}{form.suffix or f'-{form.name}'}"


def require_possible(form: Format, path: Path, *, height: int | None, overwrite: bool) -> None:
    """Refuse what would be wrong before anything is read."""
    suffixes = (form.suffix, *form.others)
    if form.suffix and path.suffix.lower() not in suffixes:
        raise FileError(f"'{path}' must end in {' or '.join(suffixes)} for --to {form.name}")
    if height is not None and form.holds is not Holds.PICTURES:
        raise ModelError(f"--height is for pictures, and {form.name} holds none")
    require_writable(path.parent)
    if not path.parent.is_dir():
        raise FileError(f"cannot write '{path}': there is no folder '{path.parent}'")
    _require_free(form, path, overwrite=overwrite)


def _require_free(form: Format, path: Path, *, overwrite: bool) -> None:
    if path.exists() and path.is_dir() == bool(form.suffix):
        kind = "file" if form.suffix else "folder"
        raise FileError(f"cannot write '{path}': it exists and is not a {kind}")
    if path.is_dir():
        require_ours(path)
    empty = path.is_dir() and not any(path.iterdir())
    if path.exists() and not empty and not overwrite:
        raise FileError(f"'{path}' exists already; give --overwrite to replace it, or another path")


def write(path: str | Path, model: Model, frames: Iterable[Frame]) -> None:
    """Write frames as they come: a result folder, or `.mp4` a movie, or `.png` a contact sheet."""
    path = Path(path)
    writer = _folder if path.is_dir() or not path.suffix else by_suffix(path, WRITERS)
    writer(path, model, frames)


def _folder(path: Path, model: Model, frames: Iterable[Frame]) -> None:
    with ResultWriter(path, model) as writer:
        for frame in frames:
            writer.add(frame)


def _movie(path: Path, model: Model, frames: Iterable[Frame]) -> None:
    movie(animation_of(model, frames), path)


def _sheet(path: Path, model: Model, frames: Iterable[Frame]) -> None:
    contact_sheet(animation_of(model, frames), path)


WRITERS: dict[str, Writer] = {".mp4": _movie, ".png": _sheet}
