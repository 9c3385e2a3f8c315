"""`vastus demo upper-body`: a curl with a breath, by lines of muscle, with flesh and skin."""

from __future__ import annotations

import os
from pathlib import Path

import click

from vastus.cli.console import ProgressBar, note

SECONDS, BREATH, SENSOR = 3.0, 3.0, 5.0  # [s] of motion, [deg] of a breath, [1/s] of feeling
MASSES = (1.0, 3.0)  # [kg] in each hand, before and after: more is too much for the fingers
# Few frames of flesh a second and a coarse lattice [m], so that it takes minutes.
FPS, SPACING = 5.0, 0.014
PROCESSES = 2


def upper_body_demo(ctx: click.Context, output: Path, *, no_pictures: bool) -> None:
    """Move the upper body, put flesh and skin around it, and draw both."""
    from vastus.cli.bodies.flesh import flesh
    from vastus.cli.bodies.upper_body import upper_body

    ctx.invoke(
        upper_body, motion="curl", output=output, seconds=SECONDS, breath=BREATH, sensor=SENSOR,
        masses=MASSES, overwrite=True, no_pictures=no_pictures, fps=0.0,
    )  # fmt: skip
    note("putting flesh and skin around it ...")
    ctx.invoke(
        flesh, source=output, output=output / "flesh", fps=FPS, spacing=SPACING,
        processes=min(PROCESSES, os.cpu_count() or 1), no_pictures=True,
    )  # fmt: skip
    if not no_pictures:
        _draw(output)
    click.echo(f"see it: vastus view {output / 'flesh'}")


def _draw(output: Path) -> None:
    """The skin from four sides, and a movie of lines beside skin."""
    from vastus.flesh.layers import read_layers
    from vastus.pictures.bodies.layer_pictures import COVER, WITHIN, layer_movie, side_sheet

    layers = read_layers(output / "flesh")
    sides, movie = output / "sides.png", output / "movie.mp4"
    with ProgressBar() as bar:
        bar.tell("drawing all sides")
        side_sheet(layers, sides)
        click.echo(f"sides: {sides}")
        layer_movie(
            layers, movie, fps=FPS, panels=(WITHIN, COVER),
            watch=lambda done, total: bar.tell(
                f"drawing the movie, picture {done} of {total}", completed=done, total=total
            ),
        )  # fmt: skip
    click.echo(f"movie: {movie}")
