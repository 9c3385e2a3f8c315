"""The parts of a model by name: hide them, or see one alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vastus.app.page import Page
from vastus.app.words import label, unlike
from vastus.model import Model, Region, Tissue

ALL = "everything"
GROUPS = {
    Tissue.MUSCLE: "Muscles",
    Tissue.TENDON: "Tendons",
    Tissue.BONE: "Bones",
    Tissue.PASSIVE: "Other tissue",
}
Shown = Callable[[frozenset[str], frozenset[str] | None], None]


class Parts:
    """A tree of regions by tissue, and a choice of one muscle or bone to see alone."""

    def __init__(self, page: Page, model: Model, change: Shown) -> None:
        self._change = change
        self._alone = _wholes(model)
        gui = page.server.gui
        self._isolate = gui.add_dropdown("Show only", (ALL, *self._alone), initial_value=ALL)
        page.when(self._isolate, lambda _: self._changed(), key="parts")
        self._boxes: dict[str, Any] = {}
        for tissue, title in GROUPS.items():
            names = [r.name for r in model.regions if r.tissue is tissue]
            if names:
                with gui.add_folder(f"{title} ({len(names)})", expand_by_default=False):
                    self._group(page, names)

    def _group(self, page: Page, names: list[str]) -> None:
        gui = page.server.gui
        everything = gui.add_checkbox("all of them", True)
        boxes = {name: gui.add_checkbox(label(name), True) for name in names}
        self._boxes |= boxes

        def all_of_them() -> None:
            for box in boxes.values():
                box.value = everything.value
            self._changed()

        page.when(everything, lambda _: all_of_them())
        for box in boxes.values():
            page.when(box, lambda _: self._changed(), key="parts")

    def _changed(self) -> None:
        hidden = frozenset(name for name, box in self._boxes.items() if not box.value)
        self._change(hidden, self._alone.get(self._isolate.value))


def _wholes(model: Model) -> dict[str, frozenset[str]]:
    """The regions of each muscle, each bone and each other region, by a name to show."""

    def of(wanted: Callable[[Region], bool]) -> frozenset[str]:
        return frozenset(r.name for r in model.regions if wanted(r))

    muscles = [(m.name, of(lambda r, m=m: r.muscle == m.name)) for m in model.muscles]  # type: ignore[misc]
    bones = [(bone.name, frozenset(bone.regions)) for bone in model.bones]
    loose = [(r.name, frozenset({r.name})) for r in model.regions if r.tissue is Tissue.PASSIVE]
    found: dict[str, frozenset[str]] = {}
    for name, regions in (*muscles, *bones, *loose):
        found[unlike(label(name), (ALL, *found))] = regions
    return found
