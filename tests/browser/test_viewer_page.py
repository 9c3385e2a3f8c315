"""The viewer in the browser: load a result, scrub, recolour, isolate, click, move a slider."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from browsing import Visit, changed, inked

import vastus
from vastus import shapes
from vastus.app.view.notebook import Window, view
from vastus.parts import Contact, ContactKind

NAME = "<img src=x onerror=document.title='broken'>"


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three frames of a bending elbow, whose name would run in a careless page."""
    folder = tmp_path_factory.mktemp("results") / "bend"
    model = shapes.elbow(tets=1000).with_(name=NAME)
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


@pytest.fixture(scope="module")
def opened(lasting_visit: Visit, window: Window) -> Visit:
    lasting_visit.open(window.url)
    return lasting_visit


@pytest.fixture
def viewer(opened: Visit) -> Iterator[Visit]:
    """The viewer's page at the first frame, in its first tab."""
    opened.turn_to("Show")
    opened.type("Frame", "0")
    opened.see("frame 1 of 3")
    yield opened
    assert opened.errors == []


def test_a_result_is_loaded_and_scrubbed(viewer: Visit) -> None:
    viewer.see("frame 1 of 3")
    first = viewer.picture()
    viewer.keep("viewer_loaded")
    viewer.type("Frame", "2")
    viewer.see("frame 3 of 3")
    viewer.wait(lambda: changed(first, viewer.picture()) > 0.01, "the arm bending")
    viewer.keep("viewer_scrubbed")
    assert viewer.page.title() != "broken"


def test_a_result_plays_and_stops(viewer: Visit) -> None:
    viewer.press("Play")
    viewer.see("frame 2 of 3")
    viewer.see("frame 1 of 3")  # it loops
    viewer.press("Pause")
    viewer.see_button("Play")


@pytest.mark.slow  # what the page is told to draw is tested without a browser
def test_muscles_are_coloured_by_a_field_with_a_bar(viewer: Visit) -> None:
    viewer.type("Frame", "2")
    viewer.see("frame 3 of 3")
    seen = viewer.still()
    for field, title in {"stretch": "fibre stretch", "stress": "von Mises stress [kPa]"}.items():
        viewer.choose("Colour by", field)
        viewer.see(title)
        viewer.wait(lambda before=seen: changed(before, viewer.picture()) > 0.003, "other colours")
        seen = viewer.still()
        viewer.keep(f"viewer_{field}")
    viewer.choose("Colour by", "tissue")


@pytest.mark.slow  # what the page is told to draw is tested without a browser
def test_a_muscle_is_isolated_and_everything_comes_back(viewer: Visit) -> None:
    whole = viewer.still()
    viewer.turn_to("Parts")
    viewer.choose("Show only", "biceps")
    enough = 0.75 * inked(whole)
    viewer.wait(lambda: inked(viewer.picture()) < enough, "the bones vanishing")
    viewer.keep("viewer_isolated")
    viewer.choose("Show only", "everything")
    viewer.wait(lambda: changed(whole, viewer.picture()) < 0.002, "the bones coming back")


def test_a_click_on_a_tet_shows_its_numbers(viewer: Visit) -> None:
    viewer.turn_to("Parts")
    viewer.choose("Show only", "biceps")
    # The reddish pixels are the belly of the muscle.
    picture = viewer.still()
    red = np.argwhere(picture[..., 0] - picture[..., 2] > 40)
    down, across = red[len(red) // 2]
    viewer.turn_to("Show")
    viewer.page.mouse.click(int(across), int(down))
    viewer.see("(muscle), tet")
    viewer.see("muscle biceps")
    viewer.see("force:")
    viewer.keep("viewer_clicked")
    viewer.turn_to("Parts")
    viewer.choose("Show only", "everything")


@pytest.mark.slow  # what the page is told to draw is tested without a browser
def test_the_model_is_cut_open(viewer: Visit) -> None:
    whole = viewer.still()
    viewer.choose("Cut across", "x")
    viewer.wait(lambda: changed(whole, viewer.picture()) > 0.005, "the cut")
    viewer.keep("viewer_cut")
    viewer.choose("Cut across", "no cut")


def test_plots_stand_beside_the_timeline(viewer: Visit) -> None:
    viewer.turn_to("Plots")
    for title in ("joint angle [deg]", "muscle length [mm]", "muscle force [N]"):
        viewer.see(title)
    first = viewer.page.locator("canvas").last.screenshot()
    viewer.type("Frame", "1")
    viewer.wait(
        lambda: viewer.page.locator("canvas").last.screenshot() != first, "the cursor moving"
    )
    viewer.keep("viewer_plots")


def test_a_picture_and_a_view_are_saved(viewer: Visit, result: Path) -> None:
    viewer.turn_to("Save")
    with viewer.page.expect_download() as saved:
        viewer.press("Save picture")
    contents = Path(saved.value.path()).read_bytes()
    assert contents.startswith(b"\x89PNG")
    viewer.type("Name of this view", "side")
    viewer.press("Keep this view")
    viewer.wait(lambda: (result / "views.json").exists(), "the view being kept")
    viewer.see("The view 'side' is kept.")
    viewer.keep("viewer_saved")


def test_a_slider_moves_the_vertices(viewer: Visit) -> None:
    viewer.turn_to("Live")
    before = viewer.picture()
    viewer.type("biceps", "0.5")
    viewer.see("solved in")
    viewer.wait(lambda: changed(before, viewer.picture()) > 0.01, "the arm moving")
    viewer.see("elbow: +")
    viewer.see(" N")
    viewer.keep("viewer_live")


def yellowest(picture: np.ndarray) -> int:
    """How much more red and green than blue some pixel has; violet, no distance, has none."""
    return int((picture[..., :2].min(axis=2) - picture[..., 2]).max())


@pytest.mark.slow  # the comparison is tested without a browser
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


def blue(picture: np.ndarray) -> int:
    """How many pixels are blue, as little is but the arrows of forces and the axes of joints."""
    rest, blue = picture[..., :2], picture[..., 2]
    return int((blue > rest.max(axis=2) + 40).sum())


@pytest.mark.slow  # what the page is told to draw is tested without a browser
def test_contact_is_seen_as_arrows_and_as_a_colour(visit: Visit, tmp_path: Path) -> None:
    """A triceps that bulges onto the humerus."""
    contact = Contact(muscles=ContactKind.NONE, pressure=3e5)  # soft, so that many arrows are long
    model = shapes.elbow(tets=1500).with_(contact=contact)
    inputs = vastus.ramp(model, triceps=0.5, seconds=1, fps=1)
    vastus.write(tmp_path, model, vastus.simulate(model, vastus.Newton(tolerance=1e-5), inputs))
    opened = view(tmp_path)
    try:
        visit.open(opened.url)
        visit.tick("Joints")
        visit.type("Frame", "1")
        visit.see("frame 2 of 2")
        visit.wait(lambda: blue(visit.picture()) < 15, "the axes of joints vanishing")
        visit.tick("Contact forces")
        visit.see("longest arrow:")
        visit.wait(lambda: blue(visit.picture()) > 40, "the arrows appearing")
        visit.keep("viewer_contact_forces")
        visit.tick("Contact forces")
        visit.wait(lambda: blue(visit.picture()) < 15, "the arrows vanishing")
        seen = visit.picture()
        visit.choose("Colour by", "contact pressure")
        visit.see("contact pressure [kPa]")
        visit.wait(lambda: changed(seen, visit.picture()) > 0.01, "bones as glass")
        visit.keep("viewer_contact_pressure")
    finally:
        opened.close()
