"""What a study will take, and what came of it, as they are told."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vastus.cli.console import duration, note, plain_table, stdout
from vastus.cli.studies.progress import number_told, values_told
from vastus.errors import MissingExtra

if TYPE_CHECKING:
    from vastus.studies.study import Options, Study, Table

SHOWN = 10  # rows of the table, and sentences of failures


def foretell(made: Study, out: Path, how: Options) -> None:
    """Say how many variants there are, the first of them, and what they will take."""
    from vastus.studies.engines import engine
    from vastus.studies.records import Records

    works, known = made.chosen(how.part), Records(out).known
    left = [work for work in works if work.key not in known]
    click.echo(f"{len(works)} variants, of which {len(works) - len(left)} are there already")
    for work in works[:3]:
        click.echo(f"  {values_told(work.values)}")
    first = made.first()
    if first.seconds < 60:  # a second time, without compiling and building
        first = replace(made.first(), sentence=first.sentence)
    workers = max(1, engine(how.on, how).workers)
    told = values_told(first.outputs) or f"{first.status}: {first.sentence}"
    click.echo(f"one takes {duration_of(first.seconds)} and gives {told}")
    total = first.seconds * len(left) / workers
    click.echo(
        f"all take about {duration_of(total)} on {workers} worker{'s' * (workers > 1)} as fast as "
        f"this one, of {_memory()} each"
    )


def duration_of(seconds: float) -> str:
    """A time span that people read, also a short one."""
    return f"{seconds:.2f} s" if seconds < 2 else duration(seconds)


def _memory() -> str:
    """The most memory that this process has had."""
    try:
        from resource import RUSAGE_SELF, getrusage
    except ImportError:  # Windows has no such module
        return "unknown memory"
    unit = 1 if sys.platform == "darwin" else 1024
    return f"{getrusage(RUSAGE_SELF).ru_maxrss * unit / 1e6:.0f} MB"


def tell(found: Table, out: Path, keep: bool) -> None:
    """Print the first rows, the sentences of what has no result, and where everything is."""
    from vastus.studies.records import TABLE, columns_of, counts, sentences
    from vastus.studies.study import is_done

    outputs = columns_of(found.outcomes)
    names = [one.name for one in found.parameters]
    done = [o for o in found.outcomes if o is not None and is_done(o)]
    table = plain_table(*names, *outputs)
    for one in done[:SHOWN]:
        cells = [*one.values.values(), *(one.outputs.get(name) for name in outputs)]
        table.add_row(*map(number_told, cells))
    if done:
        stdout().print(table)
    if len(done) > SHOWN:
        click.echo(f"... and {len(done) - SHOWN} more rows")
    told = ", ".join(f"{n} {status}" for status, n in counts(found.outcomes).items() if n)
    missing = sum(one is None for one in found.outcomes)
    click.echo(f"{told or 'nothing'}{f', {missing} not computed' * bool(missing)}")
    for sentence, some in list(sentences(found.outcomes).items())[:SHOWN]:
        click.echo(f"  {len(some)} x {some[0].status}: {sentence}")
    click.echo(f"table: {out / TABLE}")
    if keep:
        click.echo(f"frames: {out / 'frames'}")


def draw_overview_of(out: Path) -> None:
    from vastus.pictures.studies.overview import OVERVIEW, draw_overview
    from vastus.studies.folder import read_folder

    try:
        if draw_overview(read_folder(out), out / OVERVIEW):
            click.echo(f"plot:  {out / OVERVIEW}")
    except MissingExtra as error:
        note(f"warning: nothing was drawn: {error}")
