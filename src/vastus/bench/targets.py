"""What the default solver is meant to achieve, and whether the results say that it does."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Protocol

from vastus.bench.contenders import DEFAULT, PAPER, REFEREE
from vastus.bench.iteration import KERNELS
from vastus.bench.rows import Results, Row, Status


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


@dataclass(frozen=True)
class Target:
    """A figure and the bound that it should keep."""

    text: str
    gauge: Gauge
    wanted: float
    above: bool = True

    def verdict(self, found: Results) -> tuple[str, str, str]:
        """What was wanted, what was found, and whether it is met."""
        figure, sign = self.gauge(found), ("at least", "at most")[not self.above]
        wanted = f"{sign} {self.wanted:g}"
        if figure.value is None:
            return wanted, "-", figure.why
        shown = f"{'at least ' if figure.bound else ''}{figure.value:.3g}"
        good = figure.value >= self.wanted if self.above else figure.value <= self.wanted
        if good:
            return wanted, shown, "met"
        if figure.bound:
            return wanted, shown, "undecided: give more time (--limit)"
        missed = self.wanted / figure.value if self.above else figure.value / self.wanted
        return wanted, shown, f"missed by {missed:.3g}x"


TARGETS = (
    Target(
        "fusiform 50k to 1 %, times as fast as the paper's FEM",
        Faster("fusiform", 50_000, 1e-2, PAPER),
        10.0,
    ),
    Target(
        "fusiform 50k to 1 %, times as fast as Newton",
        Faster("fusiform", 50_000, 1e-2, REFEREE),
        4.0,
    ),
    Target(
        "fusiform 200k to 1 %, times as fast as Newton",
        Faster("fusiform", 200_000, 1e-2, REFEREE),
        6.0,
    ),
    Target(
        "elbow 70k, five frames to 0.1 %, times as fast as the paper's FEM",
        Faster("elbow", 70_000, 1e-3, PAPER),
        12.0,
    ),
    Target(
        "elbow 70k, five frames to 0.1 %, times as fast as Newton",
        Faster("elbow", 70_000, 1e-3, REFEREE),
        2.0,
    ),
    Target(
        "fusiform 600k to 1 %, contractions in the time of one iteration of Newton",
        WithinIteration("fusiform", 600_000, 1e-2, REFEREE),
        1.0,
    ),
    Target("fusiform 600k, memory [GB]", Memory("fusiform", 600_000), 6.0, above=False),
    Target(
        "fusiform 200k, loops over tets, times as fast on two threads",
        Parallel("fusiform", 200_000),
        1.5,
    ),
    Target(
        "fusiform 200k, one thread or two, difference over the length",
        SameAnswer("fusiform", 200_000),
        1e-9,
        above=False,
    ),
)
