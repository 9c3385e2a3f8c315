"""What all pages share on the command line: where they listen, and how they end."""

from __future__ import annotations

import webbrowser
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from vastus.app.page import Page

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
    from vastus.app.gate import new_token
    from vastus.app.gate_rules import LOOPBACK
    from vastus.app.page import Page

    with Page(title, host=host, port=port, token=None if host in LOOPBACK else new_token()) as page:
        fill(page)
        try:
            click.echo(f"Vastus is at {page.url} (Ctrl-C ends it)")
            if not no_browser:
                webbrowser.open(page.url)
            page.wait()
        except KeyboardInterrupt:
            click.echo("closed", err=True)
