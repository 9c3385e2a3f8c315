"""What the referee found: how far the frames are from Newton's, beside what both took."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click
import numpy as np

from vastus.cli.table import Column, Columns, print_columns
from vastus.referee import Distance, Verdict
from vastus.solvers.newton import Newton

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
