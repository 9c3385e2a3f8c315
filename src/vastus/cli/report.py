"""`vastus report`: a result as one page."""

from __future__ import annotations

from pathlib import Path

import click

from vastus.cli.options import laws_option, load_laws


@click.command(short_help="Write a result as one HTML page.")
@click.argument("result", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The page; RESULT/report.html unless given.",
)
@click.option("--overwrite", is_flag=True, help="Replace a page that is there.")
@laws_option
def report(result: Path, output: Path | None, overwrite: bool, laws: tuple[Path, ...]) -> None:
    """Write one HTML page about a result folder, finished or not.

    It shows how the run ended, pictures, curves, the model and what looks wrong in it, how each
    frame was solved, and where everything came from. The page needs no other file and no script.
    """
    from vastus.report.page import write_report

    load_laws(laws)
    click.echo(f"page: {write_report(result, output, overwrite=overwrite)}")
