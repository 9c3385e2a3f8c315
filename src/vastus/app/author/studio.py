"""Steps that can be undone and done again.

The authoring page: one document, its history, and panels that show and change it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from typing import Protocol

import numpy as np
from scipy.spatial.transform import Rotation

from vastus.app.author.document import Document
from vastus.app.author.guide import Mode, up_of
from vastus.app.author.saving import ChangedOnDisk, opened, save
from vastus.app.author.surfaces import Bench, Material, coats_of
from vastus.app.page import Page
from vastus.errors import VastusError
from vastus.files.safe import require_writable
from vastus.model import Tissue
from vastus.modelling.surfaces.anatomy import parts_of, plan_of
from vastus.modelling.surfaces.preview import Preview, preview
from vastus.numerics.types import Floats
from vastus.scene.scene import Scene

MERGED = 1.0  # [s] between changes of one kind that are one step, as when a slider is dragged
DEPTH = 1000  # steps that are kept


@dataclass(frozen=True)
class History:
    """The document now, those before it, oldest first, and those undone, next first."""

    now: Document
    past: tuple[Document, ...] = ()
    future: tuple[Document, ...] = ()
    at: float = -inf  # [s] when the last step was made; undoing forgets it

    def done(self, document: Document, clock: Callable[[], float] = time.monotonic) -> History:
        """With another step; what was undone is lost, and a change to the same is no step."""
        at = clock()
        if document == self.now:
            return self
        if self._continues(document, at):
            return replace(self, now=document, future=(), at=at)
        return History(document, (*self.past, self.now)[-DEPTH:], (), at)

    def undone(self) -> History:
        """A step back, if there is one."""
        if not self.past:
            return self
        return History(self.past[-1], self.past[:-1], (self.now, *self.future))

    def redone(self) -> History:
        """A step forward again, if one was undone."""
        if not self.future:
            return self
        return History(self.future[0], (*self.past, self.now), self.future[1:])

    @property
    def undo_words(self) -> str | None:
        """What undoing takes back; None if there is nothing."""
        return self.now.change.words if self.past else None

    @property
    def redo_words(self) -> str | None:
        """What doing again brings back; None if there is nothing."""
        return self.future[0].change.words if self.future else None

    @property
    def steps(self) -> list[str]:
        """What was done, oldest first."""
        return [document.change.words for document in (*self.past, self.now)]

    def _continues(self, document: Document, at: float) -> bool:
        """Whether a document goes on with the step that was just made."""
        key = document.change.key
        return bool(self.past and key) and key == self.now.change.key and at - self.at <= MERGED


FROM = np.array([0.3, -0.8, 0.15])  # extents, to where the visitor stands


class Panel(Protocol):
    """A part of the page."""

    def refresh(self) -> None:
        """Show the document as it is now."""

    def touched(self, part: str, place: Floats) -> None:
        """A part was clicked on at a place (3,) [m]."""


class Studio:
    """What all panels share: the document, what is selected, and how a change is made."""

    def __init__(self, page: Page, folder: Path) -> None:
        self.page = page
        document, self._kept = opened(folder)
        require_writable(folder)  # every step is saved
        self.history = History(document)
        self.material = Material()
        self.bench = Bench(page.server)
        self.mode = Mode.SELECT
        self.selected: str | None = None
        self.panels: list[Panel] = []
        self._up = up_of(document)
        self._seen: tuple[object, Preview | None] = (None, None)  # the last preview, and of what
        page.when_clicked(self._clicked)

    @property
    def document(self) -> Document:
        """The document now."""
        return self.history.now

    @property
    def scene_file(self) -> Path:
        """Where the document is saved."""
        return self._kept.path

    def edit(self, change: Callable[[Document], Document]) -> None:
        """Change the document, save it, and show it; a refused change is shown as it was."""
        try:
            self._settle(self.history.done(change(self.document)))
        finally:
            self.refresh()

    def undo(self) -> None:
        """Take the last step back."""
        self.edit_history(self.history.undone())

    def redo(self) -> None:
        """Do the step again that was undone."""
        self.edit_history(self.history.redone())

    def edit_history(self, history: History) -> None:
        """Go to another place of the history."""
        self._settle(history)
        self.refresh()

    def reload(self) -> None:
        """Take the scene file as it is on disk; what was done before can still be undone."""
        document, self._kept = opened(self._kept.folder)
        self.edit_history(self.history.done(document))

    def select(self, part: str | None) -> None:
        """Select a part."""
        self.selected = part
        self.refresh()

    def refresh(self) -> None:
        """Let all panels show the document as it is now."""
        if self.selected not in self.document.parts:
            self.selected = next(iter(self.document.parts), None)
        before = set(self.material.surfaces)
        self.material.read(self.document)
        if set(self.material.surfaces) - before or up_of(self.document) != self._up:
            self._up = up_of(self.document)
            self.see_all()
        for panel in self.panels:
            panel.refresh()
        self.draw()

    @property
    def extent(self) -> float:
        """The largest side of the box around all surfaces [m], or 1 if there are none."""
        return self.material.extent

    def see_all(self) -> None:
        """Let all visitors, and those to come, see all surfaces."""
        if self.material.surfaces:
            low, high = self.material.box
            middle = (low + high) / 2
            up = np.array(up_of(self.document))
            # The same look from the side, whichever way is up.
            turn, _ = Rotation.align_vectors([up], [[0.0, 0.0, 1.0]])
            self.page.server.scene.set_up_direction(tuple(up))
            position = middle + turn.apply(FROM) * self.extent
            self.page.look_from(position, middle)
            self.page.aim(position, middle)

    def draw(self) -> None:
        """Show the surfaces in their colours."""
        self.bench.show(self.material.surfaces, coats_of(self))

    @property
    def selected_muscle(self) -> str | None:
        """The selected part, if it is of muscle."""
        said = self.document.parts.get(self.selected or "")
        return self.selected if said is not None and said.tissue is Tissue.MUSCLE else None

    def preview(self, muscle: str) -> Preview | None:
        """What a build would make of a part of muscle; None if it cannot be said yet."""
        scene = Scene(self.document.said, self.material.surfaces)
        parts = parts_of(scene, self.material.surfaces)
        names = [part.name for part in parts]
        if muscle not in names:
            return None
        key = (muscle, str(self.document.data))
        if self._seen[0] != key:
            try:
                self._seen = key, preview(parts, names.index(muscle), plan_of(scene))
            except VastusError as error:
                self._seen = key, None
                self.page.complain(str(error))
        return self._seen[1]

    def _settle(self, history: History) -> None:
        try:
            self._kept = save(history.now, self._kept)
        except ChangedOnDisk:
            self.page.complain(
                f"{self._kept.path.name} was changed by somebody else, so this step was not saved; "
                "press 'Reload' to take that file, then go on"
            )
            return
        self.history = history

    def _clicked(self, origin: Floats, direction: Floats) -> None:
        touch = self.bench.touched(origin, direction)
        if touch is None:
            return
        for panel in self.panels:
            panel.touched(touch.part, touch.place)
