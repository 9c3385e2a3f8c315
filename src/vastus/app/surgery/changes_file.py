"""The YAML file of disorders: opened, saved when asked, and never over another's work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from vastus.bodies.body import Body
from vastus.control.disorders.disorder import Disorder
from vastus.control.disorders.disorder_file import (
    KEY,
    disorder_row,
    disorders_text,
    read_patient,
)
from vastus.control.disorders.patient import Patient
from vastus.errors import FileError
from vastus.files.safe import SCENE, read_bytes, replacing
from vastus.scene.rewrite import rewritten
from vastus.scene.yaml import parse


@dataclass(frozen=True)
class ChangesFile:
    """A file as it was `first`, when it listed the disorders `read`, and as it was `last` seen."""

    path: Path
    read: tuple[Disorder, ...] = ()
    first: bytes | None = None
    last: bytes | None = None

    def contents(self, disorders: Sequence[Disorder]) -> bytes:
        """What the file says of other disorders.

        The list that was read has the bytes that were read; in others, what stays keeps its line
        and its comments.
        """
        if self.first is None:
            return disorders_text(disorders).encode()
        if tuple(disorders) == self.read:
            return self.first
        text = self.first.decode()
        return rewritten(text, {KEY: self._rows(text, disorders)}).encode()

    def saved(self, disorders: Sequence[Disorder]) -> ChangesFile:
        """Write the file whole or not at all, unless somebody else has changed it."""
        if _contents(self.path) != self.last:
            raise FileError(
                f"'{self.path}' was changed by somebody else since it was read, so nothing was"
                " saved; 'Reload' takes that file"
            )
        contents = self.contents(disorders)
        if contents != self.last:
            with replacing(self.path) as part:
                part.write_bytes(contents)
        return replace(self, last=contents)

    def is_saved(self, disorders: Sequence[Disorder]) -> bool:
        """Whether the file, as it was last seen, lists these disorders."""
        if self.last is None:
            return not disorders
        return self.contents(disorders) == self.last

    def _rows(self, text: str, disorders: Sequence[Disorder]) -> list[Any]:
        """Plain data; disorders that were read are as their author wrote them."""
        written = list(zip(self.read, parse(text, str(self.path))[0][KEY], strict=True))
        rows = []
        for disorder in disorders:
            known = next((k for k, (each, _) in enumerate(written) if each == disorder), None)
            rows.append(disorder_row(disorder) if known is None else written.pop(known)[1])
        return rows


def opened(path: Path, body: Body) -> tuple[Patient, ChangesFile]:
    """The body after the disorders of a file, if there is one, and what is known of the file."""
    contents = _contents(path)
    if contents is None:
        return Patient.of(body), ChangesFile(path)
    patient = read_patient(path, body)
    return patient, ChangesFile(path, patient.disorders, contents, contents)


def _contents(path: Path) -> bytes | None:
    return read_bytes(path, SCENE) if path.exists() else None
