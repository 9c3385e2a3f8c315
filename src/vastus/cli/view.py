"""`vastus view`: a result, or a scene, in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from vastus.cli.laws import laws_option, load_laws
from vastus.cli.serving import page_options, serve

if TYPE_CHECKING:
    from vastus.app.page import Page


@click.command(short_help="Show a result or a scene in the browser.")
@click.argument("source", type=click.Path(path_type=Path))
@click.option(
    "--with",
    "other",
    type=click.Path(path_type=Path),
    help="A second result: beside the first, or over it.",
)
@page_options
@laws_option
def view(
    source: Path,
    other: Path | None,
    host: str,
    port: int,
    no_browser: bool,
    laws: tuple[Path, ...],
) -> None:
    """Play a result folder, or try the muscles of a scene, in the browser.

    A result is played, coloured by activation, stretch, stress or volume ratio, cut open, measured
    by clicks and saved as picture or movie. A scene is built, and a slider for each muscle moves
    the model while the solver follows; so does a result's own model, in the tab Live.
    """
    from vastus.app.view.opening import open_source
    from vastus.cli.build_display import Steps

    load_laws(laws)

    def fill(page: Page) -> None:
        with Steps() as steps:
            open_source(page, source, other, laws, watch=steps.watch)

    serve(fill, source.name, host, port, no_browser)
