"""The viewer: a result that is played, or a scene or a model whose muscles are moved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from vastus.app.figure import Figure
from vastus.app.live.mover import in_time
from vastus.app.live.panel import LivePanel
from vastus.app.live.solver import live_solver_of
from vastus.app.look import ColourBy, Look, Plane
from vastus.app.text import plain
from vastus.app.view.capture import Bookmarks, Capture
from vastus.app.view.compare import Comparison
from vastus.app.view.display import Colouring, Cutting, Parts, Probe, usual_limits
from vastus.app.view.time_plots import Plots
from vastus.app.view.timeline import CachedPlayback, Timeline
from vastus.app.web_page import Page
from vastus.errors import FileError
from vastus.files.model_file import load_model
from vastus.job import prepare, require_sound
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.pictures.renderer import fitted, view_direction
from vastus.results.playback import FIELDS, POINT_FIELDS, Snapshot
from vastus.results.result import read_playback
from vastus.scene.read import read
from vastus.timeloop import Solver

Row = Mapping[str, float]
BROWSER_ANGLE = 75.0  # [deg] vertical, of the page's camera
ASPECT, MARGIN = 1.2, 1.25  # of the picture, and by which it is seen from further away


class Viewer:
    """Plays a result, if there is one, beside an `other`; and lets a visitor move the muscles."""

    def __init__(
        self,
        page: Page,
        model: Model,
        *,
        playback: CachedPlayback | None = None,
        other: CachedPlayback | None = None,
        folder: Path | None = None,
        solver: Solver | None = None,
        laws: Sequence[Path] = (),
    ) -> None:
        self._figure = Figure(page.server, model)
        self._shown = Look()
        self._now: tuple[Snapshot, Row] | None = None
        page.dock_panel()
        gui = page.server.gui
        gui.add_markdown(f"**{plain(model.name)}**")
        self._playback, self._comparison, self._plots = playback, None, None
        self.timeline = Timeline(page, playback.times, self._frame) if playback else None
        tabs = gui.add_tab_group()
        if playback is None:
            with tabs.add_tab("Live"):
                self.live = LivePanel(page, model, self.show, solver, laws)
        with tabs.add_tab("Show"):
            limits = playback.limits if playback else usual_limits(model, moving=in_time(solver))
            longest = playback.largest_push if playback else None
            self.colouring = Colouring(page, limits, lambda _: self.redraw(), longest)
            if playback and other:
                self._comparison = Comparison(page, playback, other, self.redraw)
            Cutting(page, model.mesh.X, self._cut)
            self._probe = Probe(page, self._figure)
        with tabs.add_tab("Parts"):
            self.parts = Parts(page, model, self._choose)
        if playback and self.timeline:
            with tabs.add_tab("Plots"):
                self._plots = Plots(page, model, playback.table)
            with tabs.add_tab("Live"):
                self.live = LivePanel(page, model, self.show, solver, laws)
        with tabs.add_tab("Save"):
            Capture(page, self.timeline)
            Bookmarks(page, folder)
        if self._comparison is not None and self._comparison.same_mesh:
            self.colouring.offer(ColourBy.DISTANCE, self._comparison.limits)
        look_at(page, model, self._places())
        page.at_end(self.live.remove)
        if self.live.moves:
            self._figure.when_dragged(page, self.live.drag)
        if self.timeline:
            self.timeline.go(playback.first if playback else 0)
        else:
            self.live.start()

    @property
    def look(self) -> Look:
        """How the model is shown now."""
        chosen = self._shown
        return replace(
            self.colouring.look, hidden=chosen.hidden, isolated=chosen.isolated, cut=chosen.cut
        )

    def show(self, moment: Snapshot, row: Row) -> None:
        """Show a moment with its scalar outputs by name."""
        if moment.index >= 0:
            moment = self._comparison.draw(moment, self.look) if self._comparison else moment
        elif self.timeline is not None:
            self.timeline.leave("moved by hand")
        self.live.hold(moment.index < 0)
        self._now = moment, row
        self._probe.show(moment, row)
        self._figure.draw(moment, self.look)

    def redraw(self) -> None:
        """Draw the present moment again."""
        if self._now is not None:
            self.show(*self._now)

    def _places(self) -> Floats:
        """(k, 3) all that should be in the picture at first [m]."""
        if self._playback is None:
            return self._figure.model.mesh.X
        first = self._playback.places()
        if self._comparison is None:
            return first
        return np.concatenate([first, first + self._comparison.apart])

    def _frame(self, index: int) -> None:
        assert self._playback is not None
        moment, table = self._playback[index], self._playback.table
        self.show(moment, {name: float(column[index]) for name, column in table.items()})
        if self._plots is not None:
            self._plots.at(moment.time)

    def _cut(self, plane: Plane | None) -> None:
        self._shown = replace(self._shown, cut=plane)
        self.redraw()

    def _choose(self, hidden: frozenset[str], isolated: frozenset[str] | None) -> None:
        self._shown = replace(self._shown, hidden=hidden, isolated=isolated)
        self.redraw()


def open_source(
    page: Page,
    source: Path,
    other: Path | None = None,
    laws: Sequence[Path] = (),
    *,
    watch: Callable[[str], None] = lambda _: None,
) -> Viewer:
    """Fill a page with a result folder, a scene file or a saved model (`.npz`).

    A result may have an `other` result to compare with; `laws` are the files of the user's own;
    `watch` is told the steps of a build.
    """
    if source.is_dir():
        return _played(page, source, other, laws)
    if other is not None:
        raise FileError(f"'{source}' is no result, so there is nothing to compare '{other}' with")
    if source.suffix == ".npz":
        return open_model(page, load_model(source), laws)
    job = prepare(read(source), watch=watch)
    require_sound(job)
    solver = live_solver_of(job.solver, job.scene.description.solver.bones())
    return Viewer(page, job.model, solver=solver, laws=laws)


def open_model(page: Page, model: Model, laws: Sequence[Path] = ()) -> Viewer:
    """Fill a page with a model whose muscles can be moved."""
    return Viewer(page, model, laws=laws)


def look_at(page: Page, model: Model, points: Floats) -> None:
    """Let visitors see all points (k, 3) [m] about a model when they arrive."""
    view = fitted(points, view_direction(model), ASPECT, BROWSER_ANGLE)
    page.look_from(view.target + MARGIN * (view.position - view.target), view.target)


def _played(page: Page, folder: Path, other: Path | None, laws: Sequence[Path]) -> Viewer:
    drawn = (*FIELDS, *POINT_FIELDS)
    playbacks = [CachedPlayback(read_playback(f, drawn)) for f in (folder, other) if f is not None]
    second = playbacks[1] if other is not None else None
    return Viewer(
        page, playbacks[0].model, playback=playbacks[0], other=second, folder=folder, laws=laws
    )
