"""`vastus author`: from surfaces to a running model in the browser."""

from __future__ import annotations

from pathlib import Path

import click

from vastus.cli.serving import page_options, serve


@click.command(short_help="Make a scene from surfaces in the browser.")
@click.argument("folder", type=click.Path(path_type=Path))
@page_options
def author(folder: Path, host: str, port: int, no_browser: bool) -> None:
    """Make a model from the surfaces of a folder in the browser, without writing YAML.

    Give each surface its tissue, place joints, see and correct where muscles are attached, build,
    and try the muscles. Every step can be undone, and is saved in FOLDER/scene.yaml, which
    `vastus run` takes as it is.
    """
    from vastus.app.author.opening import open_studio

    serve(lambda page: open_studio(page, folder), folder.resolve().name, host, port, no_browser)
