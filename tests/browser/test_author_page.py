"""The authoring page in the browser: four surfaces to a solved frame, undone, redone, reopened."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from browsing import Visit

import vastus
from limb import bone, muscle
from vastus.app.author.open import open_editor
from vastus.app.author.scene_file import opened
from vastus.app.web_page import Page
from vastus.files.meshes import write_surface

SURFACES = {
    "humerus": bone(0.15, 0.28),
    "ulna": bone(0.0, 0.13),
    "biceps": muscle(),
    "triceps": muscle(-1.0),
}
GREEN = 25  # how much more green than red or blue a pixel of the insertion has


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    home = tmp_path / "arm"
    home.mkdir()
    for name, surface in SURFACES.items():
        write_surface(home / f"{name}.obj", surface)
    return home


@pytest.fixture
def page(folder: Path) -> Iterator[Page]:
    with Page("arm", port=0) as opened_page:
        open_editor(opened_page, folder)
        yield opened_page


@pytest.mark.slow
def test_four_surfaces_become_a_model_that_moves(visit: Visit, page: Page, folder: Path) -> None:
    visit.open(page.url)
    visit.keep("author_empty")
    _parts(visit)
    _joint(visit, folder)
    _muscle(visit, folder)
    _build(visit)
    written = (folder / "scene.yaml").read_text()
    seen = _told(visit)
    _undo_all(visit, folder)
    _press_all(visit, "Redo")
    visit.wait(lambda: (folder / "scene.yaml").read_text() == written, "all being done again")
    page.close()
    with Page("arm", port=0) as again:
        open_editor(again, folder)
        visit.open(again.url)
        visit.wait(lambda: _told(visit) == seen, "the fields being filled")
        visit.keep("author_reopened")
    assert (folder / "scene.yaml").read_text() == written
    # What was saved is what `vastus run` takes.
    model = vastus.build(vastus.read(folder / "scene.yaml"))
    assert [m.name for m in model.muscles] == ["biceps", "triceps"]
    assert [m.strength for m in model.muscles] == [2e5, 3e5]


def test_a_scene_changed_by_somebody_else_is_not_overwritten(
    visit: Visit, page: Page, folder: Path
) -> None:
    visit.open(page.url)
    visit.press("Add the 4 surface files of this folder")
    visit.see("humerus, ulna")
    theirs = (folder / "scene.yaml").read_text() + "seed: 7\n"
    (folder / "scene.yaml").write_text(theirs)
    visit.choose("Units of the files", "m")
    visit.see("was changed by somebody else")
    assert (folder / "scene.yaml").read_text() == theirs
    visit.press("Reload")
    visit.wait(lambda: opened(folder)[0].description.seed == 7, "the reload")
    visit.choose("Units of the files", "m")
    visit.wait(lambda: "units: m" in (folder / "scene.yaml").read_text(), "the step being saved")
    assert opened(folder)[0].description.seed == 7


def _parts(visit: Visit) -> None:
    visit.press("Add the 4 surface files of this folder")
    visit.see("biceps, triceps")
    visit.see("humerus, ulna")
    visit.choose("Units of the files", "m")
    visit.see("they span 0.28 m")
    visit.choose("Part", "humerus")
    visit.choose("This bone is", "held still")
    visit.see("Undo: set drive of 'humerus' to pinned")
    visit.keep("author_parts")


def _joint(visit: Visit, folder: Path) -> None:
    visit.turn_to("Joints")
    visit.press("Add a joint")
    visit.choose("Its place is", "placed by hand")
    visit.see("Drag its handle")
    visit.type("Name of the joint", "elbow")
    visit.see("Undo: rename joint 'joint' to 'elbow'")
    # The muscles lie at both sides along x, so the hinge is about y.
    first = visit.field("Axis")
    second = first.locator("xpath=./following::input[1]")
    for field, value in ((second, "1"), (first, "0")):
        field.fill(value)
        field.press("Enter")
    visit.wait(lambda: "axis: [0, 1, 0]" in (folder / "scene.yaml").read_text(), "the axis")
    visit.keep("author_joint")


def _muscle(visit: Visit, folder: Path) -> None:
    visit.turn_to("Muscles")
    visit.choose("Muscle", "biceps")
    visit.see("From humerus to ulna.")
    visit.choose("Origin", "humerus")
    visit.see("Undo: set origin of 'biceps' to 'humerus'")
    visit.choose("A click", "paints the insertion")
    visit.wait(lambda: len(_green(visit)) > 0, "the insertion being shown")
    green = _green(visit)
    down, across = green[len(green) // 2]
    visit.page.mouse.click(int(across), int(down))
    visit.see("Undo: paint insertion of 'biceps'")
    assert "insertion_at" in (folder / "scene.yaml").read_text()
    visit.tick("Tendons as proposed")
    visit.type("Tendon at the origin [%]", "25")
    visit.wait(lambda: "tendons: [0.25" in (folder / "scene.yaml").read_text(), "the tendon")
    visit.type("Strength [kPa]", "200")
    visit.see("Undo: set strength of 'biceps' to 200 kPa")
    visit.choose("A click", "selects a part")
    visit.keep("author_muscle")


def _green(visit: Visit) -> np.ndarray:
    """(k, 2) the pixels of the insertion, down and across."""
    picture = visit.picture()
    return np.argwhere(picture[..., 1] - picture[..., ::2].max(axis=2) > GREEN)


def _build(visit: Visit) -> None:
    visit.turn_to("Check")
    visit.press("Check now")
    visit.see("Nothing looks wrong.")
    visit.keep("author_check")
    visit.turn_to("Build")
    visit.tick("Usual size for this body")
    visit.type("Edge of a tet [mm]", "15")
    visit.see("Undo: set size to 15 mm")
    visit.press("Build")
    visit.see("smallest angle", seconds=120.0)
    visit.keep("author_built")
    level = visit.page.locator(
        "xpath=//*[normalize-space(text())='biceps']/following::input[not(@type='hidden')][1]"
    ).last
    level.fill("0.5")
    level.press("Enter")
    visit.see("solved in", seconds=60.0)
    visit.pause(1.5)
    visit.keep("author_live")


def _undo_all(visit: Visit, folder: Path) -> None:
    _press_all(visit, "Undo")
    visit.wait(lambda: not opened(folder)[0].parts, "the last step being undone")
    visit.keep("author_undone")


def _press_all(visit: Visit, what: str) -> None:
    """Press a button until there is no step left."""
    button = visit.page.get_by_role("button", name=what)
    for _ in range(40):
        if button.is_disabled():
            return
        label = button.inner_text()
        button.click()
        # Pressed again before the step is taken, it might wait for a button that is then disabled.
        visit.wait(lambda was=label: button.inner_text() != was, f"the {what.lower()}")
    raise AssertionError(f"there is still a step to {what.lower()}")


def _told(visit: Visit) -> dict[str, tuple[str, ...]]:
    """What the fields of some tabs hold, the parts by their names."""
    told = {}
    for tab in ("Parts", "Joints", "Muscles", "Build"):
        visit.turn_to(tab)
        if tab == "Parts":
            visit.choose("Part", "biceps")
            visit.pause(0.5)
        fields = visit.page.locator("input:visible").all()
        told[tab] = tuple(field.input_value() for field in fields)
    told["Build"] = told["Build"][:3]  # what follows belongs to the model that was built
    return told
