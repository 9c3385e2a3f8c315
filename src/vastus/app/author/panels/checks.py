"""What looks wrong, as buttons: pressed, the camera goes there.

Undo, redo, and whether all is saved.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vastus.app.author.guide import Mode, next_step
from vastus.app.author.studio import Studio
from vastus.app.text import label, plain
from vastus.checks import Finding, Severity
from vastus.errors import VastusError
from vastus.job import findings_of
from vastus.numerics.types import Floats
from vastus.scene.read import read

MOST = 40  # findings shown
NEAR = 0.12  # of the extent, from where a place is looked at


class ChecksPanel:
    """Checks the surfaces when asked, and shows what a build found."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        gui = studio.page.server.gui
        self._check = gui.add_button("Check now")
        self._told = gui.add_markdown("")
        self._folder = gui.add_folder("Findings")
        self._shown: list[Any] = []
        self._of: object = None  # the data of the document that was looked at
        scene = studio.page.server.scene
        self._mark = scene.add_icosphere("/finding", radius=1.0, color=(255, 60, 60), visible=False)
        self._label = scene.add_label("/where", "", visible=False)
        studio.page.when(self._check, lambda _: self._checked())

    def refresh(self) -> None:
        """Only what is there can be checked; what was found before a change may be wrong."""
        self._check.disabled = not self._studio.document.ready
        if self._shown and self._studio.document.data != self._of:
            self.show([])
            self._told.content = "The document has changed since: check again."

    def touched(self, part: str, place: Floats) -> None:
        """Nothing."""

    def show(self, findings: list[Finding]) -> None:
        """Show findings, errors first."""
        for handle in self._shown:
            handle.remove()
        self._shown, self._of = [], self._studio.document.data
        self._mark.visible = self._label.visible = False
        errors = sum(f.severity is Severity.ERROR for f in findings)
        self._told.content = (
            f"{errors} errors, {len(findings) - errors} warnings."
            if findings
            else "Nothing looks wrong."
        )
        with self._folder:
            for finding in findings[:MOST]:
                self._finding(finding)

    def _checked(self) -> None:
        self._told.content = "Looking ..."
        try:
            self.show(findings_of(read(self._studio.scene_file)))
        except VastusError:
            self.show([])
            self._told.content = ""
            raise

    def _finding(self, finding: Finding) -> None:
        gui = self._studio.page.server.gui
        colour = "red" if finding.severity is Severity.ERROR else "orange"
        button = gui.add_button(
            label(f"{finding.severity.value}: {finding.where}"),
            color=colour,
            hint="Go there." if finding.at is not None else None,
            disabled=finding.at is None,
        )
        text = gui.add_markdown(plain(f"{finding.sentence}; {finding.remedy}", 500))
        if finding.at is not None:
            self._studio.page.when(button, lambda _: self._go(finding))
        self._shown += [button, text]

    def _go(self, finding: Finding) -> None:
        """Look at the place of a finding from near by, and mark it."""
        extent = self._studio.extent
        place = np.array(finding.at)
        away = NEAR * extent * np.array([-0.5, -1.0, 0.5])
        self._studio.page.aim(place + away, place)
        self._mark.radius = 0.006 * extent
        self._mark.position, self._mark.visible = tuple(place), True
        self._label.text = label(finding.where)
        self._label.position, self._label.visible = tuple(place), True


SHOWN = 60  # characters of a step


class HistoryPanel:
    """The head of the page: what it is, where it is saved, and the way back."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        gui = studio.page.server.gui
        self._head = gui.add_markdown("")
        self._undo = gui.add_button("Undo")
        self._redo = gui.add_button("Redo")
        self._reload = gui.add_button("Reload", hint="Take the scene file as it is on disk.")
        self._all = gui.add_button("See everything")
        studio.page.when(self._all, lambda _: studio.see_all())
        studio.page.when(self._undo, lambda _: studio.undo())
        studio.page.when(self._redo, lambda _: studio.redo())
        studio.page.when(self._reload, lambda _: studio.reload())

    def refresh(self) -> None:
        """Show the next steps back and forth."""
        history, file = self._studio.history, self._studio.scene_file
        saved = "every step is saved in" if file.exists() else "the first step will make"
        name, todo = (plain(t, 200) for t in (self._studio.document.name, self._todo))
        mode = self._studio.mode
        click = "" if mode is Mode.SELECT else f"  \nA click {mode.value}."
        self._head.content = f"**{name}**: {saved} {plain(file.name)}  \n**Next**: {todo}{click}"
        for handle, what, words in (
            (self._undo, "Undo", history.undo_words),
            (self._redo, "Redo", history.redo_words),
        ):
            handle.label = label(f"{what}: {words}", SHOWN) if words else what
            handle.disabled = words is None

    @property
    def _todo(self) -> str:
        return next_step(self._studio.document)

    def touched(self, part: str, place: Floats) -> None:
        """Nothing."""
