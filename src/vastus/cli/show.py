"""The table at the end of a run: as many columns as the terminal has room for.

What the referee found: how far the frames are from Newton's, beside what both took.

Which bodies lay in each other during a run: the worst frame of the worst pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import click
import numpy as np
from rich.table import Table

from vastus.cli.console import stdout
from vastus.geometry.penetration import Penetration
from vastus.measure.overlap import worst
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.referee import Distance, Verdict
from vastus.solvers.newton import Newton

ROWS, MUSCLES, JOINTS = 12, 2, 2
Columns = Mapping[str, Floats]


@dataclass(frozen=True)
class Column:
    """What a column shows: its heading, where its values come from, and how they are written.

    Where there is no room for all, those of the highest `rank` go first.
    """

    heading: str
    name: str
    form: str
    rank: int = 0
    scale: float = 1.0

    def cell(self, table: Columns, row: int) -> str:
        """The text of one cell."""
        value = float(table[self.name][row]) * self.scale
        return "-" if np.isnan(value) else format(value, self.form)

    def width(self, table: Columns, rows: Sequence[int]) -> int:
        """The room that it takes, with a space on either side."""
        cells = [*self.heading.split("\n"), *(self.cell(table, row) for row in rows)]
        return max(len(cell) for cell in cells) + 2


def print_table(model: Model, table: Columns) -> None:
    """Print the most telling columns of a table of outputs, and some rows if there are many."""
    print_columns([c for c in _columns(model, table) if c.name in table], table)


def print_columns(known: Sequence[Column], table: Columns) -> None:
    """Print those columns of a table for which there is room, and some rows if there are many."""
    console, rows = stdout(), _rows(len(table["time_s"]))
    columns = fitting({c: c.width(table, rows) for c in known}, console.width)
    out = Table(box=None, padding=(0, 1), header_style="bold")
    for column in columns:
        out.add_column(column.heading, justify="right", no_wrap=True)
    for row in rows:
        out.add_row(*(column.cell(table, row) for column in columns))
    console.print(out)


def fitting(widths: Mapping[Column, int], room: int) -> list[Column]:
    """The columns, given with their widths, for which there is room; the first in any case."""
    kept = list(widths)
    while len(kept) > 1 and sum(widths[c] for c in kept) > room:
        kept.remove(max(reversed(kept[1:]), key=lambda c: c.rank))
    return kept


def _columns(model: Model, table: Columns) -> list[Column]:
    muscles = list(enumerate(_most_active(model, table), 1))
    joints = [j.name for j in model.joints[:JOINTS]]
    return [
        Column("time\ns", "time_s", ".3g"),
        *(Column(f"{m[:10]}\nactivation", f"{m}_activation", ".2f", k) for k, m in muscles),
        *(Column(f"{m[:10]}\nN", f"{m}_force_N", ".1f", k) for k, m in muscles),
        *(
            Column(f"{m[:10]}\nvolume %", f"{m}_volume_change", "+.2f", MUSCLES + 1, 100)
            for _, m in muscles[:1]
        ),
        *(Column(f"{j[:10]}\ndeg", f"{j}_angle_deg", ".1f") for j in joints),
        Column("\niterations", "iterations", ".0f", MUSCLES + 2),
        Column("residual\nN", "residual_N", ".0e", MUSCLES + 3),
    ]


def _most_active(model: Model, table: Columns) -> list[str]:
    names = [m.name for m in model.muscles]
    peak = {n: float(np.max(table.get(f"{n}_activation", np.zeros(1)))) for n in names}
    return sorted(names, key=lambda n: -peak[n])[:MUSCLES]


def _rows(count: int) -> list[int]:
    """All rows, or evenly chosen ones with the first and the last."""
    return sorted({round(r) for r in np.linspace(0, count - 1, min(count, ROWS))})


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
    print_columns([c for c in COLUMNS if not np.isnan(table[c.name]).all()], table)
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


def print_penetrations(frames: Sequence[Sequence[Penetration]]) -> None:
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
    if found[0][1].depth > NOTEWORTHY:
        click.echo("Contact is not simulated yet: nothing keeps these bodies apart.")
