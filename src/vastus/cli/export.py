"""`vastus export`: a result in a format that other programs read.

Progress of an export.
"""

from __future__ import annotations

import time
from pathlib import Path

import click
from rich.console import Console

from vastus.cli.options import Chosen, stored_of
from vastus.cli.progress import Barred, duration


class Listed(click.Command):
    """A command whose help ends with the formats."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write them."""
        from vastus.export.formats import FORMATS

        with formatter.section("Formats"):
            formatter.write_dl([(form.name, form.sentence) for form in FORMATS.values()])


@click.command(cls=Listed, short_help="Write a result for Blender, browsers, tables, ...")
@click.argument("result", type=click.Path(path_type=Path))
@click.option("--to", required=True, metavar="FORMAT", help="One of the formats below.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="File or folder to write; the default is beside the result, with its name.",
)
@click.option(
    "--frames",
    callback=stored_of,
    metavar="FRAMES",
    help="Frames to write: all, last, every:5, 0:300:2 or 0,5,9.",
)
@click.option("--height", type=click.IntRange(16, 8192), help="Pixels; for mp4 and png only.")
@click.option("--overwrite", is_flag=True, help="Replace what is at the path.")
def export(
    result: Path,
    to: str,
    output: Path | None,
    frames: Chosen | None,
    height: int | None,
    overwrite: bool,
) -> None:
    """Write a result in a format that other programs read; Ctrl-C leaves nothing behind."""
    from vastus.cli.export import ExportDisplay
    from vastus.export.export import default_path
    from vastus.export.export import export as written
    from vastus.export.formats import format_of

    path = output or default_path(result, format_of(to))
    with ExportDisplay() as display:
        written(
            result,
            path,
            to=to,
            frames=frames.among if frames else None,
            height=height,
            overwrite=overwrite,
            watch=display.watch,
        )
    click.echo(f"wrote {path}")


class ExportDisplay(Barred):
    """Shows how many frames are written and the time left."""

    def __init__(self, console: Console | None = None) -> None:
        super().__init__(console=console)
        self._began = time.monotonic()

    def watch(self, done: int, total: int) -> None:
        """Called when a frame is written."""
        text = f"frame {done}/{total}{self._left(done, total)}"
        self.tell(text, completed=done, total=total)

    def _left(self, done: int, total: int) -> str:
        """The time left, from the mean of all frames so far."""
        seconds = (time.monotonic() - self._began) / done * (total - done)
        return f", about {duration(seconds)} left" if done < total else ""
