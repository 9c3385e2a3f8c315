"""Which bodies lay in each other during a run: the worst frame of the worst pairs."""

from __future__ import annotations

from collections.abc import Sequence

import click
from rich.table import Table

from vastus.cli.table import stdout
from vastus.geometry.penetration import Penetration

ROWS = 5
NOTEWORTHY = 1e-4  # [m]
Worst = tuple[int, Penetration]


def print_penetrations(frames: Sequence[Sequence[Penetration]]) -> None:
    """Print the deepest penetration of each pair of bodies, with its frame; nothing if none."""
    worst = _worst(frames)
    if not worst:
        return
    click.echo("\nBodies that lie in each other, each pair where it is deepest:")
    out = Table(box=None, padding=(0, 1), header_style="bold")
    for heading in ("\nframe", "depth\nmm", "volume\nmm^3", "\nbodies"):
        left = heading.endswith("bodies")
        out.add_column(heading, justify="left" if left else "right", overflow="fold")
    for frame, p in worst[:ROWS]:
        pair = f"{p.one} and {p.other}"
        out.add_row(str(frame), f"{p.depth * 1e3:.2f}", f"{p.volume * 1e9:.1f}", pair)
    stdout().print(out)
    if len(worst) > ROWS:
        click.echo(f"and {len(worst) - ROWS} more pairs in penetration.csv")
    if worst[0][1].depth > NOTEWORTHY:
        click.echo("Contact is not simulated yet: nothing keeps these bodies apart.")


def _worst(frames: Sequence[Sequence[Penetration]]) -> list[Worst]:
    """The frame in which each pair is deepest, the deepest pair first."""
    found: dict[tuple[str, str], Worst] = {}
    for frame, penetrations in enumerate(frames):
        for p in penetrations:
            pair = p.one, p.other
            if pair not in found or p.depth > found[pair][1].depth:
                found[pair] = frame, p
    return sorted(found.values(), key=lambda worst: -worst[1].depth)
