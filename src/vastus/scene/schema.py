"""What every section of a scene shares: strict values, keys with a suggestion, units, and lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import StrEnum
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from vastus.errors import ModelError, VastusError


def unknown(kind: str, given: str, allowed: list[str]) -> str:
    """The sentence for a word that is not among those allowed, with the nearest of them."""
    nearest = get_close_matches(given, allowed, n=1, cutoff=0.5)
    hint = f"; did you mean '{nearest[0]}'?" if nearest else ""
    listed = ", ".join(dict.fromkeys(allowed)) or "none"
    return f"unknown {kind} '{given}'{hint} (allowed: {listed})"


class Section(BaseModel):
    """A mapping of a scene file whose keys are fixed."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @classmethod
    def words(cls) -> list[str]:
        """The keys an author may write."""
        return [field.alias or name for name, field in cls.model_fields.items()]

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, given: Any) -> Any:
        strict = cls.model_config.get("extra") == "forbid"
        for key in given if strict and isinstance(given, Mapping) else ():
            if key not in cls.words():
                context = {"key": key, "sentence": unknown("key", str(key), cls.words())}
                raise PydanticCustomError("unknown_key", "{sentence}", context)
        return given


@dataclass(frozen=True)
class Named:
    """Marks a field whose value is a member of a registry, which the author writes by its name."""

    registry: Mapping[str, Any]

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            self._member, serialization=core_schema.plain_serializer_function_ser_schema(self._name)
        )

    def _member(self, given: Any) -> Any:
        if isinstance(given, str) and given in self.registry:
            return self.registry[given]
        *others, last = (f"'{name}'" for name in self.registry)
        expected = f"{', '.join(others)} or {last}"
        raise PydanticCustomError("enum", "Input should be {expected}", {"expected": expected})

    def _name(self, member: Any) -> str:
        return next(name for name, one in self.registry.items() if one is member)


def exactly_one(section: Section, *names: str) -> None:
    """Refuse a section that gives none or several of these keys."""
    given = [n for n in names if getattr(section, n) is not None]
    if len(given) != 1:
        raise ValueError(
            f"give exactly one of {', '.join(names)}; given: {' and '.join(given) or 'none'}"
        )


def _three(given: Any) -> Any:
    if not (isinstance(given, list | tuple) and len(given) == 3):
        raise ValueError("it must be three numbers [x, y, z]")
    return given


def _direction(given: Any) -> Any:
    if all(value == 0 for value in _three(given)):
        raise ValueError("it must not be zero, because it is a direction")
    return given


def _whole(given: Any) -> Any:
    if isinstance(given, bool | str):
        raise ValueError("it must be a whole number")
    return given


def _listed(given: Any) -> Any:
    return [given] if isinstance(given, str) else given


Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Positive = Annotated[Number, Field(gt=0)]
Whole = Annotated[int, BeforeValidator(_whole)]
Vector = Annotated[tuple[Number, Number, Number], BeforeValidator(_three)]
Direction = Annotated[tuple[Number, Number, Number], BeforeValidator(_direction)]
Word = Annotated[str, Field(min_length=1)]
Names = Annotated[tuple[Word, ...], Field(min_length=1), BeforeValidator(_listed)]


class Unit(StrEnum):
    """The unit of a file's coordinates."""

    M = "m"
    CM = "cm"
    MM = "mm"

    @property
    def metres(self) -> float:
        """The unit in metres."""
        return {"m": 1.0, "cm": 0.01, "mm": 0.001}[self.value]


Path = tuple[str | int, ...]
_QUOTED = re.compile(r"(?:(\w+) )?'([^']+)'")
_PARTS = ("surfaces", "parts")
_SECTIONS: tuple[Path, ...] = (
    *((name,) for name in ("regions", "muscles", "bones", "joints", "pins", "loads", "mesh")),
    _PARTS,
)


class SceneError(ModelError):
    """An error in a scene, with the file, line and key it comes from."""


@dataclass(frozen=True)
class Places:
    """The name of a scene file and the line of each of its keys; empty for a scene from Python."""

    file: str = ""
    lines: Mapping[Path, int] = field(default_factory=dict)

    def error(self, path: Path, sentence: str) -> SceneError:
        """The sentence, led by where it comes from."""
        line = self._line(path)
        where = ", ".join(w for w in (self.file, f"line {line}" if line else "") if w)
        keys = ".".join(str(key) for key in path)
        parts = [f"{where} ({keys})" if where and keys else where or keys, sentence]
        return SceneError(": ".join(part for part in parts if part))

    def located(self, sentence: str) -> str:
        """The sentence, led by where that which it names was written."""
        return str(self.error(self._subject((), sentence), sentence))

    @contextmanager
    def blame(self, *path: str | int) -> Iterator[None]:
        """Say of any error inside that it comes from this key, or from one below that it names."""
        try:
            yield
        except SceneError:
            raise
        except VastusError as error:
            raise self.error(self._subject(path, str(error)), str(error)) from error

    def _line(self, path: Path) -> int | None:
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path) if path else None

    def _subject(self, path: Path, sentence: str) -> Path:
        """The key that a sentence such as "bone 'ulna' ..." speaks of, if it was written."""
        for kind, name in _QUOTED.findall(sentence):
            below = [path] * bool(path) + [s for s in _SECTIONS if s[: len(path)] == path]
            for section in sorted(below, key=lambda s: not _called(s, kind)):
                if (*section, name) in self.lines:
                    return (*section, name)
        return path


def _called(section: Path, kind: str) -> bool:
    """Whether things of this kind stand in a section: bones, where a bone is spoken of."""
    return str(section[-1]).startswith(kind)
