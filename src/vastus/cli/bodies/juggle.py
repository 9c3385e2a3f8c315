"""`vastus juggle`: a body whose muscles throw and catch balls."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from vastus.cli.console import ProgressBar, note
from vastus.cli.failures import SOLVE_FAILED
from vastus.cli.options import output_option
from vastus.cli.pages import page_options, serve

if TYPE_CHECKING:
    from vastus.bodies.body import Body
    from vastus.control.muscle_kinds import Muscles
    from vastus.juggling.optimisation import Optimisation
    from vastus.juggling.result import Result


@click.command(short_help="Let the muscles of a body juggle a siteswap.")
@click.argument("pattern", default="3")
@output_option("Folder of the result; a former result in it is replaced.", default="vastus-juggle")
@click.option("--seconds", default=6.0, show_default=True, help="How long to juggle [s].")
@click.option(
    "--strength", default=1.0, show_default=True, help="Factor of all greatest muscle forces."
)
@click.option("--mass", default=0.13, show_default=True, help="Mass of each ball [kg].")
@click.option(
    "--jugglers", type=click.IntRange(1, 2), default=1, show_default=True,
    help="Two pass to each other; throws are then those of four hands.",
)  # fmt: skip
@click.option(
    "--from-hands", is_flag=True, help="Begin with all balls in the hands, not in the air."
)
@click.option(
    "--corrections", type=click.IntRange(0, 3), default=0, show_default=True,
    help="How often each throw is tried before, to correct it.",
)  # fmt: skip
@click.option(
    "--optimise", type=click.IntRange(1, 100), metavar="N",
    help="Optimise the reference of each throw by rollouts, in at most N iterations.",
)  # fmt: skip
@click.option(
    "--muscles", "kind", type=click.Choice(["lines", "condensed", "bellies"]), default="lines",
    show_default=True,
    help="Lines, tables of volumetric bellies, or bellies that are solved at 200 Hz.",
)  # fmt: skip
@click.option(
    "--tendons", type=click.Choice(["rigid", "elastic"]), default="rigid", show_default=True,
    help="Whether tendons stretch.",
)  # fmt: skip
@click.option("--no-pictures", is_flag=True, help="Draw no sheet, plot or movie.")
@click.option(
    "--live", is_flag=True, help="Juggle in the browser until Ctrl-C; pushes are welcome."
)
@page_options
def juggle(
    pattern: str,
    output: Path,
    seconds: float,
    strength: float,
    mass: float,
    jugglers: int,
    from_hands: bool,
    corrections: int,
    optimise: int | None,
    kind: str,
    tendons: str,
    no_pictures: bool,
    live: bool,
    host: str,
    port: int,
    no_browser: bool,
) -> None:
    """Juggle PATTERN, a siteswap such as 3, 423 or 5, by muscles alone.

    Muscles are controlled by a quadratic program; no torque acts besides them. Whether the pattern
    is possible is found out before: what is too fast, out of reach or too heavy is named. With
    --live nothing is written: the body juggles in a page, where it can be pushed and pulled.
    """
    from dataclasses import replace

    from vastus.bodies import juggler
    from vastus.control.muscle_kinds import MuscleKind, TendonKind, muscles
    from vastus.errors import ModelError
    from vastus.files.safe import make_folder, require_writable
    from vastus.juggling.feasibility import feasibility
    from vastus.juggling.juggle import Juggle
    from vastus.juggling.siteswap import Siteswap
    from vastus.juggling.style import usual_style
    from vastus.results.juggling_files import write_juggling

    if not 0 < seconds <= 600:
        raise ModelError(f"--seconds {seconds:g}: it must be above 0 and at most 600")
    siteswap = Siteswap.read(pattern)
    if live and jugglers > 1:
        raise ModelError("--live shows one juggler; leave out --jugglers")
    if not live:
        require_writable(output)
    style = replace(
        usual_style(siteswap.values, jugglers=jugglers),
        start="hands" if from_hands else "air",
        corrections=corrections,
        optimisation=_optimisation(optimise),
    )
    body = juggler(strength=strength)
    own = muscles(body.units * jugglers, MuscleKind(kind), TendonKind(tendons))
    planned = own.believed or own.law
    found = feasibility(body, siteswap, style, mass=mass, law=planned, jugglers=jugglers)
    found.require()
    note(f"muscles can give {found.margin:.2f} times the torques that '{pattern}' needs at least")
    if live:
        from vastus.app.bodies.live_body import LiveBody
        from vastus.app.bodies.performance import Pattern

        shown = Pattern(pattern, strength, mass)
        serve(lambda page: LiveBody(page, shown), f"juggling {pattern}", host, port, no_browser)
        return
    beats = int(seconds / style.timing.beat) + 1 + style.timing.hands
    run = Juggle(
        body, siteswap.beats(beats), style, masses=mass, jugglers=jugglers,
        law=own.law, believed=own.believed, soft=own.soft,
    )  # fmt: skip
    note(f"juggling '{pattern}' for {seconds:g} s ...")
    with ProgressBar() as bar:
        result = run.run(
            seconds,
            lambda t: bar.tell(
                f"{t:.1f} of {seconds:g} s, {run.result.catches} catches, {run.result.drops} drops",
                completed=round(100 * t),
                total=round(100 * seconds),
            ),
        )
    make_folder(output)
    write_juggling(output, run.stage.body, result, {"pattern": pattern, "style": style,
                   "strength": strength, "mass_kg": mass, "jugglers": jugglers,
                   "muscles": kind, "tendons": tendons})  # fmt: skip
    click.echo(str(result))
    click.echo(str(result.energy))
    if own.bellies is not None:
        click.echo(f"bellies against their tables: {result.mismatch}")
        click.echo(f"{own.bellies.mean_iterations:.2f} steps of Newton's method in each solution")
    if result.optimised:
        click.echo(_told(result))
    click.echo(f"{result.cpu / seconds:.2f} s of the processor for each second of juggling")
    click.echo(f"table: {output / 'juggling.csv'}")
    if not no_pictures:
        _draw(run.stage.body, result, output, own)
    if result.drops:
        raise click.exceptions.Exit(SOLVE_FAILED)


def _optimisation(most: int | None) -> Optimisation | None:
    """How throws are optimised, in as many processes as there are processors."""
    import os

    from vastus.juggling.optimisation import Optimisation
    from vastus.numerics.least_squares import Stop

    if most is None:
        return None
    return Optimisation(stop=Stop(most, enough=0.01), workers=max(1, os.cpu_count() or 1))


def _told(result: Result) -> str:
    """What optimising has cost, and brought."""
    found = result.optimised
    first, last = (100 * sum(each.landings[k] for each in found) / len(found) for k in (0, -1))
    return (
        f"{len(found)} throws optimised in {sum(e.minimum.iterations for e in found)} iterations of"
        f" {sum(e.rollouts for e in found)} rollouts: landing {first:.2f} to {last:.2f} cm"
    )


def _draw(body: Body, result: Result, output: Path, muscles: Muscles) -> None:
    """Draw what there is to see, and say where."""
    from vastus.pictures.bodies.juggling_pictures import (
        juggling_movie,
        juggling_plot,
        juggling_sheet,
    )

    juggling_plot(body, result, output / "plot.png")
    juggling_sheet(body, result, output / "sheet.png", muscles=muscles)
    with ProgressBar() as bar:
        juggling_movie(
            body,
            result,
            output / "movie.mp4",
            muscles=muscles,
            watch=lambda done, total: bar.tell("drawing the movie", completed=done, total=total),
        )
    for name in ("plot.png", "sheet.png", "movie.mp4"):
        click.echo(f"{name.split('.')[0]}: {output / name}")
