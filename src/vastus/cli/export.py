"""`vastus export`: a result in a format that other programs read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from vastus.cli.console import ExportProgress
from vastus.cli.options import FrameChoice, result_frames
from vastus.errors import FileError, known

if TYPE_CHECKING:
    from vastus.flesh.layers import Layer


class ExportCommand(click.Command):
    """A command whose help ends with the formats."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write them."""
        from vastus.export.formats import FORMATS

        with formatter.section("Formats"):
            formatter.write_dl([(form.name, form.sentence) for form in FORMATS.values()])


def _layers(
    ctx: click.Context, parameter: click.Parameter, text: str | None
) -> tuple[Layer, ...] | None:
    """The layers that a text with commas names."""
    if text is None:
        return None
    from vastus.flesh.layers import Layer

    names = [name.strip() for name in text.split(",")]
    wrong = next((name for name in names if name not in tuple(Layer)), None)
    if wrong is not None:
        raise known("layer", wrong, tuple(Layer))
    return tuple(Layer(name) for name in names)


@click.command(cls=ExportCommand, short_help="Write a result for Blender, browsers, tables, ...")
@click.argument("result", type=click.Path(path_type=Path))
@click.option("--to", metavar="FORMAT", help="One of the formats below; required.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="File or folder to write; the default is beside the result, with its name.",
)
@click.option(
    "--frames",
    callback=result_frames,
    metavar="FRAMES",
    help="Frames to write: all, last, every:5, 0:300:2 or 0,5,9.",
)
@click.option("--height", type=click.IntRange(16, 8192), help="Pixels; for mp4 and png only.")
@click.option(
    "--layers", metavar="A,B", callback=_layers,
    help="Of an exercise or of flesh: bones, lines, muscles, skin; all but muscles unless given.",
)  # fmt: skip
@click.option("--overwrite", is_flag=True, help="Replace what is at the path.")
def export(
    result: Path,
    to: str | None,
    output: Path | None,
    frames: FrameChoice | None,
    height: int | None,
    layers: tuple[Layer, ...] | None,
    overwrite: bool,
) -> None:
    """Write a result in a format that other programs read; Ctrl-C leaves nothing behind."""
    from vastus.export.export import default_path
    from vastus.export.export import export as written
    from vastus.export.formats import FORMATS, format_of

    if to is None:
        raise FileError(f"--to is missing: give a format; formats: {', '.join(FORMATS)}")
    path = output or default_path(result, format_of(to))
    with ExportProgress() as progress:
        written(
            result,
            path,
            to=to,
            frames=frames.among if frames else None,
            height=height,
            layers=layers,
            overwrite=overwrite,
            watch=progress.watch,
        )
    click.echo(f"wrote {path}")
