"""Bodies in the browser: a motion that is played, and a juggler that is pushed."""

from __future__ import annotations

import pytest
from browsing import Visit, changed

pytest.importorskip("mujoco", reason="bodies are placed by MuJoCo")

from swinging_body import swinging_motion
from vastus.app.bodies.body_player import BodyPlayer
from vastus.app.bodies.live_body import LiveBody
from vastus.app.bodies.performance import Pattern
from vastus.app.web_page import Page


@pytest.mark.slow
def test_a_motion_is_played(visit: Visit) -> None:
    with Page("swing", port=0) as page:
        BodyPlayer(page, swinging_motion(rows=301))
        visit.open(page.url)
        visit.see("frame 1 of")
        first = visit.picture()
        visit.type("Frame", "12")
        visit.see("frame 13 of")
        visit.wait(lambda: changed(first, visit.picture()) > 0.005, "the picture of it")
        visit.keep("body_played")
        visit.turn_to("Plots")
        visit.press("Play")
        visit.see("frames/s")


@pytest.mark.slow
def test_a_juggler_goes_on_and_is_pushed(visit: Visit) -> None:
    with Page("juggler", port=0) as page:
        live = LiveBody(page, Pattern("3"))
        visit.open(page.url)
        visit.see("of real time")
        visit.wait(lambda: live.last is not None and live.last.catches > 2, "catching")
        visit.press("Push")
        visit.keep("body_live")
        visit.press("Pause")
        visit.see_button("Go on")
        assert live._process.is_alive()
    assert not live._process.is_alive()
    visit.errors[:] = [error for error in visit.errors if "preventDefault" not in error]
