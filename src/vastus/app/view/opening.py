"""What a page shows for what it was given: a result is played, a scene or a model is moved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from vastus.app.live.solver import live_solver
from vastus.app.page import Page
from vastus.app.view.reel import Reel
from vastus.app.view.viewer import Viewer
from vastus.errors import FileError
from vastus.io.model_file import load_model
from vastus.io.scene import read
from vastus.io.tape import read_tape
from vastus.job import bones_of, prepare, require_sound
from vastus.model import Model


def open_source(
    page: Page,
    source: Path,
    other: Path | None = None,
    laws: Sequence[Path] = (),
    *,
    watch: Callable[[str], None] = lambda _: None,
) -> Viewer:
    """Fill a page with a result folder, a scene file or a saved model (`.npz`).

    A result may have an `other` result to compare with; `laws` are the files of the user's own;
    `watch` is told the steps of a build.
    """
    if source.is_dir():
        return _played(page, source, other, laws)
    if other is not None:
        raise FileError(f"'{source}' is no result, so there is nothing to compare '{other}' with")
    if source.suffix == ".npz":
        return open_model(page, load_model(source), laws)
    job = prepare(read(source), watch=watch)
    require_sound(job)
    return Viewer(page, job.model, solver=live_solver(bones_of(job.scene)), laws=laws)


def open_model(page: Page, model: Model, laws: Sequence[Path] = ()) -> Viewer:
    """Fill a page with a model whose muscles can be moved."""
    return Viewer(page, model, laws=laws)


def _played(page: Page, folder: Path, other: Path | None, laws: Sequence[Path]) -> Viewer:
    reels = [Reel(read_tape(f)) for f in (folder, other) if f is not None]
    second = reels[1] if other is not None else None
    return Viewer(page, reels[0].model, reel=reels[0], other=second, folder=folder, laws=laws)
