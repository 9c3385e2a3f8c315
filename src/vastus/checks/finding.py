"""What a check can say."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from vastus.numerics.types import Floats

Point = tuple[float, float, float]


class Severity(StrEnum):
    """Whether a model with this finding may be simulated."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True)
class Finding:
    """Something that looks wrong `where` (such as "muscle 'biceps'"), and what to do about it.

    `at` is a point [m] where it can be seen, if there is one. `refusal` is the sentence with which
    a build refuses, led by the line of the scene, if the finding was made of one.
    """

    severity: Severity
    where: str
    sentence: str
    remedy: str
    at: Point | None = None
    refusal: str = field(default="", compare=False, repr=False)

    def __str__(self) -> str:
        return f"{self.where} {self.sentence}; {self.remedy}"


def error(where: str, sentence: str, remedy: str, at: Floats | None = None) -> Finding:
    """A finding that forbids the simulation, seen at a point (3,) [m]."""
    return Finding(Severity.ERROR, where, sentence, remedy, _point(at))


def warning(where: str, sentence: str, remedy: str, at: Floats | None = None) -> Finding:
    """A finding that the author should know of, seen at a point (3,) [m]."""
    return Finding(Severity.WARNING, where, sentence, remedy, _point(at))


def errors_first(found: list[Finding]) -> list[Finding]:
    """The findings in their order, but errors before warnings."""
    return sorted(found, key=lambda finding: finding.severity is not Severity.ERROR)


def middle_of(X: Floats) -> Floats | None:
    """(3,) the one of points X (n, 3) nearest to their middle; None of no points."""
    if not len(X):
        return None
    return np.asarray(X[np.linalg.norm(X - X.mean(axis=0), axis=1).argmin()])


def _point(at: Floats | None) -> Point | None:
    if at is None:
        return None
    x, y, z = (float(c) for c in at)
    return x, y, z
