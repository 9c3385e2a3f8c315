"""The page for operations in the browser: an insertion is moved by clicks, undone and saved."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from browsing import Visit

from vastus.app.surgery.surgery import Surgery
from vastus.app.surgery.surgery_page import WIDTH, open_surgery
from vastus.app.web_page import Page
from vastus.bodies.read import read_body
from vastus.control.disorders import read_disorders
from vastus.control.disorders.insertion import Insertion

ARM = Path(__file__).parents[2] / "examples" / "little_arm.xml"
COMMENTED = (
    "# a patient\ndisorders:\n"
    "  - {kind: contracture, muscles: flexor, length: 0.8}  # since the accident\n"
)
WINDOW = {"width": 1100, "height": 700}  # [px] a panel at either side of the picture


@pytest.fixture
def changes(tmp_path: Path) -> Path:
    path = tmp_path / "changes.yaml"
    path.write_text(COMMENTED)
    return path


@pytest.fixture
def surgery(changes: Path) -> Iterator[Surgery]:
    pytest.importorskip("mujoco", reason="mujoco is the extra 'skeleton'")
    with Page("little arm", port=0) as page:
        yield open_surgery(page, read_body(ARM, hands={}), changes, source=ARM, title="little arm")


@pytest.mark.slow
def test_an_insertion_is_moved_by_a_click_undone_and_saved(
    visit: Visit, surgery: Surgery, changes: Path
) -> None:
    visit.page.set_viewport_size(WINDOW)
    visit.open(surgery.page.url)
    visit.wait(lambda: "Relaxed angle" in _told(visit), "the findings being shown")
    sick = _told(visit)
    visit.choose("Bone", "shaft")
    visit.choose("A click", "moves the insertion")
    visit.wait(lambda: len(_tinted(visit)) > 50, "the chosen bone being shown")
    spots = _tinted(visit)
    down, across = spots[len(spots) // 2]
    visit.page.mouse.click(int(across), int(down))
    visit.see("Undo: move insertion of flexor to upper")
    visit.wait(lambda: _told(visit) not in (sick, "") and _computed(visit), "the findings")
    operated = _told(visit)
    moved = surgery.operated.disorders[-1]
    assert isinstance(moved, Insertion)
    radius = np.hypot(*moved.position[:2])
    assert radius == pytest.approx(0.01, abs=5e-4)  # on the capsule
    assert "Arm of flexor here" in operated
    visit.keep("surgery_moved")

    visit.turn_to("Save")
    visit.press("Save the changes")
    visit.wait(lambda: changes.read_text() != COMMENTED, "the save")
    assert changes.read_text().startswith(COMMENTED)  # comments stay
    assert read_disorders(changes) == surgery.operated.disorders

    visit.page.get_by_role("button", name="Undo:").first.click()
    visit.wait(lambda: _told(visit) == sick, "the findings being as before")
    visit.press("Save the changes")
    visit.wait(lambda: changes.read_bytes() == COMMENTED.encode(), "the file being as it was")


@pytest.mark.slow
def test_a_click_on_the_map_moves_the_insertion_and_a_disorder_is_added(
    visit: Visit, surgery: Surgery, tmp_path: Path
) -> None:
    visit.page.set_viewport_size(WINDOW)
    visit.open(surgery.page.url)
    visit.wait(lambda: _computed(visit), "the findings")
    visit.choose("Bone", "shaft")
    visit.see("shaft, unrolled")
    box = visit.page.locator("image.bone-map").first.bounding_box()
    visit.page.locator("image.bone-map").first.click(
        position={"x": 0.75 * box["width"], "y": 0.5 * box["height"]}
    )
    visit.wait(lambda: len(surgery.operated.disorders) == 2, "the insertion")
    visit.pause(0.5)
    moved = surgery.operated.disorders[-1]
    assert isinstance(moved, Insertion)
    bone = surgery.bones[surgery.bone or 0]
    angle, height = bone.map.place(np.array(moved.position))
    assert np.degrees(angle) == pytest.approx(90.0, abs=2.0)
    assert height == pytest.approx(0.5 * bone.map.length, rel=0.02)
    assert len(surgery.history.past) == 1  # two fields are one step

    visit.turn_to("Disorders")
    visit.choose("Disorder", "weakness")
    visit.type("Force left", "0.4")
    visit.press("Add this disorder")
    visit.see("Undo: add weakness of flexor: force 0.4")
    visit.wait(lambda: _computed(visit), "the findings")
    visit.turn_to("Save")
    visit.press("Export")
    table = tmp_path / "changes_operated" / "findings.csv"
    visit.wait(table.exists, "the export")
    visit.keep("surgery_export")


def _told(visit: Visit) -> str:
    """What the table of findings says."""
    table = visit.page.locator("table").first
    return table.inner_text() if table.count() else ""


def _computed(visit: Visit) -> bool:
    return "Relaxed angle" in _told(visit)


def _tinted(visit: Visit) -> np.ndarray:
    """(k, 2) the pixels of the chosen bone, down and across."""
    picture = visit.picture()
    spots = (picture[..., 0] - picture[..., 2] > 70) & (picture[..., 1] - picture[..., 2] > 40)
    spots[:, :WIDTH] = False
    return np.argwhere(spots)
