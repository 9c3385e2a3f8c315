"""Data made to harm, opened in both pages: nothing of it runs, calls out, or writes elsewhere."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
import yaml
from browsing import Visit

from builders import hinge, row
from limb import bone, muscle
from moments import write_motion
from vastus.app.author.open import open_editor
from vastus.app.view.viewer import open_source
from vastus.app.web_page import Page
from vastus.files.meshes import write_surface
from vastus.model import Model

# Each would leave a mark, call out or end the page, if it were more than a name.
NAMES = (
    "<img src=x onerror=window.broken=1>",
    "<script>window.broken=1</script>",
    "{window.broken=1}",
    "[a](javascript:window.broken=1)",
    "![a](http://evil.example/a.png)",
    "<iframe src='http://evil.example'></iframe>",
    "export const a = (window.broken=1)",
    "`${window.broken=1}`",
    "everything",
    "(nothing)",
    "../../../escaped",
    "/escaped",
    "__proto__",
    "</style><script>document.title='broken'</script>",
    "a \u202e\u200b\x00\n# b",
)
OFF_SITE = ("http:", "https:", "ws:", "wss:")


class Guard:
    """Watches what a page asks for and opens while it is visited."""

    def __init__(self, visit: Visit, home: str) -> None:
        self._visit, self._home = visit, urlsplit(home).netloc
        self.strays: list[str] = []
        page = visit.page
        page.on("request", lambda request: self._asked(request.url))
        page.on("websocket", lambda socket: self._asked(socket.url))
        page.on("popup", lambda popup: self.strays.append(f"popup {popup.url}"))
        page.on("dialog", self._opened)

    def check(self, title: str) -> None:
        """Nothing has run, nobody was called, and the page lives."""
        page = self._visit.page
        assert self.strays == []
        assert page.evaluate("window.broken") is None
        assert page.evaluate("({}).broken") is None
        assert page.title() == title
        assert page.locator("iframe, object, embed").count() == 0
        assert page.locator("canvas").count() > 0

    def _asked(self, url: str) -> None:
        parts = urlsplit(url)
        if f"{parts.scheme}:" in OFF_SITE and parts.netloc != self._home:
            self.strays.append(url)

    def _opened(self, dialog: Any) -> None:
        self.strays.append(f"dialog {dialog.message}")
        dialog.dismiss()


def hostile() -> Model:
    """Three bones, two muscles and two joints, all of whose names would harm."""
    plain = row((hinge(("A", "B"), 0.12), hinge(("B", "C"), 0.28)))
    regions = dict(zip((r.name for r in plain.regions), NAMES, strict=False))
    bones = dict(zip("ABC", NAMES[5:8], strict=True))
    muscles = dict(zip("mn", NAMES[8:10], strict=True))
    joints = dict(zip(("AB", "BC"), NAMES[10:12], strict=True))
    return plain.with_(
        name=NAMES[0],
        regions=tuple(
            replace(r, name=regions[r.name], muscle=muscles[r.muscle] if r.muscle else None)
            for r in plain.regions
        ),
        muscles=tuple(replace(m, name=muscles[m.name]) for m in plain.muscles),
        bones=tuple(
            replace(b, name=bones[b.name], regions=tuple(regions[r] for r in b.regions))
            for b in plain.bones
        ),
        joints=tuple(
            replace(j, name=joints[j.name], bones=tuple(bones[b] for b in j.bones))
            for j in plain.joints
        ),
    )


def all_files(folder: Path) -> set[Path]:
    return set(folder.rglob("*"))


def test_a_hostile_result_is_only_shown(visit: Visit, tmp_path: Path) -> None:
    folder = write_motion(tmp_path / "deep" / "result", hostile(), np.arange(3) / 3)
    places = {name: [[1, 1, 1], [0, 0, 0]] for name in (*NAMES, "views")}
    (folder / "views.json").write_text(json.dumps(places))
    before = all_files(tmp_path)
    with Page(NAMES[1], port=0) as page:
        open_source(page, folder, folder)
        guard = Guard(visit, page.url)
        visit.open(page.url)
        title = visit.page.title()
        visit.choose("Colour by", "stress")
        visit.click_at(0.35, 0.5)
        for tab in ("Parts", "Plots", "Live", "Save", "Show"):
            visit.turn_to(tab)
        visit.turn_to("Parts")
        visit.choose("Show only", "everything (2)")
        visit.turn_to("Save")
        visit.choose("Go to view", "../../../escaped")
        visit.type("Name of this view", NAMES[13])
        visit.press("Keep this view")
        visit.see("is kept.")
        visit.keep("viewer_hostile")
        guard.check(title)
    assert all_files(tmp_path) == before


@pytest.fixture
def limb(tmp_path: Path) -> Path:
    """A folder whose files and scene have names that would harm, and lead out of it."""
    folder = tmp_path / "deep" / "limb"
    folder.mkdir(parents=True)
    (tmp_path / "secret.obj").write_text("nothing")
    for name in (NAMES[0], NAMES[2]):
        write_surface(folder / f"{name}.obj", bone(0.0, 0.13))
    for name, surface in (("a", bone(0.15, 0.28)), ("b", bone(0.0, 0.13)), ("m", muscle())):
        write_surface(folder / f"{name}.obj", surface)
    files = dict(zip(NAMES[3:6], ("../../secret.obj", "/etc/passwd", "none.obj"), strict=True))
    parts = {
        NAMES[0]: {"file": "a.obj", "tissue": "bone"},
        NAMES[1]: {"file": "b.obj", "tissue": "bone"},
        NAMES[9]: {"file": "m.obj", "tissue": "muscle"},
    } | {name: {"file": file, "tissue": "passive"} for name, file in files.items()}
    scene = {
        "vastus": 1,
        "name": NAMES[6],
        "surfaces": {"units": "m", "size": 0.02, "parts": parts},
        "joints": {NAMES[11]: {"kind": "hinge", "bones": [NAMES[0], NAMES[1]]}},
    }
    (folder / "scene.yaml").write_text(yaml.safe_dump(scene, allow_unicode=True))
    return folder


def _forget_strays(scene: Path) -> None:
    """Leave only the parts whose surfaces can be read."""
    said = yaml.safe_load(scene.read_text())
    for name in NAMES[3:6]:
        del said["surfaces"]["parts"][name]
    scene.write_text(yaml.safe_dump(said))


@pytest.mark.slow
def test_a_hostile_scene_is_only_authored(visit: Visit, limb: Path, tmp_path: Path) -> None:
    before = all_files(tmp_path)
    with Page(NAMES[1], port=0) as page:
        editor = open_editor(page, limb)
        guard = Guard(visit, page.url)
        visit.open(page.url)
        title = visit.page.title()
        visit.press("Add the 2 surface files of this folder")
        visit.wait(lambda: len(editor.document.parts) == 8, "the parts being added")
        visit.click_at(0.5, 0.4)
        for tab in ("Joints", "Muscles", "Materials", "Check"):
            visit.turn_to(tab)
        visit.press("Check now")
        visit.see("That did not work")
        visit.turn_to("Muscles")
        visit.choose("Muscle", "(nothing) (2)")
        visit.turn_to("Parts")
        visit.type("Name", "<svg/onload=window.broken=1>../../x")
        visit.wait(lambda: any("svg" in part for part in editor.document.parts), "the new name")
        visit.turn_to("Build")
        visit.press("Build")
        visit.page.get_by_role("button", name="Stop building").wait_for()
        visit.page.get_by_role("button", name="Build", exact=True).wait_for()  # it has failed
        visit.keep("author_hostile")
        guard.check(title)
        _forget_strays(limb / "scene.yaml")
        visit.press("Reload")
        visit.wait(lambda: len(editor.document.parts) == 5, "the reload")
        visit.turn_to("Check")
        visit.press("Check now")
        visit.see("warnings.")
        visit.keep("author_hostile_findings")
        guard.check(title)
    assert all_files(tmp_path) - before == {limb / "scene.yaml.orig"}
