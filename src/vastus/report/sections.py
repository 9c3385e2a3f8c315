"""What was simulated: the model, its mesh, and what looks wrong in it.

What happened: pictures, curves over time, and the numbers at the end.

How the frames were solved, how far they are from the referee's, and what overlaps in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from vastus.checks import Finding, Severity, check
from vastus.errors import MissingExtra
from vastus.files.html import Cell, Narrow, Table, facts, image, paragraphs, table
from vastus.measure.overlap import worst
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.pictures.plots import PANELS, Panel
from vastus.pictures.shots import Clip, stored_clip
from vastus.pictures.stage import Stage
from vastus.pictures.stills import Picture
from vastus.referee import Distance, Verdict
from vastus.report.chart import MOST, chart
from vastus.report.model_tables import summary, tables
from vastus.results.result import Result

SHAPES = ("measure", "worst", "worst 1 %", "median", "regular tet")


def model_section(model: Model) -> str:
    """Facts and tables of a model."""
    return facts(summary(model)) + "".join(table(t, Narrow.STACK) for t in tables(model))


def mesh_section(model: Model) -> str:
    """How well shaped the tets are that deform, or all where none does."""
    tets = model.soft if len(model.soft) else np.arange(model.mesh.n_tets)
    shape, regular = model.mesh.quality(), float(np.degrees(np.arccos(1 / 3)))
    small, large = shape.min_dihedral[tets], shape.max_dihedral[tets]
    ratio = shape.radius_ratio[tets]
    rows = [
        ("smallest dihedral angle [°]", *np.percentile(small, [0, 1, 50]).tolist(), regular),
        ("largest dihedral angle [°]", *np.percentile(large, [100, 99, 50]).tolist(), regular),
        ("3 × inradius / circumradius", *np.percentile(ratio, [0, 1, 50]).tolist(), 1.0),
    ]
    who = "that deform" if len(model.soft) else "of the model"
    return table(Table(f"Shape of the {len(tets):,} tets {who}", SHAPES, rows), Narrow.STACK)


def check_section(model: Model) -> str:
    """What looks wrong in the model, with remedies."""
    found = check(model)
    if not found:
        return paragraphs(["Nothing looks wrong in the model."])
    counts = {kind: sum(f.severity is kind for f in found) for kind in Severity}
    told = " and ".join(f"{n} {kind.value}{'s' * (n > 1)}" for kind, n in counts.items() if n)
    columns = ("severity", "where", "what", "remedy")
    rows = [_row(finding) for finding in found]
    return table(Table(f"The checks found {told}", columns, rows), Narrow.STACK)


def _row(f: Finding) -> tuple[str, ...]:
    return f.severity.value, f.where, f.sentence, f.remedy


SHOTS, HEIGHT = 6, 520  # pictures, and their height [px]
CHARTS = (*PANELS, Panel("_volume_change", "change of muscle volume [%]", 100.0, 0.1))
MUSCLE = {"activation": 1.0, "length_m": 100.0, "stretch": 1.0, "force_N": 1.0,
          "volume_change": 100.0}  # fmt: skip


def picture_section(result: Result) -> str:
    """Pictures of the motion, or why there are none."""
    if not len(result.times):
        return paragraphs(["No frame is finished, so there is no picture."])
    try:
        pictures = list(_pictures(stored_clip(result).chosen(SHOTS)))
    except MissingExtra as error:
        return paragraphs([f"No pictures were drawn: {error}"])
    return f'<div class="pictures">{"".join(pictures)}</div>'


def chart_section(result: Result) -> str:
    """Curves of all quantities that the table has."""
    if not len(result.times):
        return paragraphs(["No frame is finished, so there is no curve."])
    made = [_chart(result, panel) for panel in CHARTS]
    charts = f'<div class="charts">{"".join(made)}</div>' if any(made) else ""
    return charts + "".join(table(t, Narrow.STACK) for t in _last(result))


def _pictures(clip: Clip) -> Iterator[str]:
    with Stage(clip, HEIGHT) as stage:
        for shot in clip.shots:
            png = Picture(stage.picture(shot)).png
            yield image(png, f"{clip.model.name} at {shot.caption}", shot.caption)


def _chart(result: Result, panel: Panel) -> str:
    ending = panel.ending
    columns = {n: v for n, v in result.table.items() if n.endswith(ending) and len(n) > len(ending)}
    curves = {name.removesuffix(ending): panel.scale * v for name, v in columns.items()}
    if not curves:
        return ""
    label, kept = panel.label, _liveliest(curves)
    if len(kept) < len(curves):
        label += f", the {len(kept)} of {len(curves)} that change most"
    return chart(result.times, kept, label, panel.span)


def _liveliest(curves: Mapping[str, Floats]) -> dict[str, Floats]:
    """As many curves as can be told apart, those with the largest range, in their order."""
    ranges = {name: np.ptp(v[np.isfinite(v)]) if np.isfinite(v).any() else 0.0
              for name, v in curves.items()}  # fmt: skip
    kept = set(sorted(ranges, key=lambda name: -ranges[name])[:MOST])
    return {name: values for name, values in curves.items() if name in kept}


def _last(result: Result) -> Iterator[Table]:
    """The muscles and joints in the last frame."""
    when = f"at {result.times[-1]:g} s"
    heads = ("muscle", "activation", "length [cm]", "fibre stretch", "force [N]",
             "change of volume [%]")  # fmt: skip
    muscles = [
        (m.name, *(_value(result, f"{m.name}_{what}", scale) for what, scale in MUSCLE.items()))
        for m in result.model.muscles
    ]
    joints = [
        (j.name, _value(result, f"{j.name}_angle_deg"), _value(result, f"{j.name}_gap_m", 1e3))
        for j in result.model.joints
    ]
    if muscles:
        yield Table(f"Muscles {when}", heads, muscles)
    if joints:
        yield Table(f"Joints {when}", ("joint", "angle from rest [°]", "gap [mm]"), joints)


def _value(result: Result, column: str, scale: float = 1.0) -> Cell:
    return scale * float(result.table[column][-1]) if column in result.table else None


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
