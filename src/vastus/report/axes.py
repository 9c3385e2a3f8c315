"""The axes of a chart: where times and values are, and round numbers beside them."""

from __future__ import annotations

import numpy as np

from vastus.numerics.types import Floats

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
