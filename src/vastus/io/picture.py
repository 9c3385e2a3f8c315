"""A picture that notebooks show by themselves, and that can be saved."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from vastus.io.pictures import png_bytes, save_image
from vastus.io.stage import Image


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
