"""What a page shows for what it was given: a result is played, a scene or a model is moved."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vastus.app.page import Page
from vastus.app.view.reel import Reel
from vastus.app.view.viewer import Viewer
from vastus.errors import FileError
from vastus.io.model_file import load_model
from vastus.io.scene import read
from vastus.io.tape import read_tape
from vastus.job import prepare, require_sound, solver_of
from vastus.model import Model
from vastus.scene.drive import SolverPart


def open_source(page: Page, source: Path, other: Path | None = None) -> Viewer:
    """Fill a page with a result folder, a scene file or a saved model (`.npz`).

    A result may have an `other` result to compare with.
    """
    if source.is_dir():
        return _played(page, source, other)
    if other is not None:
        raise FileError(f"'{source}' is no result, so there is nothing to compare '{other}' with")
    if source.suffix == ".npz":
        return open_model(page, load_model(source))
    job = prepare(read(source))
    require_sound(job)
    usual = job.scene.description.solver == SolverPart()
    return Viewer(page, job.model, solver=None if usual else solver_of(job.scene))


def open_model(page: Page, model: Model) -> Viewer:
    """Fill a page with a model whose muscles can be moved."""
    return Viewer(page, model)


def _played(page: Page, folder: Path, other: Path | None) -> Viewer:
    reels: Sequence[Reel] = [Reel(read_tape(f)) for f in (folder, other) if f is not None]
    second = reels[1] if other is not None else None
    return Viewer(page, reels[0].model, reel=reels[0], other=second, folder=folder)
