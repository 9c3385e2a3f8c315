"""Files of the folder that is authored; a page names no others, and writes nowhere else."""

from __future__ import annotations

import os
from pathlib import Path

from vastus.app.author.document import Document
from vastus.errors import FileError


def inside(document: Document, file: Path) -> Path:
    """A file as seen from the folder, or an error if it is elsewhere."""
    path = _absolute(document, file)
    if not path.is_relative_to(_absolute(document)):
        raise FileError(f"'{file}' is outside the folder '{document.folder}'; copy it there first")
    return path.relative_to(_absolute(document))


def beside(document: Document, file: Path) -> Path:
    """A file of the folder as the scene names the files of its parts."""
    path = _absolute(document, inside(document, file))
    return Path(os.path.relpath(path, _absolute(document, document.surfaces.folder)))


def _absolute(document: Document, file: Path = Path()) -> Path:
    return Path(os.path.abspath(document.folder / file))
