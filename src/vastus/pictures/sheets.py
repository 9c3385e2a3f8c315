"""Sheets of panels with a heading, badges with numbers, scales, and a legend to the badges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from scipy.ndimage import distance_transform_edt

from vastus.numerics.types import Floats
from vastus.pictures.panels import Panel, Rendered, View, axis_name, render_panels
from vastus.pictures.picture import GAP, INK, PAPER, save_image
from vastus.pictures.renderer import Image

BADGE = 11  # [px] radius
TOP, BOTTOM = 26, 44  # [px] strips for words above and below a panel
FEWEST = 12  # pixels that a thing must show to be badged
_RINGS = (0.0, 2.2, 3.4, 4.6, 6.0)  # radii away from the place that is meant
_BARS = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)  # [m]


@dataclass(frozen=True, eq=False)
class Entry:
    """A line of the key: a number or 0, a colour (3,), words; `hollow` badges are rings."""

    number: int
    rgb: Floats
    text: str
    hollow: bool = False
    aside: bool = False  # whether its badges leave even wide places free


def annotated(rendered: Rendered, view: View, name: str, entries: Mapping[int, Entry]) -> Image:
    """A painted panel with its name, scale, axes, and a badge on each thing that has an entry."""
    height, width = rendered.image.shape[:2]
    strips = [np.full((high, width, 3), PAPER, np.uint8) for high in (TOP, BOTTOM)]
    image, draw = _canvas(np.concatenate([strips[0], rendered.image, strips[1]]))
    draw.text((GAP, 4), name, fill=INK, font=_font(15))
    _scale_bar(draw, rendered.scale, TOP + height)
    _axes(draw, view, TOP + height)
    taken: list[Floats] = []
    for number in np.unique(rendered.numbers):
        if int(number) in entries:
            _tag(draw, rendered.numbers == number, entries[int(number)], taken)
    return np.asarray(image)


def legend(entries: Sequence[Entry], width: int) -> Image:
    """The key, in as many columns as fit."""
    font, line = _font(14), 2 * BADGE + 3
    wide = max((_length(e.text, font) for e in entries), default=0.0) + 4 * BADGE + GAP
    columns = min(max(1, int(width // wide)), 4)
    rows = -(-len(entries) // columns)
    image, draw = _canvas(np.full((rows * line + GAP, width, 3), PAPER, np.uint8))
    for i, entry in enumerate(entries):
        x, y = GAP + i // rows * width // columns + BADGE, GAP + i % rows * line + BADGE
        _badge(draw, np.array([x, y]), entry)
        font_here = _font(14 * min(1.0, (width / columns - 4 * BADGE) / (wide - 4 * BADGE)))
        draw.text((x + 1.8 * BADGE, y), entry.text, fill=INK, font=font_here, anchor="lm")
    return np.asarray(image)


def heading(lines: Sequence[str], width: int) -> Image:
    """A title, and smaller lines below it."""
    image, draw = _canvas(np.full((36 + 22 * (len(lines) - 1), width, 3), PAPER, np.uint8))
    for i, text in enumerate(lines):
        size = 15.0 if i else 22.0
        size *= min(1.0, (width - 2 * GAP) / max(_length(text, _font(size)), 1.0))
        draw.text((GAP, 10 + 22 * i if i else 4), text, fill=INK, font=_font(size))
    return np.asarray(image)


def beside(images: Sequence[Image]) -> Image:
    """Pictures next to each other."""
    height = max(image.shape[0] for image in images)
    padded = [_padded(image, height, image.shape[1] + GAP) for image in images]
    return np.concatenate(padded, axis=1)


def below(images: Sequence[Image]) -> Image:
    """Pictures one below the other."""
    width = max(image.shape[1] for image in images)
    return np.concatenate([_padded(i, i.shape[0] + GAP, width) for i in images])


def _padded(image: Image, height: int, width: int) -> Image:
    paper = np.full((height, width, 3), PAPER, np.uint8)
    paper[: image.shape[0], : image.shape[1]] = image
    return paper


def _canvas(image: Image) -> tuple[Any, Any]:
    canvas = import_module("PIL.Image").fromarray(image)
    return canvas, import_module("PIL.ImageDraw").Draw(canvas)


def _font(size: float) -> Any:
    return import_module("PIL.ImageFont").load_default(size)


def _length(text: str, font: Any) -> float:
    return float(font.getlength(text))


def _tag(draw: Any, shown: np.ndarray, entry: Entry, taken: list[Floats]) -> None:
    """Badge the middle of what is shown, where no other badge is."""
    if shown.sum() < FEWEST:
        return
    place, radius = _middle(shown)
    aside = entry.aside or radius < 1.3 * BADGE
    at = _free(place, shown.shape, taken, _RINGS[1:] if aside else _RINGS)
    down = np.array([0, TOP])
    if not np.array_equal(at, place):
        draw.line([*(place + down), *(at + down)], fill=INK, width=1)
    _badge(draw, at + down, entry)
    taken.append(at)


def _middle(shown: np.ndarray) -> tuple[Floats, float]:
    """(2,) the pixel that is farthest from all that do not show the thing, and how far."""
    rows, columns = (np.flatnonzero(shown.any(axis=axis)) for axis in (1, 0))
    box = shown[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    depth = distance_transform_edt(np.pad(box, 1))[1:-1, 1:-1]
    row, column = np.unravel_index(np.argmax(depth), box.shape)
    return np.array([columns[0] + column, rows[0] + row], float), float(depth[row, column])


def _free(
    place: Floats, shape: tuple[int, ...], taken: Sequence[Floats], rings: Sequence[float]
) -> Floats:
    """(2,) where a badge fits, as near to a place as can be."""
    angles = np.radians(np.arange(0, 360, 30))
    turns = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    spots = np.concatenate([place + ring * BADGE * turns for ring in rings])
    inside = ((spots >= BADGE) & (spots < np.array(shape[::-1]) - BADGE)).all(axis=1)
    for spot in spots[inside]:
        if all(np.linalg.norm(spot - other) > 2.1 * BADGE for other in taken):
            return np.asarray(spot)
    return place


def _badge(draw: Any, at: Floats, entry: Entry) -> None:
    box = [*(at - BADGE), *(at + BADGE)]
    fill = tuple(int(255 * c) for c in entry.rgb)
    dark = entry.rgb @ [0.3, 0.59, 0.11] < 0.55
    if entry.hollow:
        draw.ellipse(box, fill=PAPER, outline=fill, width=3)
    else:
        draw.ellipse(box, fill=fill, outline=INK, width=1)
    if entry.number:
        ink = PAPER if dark and not entry.hollow else INK
        draw.text(tuple(at), str(entry.number), fill=ink, font=_font(12), anchor="mm")


def _scale_bar(draw: Any, scale: float, height: int) -> None:
    """A bar of a round length, at most 90 pixels, below a picture."""
    length = next((bar for bar in _BARS if bar * scale <= 90), _BARS[-1])
    x, y = 64, height + BOTTOM - 12
    draw.line([x, y, x + length * scale, y], fill=INK, width=3)
    text = f"{100 * length:g} cm" if length >= 0.01 else f"{1000 * length:g} mm"
    draw.text((x, y - 5), text, fill=INK, font=_font(13), anchor="ls")


def _axes(draw: Any, view: View, height: int) -> None:
    """The axes to the right and up, if they are coordinate axes."""
    x, y, long = 14, height + BOTTOM - 10, 20
    for (u, v), direction in (((1, 0), view.right), ((0, -1), view.up)):
        name = axis_name(direction)
        if len(name) == 2:
            draw.line([x, y, x + long * u, y + long * v], fill=INK, width=2)
            draw.text((x + (long + 10) * u, y + (long + 8) * v), name, INK, _font(12), "mm")


WIDTH, HIGHEST, LOWEST = 1400, 860, 400  # [px] of the sheet; of its panels
INSETS = (420, 340, 290)  # [px] sides of square insets beside the panels
BELOW = (275, 440)  # [px] least and largest side of those below


@dataclass(frozen=True, eq=False)
class Sheet:
    """What one picture shows: a title and lines below it, panels, insets, and the key."""

    lines: Sequence[str]
    panels: Sequence[Panel]
    entries: Sequence[Entry] = ()
    insets: Sequence[Panel] = ()

    def save(self, path: Path) -> None:
        """Draw the sheet to a PNG file."""
        pictures = [heading(self.lines, WIDTH), self._body()]
        if self.entries:
            pictures.append(legend(self.entries, WIDTH))
        save_image(below(pictures), path)

    def _body(self) -> Image:
        rows = _rows(self.panels)
        high = min(_fitting(row) for row in rows)
        pictures = [beside(self._pictures(row, high)) for row in rows]
        main = below(pictures)
        if not self.insets:
            return main
        room = WIDTH - main.shape[1]
        for side in INSETS:
            high = side + TOP + BOTTOM + GAP
            columns = -(-len(self.insets) // max(1, main.shape[0] // high))
            if columns * (side + GAP) <= room:
                return beside([main, self._grid(side, columns)])
        columns = min(len(self.insets), WIDTH // (BELOW[0] + GAP))
        return below([main, self._grid(min(BELOW[1], WIDTH // columns - GAP), columns)])

    def _grid(self, side: int, columns: int) -> Image:
        pictures = self._pictures(self.insets, side)
        rows = [pictures[i : i + columns] for i in range(0, len(pictures), columns)]
        return below([beside(row) for row in rows])

    def _pictures(self, panels: Sequence[Panel], height: int) -> list[Image]:
        numbered = {entry.number: entry for entry in self.entries if entry.number}
        return [
            annotated(rendered, panel.window.view, panel.name, numbered)
            for panel, rendered in zip(panels, render_panels(panels, height), strict=True)
        ]


def _rows(panels: Sequence[Panel]) -> list[Sequence[Panel]]:
    """All panels in a row, or in two where one would be too low."""
    if len(panels) > 2 and _fitting(panels) < LOWEST:
        half = -(-len(panels) // 2)
        return [panels[:half], panels[half:]]
    return [panels]


def _fitting(panels: Sequence[Panel]) -> int:
    wide = sum(panel.window.aspect for panel in panels)
    return int(min(HIGHEST, (WIDTH - GAP * len(panels)) / wide))
