"""`vastus plot` and `vastus report`: a result as a picture of its columns, and as one page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vastus.cli.options import laws_option, load_laws, over_option
from vastus.errors import FileError

if TYPE_CHECKING:
    from vastus.numerics.types import Floats
    from vastus.pictures.column_plot import ColumnPlot


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


@click.command(short_help="Draw any column of a result against any other.")
@click.argument("result", type=click.Path(path_type=Path))
@click.option("--x", "x", default="time_s", show_default=True, metavar="COLUMN", help="Across.")
@click.option("--y", "y", multiple=True, metavar="COLUMN", help="Upwards; may be repeated.")
@over_option
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The picture (.png); beside the table, called after the columns, unless given.",
)
@click.option("--list", "listed", is_flag=True, help="Print the columns, and draw nothing.")
def plot(
    result: Path,
    x: str,
    y: tuple[str, ...],
    over: tuple[str, ...],
    output: Path | None,
    listed: bool,
) -> None:
    """Draw columns of a result folder, of an experiment or of any table (.csv)."""
    from vastus.files.curve_file import read_curves
    from vastus.pictures.column_plot import ColumnPlot
    from vastus.studies.records import FIRST

    path, table = _table(result)
    if listed:
        click.echo("\n".join(table))
        return
    if not y:
        raise FileError("name at least one column by --y; --list prints all")
    made = ColumnPlot.of(table, x, y)
    if FIRST in table:
        made = _of_variants(made, path.parent)
    output = output or path.with_name(f"{'_'.join(y)}_over_{x}.png")
    made.draw(table, output, [curve for given in over for curve in read_curves(given)])
    click.echo(f"plot: {output}")


def _of_variants(made: ColumnPlot, folder: Path) -> ColumnPlot:
    """The same of a study, whose rows do not follow each other, with units as the study knows."""
    from vastus.pictures.studies.labels import label
    from vastus.studies.folder import read_folder

    try:
        study = read_folder(folder)
    except FileError:  # the table alone
        return replace(made, joined=False)
    columns = {name: label(study, name) for name in made.columns}
    y_label = columns.get(made.y_label, made.y_label)
    return replace(
        made, joined=False, columns=columns, x_label=label(study, made.x), y_label=y_label
    )


def _table(source: Path) -> tuple[Path, dict[str, Floats]]:
    """The file of a table, and its columns (rows,) by name."""
    from vastus.experiments.perform import TABLE as CURVE
    from vastus.files.curve_file import read_columns
    from vastus.results.result import TABLE

    names = [TABLE, CURVE] if source.is_dir() else [""]
    for name in names:
        path = source / name if name else source
        if path.is_file():
            return path, read_columns(path)
    raise FileError(f"'{source}' has no {' or '.join(names)}" if names[0] else f"no '{source}'")
