"""Plots of time and memory against size, and of the error against time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from vastus.bench.cases import KINDS
from vastus.bench.contenders import CONTENDERS
from vastus.bench.rows import Results, Row
from vastus.errors import MissingExtra
from vastus.files.safe import replacing

Value = Callable[[Row], float | None]
MARKERS = "osD^vP*X"
FLOOR = 1e-6  # [%] below which errors are drawn alike


def draw(found: Results, folder: Path) -> list[Path]:
    """Draw all plots for which there is something to show; without matplotlib, none."""
    makers = {
        "time.png": lambda: against_size(found, "time to 1 % error [s]", lambda r: r.time_to(1e-2)),
        "memory.png": lambda: against_size(found, "peak memory [MB]", lambda r: r.peak),
        "error.png": lambda: against_time(found),
    }
    drawn = []
    for name, make in makers.items():
        figure = make()
        if figure is not None:
            figure.tight_layout()
            with replacing(folder / name) as part:
                figure.savefig(part)
            drawn.append(folder / name)
    return drawn


def against_size(found: Results, label: str, value: Value) -> Any:
    """A panel for each case: a quantity against tets, one line a solver."""
    rows = [r for r in found.rows.values() if r.threads == found.few and r.case in KINDS]
    cases = list(dict.fromkeys(r.case for r in rows))
    if not any(value(r) for r in rows):
        return None
    figure, panels = _panels(len(cases))
    for axes, case in zip(panels, cases, strict=True):
        for look, solver in enumerate(CONTENDERS):
            mine = [r for r in rows if (r.case, r.solver) == (case, solver)]
            if mine:
                _line(axes, [(r.tets or r.size, value(r)) for r in mine], look, solver)
        _finish(axes, case, "tets", label)
        _ticks(axes, sorted({r.size for r in rows if r.case == case}))
    return figure


def against_time(found: Results) -> Any:
    """The error along the way, at the largest size that most solvers were run at."""
    rows = [r for r in found.rows.values() if r.threads == found.few and len(r.curve[0]) > 1]
    if not rows:
        return None
    counts = Counter((row.case, row.size) for row in rows)
    case, size = max(counts, key=lambda key: (counts[key], key[1]))
    figure, (axes,) = _panels(1)
    shown = [r for r in rows if (r.case, r.size) == (case, size)]
    for row in shown:
        colour = f"C{list(CONTENDERS).index(row.solver)}"
        seconds, percent = row.curve[0], [max(100 * e, FLOOR) for e in row.curve[1]]
        axes.loglog(seconds, percent, f"{colour}-", lw=1.2, label=row.solver)
        axes.loglog(seconds[-1:], percent[-1:], f"{colour}o", ms=5)
    for wanted in (1.0, 0.1):
        axes.axhline(wanted, color="0.6", lw=0.8, ls="--", zorder=0)
    frames = shown[0].frames or 1
    last = f", frame {frames} of {frames}" if frames > 1 else ""
    _finish(axes, f"{case}, {size:,} tets{last}", "time [s]", "error [% of length]")
    return figure


def _line(axes: Any, pairs: list[tuple[int, float | None]], look: int, solver: str) -> None:
    """A line through the known values; a solver without any is still in the legend."""
    known = sorted((x, y) for x, y in pairs if y)
    form = f"C{look}-{MARKERS[look % len(MARKERS)]}"
    xs, ys = zip(*known, strict=True) if known else ((), ())
    axes.loglog(xs, ys, form, ms=5, label=solver if known else f"{solver} (not reached)")


def _panels(count: int) -> tuple[Any, list[Any]]:
    try:
        figure = import_module("matplotlib.figure").Figure((6.2 * count, 4.2), dpi=130)
    except ImportError:
        raise MissingExtra("matplotlib", "viz") from None
    return figure, [figure.add_subplot(1, count, k + 1) for k in range(count)]


def _ticks(axes: Any, sizes: list[int]) -> None:
    """Sizes as they were asked for along x, and whole decades with plain numbers along y."""
    plain = import_module("matplotlib.ticker")
    axes.set_xticks(sizes, [f"{size / 1000:g}k" for size in sizes])
    axes.set_xlim(0.7 * sizes[0], 1.4 * sizes[-1])
    low, high = np.log10(axes.dataLim.intervaly)
    if np.isfinite([low, high]).all():
        axes.set_ylim(10 ** np.floor(low), 10 ** max(np.ceil(high), np.floor(low) + 1))
    axes.yaxis.set_major_formatter(plain.FormatStrFormatter("%g"))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_minor_formatter(plain.NullFormatter())


def _finish(axes: Any, title: str, x: str, y: str) -> None:
    axes.set(title=title, xlabel=x, ylabel=y)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25, which="both")
    axes.legend(frameon=False, fontsize="small")
