"""What every section of a scene file shares: strict numbers, and unknown keys with a suggestion."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError


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
