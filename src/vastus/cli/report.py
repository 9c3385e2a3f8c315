"""`vastus report`: a result as one page."""

from __future__ import annotations

from pathlib import Path

import click

from vastus.cli.options import laws_option, load_laws, over_option


@click.command(short_help="Write a result as one HTML page.")
@click.argument("result", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The page; RESULT/report.html unless given.",
)
@click.option("--x", "x", default="time_s", show_default=True, metavar="COLUMN", help="For --y.")
@click.option("--y", "y", multiple=True, metavar="COLUMN", help="Column to draw; repeatable.")
@over_option
@click.option("--overwrite", is_flag=True, help="Replace a page that is there.")
@laws_option
def report(
    result: Path,
    output: Path | None,
    x: str,
    y: tuple[str, ...],
    over: tuple[str, ...],
    overwrite: bool,
    laws: tuple[Path, ...],
) -> None:
    """Write one HTML page about a result folder, finished or not.

    It shows how the run ended, pictures, curves, the model and what looks wrong in it, how each
    frame was solved, and where everything came from. The page needs no other file and no script.
    --x and --y add a chart of any columns of the table, with published curves (--over).
    """
    from vastus.files.curve_file import read_curves
    from vastus.report.page import write_report
    from vastus.report.sections import Chosen

    load_laws(laws)
    published = tuple(curve for given in over for curve in read_curves(given))
    chosen = Chosen(x, y, published) if y else None
    click.echo(f"page: {write_report(result, output, overwrite=overwrite, chosen=chosen)}")
