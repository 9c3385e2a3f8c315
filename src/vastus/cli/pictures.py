"""Pictures of a result, if the packages that draw them are there."""

from __future__ import annotations

from pathlib import Path

import click

from vastus.errors import MissingExtra
from vastus.io.clip import read_clip
from vastus.io.movie import movie
from vastus.io.pictures import contact_sheet
from vastus.io.plots import plot_table
from vastus.job import Job


def draw(job: Job, folder: Path) -> list[Path]:
    """Draw what the scene asks for; without the packages that draw, say so and go on."""
    wanted, drawn = job.scene.description.output, []
    try:
        clip = read_clip(folder)
        if wanted.pictures:
            contact_sheet(clip, folder / "contact_sheet.png")
            plot_table(folder, folder / "plot.png")
            drawn += [folder / "contact_sheet.png", folder / "plot.png"]
        if wanted.movie:
            movie(clip, folder / "movie.mp4")
            drawn.append(folder / "movie.mp4")
    except MissingExtra as error:
        click.echo(f"warning: no pictures were drawn: {error}", err=True)
    return drawn
