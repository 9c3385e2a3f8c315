"""What a check can say."""

from __future__ import annotations

import re
from collections.abc import Iterable
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
    a build refuses, led by the line of the scene, if the finding was made of one. What is `static`
    is wrong where equilibria are sought, and not in motion.
    """

    severity: Severity
    where: str
    sentence: str
    remedy: str
    at: Point | None = None
    refusal: str = field(default="", compare=False, repr=False)
    static: bool = field(default=False, compare=False, repr=False)

    def __str__(self) -> str:
        return f"{self.where} {self.sentence}; {self.remedy}"


def error(where: str, sentence: str, remedy: str, at: Floats | None = None) -> Finding:
    """A finding that forbids the simulation, seen at a point (3,) [m]."""
    return Finding(Severity.ERROR, where, sentence, remedy, _point(at))


def warning(where: str, sentence: str, remedy: str, at: Floats | None = None) -> Finding:
    """A finding that the author should know of, seen at a point (3,) [m]."""
    return Finding(Severity.WARNING, where, sentence, remedy, _point(at))


# What findings are about, from those that spoil forces, by those that spoil motion and shape, to
# those that only cost time.
SPOILS = (
    "the scene",
    "the body",
    "the model",
    "gravity",
    "muscle",
    "joint",
    "bone",
    "cavity",
    "cable",
    "region",
    "part",
    "the mesh",
)
ALIKE = 3  # findings that are told as one


def worst_first(found: Iterable[Finding]) -> list[Finding]:
    """Errors in their order, then warnings by what they spoil."""
    return sorted(found, key=_weight)


def _weight(finding: Finding) -> tuple[bool, int]:
    if finding.severity is Severity.ERROR:
        return False, 0
    known = [i for i, what in enumerate(SPOILS) if finding.where.startswith(what)]
    return True, known[0] if known else len(SPOILS)


def told(found: Iterable[Finding]) -> list[str]:
    """The findings as lines, worst first; of several that are alike, the first and all names."""
    kinds: dict[tuple[str, ...], list[Finding]] = {}
    for finding in worst_first(found):
        kinds.setdefault(_kind(finding), []).append(finding)
    lines = []
    for alike in kinds.values():
        lines += [_together(alike)] if len(alike) >= ALIKE else [str(one) for one in alike]
    return lines


def _kind(finding: Finding) -> tuple[str, ...]:
    """What findings have in common that differ in names, places and numbers."""
    texts = (finding.where, finding.sentence, finding.remedy)
    bare = [re.sub(r"'[^']*'|\[[^]]*\]|-?\d[\d.,e+-]*", "_", text) for text in texts]
    return finding.severity.value, *bare


def _together(alike: list[Finding]) -> str:
    first = alike[0]
    quoted = [re.findall(r"'[^']*'", one.where) for one in alike]
    names = list(dict.fromkeys(words[0] for words in quoted if words))
    listed = f" ({', '.join(names)})" if names else ""
    count = len(names) or len(alike)
    times = f", {len(alike)} times" if count < len(alike) else ""
    what = first.where.split(" '")[0].removeprefix("the ")
    same = all(one.sentence == first.sentence for one in alike)
    sentence = first.sentence if same else f"as {first.where} {first.sentence}"
    return f"{count} {what}s{listed}{times}: {sentence}; {first.remedy}"


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
