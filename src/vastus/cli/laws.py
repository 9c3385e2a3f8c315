"""The option that names the user's own files of laws."""

from __future__ import annotations

from pathlib import Path

import click

from vastus.io.law_files import load_laws

__all__ = ["laws_option", "load_laws"]

laws_option = click.option(
    "--laws",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Python file whose @vastus.law functions scenes may use; may be repeated.",
)
