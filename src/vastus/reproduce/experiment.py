"""What an experiment is, what it is given, and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from vastus.files.html import Table


class Agreement(StrEnum):
    """Whether what was found agrees with what the paper says."""

    YES = "agrees"
    PARTLY = "agrees in part"
    NO = "does not agree"

    @classmethod
    def of(cls, *claims: bool) -> Agreement:
        """All claims hold, some, or none."""
        return cls.YES if all(claims) else cls.PARTLY if any(claims) else cls.NO


@dataclass(frozen=True)
class Setting:
    """How large to go, a mesh or an arm of the user's, and whom to tell what goes on.

    In `folder` an experiment may keep what it has so far; see `vastus.reproduce.kept`.
    """

    full: bool = False
    mesh: Path | None = None
    arm: Path | None = None
    note: Callable[[str], None] = print
    folder: Path | None = None


@dataclass(frozen=True, eq=False)
class Film:
    """Pictures (height, width, 3) uint8 of a motion, `fps` of them a second."""

    pictures: Sequence[Any]
    fps: float


@dataclass(frozen=True)
class Finding:
    """What an experiment found: a sentence made of its numbers, tables, figures and settings."""

    agreement: Agreement
    sentence: str
    tables: tuple[Table, ...]
    figure: Any  # of matplotlib
    caption: str
    solvers: Mapping[str, object] = field(default_factory=dict)
    film: Film | None = None


@dataclass(frozen=True)
class Experiment:
    """A figure or table of the paper; `minutes` are what quick and full take on two cores."""

    name: str
    title: str
    shows: str
    run: Callable[[Setting], Finding]
    minutes: tuple[float, float]
    takes_mesh: bool = False
    takes_arm: bool = False
