"""How the frames were solved, how far they are from the referee's, and what overlaps in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vastus.io.html import Cell, Narrow, Table, paragraphs, table
from vastus.io.result import Result
from vastus.measure_overlap import worst
from vastus.referee import Distance, Verdict

ROWS = 120  # frames listed at most
SOLVER = ("frame", "time [s]", "iterations", "sub-steps", "residual [N]", "load [N]", "took [s]")
REFEREE = ("frame", "time [s]", "largest distance [%]", "mean distance [%]", "turn [°]", "joint",
           "force [N]", "muscle", "force [%]", "solver [s]", "referee [s]",
           "times as fast")  # fmt: skip


def solver_section(result: Result) -> str:
    """A summary, and a row for each frame."""
    if not result.reports:
        return paragraphs(["There is no report of any frame."])
    listed = np.linspace(0, len(result.reports) - 1, min(ROWS, len(result.reports)))
    rows = [_frame(result, int(i)) for i in listed.round()]
    few = len(rows) < len(result.reports)
    title = f"{len(rows)} of {len(result.reports)} frames" if few else "Frames"
    return paragraphs(_summary(result.reports)) + table(Table(title, SOLVER, rows), Narrow.SQUEEZE)


def referee_section(verdicts: Sequence[Verdict]) -> str:
    """How far frames are from those of the referee."""
    if not verdicts:
        return paragraphs(["No frame was repeated by a referee (vastus run --resume --referee)."])
    failed = [f"Frame {v.frame}: the referee failed: {v.sentence}" for v in verdicts
              if v.distance is None]  # fmt: skip
    title = "Distances are in per cent of the model's length"
    made = table(Table(title, REFEREE, [_verdict(v) for v in verdicts]), Narrow.STACK)
    return made + paragraphs(failed)


def penetration_section(result: Result) -> str:
    """The bodies in each other, each pair where it is deepest."""
    pairs = worst(result.penetrations)
    if not result.penetrations:
        return paragraphs(["It was not measured whether bodies lie in each other."])
    if not pairs:
        return paragraphs(["No two bodies lie in each other in any frame."])
    columns = ("one", "other", "frame", "time [s]", "depth [mm]", "common volume [mm³]")
    rows = [
        (p.one, p.other, i, float(result.times[i]), 1e3 * p.depth, 1e9 * p.volume) for i, p in pairs
    ]
    title = "Each pair where it is deepest"
    note = "Contact is not simulated yet: nothing keeps bodies apart."
    return table(Table(title, columns, rows), Narrow.STACK) + paragraphs([note])


def _summary(reports: Sequence[dict[str, Any]]) -> list[str]:
    took, rounds = (_column(reports, name) for name in ("seconds", "iterations"))
    residual, load = (_column(reports, name) for name in ("residual", "load"))
    share = np.divide(residual, load, out=np.zeros_like(load), where=load > 0)
    slow, rough = int(took.argmax()), int(share.argmax())
    lines = [
        f"{len(reports)} frames took {took.sum():.3g} s and {rounds.sum():,.0f} iterations. The "
        f"slowest is frame {slow} with {took[slow]:.3g} s. The largest residual is "
        f"{100 * share[rough]:.2g} % of the load, in frame {rough}.",
    ]
    loose = [str(i) for i, report in enumerate(reports) if not report.get("converged", True)]
    if loose:
        lines.append(f"Frames that did not converge: {', '.join(loose)}.")
    if not reports[0].get("warmed"):
        lines.append("The time of the first frame may have compiling in it.")
    return lines


def _column(reports: Sequence[dict[str, Any]], name: str) -> np.ndarray:
    return np.array([float(report.get(name) or 0.0) for report in reports])


def _frame(result: Result, index: int) -> tuple[Cell, ...]:
    r = result.reports[index]
    counted = r.get("iterations"), r.get("substeps")
    return (index, float(result.times[index]), *counted, r.get("residual"), r.get("load"),
            r.get("seconds"))  # fmt: skip


def _verdict(v: Verdict) -> tuple[Cell, ...]:
    times = v.seconds, v.referee_seconds, v.ratio
    return v.frame, v.time, *_distance(v.distance), *times


def _distance(d: Distance | None) -> tuple[Cell, ...]:
    """The numbers of a distance; None for what the model has nothing of."""
    if d is None:
        return (None,) * 7
    turn = (d.angle_deg, d.joint) if d.joint else (None, None)
    force = (d.force_N, d.muscle, 100 * d.force_share) if d.muscle else (None,) * 3
    return 100 * d.largest, 100 * d.mean, *turn, *force
