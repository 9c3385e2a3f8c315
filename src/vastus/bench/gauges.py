"""Figures by which the default solver is judged, read from results."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Protocol

from vastus.bench.contenders import DEFAULT
from vastus.bench.parts import KERNELS
from vastus.bench.results import Results
from vastus.bench.row import Row, Status


@dataclass(frozen=True)
class Figure:
    """A measured value, or why there is none; a `bound` is the least that it can be."""

    value: float | None = None
    why: str = "not run"
    bound: bool = False


class Gauge(Protocol):
    """Something that can be read from results."""

    def __call__(self, found: Results) -> Figure:
        """The figure."""


@dataclass(frozen=True)
class Against(ABC):
    """The default's time to an error, on one thread, beside what a rival does."""

    case: str
    size: int
    error: float
    rival: str

    def __call__(self, found: Results) -> Figure:
        """The ratio of times."""
        ours, theirs = (found.row(self.case, self.size, s) for s in (DEFAULT, self.rival))
        if ours is None or theirs is None:
            return Figure()
        own = ours.time_to(self.error)
        return Figure(why=_unreached(ours, self.error)) if own is None else self.ratio(own, theirs)

    @abstractmethod
    def ratio(self, own: float, theirs: Row) -> Figure:
        """What the rival's row is worth in times of `own` [s]."""


class Faster(Against):
    """How many times as long as the default a rival needs to an error."""

    def ratio(self, own: float, theirs: Row) -> Figure:
        """The rival's time to the error, or the least that it can be."""
        other = theirs.time_to(self.error)
        if other is not None:
            return Figure(other / own)
        late = theirs.at_least(self.error)
        return (
            Figure(late / own, bound=True) if late else Figure(why=_unreached(theirs, self.error))
        )


class WithinIteration(Against):
    """How many contractions to an error fit in one iteration of a rival."""

    def ratio(self, own: float, theirs: Row) -> Figure:
        """The rival's time for an iteration."""
        if theirs.pace is None:
            return Figure(why=f"{theirs.solver}: {theirs.sentence}")
        return Figure(theirs.pace / own)


@dataclass(frozen=True)
class Memory:
    """The peak memory of the default [GB]."""

    case: str
    size: int

    def __call__(self, found: Results) -> Figure:
        """Gigabytes."""
        row = found.row(self.case, self.size, DEFAULT)
        if row is None:
            return Figure()
        done = row.status is Status.DONE and row.peak is not None
        return Figure(row.peak / 1024) if done else Figure(why=row.sentence)  # type: ignore[operator]


@dataclass(frozen=True)
class Parallel:
    """How many times as fast the loops over tets are with two threads."""

    case: str
    size: int

    def __call__(self, found: Results) -> Figure:
        """The ratio of times."""
        one, two = (found.parts.get((self.case, self.size, n)) for n in (1, 2))
        if not one or not two:
            return Figure()
        return Figure(sum(one[k] for k in KERNELS) / sum(two[k] for k in KERNELS))


@dataclass(frozen=True)
class SameAnswer:
    """How far the default's answers with one and two threads are apart, over the length."""

    case: str
    size: int

    def __call__(self, found: Results) -> Figure:
        """The distance."""
        rows = [found.row(self.case, self.size, DEFAULT, n) for n in (1, 2)]
        apart = [r.difference for r in rows if r is not None and r.difference is not None]
        return Figure(apart[0]) if apart else Figure()


def _unreached(row: Row, error: float) -> str:
    return f"{row.solver} did not reach {error:.2g}: {row.sentence}"
