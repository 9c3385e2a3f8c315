"""What the default solver is meant to achieve, and whether it does."""

from __future__ import annotations

from dataclasses import dataclass

from vastus.bench.contenders import PAPER, REFEREE
from vastus.bench.gauges import Faster, Gauge, Memory, Parallel, SameAnswer, WithinIteration
from vastus.bench.results import Results


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
