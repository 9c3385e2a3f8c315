"""The option that names the folder of what a command writes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from vastus.errors import FileError

Command = TypeVar("Command", bound=Callable[..., Any])


def output_option(what: str, default: str | None = None) -> Callable[[Command], Command]:
    """`-o FOLDER`, which is required unless it has a default."""
    return click.option(
        "-o",
        "--output",
        default=default,
        show_default=default is not None,
        required=default is None,
        type=click.Path(),
        callback=folder_of,
        help=what,
    )


def folder_of(ctx: click.Context, parameter: click.Parameter, name: str) -> Path:
    """The folder that an option names; an empty name would be the present folder."""
    if not name.strip():
        raise FileError("the folder of the result needs a name")
    return Path(name)
