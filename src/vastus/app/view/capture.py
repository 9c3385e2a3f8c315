"""Pictures and movies of what a visitor sees, and views to come back to."""

from __future__ import annotations

import json
import math
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from vastus.app.text import label
from vastus.app.view.timeline import Timeline
from vastus.app.web_page import Page
from vastus.errors import FileError, VastusError
from vastus.files.identifiers import unlike
from vastus.files.safe import DAMAGED, MIB, read_text, write_text
from vastus.pictures.animation import encode
from vastus.pictures.picture import png_bytes
from vastus.pictures.renderer import Image

SIZES = {"1280 x 720": (720, 1280), "1920 x 1080": (1080, 1920), "800 x 800": (800, 800)}
SETTLE = 0.25  # [s] that the browser may take to unpack a surface
PATIENCE = 20.0  # [s] for one picture
FILE = "views.json"
VIEWS = "views"
LARGEST = MIB
Place = tuple[tuple[float, ...], tuple[float, ...]]  # position and target, (3,) each [m]


class Capture:
    """Saves the present picture, or all frames of a timeline, if there is one, as a movie."""

    def __init__(self, page: Page, timeline: Timeline | None) -> None:
        gui = page.server.gui
        self._size = gui.add_dropdown("Size", tuple(SIZES), initial_value=next(iter(SIZES)))
        self._picture = gui.add_button("Save picture")
        page.when(self._picture, self._save_picture)
        self._bar = gui.add_progress_bar(0.0, visible=False)
        if timeline is not None:
            page.when(gui.add_button("Save movie"), lambda e: self._save_movie(e, timeline))

    def _save_picture(self, event: Any) -> None:
        event.client.send_file_download(
            "vastus.png", png_bytes(self._taken(event.client)), save_immediately=True
        )

    def _save_movie(self, event: Any, timeline: Timeline) -> None:
        timeline.stop()
        self._bar.visible = True
        try:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "vastus.mp4"
                encode(path, self._taken_all(event.client, timeline), timeline.fps)
                event.client.send_file_download(
                    "vastus.mp4", path.read_bytes(), save_immediately=True
                )
        finally:
            self._bar.visible = False

    def _taken_all(self, client: Any, timeline: Timeline) -> Iterator[Image]:
        for index in range(len(timeline)):
            timeline.go(index)
            time.sleep(SETTLE)
            self._bar.value = 100.0 * index / len(timeline)
            yield self._taken(client)

    def _taken(self, client: Any) -> Image:
        height, width = SIZES[self._size.value]
        try:
            picture = client.get_render(height, width, timeout=PATIENCE)
        except (RuntimeError, TimeoutError):
            raise VastusError("the browser sent no picture: is its page still open?") from None
        return np.ascontiguousarray(picture[..., :3])


class Bookmarks:
    """Keeps the view of the visitor who asks, under a name; without a folder, until the end."""

    def __init__(self, page: Page, folder: Path | None) -> None:
        self._page, self._file = page, folder / FILE if folder else None
        self._views = self._read()
        gui = page.server.gui
        self._name = gui.add_text("Name of this view", "")
        self._keep = gui.add_button("Keep this view")
        self._choice = gui.add_dropdown("Go to view", self._names(), initial_value=VIEWS)
        page.when(self._keep, self._save)
        page.when(self._choice, self._go)

    def _read(self) -> dict[str, Place]:
        """The views that were kept; a file of other things is told, and begun anew."""
        try:
            return read_views(self._file) if self._file else {}
        except FileError as error:
            self._page.complain(str(error))
            return {}

    def _names(self) -> tuple[str, ...]:
        return (VIEWS, *self._views)

    def _save(self, event: Any) -> None:
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

    def _go(self, event: Any) -> None:
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
