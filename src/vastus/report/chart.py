"""The axes of a chart: where times and values are, and round numbers beside them.

Curves against time as inline SVG: crisp at any size, and every point says its number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape

import numpy as np

from vastus.files.html import shown
from vastus.numerics.types import Floats
from vastus.pictures.plots import limits

WIDTH, HEIGHT = 460, 270  # [px]
LEFT, RIGHT, TOP, BOTTOM = 58, 16, 10, 40  # [px] around the curves
STEPS = np.array([1.0, 2.0, 2.5, 5.0, 10.0])


class Box:
    """Where times and values are in a chart."""

    def __init__(self, times: Floats, values: tuple[float, float]) -> None:
        first, last = float(times[0]), float(times[-1])
        self.times = (first, last) if last > first else (first - 0.5, first + 0.5)
        self.values = values

    def x(self, time: float) -> float:
        """From the left [px]."""
        low, high = self.times
        return LEFT + (time - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        """From the top [px]."""
        low, high = self.values
        return HEIGHT - BOTTOM - (value - low) / (high - low) * (HEIGHT - TOP - BOTTOM)

    def axes(self) -> str:
        """Lines of a grid with their numbers, and the name of the time axis."""
        low, high = LEFT, WIDTH - RIGHT
        lines = []
        for number, text in ticks(*self.values):
            y = self.y(number)
            lines.append(f'<line class="grid" x1="{low}" x2="{high}" y1="{y:.1f}" y2="{y:.1f}"/>')
            lines.append(f'<text x="{low - 6}" y="{y + 4:.1f}" text-anchor="end">{text}</text>')
        for number, text in ticks(*self.times):
            x, y = self.x(number), HEIGHT - BOTTOM
            lines.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{y}" y2="{y + 5}"/>')
            lines.append(f'<text x="{x:.1f}" y="{y + 18}" text-anchor="middle">{text}</text>')
        middle = (low + high) / 2
        lines.append(f'<text x="{middle}" y="{HEIGHT - 6}" text-anchor="middle">time [s]</text>')
        return "".join(lines)


def ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Round numbers between two others, at most seven, and their texts."""
    rough = (high - low) / 6
    power = 10.0 ** np.floor(np.log10(rough))
    step = float(STEPS[np.searchsorted(STEPS, rough / power * (1 - 1e-9))] * power)
    numbers = step * np.arange(np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9) + 1)
    decimals = max(0, int(np.ceil(-np.log10(step) - 1e-9)) + (step / power == 2.5))
    return [(float(n), f"{n + 0.0:.{decimals}f}") for n in numbers]


LINE = 20  # [px] of the legend
HUES, DASHES = 8, ("", "7 4", "2 4")
MOST = HUES * len(DASHES)  # curves that can be told apart
POINTS = 800  # above so many in a chart, they say no numbers of their own
STYLE = """
:root { --h0: #2c6fbb; --h1: #c0392b; --h2: #2e8b57; --h3: #b8660d; --h4: #7d4ea3; --h5: #0b8087;
        --h6: #b03a78; --h7: #6b6f1d; }
@media screen and (prefers-color-scheme: dark) {
  :root { --h0: #6fa8e8; --h1: #f0796c; --h2: #62c08a; --h3: #efa352; --h4: #bb92e0; --h5: #4cc2ca;
          --h6: #e884b8; --h7: #c0c45c; } }
.charts { display: grid; gap: 1.5rem 1rem; margin: 1rem 0;
          grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); }
.charts figure { margin: 0; }
.chart { display: block; width: 100%; height: auto; font: 12px system-ui, sans-serif; }
.chart text { fill: var(--faint); } .chart .name { fill: var(--ink); }
.chart .grid { stroke: var(--line); } .chart path { fill: none; stroke-width: 2;
  stroke-linejoin: round; stroke-linecap: round; }
.chart circle { stroke: transparent; stroke-width: 10px; }
.chart circle:hover { stroke: var(--ink); stroke-width: 2px; }
"""
STYLE += "".join(
    f".h{i} path {{ stroke: var(--h{i}); }} .h{i} circle {{ fill: var(--h{i}); }}\n"
    for i in range(HUES)
)


def chart(times: Floats, curves: Mapping[str, Floats], label: str, span: float) -> str:
    """The curves (frames,) by name over times (frames,) [s], on an axis no shorter than `span`."""
    box = Box(times, limits(np.concatenate(list(curves.values())), span))
    rows = legend(list(curves), HEIGHT + LINE / 2)
    height = rows[-1][1] + LINE if rows else HEIGHT
    drawn = "".join(
        _curve(box, times, values, name, number, len(curves) * len(times) <= POINTS)
        for number, (name, values) in enumerate(curves.items())
    )
    named = "".join(_key(number, *row) for number, row in enumerate(rows))
    return (
        f'<figure><figcaption>{escape(label)}</figcaption><svg class="chart" role="img" '
        f'viewBox="0 0 {WIDTH} {height}" aria-label="{escape(_told(label, curves))}">'
        f"{box.axes()}{drawn}{named}</svg></figure>"
    )


def legend(names: list[str], top: float) -> list[tuple[float, float, str]]:
    """Where each name stands: x, y [px] and the name, cut if it is too long."""
    places, x, y = [], float(LEFT), top
    for name in names:
        text = name if len(name) <= 40 else f"{name[:39]}…"
        wide = 34 + 7.2 * len(text)
        if x > LEFT and x + wide > WIDTH - RIGHT:
            x, y = float(LEFT), y + LINE
        places.append((x, y, text))
        x += wide
    return places


def _curve(box: Box, times: Floats, values: Floats, name: str, number: int, numbered: bool) -> str:
    points = "".join(_points(box, times, values, name)) if numbered else ""
    tip = f"<title>{escape(name)}</title>"
    line = f'<path{_dash(number)} d="{_path(box, times, values)}"/>'
    return f"<g{_look(number)}>{tip}{line}{points}</g>"


def _path(box: Box, times: Floats, values: Floats) -> str:
    """The line through all that is finite, interrupted elsewhere."""
    words, pen = [], "M"
    for time, value in zip(times.tolist(), values.tolist(), strict=True):
        if np.isfinite(value):
            words.append(f"{pen}{box.x(time):.1f} {box.y(value):.1f}")
        pen = "L" if np.isfinite(value) else "M"
    return "".join(words)


def _points(box: Box, times: Floats, values: Floats, name: str) -> Iterator[str]:
    for time, value in zip(times.tolist(), values.tolist(), strict=True):
        if np.isfinite(value):
            tip = escape(f"{name}, {time:.3g} s: {value:.4g}")
            place = f'cx="{box.x(time):.1f}" cy="{box.y(value):.1f}"'
            yield f'<circle r="2.5" {place}><title>{tip}</title></circle>'


def _key(number: int, x: float, y: float, name: str) -> str:
    line = f'<path{_dash(number)} d="M{x:.1f} {y:.1f}h22"/>'
    place = f'x="{x + 28:.1f}" y="{y + 4:.1f}"'
    return f'<g{_look(number)}>{line}<text class="name" {place}>{escape(name)}</text></g>'


def _look(number: int) -> str:
    return f' class="h{number % HUES}"'


def _dash(number: int) -> str:
    pattern = DASHES[number // HUES % len(DASHES)]
    return f' stroke-dasharray="{pattern}"' if pattern else ""


def _told(label: str, curves: Mapping[str, Floats]) -> str:
    """The chart in words: where each curve begins and ends."""
    ends = [
        f"{name} from {shown(float(v[0]))} to {shown(float(v[-1]))}" for name, v in curves.items()
    ]
    return f"{label} over time: {', '.join(ends)}"
