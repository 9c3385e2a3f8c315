"""What is printed at the end of a run: the table, the referee's verdicts, and penetrations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import click
import numpy as np
from rich.table import Table

from vastus.cli.console import stdout
from vastus.geometry.penetration import Penetration
from vastus.measure.overlap import kept, worst
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.referee import Distance, Verdict
from vastus.results.result import REFEREE, TABLE
from vastus.solvers.newton import Newton

ROWS, FEWEST = 12, 5  # of a table: of one block; of each of several
HEADING = 12  # characters of a line of a heading, if its words are no longer
Columns = Mapping[str, Floats]


@dataclass(frozen=True)
class Column:
    """What a column shows: its heading, where its values come from, and how they are written.

    Where there is no room for all, those of the highest `rank` are left out first; those of rank 0
    never are.
    """

    heading: str
    name: str
    form: str
    rank: int = 0
    scale: float = 1.0
    group: str = ""  # columns of one group stay side by side

    def cell(self, table: Columns, row: int) -> str:
        """The text of one cell."""
        value = float(table[self.name][row]) * self.scale
        return "-" if np.isnan(value) else format(value, self.form)

    def width(self, table: Columns, rows: Sequence[int]) -> int:
        """The room that it takes, with a space on either side."""
        cells = [*self.heading.split("\n"), *(self.cell(table, row) for row in rows)]
        return max(len(cell) for cell in cells) + 2


def print_table(model: Model, table: Columns) -> None:
    """Print the outputs of all active muscles and all joints, and some rows if there are many."""
    print_columns([c for c in _columns(model, table) if c.name in table], table, TABLE)


def print_columns(known: Sequence[Column], table: Columns, file: str) -> None:
    """Print a table in blocks as wide as the terminal; `file` is where all columns are."""
    console, count = stdout(), len(table["time_s"])
    widths = {c: c.width(table, range(count)) for c in known}
    kept = fitting(widths, console.width)
    parts = blocks({c: widths[c] for c in kept}, console.width)
    rows = _rows(count, ROWS if len(parts) == 1 else max(FEWEST, ROWS // len(parts)))
    for number, columns in enumerate(parts):
        console.print("\n" * (number > 0), end="")
        out = Table(box=None, padding=(0, 1), header_style="bold")
        for column in columns:
            out.add_column(column.heading, justify="right", no_wrap=True, vertical="bottom")
        for row in rows:
            out.add_row(*(column.cell(table, row) for column in columns))
        console.print(out)
    absent = [c.name for c in known if c not in kept]
    if absent:
        console.print(f"\nno room for {', '.join(absent)}: see {file}", markup=False)


def fitting(widths: Mapping[Column, int], room: int) -> list[Column]:
    """The columns, given with their widths, less those of the highest ranks if room is short."""
    kept = list(widths)
    while sum(widths[c] for c in kept) > room and any(c.rank for c in kept):
        kept.remove(max(reversed(kept), key=lambda c: c.rank))
    return kept


def blocks(widths: Mapping[Column, int], room: int) -> list[list[Column]]:
    """The columns in as many blocks as the room needs; each begins with the first column."""
    first, *others = widths
    parts = [[first]]
    groups = [list(group) for _, group in groupby(others, key=lambda c: c.group or c.name)]
    for columns in groups:
        alone = widths[first] + sum(widths[c] for c in columns) <= room
        for piece in [columns] if alone else [[c] for c in columns]:
            if len(parts[-1]) > 1 and sum(widths[c] for c in (*parts[-1], *piece)) > room:
                parts.append([first])
            parts[-1] += piece
    return parts


def _columns(model: Model, table: Columns) -> list[Column]:
    muscles = _active(model, table)
    return [
        Column("time\ns", "time_s", ".3g"),
        *(Column(_heading(j.name, "deg"), f"{j.name}_angle_deg", ".1f") for j in model.joints),
        *(column for muscle in muscles for column in _muscle_columns(muscle)),
        *(
            Column(_heading(m, "volume %"), f"{m}_volume_change", "+.2f", 1, 100)
            for m in muscles[:1]
        ),
        Column("iterations", "iterations", ".0f", 2),
        Column("residual\nN", "residual_N", ".0e", 3),
    ]


def _muscle_columns(name: str) -> list[Column]:
    return [
        Column(_heading(name, "activation"), f"{name}_activation", ".2f", group=name),
        Column(_heading(name, "N"), f"{name}_force_N", ".1f", group=name),
    ]


def _heading(name: str, unit: str) -> str:
    """A whole name, in lines that end where its words do, above a unit."""
    lines = [""]
    for word in re.findall(r"[^_\s-]+[_\s-]*|[_\s-]+", name):
        if lines[-1] and len(lines[-1] + word.rstrip()) > HEADING:
            lines.append("")
        lines[-1] += word
    return "\n".join([*lines, unit])


def _active(model: Model, table: Columns) -> list[str]:
    """The muscles that are ever active, the most active first; the first if none is."""
    names = [m.name for m in model.muscles]
    peak = {n: float(np.max(table.get(f"{n}_activation", np.zeros(1)))) for n in names}
    return sorted((n for n in names if peak[n] > 0), key=lambda n: -peak[n]) or names[:1]


def _rows(count: int, most: int) -> list[int]:
    """All rows, or evenly chosen ones with the first and the last."""
    return sorted({round(r) for r in np.linspace(0, count - 1, min(count, most))})


COLUMNS = (
    Column("\nframe", "frame", ".0f"),
    Column("time\ns", "time_s", ".3g", 4),
    Column("distance\nmax %", "largest", ".2g", scale=100),
    Column("distance\nmean %", "mean", ".2g", 1, scale=100),
    Column("joint\ndeg", "angle_deg", ".2g"),
    Column("force\nN", "force_N", ".2g", 3),
    Column("force\n%", "force_share", ".2g", scale=100),
    Column("solver\ns", "seconds", ".3g", 2),
    Column("Newton\ns", "referee_seconds", ".3g", 2),
    Column("times\nas fast", "ratio", ".2f"),
)


NAMED = {"angle_deg": "joint", "force_N": "muscle", "force_share": "muscle"}


def print_verdicts(verdicts: Sequence[Verdict], referee: Newton) -> None:
    """Print a row for each verdict, the worst of all, what both took, and where it failed."""
    click.echo(f"\nDistance to Newton (tolerance {referee.tolerance:g}) from the same start:")
    table = _table(verdicts)
    print_columns([c for c in COLUMNS if not np.isnan(table[c.name]).all()], table, REFEREE)
    for line in (*_worst(verdicts), *_times(verdicts), *_failures(verdicts)):
        click.echo(line)


def _table(verdicts: Sequence[Verdict]) -> Columns:
    """The columns by name; not a number where there is no value."""
    table = {"frame": [v.frame for v in verdicts], "time_s": [v.time for v in verdicts]}
    for name in ("seconds", "referee_seconds", "ratio"):
        table[name] = [getattr(v, name) for v in verdicts]
    for name in ("largest", "mean", *NAMED):
        table[name] = [_value(v.distance, name) for v in verdicts]
    return {name: np.array(column, float) for name, column in table.items()}


def _value(distance: Distance | None, name: str) -> float | None:
    """A field of a distance, or None if the model has nothing of the kind."""
    if distance is None or (name in NAMED and not getattr(distance, NAMED[name])):
        return None
    return float(getattr(distance, name))


def _worst(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """The largest differences, and at which frame they are."""
    found = {v.frame: v.distance for v in verdicts if v.distance}
    if not found:
        return
    frame, d = max(found.items(), key=lambda item: item[1].largest)
    yield f"largest distance: {100 * d.largest:.2g} % of the model's length (frame {frame})"
    frame, d = max(found.items(), key=lambda item: item[1].angle_deg)
    if d.joint:
        yield f"largest turn: {d.angle_deg:.2g} deg in {d.joint} (frame {frame})"
    frame, d = max(found.items(), key=lambda item: item[1].force_N)
    if d.muscle:
        yield f"largest force difference: {d.force_N:.2g} N in {d.muscle} (frame {frame})"


def _times(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """What the steps took that were timed fairly, and how many were not."""
    timed = [v for v in verdicts if v.ratio is not None]
    if timed:
        ours, theirs = (
            sum(v.seconds or 0 for v in timed),
            sum(v.referee_seconds or 0 for v in timed),
        )
        yield (
            f"steps alone, no compiling: {ours:.3g} s, Newton {theirs:.3g} s, "
            f"{theirs / ours:.2f} times as fast"
        )
    untimed = sum(v.seconds is None for v in verdicts)
    if untimed:
        yield (
            f"times not compared: {untimed} of {len(verdicts)} frames come from a run "
            "without --referee"
        )


def _failures(verdicts: Sequence[Verdict]) -> Iterator[str]:
    for verdict in verdicts:
        if verdict.distance is None:
            yield f"frame {verdict.frame}: Newton failed: {verdict.sentence}"


PAIRS = 5
NOTEWORTHY = 1e-4  # [m]


def print_penetrations(frames: Sequence[Sequence[Penetration]], model: Model) -> None:
    """Print the deepest penetration of each pair of bodies, with its frame; nothing if none."""
    found = worst(frames)
    if not found:
        return
    click.echo("\nBodies that lie in each other, each pair where it is deepest:")
    out = Table(box=None, padding=(0, 1), header_style="bold")
    for heading in ("\nframe", "depth\nmm", "volume\nmm^3", "\nbodies"):
        left = heading.endswith("bodies")
        out.add_column(heading, justify="left" if left else "right", overflow="fold")
    for frame, p in found[:PAIRS]:
        pair = f"{p.one} and {p.other}"
        out.add_row(str(frame), f"{p.depth * 1e3:.2f}", f"{p.volume * 1e9:.1f}", pair)
    stdout().print(out)
    if len(found) > PAIRS:
        click.echo(f"and {len(found) - PAIRS} more pairs in penetration.csv")
    deep = [p for _, p in found if p.depth > NOTEWORTHY]
    if deep:
        click.echo(kept(model, deep))
