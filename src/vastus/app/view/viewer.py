"""A model in the page with all its panels, and the moment that they show.

What a page shows for what it was given: a result is played, a scene or a model is moved.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from vastus.app.figure import Figure
from vastus.app.live.panel import LivePanel
from vastus.app.live.solver import live_solver
from vastus.app.look import Look, Paint, Plane
from vastus.app.page import Page
from vastus.app.text import plain
from vastus.app.view.compare import Compare
from vastus.app.view.display import USUAL, Colouring, Cutting, Parts, Probe
from vastus.app.view.plots import Plots
from vastus.app.view.saving import Bookmarks, Capture
from vastus.app.view.timeline import Reel, Timeline, dock, face, seen
from vastus.errors import FileError
from vastus.files.model_file import load_model
from vastus.job import bones_of, prepare, require_sound
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.results.playback import Moment, read_playback
from vastus.scene.read import read
from vastus.timeloop import Solver

Row = Mapping[str, float]


class Viewer:
    """Plays a result, if there is one, beside an `other`; and lets a visitor move the muscles."""

    def __init__(
        self,
        page: Page,
        model: Model,
        *,
        reel: Reel | None = None,
        other: Reel | None = None,
        folder: Path | None = None,
        solver: Solver | None = None,
        laws: Sequence[Path] = (),
    ) -> None:
        self._figure = Figure(page.server, model)
        self._chosen = Look()
        self._now: tuple[Moment, Row] | None = None
        dock(page)
        gui = page.server.gui
        gui.add_markdown(f"**{plain(model.name)}**")
        self._reel, self._compare, self._plots = reel, None, None
        self.timeline = Timeline(page, reel.playback.times, self._frame) if reel else None
        tabs = gui.add_tab_group()
        if reel is None:
            with tabs.add_tab("Live"):
                self.live = LivePanel(page, model, self.show, solver, laws)
        with tabs.add_tab("Show"):
            limits = reel.limits if reel else USUAL
            self.colouring = Colouring(page, limits, lambda _: self.redraw())
            if reel and other:
                self._compare = Compare(page, reel, other, self.redraw)
            Cutting(page, model.mesh.X, self._cut)
            self._probe = Probe(page, self._figure)
        with tabs.add_tab("Parts"):
            self.parts = Parts(page, model, self._choose)
        if reel and self.timeline:
            with tabs.add_tab("Plots"):
                self._plots = Plots(page, model, reel.playback.result.table)
            with tabs.add_tab("Live"):
                self.live = LivePanel(page, model, self.show, solver, laws)
        with tabs.add_tab("Save"):
            Capture(page, self.timeline)
            Bookmarks(page, folder)
        if self._compare is not None and self._compare.same_mesh:
            self.colouring.offer(Paint.DISTANCE, self._compare.limits)
        face(page, model, self._places())
        page.at_end(self.live.remove)
        if self.timeline:
            self.timeline.go(reel.first if reel else 0)
        else:
            self.live.start()

    @property
    def look(self) -> Look:
        """How the model is shown now."""
        chosen = self._chosen
        return replace(
            self.colouring.look, hidden=chosen.hidden, isolated=chosen.isolated, cut=chosen.cut
        )

    def show(self, moment: Moment, row: Row) -> None:
        """Show a moment with its scalar outputs by name."""
        if moment.index >= 0:
            moment = self._compare.draw(moment, self.look) if self._compare else moment
        elif self.timeline is not None:
            self.timeline.leave("moved by hand")
        self.live.hold(moment.index < 0)
        self._now = moment, row
        self._figure.draw(moment, self.look)
        self._probe.show(moment, row)

    def redraw(self) -> None:
        """Draw the present moment again."""
        if self._now is not None:
            self.show(*self._now)

    def _places(self) -> Floats:
        """(k, 3) all that should be in the picture at first [m]."""
        if self._reel is None:
            return self._figure.model.mesh.X
        first = seen(self._reel)
        return (
            first if self._compare is None else np.concatenate([first, first + self._compare.apart])
        )

    def _frame(self, index: int) -> None:
        assert self._reel is not None
        moment, table = self._reel[index], self._reel.playback.result.table
        self.show(moment, {name: float(column[index]) for name, column in table.items()})
        if self._plots is not None:
            self._plots.at(moment.time)

    def _cut(self, plane: Plane | None) -> None:
        self._chosen = replace(self._chosen, cut=plane)
        self.redraw()

    def _choose(self, hidden: frozenset[str], isolated: frozenset[str] | None) -> None:
        self._chosen = replace(self._chosen, hidden=hidden, isolated=isolated)
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
    return Viewer(page, job.model, solver=live_solver(bones_of(job.scene)), laws=laws)


def open_model(page: Page, model: Model, laws: Sequence[Path] = ()) -> Viewer:
    """Fill a page with a model whose muscles can be moved."""
    return Viewer(page, model, laws=laws)


def _played(page: Page, folder: Path, other: Path | None, laws: Sequence[Path]) -> Viewer:
    reels = [Reel(read_playback(f)) for f in (folder, other) if f is not None]
    second = reels[1] if other is not None else None
    return Viewer(page, reels[0].model, reel=reels[0], other=second, folder=folder, laws=laws)
