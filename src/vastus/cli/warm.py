"""`vastus warm`: kernels compiled now, not in the first run of each kind."""

from __future__ import annotations

import os
import time

import click

from vastus.cli.console import ProgressBar, duration, note
from vastus.cli.failures import INTERRUPTED
from vastus.errors import ModelError

MOST = 4  # processes, unless told


@click.command(short_help="Compile kernels now, not in the first run of each kind.")
@click.argument("parts", nargs=-1, metavar="[PART]...")
@click.option("--all", "every", is_flag=True, help="Compile everything; it takes longer.")
@click.option("--list", "listed", is_flag=True, help="List the parts, and end.")
@click.option(
    "--processes",
    type=click.IntRange(min=1),
    help="How many compile at once; as many as there are processors, at most 4, unless given.",
)
def warm(parts: tuple[str, ...], every: bool, listed: bool, processes: int | None) -> None:
    """Compile the kernels that usual commands need, or those of each PART.

    They are kept for all later commands, until this version of vastus is replaced. Without it, the
    first run of each kind compiles what it needs, which takes up to a minute.
    """
    from vastus.numerics.jit import cache_folder
    from vastus.warm import PARTS, usual

    if listed:
        _list()
        return
    if parts and every:
        raise ModelError("--all compiles every part; give it or names of parts")
    chosen = list(PARTS) if every else list(dict.fromkeys(parts)) or usual()
    begun = time.monotonic()
    try:
        _compile(chosen, processes or min(os.cpu_count() or 1, MOST))
    except KeyboardInterrupt:
        note("interrupted: what is compiled is kept; the same command goes on")
        raise click.exceptions.Exit(INTERRUPTED) from None
    click.echo(f"compiled in {duration(time.monotonic() - begun)}: {cache_folder()}")


def _compile(chosen: list[str], processes: int) -> None:
    """Compile parts and show how far it is."""
    from vastus.warm import PARTS, compiled

    with ProgressBar(len(chosen)) as bar:
        bar.tell("compiling")
        for count, part in enumerate(compiled(chosen, processes=processes), 1):
            what = f"{part.name}: {PARTS[part.name].what}"
            said = f"left out: {part.why_not}" if part.why_not else duration(part.seconds)
            bar.say(f"{count}/{len(chosen)} {what}, {said}")
            bar.tell("compiling", completed=count)


def _list() -> None:
    from vastus.cli.console import plain_table, stdout
    from vastus.warm import PARTS

    table = plain_table("part", "compiled for", "unless named")
    for name, part in PARTS.items():
        table.add_row(name, part.what, "" if part.usual else "with --all")
    stdout().print(table)
