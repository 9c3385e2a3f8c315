"""Pictures and movies of what a visitor sees, saved by the browser."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from vastus.app.page import Page
from vastus.app.view.timeline import Timeline
from vastus.errors import VastusError
from vastus.io.movie import encode
from vastus.io.pictures import png_bytes
from vastus.io.stage import Image

SIZES = {"1280 x 720": (720, 1280), "1920 x 1080": (1080, 1920), "800 x 800": (800, 800)}
SETTLE = 0.25  # [s] that the browser may take to unpack a surface
PATIENCE = 20.0  # [s] for one picture


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
