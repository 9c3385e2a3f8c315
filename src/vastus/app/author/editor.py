"""The authoring page: one document, its history, and what its panels share."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Protocol

import numpy as np
from scipy.spatial.transform import Rotation

from vastus.app.author.document import Document
from vastus.app.author.scene_file import ChangedOnDisk, opened, save
from vastus.app.author.surface_display import SurfaceDisplay, SurfaceFiles, colours_of
from vastus.app.history import History
from vastus.app.web_page import Page
from vastus.errors import VastusError
from vastus.files.safe import require_writable
from vastus.modelling.surfaces.anatomy import parts_of, plan_of
from vastus.modelling.surfaces.preview import Preview, preview
from vastus.numerics.types import Floats
from vastus.parts import Tissue
from vastus.scene.fibres import End
from vastus.scene.scene import Scene

FROM = np.array([0.3, -0.8, 0.15])  # extents, to where the visitor stands


class ClickMode(StrEnum):
    """What a click does, in the words of the page."""

    SELECT = "selects a part"
    PICK_ORIGIN = "makes a part the origin"
    PICK_INSERTION = "makes a part the insertion"
    PAINT_ORIGIN = "paints the origin"
    PAINT_INSERTION = "paints the insertion"
    ERASE = "erases paint"

    @property
    def picks(self) -> End | None:
        """The end of a muscle whose part a click names."""
        return {ClickMode.PICK_ORIGIN: End.ORIGIN, ClickMode.PICK_INSERTION: End.INSERTION}.get(
            self
        )

    @property
    def paints(self) -> End | None:
        """The end of a muscle that a click paints."""
        return {ClickMode.PAINT_ORIGIN: End.ORIGIN, ClickMode.PAINT_INSERTION: End.INSERTION}.get(
            self
        )


class Panel(Protocol):
    """A part of the page."""

    def refresh(self) -> None:
        """Show the document as it is now."""

    def touched(self, part: str, place: Floats) -> None:
        """A part was clicked on at a place (3,) [m]."""


class Editor:
    """What all panels share: the document, what is selected, and how a change is made."""

    def __init__(self, page: Page, folder: Path) -> None:
        self.page = page
        document, self._file = opened(folder)
        require_writable(folder)  # every step is saved
        self.history = History(document)
        self.files = SurfaceFiles()
        self.display = SurfaceDisplay(page.server)
        self.click_mode = ClickMode.SELECT
        self.selected: str | None = None
        self.panels: list[Panel] = []
        self._up = document.up
        self._seen: tuple[object, Preview | None] = (None, None)  # the last preview, and of what
        page.when_clicked(self._clicked)

    @property
    def document(self) -> Document:
        """The document now."""
        return self.history.now

    @property
    def scene_file(self) -> Path:
        """Where the document is saved."""
        return self._file.path

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
        document, self._file = opened(self._file.folder)
        self.edit_history(self.history.done(document))

    def select(self, part: str | None) -> None:
        """Select a part."""
        self.selected = part
        self.refresh()

    def refresh(self) -> None:
        """Let all panels show the document as it is now."""
        if self.selected not in self.document.parts:
            self.selected = next(iter(self.document.parts), None)
        before = set(self.files.surfaces)
        self.files.read(self.document)
        if set(self.files.surfaces) - before or self.document.up != self._up:
            self._up = self.document.up
            self.see_all()
        for panel in self.panels:
            panel.refresh()
        self.draw()

    @property
    def extent(self) -> float:
        """The largest side of the box around all surfaces [m], or 1 if there are none."""
        return self.files.extent

    def see_all(self) -> None:
        """Let all visitors, and those to come, see all surfaces."""
        if self.files.surfaces:
            low, high = self.files.box
            middle = (low + high) / 2
            up = np.array(self.document.up)
            # The same look from the side, whichever way is up.
            turn, _ = Rotation.align_vectors([up], [[0.0, 0.0, 1.0]])
            self.page.server.scene.set_up_direction(tuple(up))
            position = middle + turn.apply(FROM) * self.extent
            self.page.look_from(position, middle)
            self.page.aim(position, middle)

    def draw(self) -> None:
        """Show the surfaces in their colours."""
        muscle = self.selected_muscle
        colours = colours_of(
            self.files.surfaces,
            {name: part.tissue for name, part in self.document.parts.items()},
            self.selected,
            self.preview(muscle) if muscle else None,
        )
        self.display.show(self.files.surfaces, colours)

    @property
    def selected_muscle(self) -> str | None:
        """The selected part, if it is of muscle."""
        said = self.document.parts.get(self.selected or "")
        return self.selected if said is not None and said.tissue is Tissue.MUSCLE else None

    def preview(self, muscle: str) -> Preview | None:
        """What a build would make of a part of muscle; None if it cannot be said yet."""
        scene = Scene(self.document.description)
        parts = parts_of(scene, self.files.surfaces)
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
            self._file = save(history.now, self._file)
        except ChangedOnDisk:
            self.page.complain(
                f"{self._file.path.name} was changed by somebody else, so this step was not saved; "
                "press 'Reload' to take that file, then go on"
            )
            return
        self.history = history

    def _clicked(self, origin: Floats, direction: Floats) -> None:
        touch = self.display.touched(origin, direction)
        if touch is None:
            return
        for panel in self.panels:
            panel.touched(touch.part, touch.place)
