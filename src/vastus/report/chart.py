"""Curves against time, or another column, as a chart: where lines, numbers and names are [px]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from vastus.files.curve_file import PublishedCurve
from vastus.files.html import shown
from vastus.numerics.types import Floats
from vastus.pictures.table_curves import limits

WIDTH, HEIGHT = 460, 270  # [px]
LEFT, RIGHT, TOP, BOTTOM = 58, 16, 10, 40  # [px] around the curves
STEPS = np.array([1.0, 2.0, 2.5, 5.0, 10.0])
LINE = 20  # [px] of the legend
HUES, DASHES = 8, ("", "7 4", "2 4")
MOST = HUES * len(DASHES)  # curves that can be told apart
POINTS = 800  # above so many in a chart, they say no numbers of their own


class Box:
    """Where times, or what else is across, and values are in a chart."""

    def __init__(self, across: Floats, values: tuple[float, float]) -> None:
        seen = across[np.isfinite(across)]
        first, last = (float(seen.min()), float(seen.max())) if len(seen) else (0.0, 0.0)
        self.across = (first, last) if last > first else (first - 0.5, first + 0.5)
        self.values = values

    def x(self, place: float) -> float:
        """From the left [px]."""
        low, high = self.across
        return round(LEFT + (place - low) / (high - low) * (WIDTH - LEFT - RIGHT), 1)

    def y(self, value: float) -> float:
        """From the top [px]."""
        low, high = self.values
        return round(HEIGHT - BOTTOM - (value - low) / (high - low) * (HEIGHT - TOP - BOTTOM), 1)

    @property
    def across_ticks(self) -> list[tuple[float, str]]:
        """From the left [px], and the number that is there."""
        return [(self.x(number), text) for number, text in ticks(*self.across)]

    @property
    def value_ticks(self) -> list[tuple[float, str]]:
        """From the top [px], and the number that is there."""
        return [(self.y(number), text) for number, text in ticks(*self.values)]


@dataclass(frozen=True)
class Curve:
    """A line of a chart, its points with what they say, and its place (x, y) in the legend."""

    name: str
    path: str
    points: list[tuple[float, float, str]]
    hue: int
    dash: Mapping[str, str]
    x: float
    y: float
    short: str  # the name, cut if it is too long


@dataclass(frozen=True)
class Chart:
    """A chart as its template needs it; `words` are for those who do not see it."""

    label: str
    across: str  # what is across
    words: str
    box: Box
    curves: list[Curve]
    height: float
    width: ClassVar[int] = WIDTH
    left: ClassVar[int] = LEFT
    right: ClassVar[int] = WIDTH - RIGHT
    bottom: ClassVar[int] = HEIGHT - BOTTOM


def chart(
    x: Floats,
    curves: Mapping[str, Floats],
    label: str,
    span: float,
    *,
    across: str = "time [s]",
    over: Sequence[PublishedCurve] = (),
) -> Chart:
    """The curves (frames,) by name over times (frames,) [s], or what else is `across`.

    The axis is no shorter than `span`. Published curves are drawn as far as x goes.
    """
    box = Box(x, limits(np.concatenate(list(curves.values())), span))
    lines = {name: (x, values) for name, values in curves.items()}
    lines |= {curve.name: _within(box, curve) for curve in over}
    box = Box(x, limits(np.concatenate([values for _, values in lines.values()]), span))
    rows = legend(list(lines), HEIGHT + LINE / 2)
    numbered = len(lines) * len(x) <= POINTS
    unit = " s" if across == "time [s]" else ""
    drawn = [
        Curve(
            name,
            _path(box, *line),
            _points(box, *line, name, unit) if numbered else [],
            number % HUES,
            _dash(number),
            *row,
        )
        for number, ((name, line), row) in enumerate(zip(lines.items(), rows, strict=True))
    ]
    return Chart(label, across, _words(label, across, curves), box, drawn, rows[-1][1] + LINE)


def _within(box: Box, curve: PublishedCurve) -> tuple[Floats, Floats]:
    low, high = box.across
    inside = (curve.x >= low) & (curve.x <= high)
    return curve.x[inside], curve.y[inside]


def ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Round numbers between two others, at most seven, and their texts."""
    rough = (high - low) / 6
    power = 10.0 ** np.floor(np.log10(rough))
    step = float(STEPS[np.searchsorted(STEPS, rough / power * (1 - 1e-9))] * power)
    numbers = step * np.arange(np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9) + 1)
    decimals = max(0, int(np.ceil(-np.log10(step) - 1e-9)) + (step / power == 2.5))
    return [(float(n), f"{n + 0.0:.{decimals}f}") for n in numbers]


def legend(names: list[str], top: float) -> list[tuple[float, float, str]]:
    """Where each name stands: x, y [px] and the name, cut if it is too long."""
    places, x, y = [], float(LEFT), top
    for name in names:
        text = name if len(name) <= 40 else f"{name[:39]}…"
        wide = 34 + 7.2 * len(text)
        if x > LEFT and x + wide > WIDTH - RIGHT:
            x, y = float(LEFT), y + LINE
        places.append((round(x, 1), y, text))
        x += wide
    return places


def _path(box: Box, times: Floats, values: Floats) -> str:
    """The line through all that is finite, interrupted elsewhere."""
    words, pen = [], "M"
    for time, value in zip(times.tolist(), values.tolist(), strict=True):
        known = np.isfinite(value) and np.isfinite(time)
        if known:
            words.append(f"{pen}{box.x(time)} {box.y(value)}")
        pen = "L" if known else "M"
    return "".join(words)


def _points(
    box: Box, places: Floats, values: Floats, name: str, unit: str
) -> list[tuple[float, float, str]]:
    return [
        (box.x(place), box.y(value), f"{name}, {place:.3g}{unit}: {value:.4g}")
        for place, value in zip(places.tolist(), values.tolist(), strict=True)
        if np.isfinite(value) and np.isfinite(place)
    ]


def _dash(number: int) -> dict[str, str]:
    pattern = DASHES[number // HUES % len(DASHES)]
    return {"stroke-dasharray": pattern} if pattern else {}


def _words(label: str, across: str, curves: Mapping[str, Floats]) -> str:
    """The chart in words: where each curve begins and ends."""
    ends = [
        f"{name} from {shown(float(v[0]))} to {shown(float(v[-1]))}" for name, v in curves.items()
    ]
    over = "time" if across == "time [s]" else across
    return f"{label} over {over}: {', '.join(ends)}"
