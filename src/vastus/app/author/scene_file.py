"""The scene file of a document: opened, saved after each step, and never over another's work."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from vastus.app.author.document import Document, described, empty
from vastus.app.author.names import Data
from vastus.app.history import Change
from vastus.errors import FileError
from vastus.files.safe import SCENE as LARGEST
from vastus.files.safe import read_bytes, replacing, write_text
from vastus.scene.rewrite import rewritten
from vastus.scene.write import scene_text
from vastus.scene.yaml import parse

SCENE = "scene.yaml"
ORIGINAL = "scene.yaml.orig"


class ChangedOnDisk(FileError):
    """The scene file is not the one that was read or written last: reload it to go on."""


@dataclass(frozen=True)
class SceneFile:
    """What is known of a scene file: its data, and a hash of its bytes; None if there is none."""

    folder: Path
    data: Data | None = None
    digest: str | None = None

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self.folder / SCENE


def opened(folder: Path) -> tuple[Document, SceneFile]:
    """The document of a folder, and its scene file; without one, the document is empty.

    Refused are scenes that do not start from surfaces, and those that are wrong, with the line.
    """
    if not folder.is_dir():
        raise FileError(f"there is no folder '{folder}'")
    kept = SceneFile(folder)
    contents = _contents(kept.path)
    if contents is None:
        return empty(folder), kept
    data, places = parse(_text(contents, kept.path), str(kept.path))
    described(data, folder, places)
    document = Document(folder, data, Change(f"open '{SCENE}'"))
    return document, SceneFile(folder, data, _digest(contents))


def save(document: Document, kept: SceneFile) -> SceneFile:
    """Write the scene file whole or not at all, unless it says the same already.

    If somebody else changed the file since, a `ChangedOnDisk` says so and nothing is written. The
    first time, and whenever a comment goes, a file that a person wrote is kept beside it.
    """
    if document.data == kept.data:
        return kept
    contents = _contents(kept.path)
    if (None if contents is None else _digest(contents)) != kept.digest:
        raise ChangedOnDisk(
            f"'{kept.path}' was changed by somebody else since it was read; reload it to go on"
        )
    text = scene_text(document.data)
    if contents is not None and not _is_ours(contents, kept):
        text = rewritten(_text(contents, kept.path), document.data)
        if not (kept.folder / ORIGINAL).exists() or _loses_comments(contents, text):
            _keep_original(kept.folder, contents)
    write_text(kept.path, text)
    return SceneFile(kept.folder, document.data, _digest(text.encode()))


def _is_ours(contents: bytes, kept: SceneFile) -> bool:
    """Whether a file is as it would be written here, so that nothing is lost."""
    return kept.data is not None and contents == scene_text(kept.data).encode()


def _loses_comments(contents: bytes, text: str) -> bool:
    comments = re.findall(r"(?:^|\s)(#.*)", contents.decode(), re.MULTILINE)
    return any(comment.rstrip() not in text for comment in comments)


def _keep_original(folder: Path, contents: bytes) -> None:
    """Keep a file under a name that is free."""
    numbered = (folder / f"{ORIGINAL}{number}" for number in range(2, 10_000))
    for path in (folder / ORIGINAL, *numbered):
        there = _contents(path)
        if there is None:
            with replacing(path) as part:
                part.write_bytes(contents)
        if there is None or there == contents:
            return


def _contents(path: Path) -> bytes | None:
    return read_bytes(path, LARGEST) if path.exists() else None


def _text(contents: bytes, path: Path) -> str:
    try:
        return contents.decode("utf-8")
    except UnicodeDecodeError:
        raise FileError(f"'{path}' is not a text file in UTF-8") from None


def _digest(contents: bytes) -> str:
    return hashlib.sha256(contents).hexdigest()
