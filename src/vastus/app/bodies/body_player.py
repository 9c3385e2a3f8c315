"""The motion of a body, played: bones, muscles by their activation, balls, and curves over time."""

from __future__ import annotations

import numpy as np

from vastus.app.bodies.body_figure import BodyFigure, busiest
from vastus.app.text import plain
from vastus.app.view.time_plots import MOST, Plot
from vastus.app.view.timeline import Timeline
from vastus.app.web_page import Page
from vastus.numerics.types import Floats
from vastus.results.body_motion import BodyMotion

FPS = 30.0
FLOOR = 0.3  # [m] below, a ball waits until it is thrown in, and is not looked at


class BodyPlayer:
    """Plays a motion in a page."""

    def __init__(self, page: Page, motion: BodyMotion) -> None:
        self._motion = motion.frames(FPS)
        self.figure = BodyFigure(page.server, motion.body)
        self.figure.draw(self._motion.positions[0], self._motion.activations[0])
        page.dock_panel()
        gui = page.server.gui
        gui.add_markdown(f"**{plain(motion.name)}**")
        told = motion.provenance.get("sentence")
        if told:
            gui.add_markdown(plain(str(told)))
        self.timeline = Timeline(page, self._motion.times, self._show)
        tabs = gui.add_tab_group()
        with tabs.add_tab("Muscles"):
            self._levels = gui.add_markdown("")
        with tabs.add_tab("Plots"):
            self._plots = [
                Plot(page, title, self._motion.times, curves)
                for title, curves in self._curves().items()
                if curves
            ]
        self.figure.look(page, self._places())
        self.timeline.go(0)

    def _show(self, index: int) -> None:
        activation = self._motion.activations[index]
        self.figure.draw(self._motion.positions[index], activation)
        self._levels.content = busiest(self._motion.body.names, activation)
        for plot in self._plots:
            plot.at(float(self._motion.times[index]))

    def _curves(self) -> dict[str, dict[str, Floats]]:
        levels, names = self._motion.activations, self._motion.body.names
        most = np.argsort(-(levels**2).mean(axis=0), kind="stable")[:MOST]
        heights = {name: z for name, z in self._heights().items() if np.isfinite(z).any()}
        return {
            "activation": {names[k]: levels[:, k] for k in most},
            "height of balls [m]": dict(list(heights.items())[:MOST]),
        }

    def _heights(self) -> dict[str, Floats]:
        """(k,) [m] of each ball, not a number while it waits."""
        places = {part: place[:, 2] for part, place in self._balls().items()}
        return {part: np.where(z > FLOOR, z, np.nan) for part, z in places.items()}

    def _balls(self) -> dict[str, Floats]:
        """(k, 3) [m] the places of each ball: positions of free joints begin with them."""
        m = self._motion.body.model
        free = {m.body(int(m.jnt_bodyid[j])).name: int(m.jnt_qposadr[j]) for j in range(m.njnt)}
        loose = sorted(self.figure.shapes.loose)
        return {part: self._motion.positions[:, free[part] : free[part] + 3] for part in loose}

    def _places(self) -> Floats:
        places = [p[p[:, 2] > FLOOR] for p in self._balls().values()]
        return np.concatenate([np.zeros((0, 3)), *places])
