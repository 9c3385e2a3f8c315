"""What breaks behind a page is told in it, and the page goes on."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest
from browsing import Visit, changed

from moments import write_motion
from vastus import shapes
from vastus.app.view.viewer import open_model, open_source
from vastus.app.web_page import Page
from vastus.model import Model


@pytest.mark.skipif(os.name == "nt", reason="needs signals of POSIX")
def test_a_solver_that_dies_is_told_and_the_next_move_is_solved(visit: Visit) -> None:
    with Page("crash", port=0) as page:
        viewer = open_model(page, shapes.fusiform(tets=1_000).with_(gravity=np.zeros(3)))
        visit.open(page.url)
        rest = visit.picture()
        visit.type("belly", "0.2")
        visit.see("solved in")
        former = viewer.live._solver.pid
        os.kill(former, signal.SIGKILL)
        visit.see("the solver's process died (SIGKILL)")
        visit.see("The last good state is shown.")
        visit.keep("viewer_crashed")
        visit.type("belly", "0.6")
        visit.see("solved in")
        assert viewer.live._solver.pid != former
        visit.wait(lambda: changed(rest, visit.picture()) > 0.003, "the muscle reddening")


def test_a_damaged_frame_is_told_and_the_others_are_shown(
    visit: Visit, tmp_path: Path, bar_model: Model
) -> None:
    folder = write_motion(tmp_path / "result", bar_model, np.arange(3) / 3)
    frame = folder / "frames" / "frame_0001.vtu"
    frame.write_bytes(frame.read_bytes()[:-500])
    with Page("damaged", port=0) as page:
        open_source(page, folder)
        visit.open(page.url)
        visit.see("frame 1 of 3")
        first = visit.picture()
        visit.type("Frame", "1")
        visit.see("frame_0001.vtu' is cut off")
        visit.keep("viewer_damaged")
        visit.type("Frame", "2")
        visit.see("frame 3 of 3")
        visit.wait(lambda: changed(first, visit.picture()) > 0.01, "the last frame")
        visit.press("Play")
        visit.see("frame 1 of 3")
        visit.see("frame 3 of 3")
