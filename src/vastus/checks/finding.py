"""What a check can say."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """Whether a model with this finding may be simulated."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True)
class Finding:
    """Something that looks wrong `where` (such as "muscle 'biceps'"), and what to do about it."""

    severity: Severity
    where: str
    sentence: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.where} {self.sentence}; {self.remedy}"


def error(where: str, sentence: str, remedy: str) -> Finding:
    """A finding that forbids the simulation."""
    return Finding(Severity.ERROR, where, sentence, remedy)


def warning(where: str, sentence: str, remedy: str) -> Finding:
    """A finding that the author should know of."""
    return Finding(Severity.WARNING, where, sentence, remedy)
