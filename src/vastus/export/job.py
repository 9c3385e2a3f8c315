"""`export`: a result folder to one of the formats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

from vastus.errors import FileError, ModelError
from vastus.export.choice import chosen
from vastus.export.folders import require_ours
from vastus.export.registry import Format, Holds, Watch, format_of
from vastus.io.files import require_writable
from vastus.io.tape import Tape, read_tape

Choice = Callable[[int], Sequence[int]]  # of so many frames


def export(
    folder: str | Path,
    path: str | Path,
    *,
    to: str,
    frames: Choice | None = None,
    height: int | None = None,
    overwrite: bool = False,
    watch: Watch = lambda done, total: None,
) -> None:
    """Write a result folder to `path` in the format `to`, whole or not at all.

    `frames` chooses among so many; `height` [px] is for pictures; `watch` is told how many frames
    are done, of how many.
    """
    form, path = format_of(to), Path(path)
    require_possible(form, path, height=height, overwrite=overwrite)
    tape = read_tape(folder, form.fields)
    if frames:
        tape = Tape(chosen(tape.result, frames(len(tape))), form.fields)
    options = {} if height is None else {"height": height}
    import_module(form.module).write(tape, path, watch, **options)


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
