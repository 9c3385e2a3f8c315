"""Pictures of a motion: one state, or a sheet of several; bone ivory, muscle redder when active.

A colour bar below a picture: what its colours stand for.

A picture that notebooks show by themselves, and that can be saved.

One state as a picture: in the colours of its tissues, or of a field with a colour bar.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path

import numpy as np

from vastus import validate as given
from vastus.errors import known
from vastus.files.html import shown
from vastus.files.safe import replacing
from vastus.materials.base import require
from vastus.measure.fields import Fields
from vastus.model import Model, Tissue
from vastus.numerics.types import Floats, Ints
from vastus.pictures.colours import FIELDS, Shade
from vastus.pictures.shots import Clip, Shot, read_clip, shot
from vastus.pictures.skin import IVORY, Skin
from vastus.pictures.stage import Image, Stage, drawing
from vastus.state import State, rest

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


TICKS = 5


def with_bar(picture: Image, shade: Shade, low: float, high: float, texts: list[str]) -> Image:
    """The picture, and below it the colours from `low` to `high` with texts at even distances."""
    height, width = picture.shape[:2]
    letters = min(max(11.0, height / 40), width / 16)
    strip = np.full((round(5.5 * letters), width, 3), PAPER, np.uint8)
    left, right = round(0.12 * width), round(0.88 * width)
    top, bottom = round(1.8 * letters), round(2.8 * letters)
    colours = shade.colours(np.linspace(low, high, right - left), low, high)
    strip[top:bottom, left:right] = colours[None]
    image = import_module("PIL.Image").fromarray(np.concatenate([picture, strip]))
    draw = import_module("PIL.ImageDraw").Draw(image)
    font = import_module("PIL.ImageFont").load_default(letters)
    middle = (left + right) / 2
    draw.text((middle, height + 0.9 * letters), shade.title, fill=INK, font=font, anchor="mm")
    for x, text in zip(np.linspace(left, right, len(texts)), texts, strict=True):
        draw.text((x, height + bottom + letters), text, fill=INK, font=font, anchor="mm")
    return np.asarray(image)


def numbers(values: Floats, shade: Shade, low: float, high: float) -> list[str]:
    """The numbers of a bar; its ends say if some of the values (k,) are beyond them."""
    texts = [shown(float(shade.scale * v)) for v in np.linspace(low, high, TICKS)]
    slack = 1e-9 * (high - low)
    texts[0] = "< " * bool((values < low - slack).any()) + texts[0]
    texts[-1] = "> " * bool((values > high + slack).any()) + texts[-1]
    return texts


@dataclass(frozen=True, eq=False, repr=False)
class Picture:
    """Pixels (height, width, 3) uint8; `text` says what they show."""

    pixels: Image
    text: str = "picture"

    @cached_property
    def png(self) -> bytes:
        """The picture as a PNG file."""
        return png_bytes(self.pixels)

    def save(self, path: str | Path) -> None:
        """Write the picture; the suffix chooses the format, such as `.png` or `.jpg`."""
        save_image(self.pixels, path)

    def _repr_png_(self) -> bytes:
        return self.png

    def __repr__(self) -> str:
        height, width = self.pixels.shape[:2]
        return f"<Picture of {self.text}, {width} x {height} pixels>"


LOWEST, HIGHEST = 32, 8192  # [px]


def still(
    model: Model,
    state: State | None = None,
    *,
    colour: str | None = None,
    height: int = 600,
    view: Sequence[float] | None = None,
    limits: tuple[float, float] | None = None,
) -> Picture:
    """The picture of a state, or of the model at rest.

    `colour` names a field of `FIELDS`, and `limits` are the ends of its colours, in SI units; bones
    stay ivory. `view` is the direction (3,) to the camera.
    """
    require(LOWEST <= height <= HIGHEST, f"a picture {height} pixels high cannot be drawn")
    state = state or rest(model)
    shown = Clip(model, (shot(model, state),))
    painter = None if colour is None else Painter(model, state, _shade(colour), limits)
    direction = None if view is None else _direction(view)
    with Stage(shown, height, paint=painter, view=direction) as stage:
        pixels = stage.picture(shown.shots[0])
    if painter is not None:
        pixels = with_bar(pixels, painter.shade, *painter.limits, painter.numbers)
    return Picture(pixels, f"{model.name} at {state.time:g} s")


class Painter:
    """Colours the points of a skin by a field of one state."""

    def __init__(
        self, model: Model, state: State, shade: Shade, limits: tuple[float, float] | None
    ) -> None:
        self.shade = shade
        self._values = Fields(model).of(state)[shade.field]
        self.limits = limits or shade.limits_of(self._values[_regarded(model)])
        self.numbers = numbers(self._values[model.soft], shade, *self.limits)

    def __call__(self, skin: Skin, _: Shot) -> np.ndarray:
        """(p, 3) uint8."""
        if skin.tissue is Tissue.BONE:
            return np.tile((255 * IVORY).astype(np.uint8), (len(skin.vertices), 1))
        return self.shade.colours(skin.averaged(self._values), *self.limits)


def _regarded(model: Model) -> Ints:
    """The tets whose values the colours must tell apart: muscle, since tendon bears far more."""
    muscle = np.flatnonzero(model.is_tissue(Tissue.MUSCLE))
    return muscle if len(muscle) else model.soft


def _shade(name: str) -> Shade:
    if name not in FIELDS:
        raise known("field", name, FIELDS)
    return FIELDS[name]


def _direction(view: Sequence[float]) -> Floats:
    direction = given.numbers(view, "'view'", (3,))
    size = float(np.linalg.norm(direction))
    require(0 < size < np.inf, f"'view' must be a direction, not {list(view)}")
    return np.asarray(direction / size)
