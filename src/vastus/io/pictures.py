"""Pictures of a motion: one state, or a sheet of several; bone ivory, muscle redder when active."""

from __future__ import annotations

import io
from importlib import import_module
from pathlib import Path

import numpy as np

from vastus.io.clip import Clip, read_clip, shot
from vastus.io.files import replacing
from vastus.io.stage import Image, Stage, drawing
from vastus.model import Model
from vastus.motion import State

INK, PAPER = (40, 46, 54), (255, 255, 255)
GAP = 8  # [px] between pictures


def render(model: Model, state: State, path: str | Path, *, height: int = 900) -> None:
    """Draw one state to a PNG file; the picture is as wide as the model needs."""
    still = Clip(model, (shot(model, state),))
    with Stage(still, height) as stage:
        save_image(stage.picture(still.shots[0]), path)


def contact_sheet(
    source: Clip | str | Path,
    path: str | Path,
    *,
    columns: int = 3,
    count: int = 6,
    height: int = 560,
) -> None:
    """Draw `count` evenly chosen shots of a clip or result folder to one PNG file.

    Each is `height` pixels high and says its time, activations and joint angles from rest.
    """
    clip = (source if isinstance(source, Clip) else read_clip(source)).chosen(count)
    with Stage(clip, height) as stage:
        pictures = [captioned(stage.picture(s), s.caption) for s in clip.shots]
    save_image(_grid(pictures, min(columns, len(pictures))), path)


def captioned(picture: Image, text: str) -> Image:
    """The picture with a strip of text below it."""
    text = " ".join(text.split())  # a name may hold anything, and a strip is one line
    height, width = picture.shape[:2]
    strip = np.full((height // 32 * 2, width, 3), PAPER, np.uint8)
    image = import_module("PIL.Image").fromarray(np.concatenate([picture, strip]))
    draw, fonts = import_module("PIL.ImageDraw").Draw(image), import_module("PIL.ImageFont")
    size = 0.62 * len(strip)
    wide = draw.textlength(text, font=fonts.load_default(size))
    font = fonts.load_default(size * min(1.0, 0.96 * width / max(wide, 1.0)))
    middle = (width / 2, height + len(strip) / 2)
    draw.text(middle, text, fill=INK, font=font, anchor="mm")
    return np.asarray(image)


def png_bytes(image: Image) -> bytes:
    """A picture as the contents of a PNG file."""
    drawing()
    file = io.BytesIO()
    import_module("PIL.Image").fromarray(image).save(file, "PNG")
    return file.getvalue()


def save_image(image: Image, path: str | Path) -> None:
    """Write a picture, whole or not at all."""
    drawing()
    with replacing(path) as part:
        import_module("PIL.Image").fromarray(image).save(part)


def _grid(pictures: list[Image], columns: int) -> Image:
    rows = -(-len(pictures) // columns)
    height, width = (side + GAP for side in pictures[0].shape[:2])
    sheet = np.full((rows * height + GAP, columns * width + GAP, 3), PAPER, np.uint8)
    for i, picture in enumerate(pictures):
        cell = sheet[GAP + height * (i // columns) :, GAP + width * (i % columns) :]
        cell[: height - GAP, : width - GAP] = picture
    return sheet
