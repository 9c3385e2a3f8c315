"""A colour bar below a picture: what its colours stand for."""

from __future__ import annotations

from importlib import import_module

import numpy as np

from vastus.io.colours import Shade
from vastus.io.html import shown
from vastus.io.pictures import INK, PAPER
from vastus.io.stage import Image
from vastus.numerics.types import Floats

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
