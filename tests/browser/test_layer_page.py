"""Bones, lines, volumes and skin in the browser: played, hidden, seen through."""

from __future__ import annotations

from pathlib import Path

import pytest
from browsing import Visit, changed

from layered import write_exercise, write_flesh
from vastus.app.bodies.layer_player import LayerPlayer
from vastus.app.web_page import Page
from vastus.flesh.layers import Layer, read_layers


@pytest.mark.slow
def test_an_exercise_is_played_with_bones_and_lines(visit: Visit, tmp_path: Path) -> None:
    with Page("bend", port=0) as page:
        player = LayerPlayer(page, read_layers(write_exercise(tmp_path / "bend")))
        visit.open(page.url)
        visit.see("frame 1 of 7")
        first = visit.picture()
        visit.type("Frame", "6")
        visit.see("frame 7 of 7")
        visit.wait(lambda: changed(first, visit.picture()) > 0.005, "the picture of it")
        bent = visit.still()
        visit.tick("Lines")
        visit.wait(lambda: not player.figure.visible[Layer.LINES], "hiding the lines")
        visit.wait(lambda: changed(bent, visit.picture()) > 0.002, "the picture without them")
        visit.keep("layers_bones")
        visit.tick("Lines")
        visit.wait(lambda: changed(bent, visit.picture()) < 0.001, "the lines again")
        visit.turn_to("Plots")
        visit.see("joint angle [deg]")
        visit.press("Play")
        visit.see("frames/s")


@pytest.mark.slow
def test_flesh_has_layers_and_a_skin_to_see_through(visit: Visit, tmp_path: Path) -> None:
    folder = write_flesh(write_exercise(tmp_path / "bend") / "flesh")
    with Page("flesh", port=0) as page:
        player = LayerPlayer(page, read_layers(folder))
        visit.open(page.url)
        visit.see("frame 1 of 4")
        visit.see("Opacity of skin")
        assert tuple(player.figure.visible) == tuple(
            layer for layer in Layer if layer is not Layer.LOADS
        )
        assert not player.figure.visible[Layer.LINES], "volumes are in the place of lines"
        glass = visit.picture()
        visit.keep("layers_glass")
        visit.type("Opacity of skin", "1")
        visit.wait(lambda: changed(glass, visit.picture()) > 0.01, "an opaque skin")
        cover = visit.still()
        visit.keep("layers_skin")
        visit.tick("Bones")
        visit.wait(lambda: not player.figure.visible[Layer.BONES], "hiding the bones")
        visit.pause(1.0)
        assert changed(cover, visit.picture()) < 0.002, "bones are not seen through the skin"
        visit.tick("Skin")
        visit.wait(lambda: changed(cover, visit.picture()) > 0.01, "muscles without skin")
        visit.keep("layers_muscles")
