"""Which bodies lay in each other during a run: the worst frame of the worst pairs."""

from __future__ import annotations

from collections.abc import Sequence

import click
from rich.table import Table

from vastus.cli.table import stdout
from vastus.geometry.penetration import Penetration
from vastus.measure_overlap import worst

ROWS = 5
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
    for frame, p in found[:ROWS]:
        pair = f"{p.one} and {p.other}"
        out.add_row(str(frame), f"{p.depth * 1e3:.2f}", f"{p.volume * 1e9:.1f}", pair)
    stdout().print(out)
    if len(found) > ROWS:
        click.echo(f"and {len(found) - ROWS} more pairs in penetration.csv")
    if found[0][1].depth > NOTEWORTHY:
        click.echo("Contact is not simulated yet: nothing keeps these bodies apart.")
