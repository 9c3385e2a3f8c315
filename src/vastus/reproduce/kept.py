"""What a long experiment has so far, kept on disk until it is finished."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from vastus.files.safe import make_folder, write_text
from vastus.reproduce.experiment import Setting

FOLDER = "unfinished"
SETTING = "setting.json"


def opened(folder: Path, experiment: str, setting: dict[str, Any]) -> Path:
    """The place of an experiment, empty unless it was begun in the same setting."""
    place = folder / FOLDER / experiment
    if _read(place / SETTING) != setting:
        forget(folder, experiment)
        write_text(make_folder(place) / SETTING, json.dumps(setting))
    return place


def forget(folder: Path, experiment: str) -> None:
    """Remove what an experiment has kept, and the folder of all if nothing else is in it."""
    shutil.rmtree(folder / FOLDER / experiment, ignore_errors=True)
    if (folder / FOLDER).is_dir() and not any((folder / FOLDER).iterdir()):
        (folder / FOLDER).rmdir()


@contextmanager
def place_of(setting: Setting, name: str) -> Iterator[Path]:
    """A folder that outlives an interruption, or a passing one if nothing is kept."""
    if setting.folder is not None:
        yield setting.folder / name
        return
    with TemporaryDirectory() as place:
        yield Path(place) / name


def remembered(setting: Setting, name: str, compute: Callable[[], Any]) -> Any:
    """What was computed before under this name, or computed now and kept; it must suit JSON."""
    if setting.folder is None:
        return compute()
    path = setting.folder / f"{name}.json"
    found = _read(path)
    if found is None:
        found = compute()
        write_text(path, json.dumps(found))
    return found


def _read(path: Path) -> Any:
    """The contents of a file, None if there is no whole one."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
