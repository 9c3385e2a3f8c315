"""A sheet: panels of equal height, smaller insets where there is room, a heading and a key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from vastus.io.easel import Panel, paint
from vastus.io.lettering import BOTTOM, TOP, Entry, below, beside, heading, key, lettered
from vastus.io.pictures import GAP, save_image
from vastus.io.stage import Image

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
            pictures.append(key(self.entries, WIDTH))
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
            lettered(painted, panel.window.side, panel.name, numbered)
            for panel, painted in zip(panels, paint(panels, height), strict=True)
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
