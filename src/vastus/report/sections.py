"""The sections of a report, as data that its template sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

from vastus.checks import Severity, check
from vastus.contact.bodies import bodies
from vastus.errors import MissingExtra
from vastus.files.curve_file import PublishedCurve
from vastus.files.html import Cell, Narrow, Table
from vastus.measure.overlap import kept, worst
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.pictures.animation import Animation, stored_animation
from vastus.pictures.column_plot import ColumnPlot
from vastus.pictures.picture import Picture as Pixels
from vastus.pictures.table_curves import CURVES, Curves
from vastus.referee import Distance, Verdict
from vastus.report.chart import MOST, Chart, chart
from vastus.report.model_tables import summary, tables
from vastus.results.playback import Playback
from vastus.results.result import Result

PICTURES, HEIGHT = 6, 520  # pictures, and their height [px]
CHARTS = (*CURVES, Curves("_volume_change", "change of muscle volume [%]", 100.0, 0.1))
MUSCLE = {"activation": 1.0, "length_m": 100.0, "stretch": 1.0, "force_N": 1.0,
          "volume_change": 100.0}  # fmt: skip
ROWS = 120  # frames listed at most
SOLVER = ("frame", "time [s]", "iterations", "sub-steps", "residual [N]", "load [N]", "took [s]")
REFEREE = ("frame", "time [s]", "largest distance [%]", "mean distance [%]", "turn [°]", "joint",
           "force [N]", "muscle", "force [%]", "solver [s]", "referee [s]",
           "times as fast")  # fmt: skip
CONTACT = ("N", "Pa", "m2", "distance_m")  # what columns of a pair end in
TOUCHING = ("body", "other", "force [N]", "in frame", "at [s]", "pressure [kPa]", "area [cm²]",
            "smallest distance [mm]")  # fmt: skip
SHAPES = ("measure", "worst", "worst 1 %", "median", "regular tet")


@dataclass(frozen=True)
class Picture:
    """A PNG, what it shows in words, and the line below it."""

    png: bytes
    alt: str
    caption: str


@dataclass(frozen=True)
class Section:
    """What stands below a heading, in this order; `narrow` is for its tables."""

    title: str
    notes: Sequence[str] = ()
    facts: Sequence[tuple[str, Cell]] = ()
    pictures: Sequence[Picture] = ()
    charts: Sequence[Chart] = ()
    tables: Sequence[Table] = ()
    remarks: Sequence[str] = ()
    narrow: Narrow = Narrow.STACK

    @property
    def anchor(self) -> str:
        """What links to it are called."""
        return self.title.lower().replace(" ", "-")


def model_section(model: Model) -> Section:
    """Facts and tables of a model."""
    return Section("Model", facts=summary(model), tables=tuple(tables(model)))


def mesh_section(model: Model) -> Section:
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
    title = f"Shape of the {len(tets):,} tets {who}"
    return Section("Mesh", tables=[Table(title, SHAPES, rows)])


def check_section(model: Model) -> Section:
    """What looks wrong in the model, with remedies."""
    found = check(model)
    if not found:
        return Section("Checks", ["Nothing looks wrong in the model."])
    counts = {kind: sum(f.severity is kind for f in found) for kind in Severity}
    told = " and ".join(f"{n} {kind.value}{'s' * (n > 1)}" for kind, n in counts.items() if n)
    columns = ("severity", "where", "what", "remedy")
    rows = [(f.severity.value, f.where, f.sentence, f.remedy) for f in found]
    return Section("Checks", tables=[Table(f"The checks found {told}", columns, rows)])


def picture_section(result: Result) -> Section:
    """Pictures of the motion, or why there are none."""
    if not len(result.times):
        return Section("Pictures", ["No frame is finished, so there is no picture."])
    try:
        pictures = list(_pictures(stored_animation(Playback(result)).sample(PICTURES)))
    except MissingExtra as error:
        return Section("Pictures", [f"No pictures were drawn: {error}"])
    return Section("Pictures", pictures=pictures)


def chart_section(result: Result) -> Section:
    """Curves of all quantities that the table has."""
    if not len(result.times):
        return Section("Motion", ["No frame is finished, so there is no curve."])
    charts = [made for panel in CHARTS if (made := _chart(result, panel))]
    return Section("Motion", charts=charts, tables=tuple(_last(result)))


@dataclass(frozen=True)
class Chosen:
    """Columns that a reader asked for: `y` over `x`, with published curves beside them."""

    x: str
    y: tuple[str, ...]
    over: tuple[PublishedCurve, ...] = ()


def chosen_section(result: Result, chosen: Chosen) -> Section:
    """The chosen columns of the table against each other."""
    plot = ColumnPlot.of(result.table, chosen.x, chosen.y)
    curves = {name: result.table[name] for name in plot.columns}
    label = ", ".join(chosen.y) if len(chosen.y) < 3 else f"{len(chosen.y)} columns"
    across = "time [s]" if chosen.x == "time_s" else chosen.x
    made = chart(result.table[chosen.x], curves, label, 0.0, across=across, over=chosen.over)
    return Section("Chosen columns", charts=[made])


def _pictures(shown: Animation) -> Iterator[Picture]:
    for pixels, caption in shown.pictures(HEIGHT):
        yield Picture(Pixels(pixels).png, f"{shown.model.name} at {caption}", caption)


def _chart(result: Result, panel: Curves) -> Chart | None:
    curves = panel.of(result.table)
    if not curves:
        return None
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


def solver_section(result: Result) -> Section:
    """A summary, and a row for each frame."""
    if not result.reports:
        return Section("Solver", ["There is no report of any frame."])
    listed = np.linspace(0, len(result.reports) - 1, min(ROWS, len(result.reports)))
    rows = [_frame(result, int(i)) for i in listed.round()]
    few = len(rows) < len(result.reports)
    title = f"{len(rows)} of {len(result.reports)} frames" if few else "Frames"
    tables = [Table(title, SOLVER, rows)]
    return Section("Solver", _summary(result.reports), tables=tables, narrow=Narrow.SQUEEZE)


def referee_section(verdicts: Sequence[Verdict]) -> Section:
    """How far frames are from those of the referee."""
    if not verdicts:
        note = "No frame was repeated by a referee (vastus run --resume --referee)."
        return Section("Referee", [note])
    failed = [f"Frame {v.frame}: the referee failed: {v.sentence}" for v in verdicts
              if v.distance is None]  # fmt: skip
    title = "Distances are in per cent of the model's length"
    tables = [Table(title, REFEREE, [_verdict(v) for v in verdicts])]
    return Section("Referee", tables=tables, remarks=failed)


def contact_section(result: Result) -> Section:
    """The contact of each two bodies that touched in any frame."""
    names = [body.name for body in bodies(result.model)]
    found = (_touched(result, f"{a}_{b}_contact", (a, b)) for a, b in permutations(names, 2))
    rows = [row for row in found if row]
    if rows:
        return Section(
            "Contact", tables=[Table("Each at its largest over all frames", TOUCHING, rows)]
        )
    contact = result.model.contact
    acts = contact is not None and contact.acts
    note = "No two bodies touch in any frame." if acts else "The model has no contact."
    return Section("Contact", [note])


def _touched(result: Result, name: str, pair: tuple[str, str]) -> tuple[Cell, ...] | None:
    """The largest of the columns of a pair, and its smallest distance; None if it never touched."""
    columns = [result.table.get(f"{name}_{what}", np.zeros(1)) for what in CONTACT]
    force, pressure, area, distance = columns
    if not force.max(initial=0.0) > 0:
        return None
    frame = int(force.argmax())
    when = frame, float(result.times[frame])
    sizes = 1e-3 * float(pressure.max()), 1e4 * float(area.max()), 1e3 * float(distance.min())
    return (*pair, float(force[frame]), *when, *sizes)


def penetration_section(result: Result) -> Section:
    """The bodies in each other, each pair where it is deepest."""
    title, pairs = "Bodies in each other", worst(result.penetrations)
    if not result.penetrations:
        return Section(title, ["It was not measured whether bodies lie in each other."])
    if not pairs:
        return Section(title, ["No two bodies lie in each other in any frame."])
    columns = ("one", "other", "frame", "time [s]", "depth [mm]", "common volume [mm³]")
    rows = [
        (p.one, p.other, i, float(result.times[i]), 1e3 * p.depth, 1e9 * p.volume) for i, p in pairs
    ]
    listed = Table("Each pair where it is deepest", columns, rows)
    return Section(title, tables=[listed], remarks=[kept(result.model, [p for _, p in pairs])])


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
    for i, report in enumerate(reports):
        if doubts := str(report.get("sentence", "")).partition("; ")[2]:
            lines.append(f"Frame {i}: {doubts}.")
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
