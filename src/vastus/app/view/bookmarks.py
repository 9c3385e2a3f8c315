"""Views to come back to, kept in the result's folder."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vastus.app.page import Page
from vastus.app.words import label, unlike
from vastus.errors import FileError
from vastus.io.files import write_text
from vastus.io.limits import DAMAGED, MIB, read_text

FILE = "views.json"
VIEWS = "views"
LARGEST = MIB
Place = tuple[tuple[float, ...], tuple[float, ...]]  # position and target, (3,) each [m]


class Bookmarks:
    """Keeps the view of the visitor who asks, under a name; without a folder, until the end."""

    def __init__(self, page: Page, folder: Path | None) -> None:
        self._page, self._file = page, folder / FILE if folder else None
        self._views = self._read()
        gui = page.server.gui
        self._name = gui.add_text("Name of this view", "")
        self._keep = gui.add_button("Keep this view")
        self._choice = gui.add_dropdown("Go to view", self._names(), initial_value=VIEWS)
        page.when(self._keep, self._kept)
        page.when(self._choice, self._chosen)

    def _read(self) -> dict[str, Place]:
        """The views that were kept; a file of other things is told, and begun anew."""
        try:
            return read_views(self._file) if self._file else {}
        except FileError as error:
            self._page.complain(str(error))
            return {}

    def _names(self) -> tuple[str, ...]:
        return (VIEWS, *self._views)

    def _kept(self, event: Any) -> None:
        camera = event.client.camera
        name = _named(self._name.value or f"view {len(self._views) + 1}")
        self._views[name] = (
            tuple(float(c) for c in camera.position),
            tuple(float(c) for c in camera.look_at),
        )
        self._choice.options = self._names()
        if self._file:
            write_text(self._file, json.dumps(self._views, indent=1) + "\n")
        self._page.tell(f"The view '{name}' is kept.")

    def _chosen(self, event: Any) -> None:
        if self._choice.value in self._views:
            position, target = self._views[self._choice.value]
            with event.client.atomic():
                event.client.camera.position = position
                event.client.camera.look_at = target
            self._choice.value = VIEWS  # so that the same view can be chosen again


def read_views(path: Path) -> dict[str, Place]:
    """The views of a file, none if there is no file."""
    if not path.exists():
        return {}
    try:
        found = json.loads(read_text(path, LARGEST))
        return {_named(name): (_three(a), _three(b)) for name, (a, b) in found.items()}
    except DAMAGED:
        raise FileError(f"'{path}' holds no views; delete it to begin anew") from None


def _named(name: str) -> str:
    """What a view is called in the list, where each word stands once."""
    return unlike(label(name), (VIEWS,))


def _three(values: Sequence[float]) -> tuple[float, ...]:
    x, y, z = (float(v) for v in values)
    if not all(map(math.isfinite, (x, y, z))):
        raise ValueError
    return x, y, z
