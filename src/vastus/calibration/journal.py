"""Evaluations of a fit on disk, so that one that was interrupted goes on where it was.

A fit is the same whenever it is made, so that it asks for the same values again; those that are
here are not computed twice.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from vastus.errors import FileError
from vastus.files.safe import make_folder, reason, require_own
from vastus.studies.records import ends


@dataclass(frozen=True)
class Entry:
    """What came of some values: outputs with their derivatives, or why there is nothing."""

    outputs: list[float] = field(default_factory=list)
    J: list[list[float]] = field(default_factory=list)
    visited: list[list[float]] = field(default_factory=list)  # stretches of each muscle so far
    equilibria: int = 0
    failure: str = ""


class Journal:
    """The evaluations in a file that belong to a fit, by a key of all that it asks."""

    def __init__(self, path: Path, key: str) -> None:
        self._path, self._key = path, key
        self._known = dict(_read(path, key)) if path.is_file() else {}

    def __len__(self) -> int:
        """How many there are."""
        return len(self._known)

    def of(self, values: list[float]) -> Entry | None:
        """What came of some values, if that is known."""
        return self._known.get(tuple(values))

    def add(self, values: list[float], entry: Entry) -> None:
        """Append what came of some values."""
        make_folder(self._path.parent)
        require_own(self._path)
        text = json.dumps({"key": self._key, "values": values, **asdict(entry)}) + "\n"
        try:
            with self._path.open("ab+") as file:
                if file.tell() and not ends(file):
                    file.write(b"\n")  # a line that was cut off stays for itself
                file.write(text.encode())
        except OSError as error:
            raise FileError(f"cannot write '{self._path}': {reason(error)}") from None
        self._known[tuple(values)] = entry


def _read(path: Path, key: str) -> list[tuple[tuple[float, ...], Entry]]:
    """The entries of a key; lines that were cut off are left out."""
    found = []
    for text in path.read_text(encoding="utf-8", errors="replace").split("\n"):
        try:
            said: dict[str, Any] = json.loads(text)
            if said.pop("key") == key:
                found.append((tuple(said.pop("values")), Entry(**said)))
        except (ValueError, KeyError, TypeError):
            continue
    return found
