"""Fifty visitors who come and leave while a result plays, and one after them who still sees it."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import viser
from browsing import Visit, changed
from websockets.sync.client import connect

from moments import write_motion
from patience import patience
from vastus.app.view.viewer import Viewer, open_source
from vastus.app.web_page import Page
from vastus.model import Model

VISITORS, AT_ONCE = 50, 10


@pytest.fixture
def page() -> Iterator[Page]:
    with Page("many", port=0) as opened:
        yield opened


@pytest.fixture
def viewer(page: Page, tmp_path: Path, bar_model: Model) -> Viewer:
    return open_source(page, write_motion(tmp_path / "result", bar_model, np.arange(5) / 5))


def come_and_go(port: int) -> int:
    """Connect as a browser does, take the first of what is sent, and vanish; how much came."""
    guest = connect(
        f"ws://127.0.0.1:{port}",
        origin=f"http://127.0.0.1:{port}",  # type: ignore[arg-type]
        subprotocols=[f"viser-v{viser.__version__}"],  # type: ignore[list-item]
        compression=None,
        max_size=None,
        open_timeout=patience(20),
    )
    size = len(guest.recv(timeout=patience(20)))
    guest.socket.shutdown(socket.SHUT_RDWR)
    guest.close_socket()
    return size


@pytest.mark.slow
def test_a_playing_page_outlives_its_visitors(visit: Visit, page: Page, viewer: Viewer) -> None:
    assert viewer.timeline is not None
    page.jobs.post(viewer.timeline.play)
    port = page.server.get_port()
    with ThreadPoolExecutor(AT_ONCE) as crowd:
        sizes = list(crowd.map(come_and_go, [port] * VISITORS))
    assert min(sizes) > 0
    visit.open(page.url)
    visit.see("frame 2 of 5")
    visit.see("frame 4 of 5")
    before = visit.picture()
    visit.wait(lambda: changed(before, visit.picture()) > 0.005, "the next frame")
    visit.press("Pause")
    visit.see_button("Play")
    visit.wait(lambda: len(page.server.get_clients()) == 1, "all others being forgotten")
    visit.keep("viewer_after_many")
