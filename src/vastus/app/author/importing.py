"""Surface files of the folder that is authored, and files that come from a browser.

A scene may name files elsewhere, and they are read, since a person asked for it. Nothing is
written but into the folder, and an edit can only name files that are in it.
"""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import Path

from vastus.app.author.document import Document
from vastus.errors import FileError
from vastus.files.meshes import read_surface
from vastus.files.safe import reason, replacing
from vastus.files.surface_formats import SURFACE_FORMATS

LARGEST = 200_000_000  # bytes of an uploaded file
LONGEST = 120  # bytes of its name: with what is added while writing, every system takes them
_FORBIDDEN = re.compile(r'[<>:"|?*]')
_RESERVED = re.compile(r"(?i)con|prn|aux|nul|com\d|lpt\d")  # devices of Windows


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


def loose_files(document: Document) -> list[Path]:
    """The surface files that are no parts yet, as seen from the folder, in order.

    They are looked for in the folder, and in that of the surfaces if it is inside.
    """
    folders = [document.folder, document.folder / document.surfaces.folder]
    found = {path for folder in folders for path in _surfaces(document, folder)}
    used = {_real(document.file(part)) for part in document.parts}
    return sorted(path for path in found if _real(document.folder / path) not in used)


def receive(folder: Path, name: str, contents: bytes, *, replace: bool = False) -> Path:
    """Keep an uploaded surface under a safe name in the folder; returns the name.

    Refused are other formats, too large files, those that cannot be read as a surface, and one that
    would replace another, unless `replace` says so.
    """
    path = folder / safe_name(name)
    if len(contents) > LARGEST:
        size = f"{len(contents) / 1e6:.0f} MB"
        raise FileError(f"'{path.name}' has {size}, but at most {LARGEST / 1e6:.0f} MB are taken")
    if os.path.lexists(path) and not replace and not _holds(path, contents):
        raise FileError(f"there is a file '{path.name}' already; rename yours, or replace it")
    with replacing(path) as part:
        part.write_bytes(contents)
        _require_surface(part, path.name)
    return Path(path.name)


def safe_name(name: str) -> str:
    """The last part of a path that a browser names, as a file name that any system takes."""
    last = unicodedata.normalize("NFC", re.split(r"[/\\]", name)[-1])
    visible = "".join(c for c in last if unicodedata.category(c)[0] != "C")
    stem, suffix = os.path.splitext(_FORBIDDEN.sub("_", visible).strip(" ."))
    if suffix.lower() not in SURFACE_FORMATS:
        listed = ", ".join(SURFACE_FORMATS)
        raise FileError(f"'{_brief(visible)}' is no surface file; supported are {listed}")
    cut = stem.encode()[: LONGEST - len(suffix)].decode(errors="ignore").strip(" .")
    return ("_" if _RESERVED.fullmatch(cut.split(".")[0]) else "") + cut + suffix


def _surfaces(document: Document, folder: Path) -> list[Path]:
    try:
        seen = [inside(document, path.absolute()) for path in folder.iterdir()]
    except (OSError, FileError):
        return []
    return [path for path in seen if _is_surface(document.folder / path)]


def _is_surface(path: Path) -> bool:
    visible = not path.name.startswith(".")
    return visible and path.suffix.lower() in SURFACE_FORMATS and path.is_file()


def _require_surface(part: Path, name: str) -> None:
    """Refuse a file that is no surface, by the name that its owner knows."""
    try:
        read_surface(part)
    except FileError as error:
        raise FileError(str(error).replace(str(part), name)) from None


def _holds(path: Path, contents: bytes) -> bool:
    try:
        return path.is_file() and path.read_bytes() == contents
    except OSError as error:
        raise FileError(f"cannot read '{path}': {reason(error)}") from None


def _absolute(document: Document, file: Path = Path()) -> Path:
    return Path(os.path.abspath(document.folder / file))


def _real(path: Path) -> str:
    return os.path.normcase(os.path.realpath(path))


def _brief(name: str) -> str:
    return name if len(name) <= 60 else f"{name[:57]}..."
