"""`write`: the suffix of the path chooses what becomes of the frames."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from vastus.io.foreign import by_suffix
from vastus.io.result_writer import ResultWriter
from vastus.model import Model
from vastus.motion import Frame

Writer = Callable[[Path, Model, Iterable[Frame]], None]


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
    from vastus.io.clip import clip
    from vastus.io.movie import movie

    movie(clip(model, frames), path)


def _sheet(path: Path, model: Model, frames: Iterable[Frame]) -> None:
    from vastus.io.clip import clip
    from vastus.io.pictures import contact_sheet

    contact_sheet(clip(model, frames), path)


WRITERS: dict[str, Writer] = {".mp4": _movie, ".png": _sheet}
