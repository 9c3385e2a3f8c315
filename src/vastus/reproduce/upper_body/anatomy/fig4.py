"""Figs. 4 and 5: the lines of action, their via points and fixations."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.bodies.upper.lines import Line
from vastus.bodies.upper.record import UpperBody
from vastus.files.html import Table
from vastus.pictures.colours import PALE
from vastus.pictures.panels import Shape, lines_shape, points_shape, surface_shape
from vastus.pictures.renderer import Image
from vastus.reproduce import style
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting
from vastus.reproduce.upper_body import paper
from vastus.reproduce.upper_body.body import BACK, NAMES, seen, upper_body

REGION_COLOURS = {
    "neck": (0.16, 0.42, 0.72),
    "trunk": (0.75, 0.20, 0.16),
    "arm": (0.18, 0.52, 0.32),
}
RED, YELLOW, BLUE = (np.array(c) for c in ((0.75, 0.2, 0.16), (0.95, 0.75, 0.05), (0.1, 0.3, 0.9)))
SHOWN = {
    "latissimus dorsi, via points": ("latissimus_dorsi", "LR", BACK),
    "longissimus thoracis, fixations": ("longissimus_thoracis", "LR", BACK),
    "biceps and deltoid, via points": ("biceps_brachii deltoid", "L", (0.35, -0.95, 0.0)),
}
HEIGHT = (520, 900)
VERTEBRA = re.compile(r"([CTL])(\d+)")
FIRST = {"C": 0, "T": 7, "L": 19}  # vertebrae above


@dataclass(frozen=True, eq=False)
class Paths:
    """Lines counted: points on the way (k,), lengths (k,) [m], and gaps between fixations."""

    inner: np.ndarray
    lengths: np.ndarray
    gaps: np.ndarray  # vertebrae from one fixation of a deep line to the next
    several: Mapping[str, int]  # lines a side of broad muscles


def run(setting: Setting) -> Finding:
    """Draw all lines, and three muscles with their points."""
    body = upper_body()
    found = measured(body.lines)
    setting.note("pictures")
    return Finding(
        agreement=agreement(found),
        sentence=sentence(found),
        tables=(_table(found),),
        figure=_drawn(*_pictures(body, HEIGHT[setting.full])),
        caption="Above: all lines; blue of head and neck, red of the trunk, green of the arms. "
        "Below: broad muscles are several lines, deep ones are fixed to some vertebrae on their "
        "way (blue), superficial ones pass through via points (yellow).",
    )


def measured(lines: Sequence[Line]) -> Paths:
    """What the paths of lines are made of."""
    inner = np.array([len(line.path) - 2 for line in lines])
    gaps = [gap for line in lines for gap in fixed_gaps(line)]
    broad = ("trapezius", "latissimus_dorsi", "pectoralis_major", "serratus_anterior", "deltoid")
    several = {
        name.replace("_", " "): sum(line.group == name and line.side == "L" for line in lines)
        for name in broad
    }
    return Paths(inner, np.array([line.length for line in lines]), np.array(gaps), several)


def fixed_gaps(line: Line) -> list[int]:
    """Vertebrae between one point and the next of a line that is fixed to some on its way."""
    levels = [_level(anchor.body) for anchor in line.path]
    inside = [level for level in levels[1:-1] if level is not None]
    if line.region == "arm" or not inside or len(inside) < len(levels) - 2:
        return []
    known = [level for level in levels if level is not None]
    return [abs(a - b) for a, b in zip(known[1:], known[:-1], strict=True) if a != b]


def _level(body: str) -> int | None:
    """The number of a vertebra from above, None of another body."""
    found = VERTEBRA.fullmatch(body)
    return FIRST[found[1]] + int(found[2]) if found else None


def agreement(found: Paths) -> Agreement:
    """Whether there are as many, broad ones are several, and deep ones fixed every third level."""
    return Agreement.of(
        len(found.inner) == paper.LINES,
        all(n > 1 for n in found.several.values()),
        np.median(found.gaps) in paper.FIXED_EVERY,
    )


def sentence(found: Paths) -> str:
    """What the paths are like."""
    broad = ", ".join(f"{name} {n}" for name, n in found.several.items())
    return (
        f"{len(found.inner)} lines, {1e3 * found.lengths.min():.0f} to "
        f"{1e3 * found.lengths.max():.0f} mm long, go through {int(found.inner.sum())} points "
        f"between their ends: {int((found.inner > 0).sum())} lines through one at least, none "
        f"through more than {int(found.inner.max())}. Broad muscles are several lines a side "
        f"({broad}). Deep lines are fixed to one of {np.median(found.gaps):.0f} vertebrae that "
        f"they pass, on the median (the paper: one of {paper.FIXED_EVERY[0]} or "
        f"{paper.FIXED_EVERY[1]}). The paper's superficial muscles have {paper.VIA_POINTS[0]} to "
        f"{paper.VIA_POINTS[1]} via points, chosen by eye; ours have those that keep them off the "
        "bones."
    )


def _table(found: Paths) -> Table:
    rows = [
        (str(n) if n else "none", int((found.inner == n).sum()))
        for n in range(int(found.inner.max()) + 1)
    ]
    return Table("Points between the ends of a line", ("points", "lines"), rows)


def _pictures(body: UpperBody, height: int) -> tuple[list[Image], list[Image]]:
    bones = [surface_shape(b.X, b.faces, PALE) for b in body.bones.values()]
    X = np.concatenate([bone.X for bone in body.bones.values()])
    lines = [
        lines_shape([_points(line) for line in body.lines if line.region == region],
                    np.array(colour), width=1.6)
        for region, colour in REGION_COLOURS.items()
    ]  # fmt: skip
    whole = seen([*bones, *lines], X, height)
    details = []
    for names, sides, view in SHOWN.values():
        own = [line for line in body.lines if line.group in names.split() and line.side in sides]
        near = np.concatenate([_points(line) for line in own])
        shapes = [*bones, lines_shape([_points(line) for line in own], RED, width=4.0)]
        details += seen([*shapes, *_marks(own)], near, height, sides=(view,), room=0.12)
    return whole, details


def _marks(lines: Sequence[Line]) -> list[Shape]:
    """The points that lines pass: blue on vertebrae, yellow on others."""
    inner = [anchor for line in lines for anchor in line.path[1:-1]]
    fixed = np.array([_level(anchor.body) is not None for anchor in inner], bool)
    X = np.array([anchor.point for anchor in inner]).reshape(-1, 3)
    pairs = ((X[fixed], BLUE), (X[~fixed], YELLOW))
    return [points_shape(own, rgb, width=13.0) for own, rgb in pairs if len(own)]


def _points(line: Line) -> np.ndarray:
    return np.array([anchor.point for anchor in line.path])


def _drawn(whole: Sequence[Image], details: Sequence[Image]) -> Any:
    made, plots = style.figure(3, rows=2, width=4.2, height=5.2)
    for axes, pixels, name in zip(plots, [*whole, *details], [*NAMES, *SHOWN], strict=True):
        style.picture(axes, pixels, name)
    return made


EXPERIMENT = Experiment(
    "fig4",
    "Figs. 4 and 5: lines of action",
    "814 muscles are piecewise lines. Broad ones are several lines, deep ones that span many "
    "vertebrae are fixed to one of two or three of them, superficial ones go through via points.",
    run,
    (0.2, 0.4),
)
