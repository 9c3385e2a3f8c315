"""`vastus view`, `author` and `surgery`: results, scenes and bodies as pages in the browser."""

from __future__ import annotations

import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from vastus.cli.console import BuildProgress, note
from vastus.cli.options import laws_option, load_laws

if TYPE_CHECKING:
    from vastus.app.web_page import Page

BUILT_IN = "juggler"  # the name of the body that comes with Vastus
Command = TypeVar("Command", bound=Callable[..., Any])


def page_options(command: Command) -> Command:
    """The options of a command that opens a page."""
    for option in (
        click.option("--no-browser", is_flag=True, help="Only print the address."),
        click.option(
            "--port",
            type=click.IntRange(0, 65535),
            default=8080,
            show_default=True,
            help="Where to listen; the next free port if it is taken.",
        ),
        click.option(
            "--host",
            default="127.0.0.1",
            show_default=True,
            help="Who may come: this machine only, or 0.0.0.0 for all who have the token.",
        ),
    ):
        command = option(command)
    return command


def serve(fill: Callable[[Page], Any], title: str, host: str, port: int, no_browser: bool) -> None:
    """Open a page, let `fill` put something into it, and wait for Ctrl-C."""
    from vastus.app.access import LOOPBACK, new_token
    from vastus.app.web_page import Page

    with Page(title, host=host, port=port, token=None if host in LOOPBACK else new_token()) as page:
        fill(page)
        try:
            click.echo(f"Vastus is at {page.url} (Ctrl-C ends it)")
            if not no_browser:
                webbrowser.open(page.url)
            page.wait()
        except KeyboardInterrupt:
            note("closed")


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
    the model while the solver follows; so does a result's own model, in the tab Live. The motion
    of a body, as `vastus juggle` writes it, is played with its bones, muscles and balls, that of
    `vastus upper-body` with its bones and lines, that of `vastus flesh` with volumes and skin.
    """
    from vastus.app.bodies.body_player import BodyPlayer
    from vastus.app.bodies.layer_player import LayerPlayer
    from vastus.app.view.viewer import open_source
    from vastus.errors import FileError
    from vastus.flesh.layers import is_layered, read_layers
    from vastus.results.body_motion import is_body_motion, read_body_motion

    load_laws(laws)

    def fill(page: Page) -> None:
        if is_body_motion(source) or is_layered(source):
            if other is not None:
                raise FileError(f"'{source}' is the motion of a body, which is played by itself")
            if is_body_motion(source):
                BodyPlayer(page, read_body_motion(source))
            else:
                LayerPlayer(page, read_layers(source))
            return
        with BuildProgress() as progress:
            open_source(page, source, other, laws, watch=progress.watch)

    serve(fill, source.name, host, port, no_browser)


@click.command(short_help="Make a scene from surfaces in the browser.")
@click.argument("folder", type=click.Path(path_type=Path))
@page_options
def author(folder: Path, host: str, port: int, no_browser: bool) -> None:
    """Make a model from the surfaces of a folder in the browser, without writing YAML.

    Give each surface its tissue, place joints, see and correct where muscles are attached, build,
    and try the muscles. Every step can be undone, and is saved in FOLDER/scene.yaml, which
    `vastus run` takes as it is.
    """
    from vastus.app.author.open import open_editor

    serve(lambda page: open_editor(page, folder), folder.resolve().name, host, port, no_browser)


@click.command(short_help="Operate on the muscles of a body in the browser.")
@click.argument("body", default=BUILT_IN)
@click.option(
    "--disorders",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="YAML list of changes to begin with and to save to; BODY_disorders.yaml unless given.",
)
@page_options
def surgery(body: str, file: Path | None, host: str, port: int, no_browser: bool) -> None:
    """Give muscles disorders, move their insertions on the bones, and see what that does.

    BODY is an MJCF file of line muscles, or `juggler`, the built-in upper body, which is taken if
    none is given. Shown are angle of rest, range, strength and moment arms before and after. Every
    step can be undone; changes are saved when asked, as `vastus disorder` reads them.
    """
    from vastus.app.surgery.surgery_page import open_surgery
    from vastus.bodies.read import read_body
    from vastus.bodies.upper_body import juggler

    source = None if body == BUILT_IN else Path(body)
    patient = juggler() if source is None else read_body(source, hands={})
    changes = file or (source or Path(BUILT_IN)).with_name(f"{Path(body).stem}_disorders.yaml")
    title = Path(body).stem
    serve(
        lambda page: open_surgery(page, patient, changes, source=source, title=title),
        f"{title}: surgery", host, port, no_browser,
    )  # fmt: skip
