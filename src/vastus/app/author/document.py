"""What is being authored: a folder, and the plain data of the scene of surfaces in it.

A document never changes: every edit makes another, which is a valid scene, or the beginning of one
that has no parts yet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from vastus.app.author.names import PARTS, Names, names_of
from vastus.app.author.trees import Data, at, put
from vastus.app.author.trees import Path as Keys
from vastus.app.author.valid import described
from vastus.errors import known
from vastus.scene.anatomy import JointPart
from vastus.scene.schema import Description
from vastus.scene.surfaces import SurfacePart, Surfaces


@dataclass(frozen=True)
class Change:
    """What made a document; changes with the same `key` in quick succession are one step."""

    words: str
    key: str = ""


@dataclass(frozen=True)
class Document:
    """A folder and the data of its scene; `change` says how it came about."""

    folder: Path
    data: Data
    change: Change = field(default=Change("open"), compare=False)
    said: Description = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "said", described(self.data))

    @property
    def name(self) -> str:
        """What the author calls the scene."""
        return self.said.name

    @property
    def surfaces(self) -> Surfaces:
        """What is said of the surfaces."""
        assert self.said.surfaces is not None
        return self.said.surfaces

    @property
    def parts(self) -> Mapping[str, SurfacePart]:
        """The parts by name."""
        return self.surfaces.parts

    @property
    def joints(self) -> dict[str, JointPart]:
        """The joints by name."""
        return {name: joint for name, joint in self.said.joints.items() if joint is not None}

    @cached_property
    def names(self) -> Names:
        """The parts, muscles, bones and regions there are."""
        return names_of(self.data)

    @property
    def ready(self) -> bool:
        """Whether there is anything to build."""
        return bool(self.parts)

    def file(self, part: str) -> Path:
        """Where the surface of a part is."""
        return self.folder / self.surfaces.folder / self.part(part).file

    def part(self, name: str) -> SurfacePart:
        """The part of this name."""
        return self.parts[self.require("part", name, self.parts)]

    def at(self, *path: str) -> Any:
        """The plain value at a path of the scene; None if it is not written."""
        return at(self.data, path)

    def with_data(self, data: Data, words: str, key: str = "") -> Document:
        """The document of other data."""
        return Document(self.folder, data, Change(words, key))

    def put(self, path: Keys, value: Any, words: str, key: str = "") -> Document:
        """The document with a value at a path; None takes it away."""
        data = put(self.data, path, value)
        if at(data, PARTS) is None:  # where other parts will be
            data = put(data, ("surfaces",), {**(data.get("surfaces") or {}), "parts": {}})
        return self.with_data(data, words, key)

    @staticmethod
    def require(kind: str, name: str, names: Any) -> str:
        """The name, if it is among the names."""
        if name not in names:
            raise known(kind, name, names)
        return name


def empty(folder: Path) -> Document:
    """The document of a folder without a scene."""
    name = folder.resolve().name or "scene"
    data = {"vastus": 1, "name": name, "surfaces": {"parts": {}}}
    return Document(folder, data, Change("start"))
