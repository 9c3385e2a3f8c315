"""The viewer in the browser: load a result, scrub, recolour, isolate, click, move a slider."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from browsing import Visit, changed

import vastus
from vastus import shapes
from vastus.app.view.notebook import Window, view

NAME = "<img src=x onerror=document.title='broken'>"


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three frames of a bending elbow, whose name would run in a careless page."""
    folder = tmp_path_factory.mktemp("results") / "bend"
    model = shapes.elbow(tets=2000).with_(name=NAME)
    frames = vastus.simulate(
        model, vastus.Newton(tolerance=1e-5), vastus.ramp(model, biceps=0.6, seconds=1, fps=2)
    )
    vastus.write(folder, model, frames)
    return folder


@pytest.fixture(scope="module")
def window(result: Path) -> Iterator[Window]:
    opened = view(result)
    yield opened
    opened.close()


def test_a_result_is_loaded_and_scrubbed(visit: Visit, window: Window) -> None:
    visit.open(window.url)
    visit.see("frame 1 of 3")
    first = visit.picture()
    visit.keep("viewer_loaded")
    visit.type("Frame", "2")
    visit.see("frame 3 of 3")
    visit.wait(lambda: changed(first, visit.picture()) > 0.01, "the arm bending")
    visit.keep("viewer_scrubbed")
    assert visit.page.title() != "broken"


def test_a_result_plays_and_stops(visit: Visit, window: Window) -> None:
    visit.open(window.url)
    visit.press("Play")
    visit.see("frame 2 of 3")
    visit.see("frame 1 of 3")  # it loops
    visit.press("Pause")
    visit.see_button("Play")


def test_muscles_are_coloured_by_a_field_with_a_bar(visit: Visit, window: Window) -> None:
    visit.open(window.url)
    visit.type("Frame", "2")
    visit.see("frame 3 of 3")
    visit.pause(1.5)
    seen = visit.picture()
    for field, title in {"stretch": "fibre stretch", "stress": "von Mises stress [kPa]"}.items():
        visit.choose("Colour by", field)
        visit.see(title)
        visit.wait(lambda before=seen: changed(before, visit.picture()) > 0.003, "other colours")
        seen = visit.picture()
        visit.keep(f"viewer_{field}")
    visit.choose("Colour by", "tissue")


def test_a_muscle_is_isolated_and_everything_comes_back(visit: Visit, window: Window) -> None:
    visit.open(window.url)
    whole = visit.picture()
    visit.turn_to("Parts")
    visit.choose("Show only", "biceps")
    visit.wait(lambda: changed(whole, visit.picture()) > 0.01, "the bones vanishing")
    inked = (visit.picture().min(axis=2) < 235).mean()
    assert inked < 0.75 * (whole.min(axis=2) < 235).mean()
    visit.keep("viewer_isolated")
    visit.choose("Show only", "everything")
    visit.wait(lambda: changed(whole, visit.picture()) < 0.002, "the bones coming back")


def test_a_click_on_a_tet_shows_its_numbers(visit: Visit, window: Window) -> None:
    visit.open(window.url)
    visit.turn_to("Parts")
    visit.choose("Show only", "biceps")
    visit.pause(1.5)
    # The reddish pixels are the belly of the muscle.
    picture = visit.picture()
    red = np.argwhere(picture[..., 0] - picture[..., 2] > 40)
    down, across = red[len(red) // 2]
    visit.turn_to("Show")
    visit.page.mouse.click(int(across), int(down))
    visit.see("(muscle), tet")
    visit.see("muscle biceps")
    visit.see("force:")
    visit.keep("viewer_clicked")
    visit.turn_to("Parts")
    visit.choose("Show only", "everything")


def test_the_model_is_cut_open(visit: Visit, window: Window) -> None:
    visit.open(window.url)
    whole = visit.picture()
    visit.choose("Cut across", "x")
    visit.wait(lambda: changed(whole, visit.picture()) > 0.005, "the cut")
    visit.keep("viewer_cut")
    visit.choose("Cut across", "no cut")


def test_plots_stand_beside_the_timeline(visit: Visit, window: Window) -> None:
    visit.open(window.url)
    visit.turn_to("Plots")
    for title in ("joint angle [deg]", "muscle length [mm]", "tendon force [N]"):
        visit.see(title)
    first = visit.page.locator("canvas").last.screenshot()
    visit.type("Frame", "1")
    visit.wait(lambda: visit.page.locator("canvas").last.screenshot() != first, "the cursor moving")
    visit.keep("viewer_plots")


def test_a_picture_and_a_view_are_saved(visit: Visit, window: Window, result: Path) -> None:
    visit.open(window.url)
    visit.turn_to("Save")
    with visit.page.expect_download() as saved:
        visit.press("Save picture")
    contents = Path(saved.value.path()).read_bytes()
    assert contents.startswith(b"\x89PNG")
    visit.type("Name of this view", "side")
    visit.press("Keep this view")
    visit.wait(lambda: (result / "views.json").exists(), "the view being kept")
    visit.see("The view 'side' is kept.")
    visit.keep("viewer_saved")


def test_a_slider_moves_the_vertices(visit: Visit, window: Window) -> None:
    visit.open(window.url)
    visit.turn_to("Live")
    before = visit.picture()
    visit.type("biceps", "0.5")
    visit.see("solved in")
    visit.wait(lambda: changed(before, visit.picture()) > 0.01, "the arm moving")
    visit.keep("viewer_live")


def yellowest(picture: np.ndarray) -> int:
    """How much more red and green than blue some pixel has; violet, no distance, has none."""
    return int((picture[..., :2].min(axis=2) - picture[..., 2]).max())


def test_two_results_are_compared(visit: Visit, result: Path, tmp_path: Path) -> None:
    """The second result stays as the first begins, so that their distance grows."""
    still = tmp_path / "still"
    shutil.copytree(result, still)
    for number in (1, 2):
        shutil.copy(still / "frames/frame_0000.vtu", still / f"frames/frame_{number:04}.vtu")
    opened = view(result, still)
    try:
        visit.open(opened.url)
        visit.keep("viewer_side_by_side")
        visit.choose("Second result", "overlaid")
        visit.choose("Colour by", "distance")
        visit.see("distance [mm]")
        alike = visit.picture()
        visit.type("Frame", "2")
        visit.wait(lambda: changed(alike, visit.picture()) > 0.01, "the distance being coloured")
        visit.wait(lambda: yellowest(visit.picture()) > 100, "the largest distance")
        visit.keep("viewer_overlaid")
    finally:
        opened.close()
