"""What looks wrong, as buttons: pressed, the camera goes there."""

from __future__ import annotations

from typing import Any

import numpy as np

from vastus.app.author.editor import Editor
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

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        gui = editor.page.server.gui
        self._check = gui.add_button("Check now")
        self._summary = gui.add_markdown("")
        self._folder = gui.add_folder("Findings")
        self._shown: list[Any] = []
        self._of: object = None  # the data of the document that was looked at
        scene = editor.page.server.scene
        self._mark = scene.add_icosphere("/finding", radius=1.0, color=(255, 60, 60), visible=False)
        self._label = scene.add_label("/where", "", visible=False)
        editor.page.when(self._check, lambda _: self._checked())

    def refresh(self) -> None:
        """Only what is there can be checked; what was found before a change may be wrong."""
        self._check.disabled = not self._editor.document.ready
        if self._shown and self._editor.document.data != self._of:
            self.show([])
            self._summary.content = "The document has changed since: check again."

    def touched(self, part: str, place: Floats) -> None:
        """Nothing."""

    def show(self, findings: list[Finding]) -> None:
        """Show findings, errors first."""
        for handle in self._shown:
            handle.remove()
        self._shown, self._of = [], self._editor.document.data
        self._mark.visible = self._label.visible = False
        errors = sum(f.severity is Severity.ERROR for f in findings)
        self._summary.content = (
            f"{errors} errors, {len(findings) - errors} warnings."
            if findings
            else "Nothing looks wrong."
        )
        with self._folder:
            for finding in findings[:MOST]:
                self._finding(finding)

    def _checked(self) -> None:
        self._summary.content = "Looking ..."
        try:
            self.show(findings_of(read(self._editor.scene_file)))
        except VastusError:
            self.show([])
            self._summary.content = ""
            raise

    def _finding(self, finding: Finding) -> None:
        gui = self._editor.page.server.gui
        colour = "red" if finding.severity is Severity.ERROR else "orange"
        button = gui.add_button(
            label(f"{finding.severity.value}: {finding.where}"),
            color=colour,
            hint="Go there." if finding.at is not None else None,
            disabled=finding.at is None,
        )
        text = gui.add_markdown(plain(f"{finding.sentence}; {finding.remedy}", 500))
        if finding.at is not None:
            self._editor.page.when(button, lambda _: self._go(finding))
        self._shown += [button, text]

    def _go(self, finding: Finding) -> None:
        """Look at the place of a finding from near by, and mark it."""
        extent = self._editor.extent
        place = np.array(finding.at)
        away = NEAR * extent * np.array([-0.5, -1.0, 0.5])
        self._editor.page.aim(place + away, place)
        self._mark.radius = 0.006 * extent
        self._mark.position, self._mark.visible = tuple(place), True
        self._label.text = label(finding.where)
        self._label.position, self._label.visible = tuple(place), True
