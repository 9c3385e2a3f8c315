"""Motion in the browser: speed as a colour, and a muscle that is pulled, let go and falls."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from browsing import Visit, changed

from vastus.app.view.viewer import open_source
from vastus.app.web_page import Page
from vastus.model import Model
from vastus.results.writer import ResultWriter
from vastus.state import Frame, Report, rest

SCENE = """
vastus: 1
name: hanging bar
model: {shape: bar, tets: 1000}
contact: none
solver: {kind: dynamic, step: 0.02, viscosity: 0.02}
inputs: {seconds: 0.1, fps: 10, activation: {bar: 0.0}}
"""


def middle_of(picture: np.ndarray) -> tuple[int, int]:
    """Across and down [px] the middle of the reddish pixels, which are muscle."""
    red = np.argwhere(picture[..., 0] - picture[..., 2] > 25)
    down, across = np.median(red, axis=0).astype(int)
    return int(across), int(down)


@pytest.mark.slow
def test_a_pulled_muscle_follows_and_falls_back(visit: Visit, tmp_path: Path) -> None:
    scene = tmp_path / "bar.yaml"
    scene.write_text(SCENE)
    with Page("pulled", port=0) as page:
        live = open_source(page, scene).live
        visit.open(page.url)
        visit.see("of real time")
        visit.press("Pause")
        visit.see_button("Go on")
        across, down = middle_of(visit.picture())
        visit.press("Go on")
        mouse = visit.page.mouse
        mouse.move(across, down)
        mouse.down()
        mouse.move(across, down - 20, steps=4)
        mouse.move(across, down - 120, steps=6)
        visit.see("N pull it")
        assert live._pull is not None
        held, low = live._pull.vertices, float(live._x[live._pull.vertices].mean(axis=0)[2])
        visit.wait(lambda: live._x[held].mean(axis=0)[2] > low + 0.005, "following")
        high, up = live._x[held].mean(axis=0), visit.picture()
        visit.keep("live_pulled")
        mouse.up()
        visit.wait(lambda: live._pull is None, "letting go")
        visit.wait(lambda: live._x[held].mean(axis=0)[2] < high[2] - 0.002, "falling back")
        visit.wait(lambda: changed(up, visit.picture()) > 0.01, "the picture of it")
        visit.turn_to("Show")
        visit.choose("Colour by", "speed")
        visit.see("speed [m/s]")
        visit.keep("live_released")
    # Said by the browser of every drag of a node; nothing is lost by it.
    visit.errors[:] = [error for error in visit.errors if "preventDefault" not in error]


def yellow(picture: np.ndarray) -> int:
    """How many pixels are yellow or light green, as what is fastest is, and nothing else."""
    green, blue = picture[..., 1], picture[..., 2]
    return int(((green > 150) & (green > blue + 60)).sum())


@pytest.mark.slow  # the fields themselves are tested without a browser
def test_what_moves_fast_is_yellow_bones_too(
    visit: Visit, tmp_path: Path, bar_model: Model
) -> None:
    still = rest(bar_model)
    v = np.outer(bar_model.mesh.X[:, 0] / np.ptp(bar_model.mesh.X[:, 0]), [0.0, 0.0, 2.0])
    with ResultWriter(tmp_path / "swing", bar_model) as writer:
        for number, share in enumerate((0.1, 1.0)):
            state = replace(still, time=0.1 * number, v=share * v)
            writer.add(Frame(number, state, Report(True, 1, 0.0, 1.0, 0.0), model=bar_model))
    with Page("swing", port=0) as page:
        open_source(page, tmp_path / "swing")
        visit.open(page.url)
        visit.choose("Colour by", "speed")
        visit.see("speed [m/s]")
        visit.wait(lambda: yellow(visit.picture()) < 20, "slow colours")
        visit.type("Frame", "1")
        visit.see("frame 2 of 2")
        visit.wait(lambda: yellow(visit.picture()) > 500, "fast colours")
        visit.keep("viewer_speed")
