"""Build the model, watch it being built, look at it, and move its muscles."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from vastus.app.author.building import BuildEvent, Building, Done, Failed, Step
from vastus.app.author.document import Document
from vastus.app.author.editor import Editor
from vastus.app.author.edits import settings
from vastus.app.figure import Figure
from vastus.app.live.panel import LivePanel
from vastus.app.look import Look
from vastus.app.text import plain
from vastus.app.web_page import Choice
from vastus.checks import Finding, Severity
from vastus.geometry.surface import Surface
from vastus.modelling.surfaces.mesher import tets_needed
from vastus.modelling.surfaces.pipeline import SIZE
from vastus.modelling.surfaces.record import Record
from vastus.numerics.types import Floats
from vastus.results.playback import Snapshot
from vastus.scene.surfaces import Neighbours
from vastus.scene.write import scene_text

POLL = 0.25  # [s]
CHANGED = "The document has changed since: build again to see it."
NEIGHBOURS = [("hold together", Neighbours.FUSED), ("slide past each other", Neighbours.SEPARATE)]


class BuildPanel:
    """Builds in a process of its own; the model, once there, takes the place of the surfaces."""

    def __init__(self, editor: Editor, tell: Callable[[list[Finding]], None]) -> None:
        self._editor, self._report = editor, tell
        self._building: Building | None = None
        self._began = 0.0
        self._built: tuple[Figure, LivePanel, Any] | None = None
        self._data: object = None  # of the document that was built
        self._now: Snapshot | None = None
        self._facts = ""
        page, gui = editor.page, editor.page.server.gui
        self._size = gui.add_number("Edge of a tet [mm]", 6.0, min=0.01, step=0.01)
        self._usual = gui.add_checkbox("Usual size for this body", True)
        self._neighbours = Choice[Neighbours](
            page,
            "Muscles that touch",
            lambda n: editor.edit(lambda d: settings.set_neighbours(d, n)),
        )
        self._likely = gui.add_markdown("")
        with gui.add_folder("Name and time", expand_by_default=False):
            self._name = gui.add_text("Name of the scene", "")
            self._seconds = gui.add_number("Seconds", 1.0, min=0.001, max=3600.0, step=0.001)
            self._fps = gui.add_number("Frames a second", 10.0, min=0.001, max=1e4, step=0.001)
        self._build = gui.add_button("Build")
        self._stop = gui.add_button("Stop building", visible=False)
        self._status = gui.add_markdown("")
        with gui.add_folder("What was decided", expand_by_default=False, visible=False) as decided:
            self._decided = gui.add_markdown("")
        self._details = decided
        self._model = gui.add_checkbox("Show the model", False, visible=False)
        self._fibres = gui.add_checkbox("Show fibres", False, visible=False)
        self._folder = gui.add_folder("Move the muscles", visible=False)
        page.when(self._size, lambda _: self._set_size(), key="size")
        page.when(self._usual, lambda _: self._set_size(), key="size")
        for field, change in (
            (self._name, settings.set_name),
            (self._seconds, settings.set_seconds),
            (self._fps, settings.set_fps),
        ):
            self._set_by(field, change)
        page.when(self._build, lambda _: self._begin())
        page.when(self._stop, lambda _: self._cancel())
        page.when(self._model, lambda _: self._swap())
        page.when(self._fibres, lambda _: self._redraw())
        page.at_end(self._cancel)
        page.at_end(self._discard)

    def refresh(self) -> None:
        """Show how the document would be built, and whether the model is still that of it."""
        surfaces = self._editor.document.surfaces
        self._build.disabled = not self._editor.document.ready
        self._usual.value = surfaces.size is None
        self._size.disabled = surfaces.size is None
        if surfaces.size is not None:
            self._size.value = 1e3 * surfaces.size
        self._name.value = self._editor.document.name
        inputs = self._editor.document.description.inputs
        self._seconds.value, self._fps.value = inputs.seconds, inputs.fps
        self._neighbours.offer(NEIGHBOURS, surfaces.neighbours)
        tets = least_tets(self._editor.document, self._editor.files.surfaces)
        self._likely.content = "" if tets is None else f"At least {_round(tets)} tets."
        if self._built is not None and self._building is None:
            self._status.content = self._facts if self._current else CHANGED
            if not self._current:
                self._model.value = False
                self._swap()

    @property
    def _current(self) -> bool:
        """Whether the model is that of the document now."""
        return bool(self._editor.document.data == self._data)

    def touched(self, part: str, place: Floats) -> None:
        """Nothing."""

    def _set_size(self) -> None:
        wanted = None if self._usual.value else self._size.value / 1e3
        self._editor.edit(lambda d: settings.set_size(d, wanted))

    def _set_by(self, field: Any, change: Callable[[Document, Any], Document]) -> None:
        """Let a field change the document."""

        def changed(_: Any) -> None:
            value = field.value
            self._editor.edit(lambda d: change(d, value))

        self._editor.page.when(field, changed, key=field.label)

    def _begin(self) -> None:
        if self._building is None:
            self._began, self._data = time.monotonic(), self._editor.document.data
            text = scene_text(self._editor.document.data)
            self._building = Building(self._editor.scene_file, text)
            self._build.visible, self._stop.visible = False, True
            self._status.content = "The build starts ..."
            threading.Thread(target=self._watch, args=(self._building,), daemon=True).start()

    def _watch(self, building: Building) -> None:
        while not building.over:
            self._editor.page.jobs.post(lambda: self._hear(building), key="building")
            time.sleep(POLL)

    def _hear(self, building: Building) -> None:
        if building is self._building:
            for event in building.events():
                self._heard(event)

    def _heard(self, event: BuildEvent) -> None:
        seconds = time.monotonic() - self._began
        if isinstance(event, Step):
            self._status.content = f"{plain(event.name)} ... ({seconds:.0f} s)"
            return
        self._over()
        if isinstance(event, Failed):
            self._status.content = f"**{plain(event.sentence, 500)}**"
            self._editor.page.complain(event.sentence)
        elif isinstance(event, Done):
            self._report(event.findings)
            self._show(event)
            self._facts = facts(event, seconds)
            self.refresh()
            self._details.visible = event.record is not None
            self._decided.content = decisions(event.record) if event.record else ""

    def _over(self) -> None:
        self._building = None
        self._build.visible, self._stop.visible = True, False

    def _cancel(self) -> None:
        if self._building is not None:
            self._building.cancel()
            self._over()
            self._status.content = "Stopped; the steps that were finished are kept."

    def _show(self, done: Done) -> None:
        self._discard()
        page = self._editor.page
        figure = Figure(page.server, done.model)
        self._folder.visible = True
        with self._folder:
            inner = page.server.gui.add_folder("Activation", expand_by_default=True)
        with inner:
            live = LivePanel(page, done.model, self._moved)
        self._built = figure, live, inner
        inner.visible = not errors_of(done)
        self._model.visible = self._fibres.visible = self._model.value = True
        self._swap()
        live.start(solving=not errors_of(done))

    def _discard(self) -> None:
        if self._built is not None:
            figure, live, inner = self._built
            live.remove()
            figure.remove()
            inner.remove()
            self._built = None

    def _moved(self, moment: Snapshot, row: Mapping[str, float]) -> None:
        self._now = moment
        self._redraw()

    def _redraw(self) -> None:
        if self._built is not None and self._now is not None:
            self._built[0].draw(self._now, Look(fibres=self._fibres.value))

    def _swap(self) -> None:
        """Show either the model or the surfaces."""
        if self._built is not None:
            self._built[0].hide(not self._model.value)
            self._built[1].hold(self._model.value)
            self._editor.display.hide(self._model.value)


def least_tets(document: Document, surfaces: Mapping[str, Surface]) -> int | None:
    """How many tets a build makes at least; None without surfaces.

    Surfaces with detail finer than the tets need more.
    """
    if not surfaces:
        return None
    X = np.concatenate([surface.X for surface in surfaces.values()])
    usual = document.surfaces.size or SIZE * float(np.linalg.norm(np.ptp(X, axis=0)))
    sizes = {name: document.parts[name].size or usual for name in surfaces}
    return int(sum(float(tets_needed(surfaces[name], size)) for name, size in sizes.items()))


def _round(count: int) -> str:
    """A count to one digit."""
    return f"{float(f'{count:.0e}'):,.0f}"


def facts(done: Done, seconds: float) -> str:
    """Markdown of what was built, and of what forbids to move it."""
    angle = done.model.mesh.quality().min_dihedral.min()
    size = f"**{done.model.mesh.n_tets} tets** in {seconds:.0f} s, smallest angle {angle:.1f} deg."
    wrong = [f"**{plain(str(error), 400)}**" for error in errors_of(done)]
    return "  \n".join([size, *wrong])


def errors_of(done: Done) -> list[Finding]:
    """What forbids to simulate the model."""
    return [finding for finding in done.findings if finding.severity is Severity.ERROR]


def decisions(record: Record) -> str:
    """Markdown of what the build decided about the ends of muscles and about joints."""
    lines = []
    for anchor in record.anchors:
        how = "as you said" if anchor.given else "proposed"
        where = f"{anchor.end} on {plain(anchor.to)} ({how}, {anchor.vertices} vertices)"
        lines.append(f"{plain(anchor.muscle)}: {where}")
    lines += [f"{plain(joint.name)}: {plain(joint.sentence, 200)}" for joint in record.joints]
    return "  \n".join(lines)
