"""What happened: pictures, curves over time, and the numbers at the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from vastus.errors import MissingExtra
from vastus.io.clip import Clip, stored_clip
from vastus.io.html import Cell, Narrow, Table, image, paragraphs, table
from vastus.io.picture import Picture
from vastus.io.plots import PANELS, Panel
from vastus.io.result import Result
from vastus.io.stage import Stage
from vastus.numerics.types import Floats
from vastus.report.chart import MOST, chart

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
