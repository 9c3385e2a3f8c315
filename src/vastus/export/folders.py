"""Folders that appear whole or not at all, with a file that says what they hold."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from vastus.errors import FileError
from vastus.export.names import clean_names
from vastus.io.files import reason, write_text
from vastus.io.tape import Tape

MANIFEST = "export.json"


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """A temporary folder beside `path` that becomes `path` if all goes well.

    What is replaced must be an exported folder, or empty: anything else is not ours to remove.
    """
    require_ours(path)
    try:
        part = Path(tempfile.mkdtemp("", f".{path.name}-", path.parent))
    except OSError as error:
        raise FileError(f"cannot write '{path}': {reason(error)}") from None
    try:
        (part / "new").mkdir()  # with the permissions that folders have here
        yield part / "new"
        _swap(part / "new", path, part / "old")
    except OSError as error:
        raise FileError(f"cannot write '{path}': {reason(error)}") from None
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _swap(new: Path, path: Path, old: Path) -> None:
    """Put a new folder in place of another, which comes back if that fails."""
    try:
        if path.exists():
            os.replace(path, old)
        os.replace(new, path)
    except BaseException:
        if old.exists() and not path.exists():
            os.replace(old, path)
        raise


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


def write_manifest(folder: Path, tape: Tape, form: str, files: list[str]) -> None:
    """Say which files hold which times, and how the regions were called."""
    clean = clean_names(region.name for region in tape.model.regions)
    contents = {
        "vastus": version("vastus"),
        "format": form,
        "length_unit": "m",
        "up_axis": "z",
        "frames": [
            {"file": file, "time_s": time}
            for file, time in zip(files, tape.times.tolist(), strict=True)
        ],
        "regions": [
            {"name": r.name, "called": clean[r.name], "tissue": r.tissue.value}
            for r in tape.model.regions
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
