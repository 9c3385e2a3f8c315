"""`vastus study plot` and `vastus study report`: pictures and a page of a study."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from vastus.cli.console import note, plain_table, stdout
from vastus.cli.options import over_option
from vastus.errors import ModelError, known

PICTURE = click.option(
    "-o", "--picture", type=click.Path(path_type=Path), metavar="FILE", help="The picture (.png)."
)


@click.command(short_help="Draw curve, scatter, heat, tornado, indices or overview of a study.")
@click.argument("folder", type=click.Path(path_type=Path))
@click.argument("kind")
@click.argument("output", required=False)
@click.option("--x", metavar="COLUMN", help="Across: a parameter or an output.")
@click.option("--y", metavar="COLUMN", help="Upwards.")
@click.option("--by", metavar="COLUMN", help="Of a curve: a line for each value.")
@click.option("--colour", metavar="COLUMN", help="Of a heat map or a scatter.")
@click.option("--method", metavar="NAME", help="Of indices: sobol, rbd_fast or delta.")
@over_option
@PICTURE
def plot(folder: Path, kind: str, output: str | None, **options: Any) -> None:
    """Draw a study; KIND is one of these.

    \b
      curve     --x A --y B [--by C]      lines, and --over FILE measured ones
      scatter   --x A --y B [--colour C]  a point for each variant
      heat      --x A --y B --colour C    a colour for each pair of values
      tornado   OUTPUT                    of a one_at_a_time design
      indices   OUTPUT                    how much of the variance each parameter explains
      overview                            every output over every parameter
    """
    from vastus.files.curve_file import read_curves
    from vastus.studies.folder import read_folder

    if kind not in KINDS:
        raise known("picture", kind, KINDS)
    words, draw = KINDS[kind]
    given = {name: options[name] for name in ("x", "y", "by", "colour", "method")}
    given["output"] = output
    for name, value in given.items():
        if value is None and name in words[0]:
            told = "OUTPUT" if name == "output" else f"--{name}"
            raise ModelError(f"{kind} needs {told}; --help shows an example")
        if value is not None and name not in words[0] + words[1]:
            raise ModelError(f"{kind} takes no {'OUTPUT' if name == 'output' else f'--{name}'}")
    study = read_folder(folder)
    chosen = {name: value for name, value in given.items() if name in words[0] + words[1]}
    over = [curve for text in options["over"] for curve in read_curves(text)]
    if over and kind not in ("curve", "scatter"):
        raise ModelError(f"{kind} takes no --over")
    called = "_".join([kind, *(str(v) for v in chosen.values() if v)]).replace("/", "_")
    path = options["picture"] or folder / f"{called}.png"
    draw(study, path, over, **chosen)
    click.echo(f"plot: {path}")


def _curve(study: Any, path: Path, over: Any, **chosen: Any) -> None:
    from vastus.pictures.studies.curve import draw_curve

    draw_curve(study, path, over=over, **chosen)


def _scatter(study: Any, path: Path, over: Any, **chosen: Any) -> None:
    from vastus.pictures.studies.curve import draw_scatter

    draw_scatter(study, path, over=over, **chosen)


def _heat(study: Any, path: Path, over: Any, **chosen: Any) -> None:
    from vastus.pictures.studies.heat import draw_heat

    draw_heat(study, path, **chosen)


def _tornado(study: Any, path: Path, over: Any, **chosen: Any) -> None:
    from vastus.pictures.studies.tornado import draw_tornado
    from vastus.studies.analysis import swings

    middle, found = swings(study, chosen["output"])
    table = plain_table("parameter", "low", "output", "high", "output")
    for swing in found:
        table.add_row(swing.parameter, *(f"{v:.5g}" for v in (*swing.low, *swing.high)))
    stdout().print(table)
    click.echo(f"in the middle: {middle:.6g}")
    draw_tornado(study, path, **chosen)


def _indices(study: Any, path: Path, over: Any, **chosen: Any) -> None:
    from vastus.pictures.studies.index_bars import draw_indices
    from vastus.studies.analysis import indices

    found = indices(study, **chosen)
    both = found.indices[0].total is not None
    table = plain_table("parameter", "by itself", *(["with others"] if both else []))
    for one in sorted(found.indices, key=lambda index: -index.first):
        total = [f"{one.total:.3f} ± {one.total_error:.3f}"] if both else []
        table.add_row(one.parameter, f"{one.first:.3f} ± {one.first_error:.3f}", *total)
    stdout().print(table)
    for doubt in found.doubts:
        note(f"warning: {doubt}")
    draw_indices(found, path)


def _overview(study: Any, path: Path, over: Any) -> None:
    from vastus.pictures.studies.overview import draw_overview

    if not draw_overview(study, path):
        raise ModelError("there is nothing to draw: no variant has a result, or nothing varies")


Keys = tuple[tuple[str, ...], tuple[str, ...]]  # what a picture needs, and what it may have
KINDS: dict[str, tuple[Keys, Any]] = {
    "curve": ((("x", "y"), ("by",)), _curve),
    "scatter": ((("x", "y"), ("colour",)), _scatter),
    "heat": ((("x", "y", "colour"), ()), _heat),
    "tornado": ((("output",), ()), _tornado),
    "indices": ((("output",), ("method",)), _indices),
    "overview": (((), ()), _overview),
}


@click.command(short_help="Write a study as one HTML page.")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The page; FOLDER/report.html unless given.",
)
@click.option("--overwrite", is_flag=True, help="Replace a page that is there.")
def report(folder: Path, output: Path | None, overwrite: bool) -> None:
    """Write one HTML page about a study, finished or not, which needs no other file."""
    from vastus.report.study_page import write_study_report

    click.echo(f"page: {write_study_report(folder, output, overwrite=overwrite)}")
