"""A body that juggles in the page, and can be pushed and pulled."""

from __future__ import annotations

import multiprocessing
from dataclasses import replace
from functools import partial
from queue import SimpleQueue
from threading import Thread

import numpy as np

from vastus.app.bodies.body_figure import BodyFigure, busiest
from vastus.app.bodies.performance import Ask, Pattern, Performance, Pulled, Told, perform
from vastus.app.text import plain
from vastus.app.web_page import Page
from vastus.numerics.types import Floats
from vastus.processes import prepared, start

DIRECTIONS = {
    "back": (-1.0, 0.0, 0.0),
    "forward": (1.0, 0.0, 0.0),
    "to its left": (0.0, 1.0, 0.0),
    "to its right": (0.0, -1.0, 0.0),
    "up": (0.0, 0.0, 1.0),
    "down": (0.0, 0.0, -1.0),
}
HIGH = 0.9  # [m] above the palms that balls are seen
STIFFNESS = 400.0  # [N/m] of a pull by the mouse


class LiveBody:
    """A performance in a page, with what disturbs it.

    `worker` is whether it has a process of its own; without it, whoever tests calls `go_on`.
    """

    def __init__(self, page: Page, pattern: Pattern, *, worker: bool = True) -> None:
        self._page, self._ask = page, Ask()
        self.last: Told | None = None
        self.performance = Performance(pattern)
        self.figure = BodyFigure(page.server, self.performance.body)
        page.dock_panel()
        gui, moving = page.server.gui, self._moving()
        gui.add_markdown(f"**Juggling {plain(pattern.values)}**")
        self._status = gui.add_markdown("The body begins ...")
        self._play = gui.add_button("Pause")
        self._again = gui.add_button("Begin anew")
        gui.add_markdown("Push it, or drag a bone of an arm with the mouse.")
        hand = next((name for name in moving if "hand" in name), moving[0])
        self._part = gui.add_dropdown("Bone", moving, initial_value=hand)
        self._way = gui.add_dropdown("Way", tuple(DIRECTIONS), initial_value="back")
        self._size = gui.add_slider("Force [N]", min=0, max=300, step=5, initial_value=50)
        self._long = gui.add_slider("For [s]", min=0.05, max=1.0, step=0.05, initial_value=0.3)
        self._push = gui.add_button("Push")
        self._levels = gui.add_markdown("")
        page.when(self._play, lambda _: self._run(not self._ask.running))
        page.when(self._again, lambda _: self._tell(anew=self._ask.anew + 1))
        page.when(self._push, lambda _: self.push())
        self.figure.when_dragged(page, self.drag)
        first = self.performance.told()
        self.figure.draw(first.position, first.activation)
        self.figure.look(page, self._above())
        self._asks: SimpleQueue[Ask | None] = SimpleQueue()
        if worker:
            self._start(pattern)

    def push(self) -> None:
        """Push the chosen bone."""
        force = self._size.value * np.array(DIRECTIONS[self._way.value])
        push = (self._part.value, tuple(force.tolist()), float(self._long.value))
        self._tell(push=push, pushes=self._ask.pushes + 1)

    def drag(self, phase: str, part: str, begun: Floats, end: Floats) -> None:
        """Pull a bone from a place (3,) to the pointer's (3,) [m], or let go at the end."""
        if phase == "end":
            self._tell(pulled=None)
        elif phase == "start" or self._ask.pulled is None:
            pose = self.figure.shapes.pose(part)
            point = pose[:, :3].T @ (begun - pose[:, 3])
            self._tell(pulled=Pulled(part, point, end, STIFFNESS))
        else:
            self._tell(pulled=replace(self._ask.pulled, place=end))

    def go_on(self, seconds: float) -> None:
        """Go on by itself, without a process."""
        self.performance.obey(self._ask)
        self._ask = replace(self._ask, push=None)
        self.performance.advance(seconds)
        self._heard(self.performance.told(1.0))

    def close(self) -> None:
        """End the process."""
        self._asks.put(None)
        if self._process.is_alive():
            self._process.kill()
        self._process.join(timeout=5.0)

    def _start(self, pattern: Pattern) -> None:
        self._pipe, there = multiprocessing.Pipe()
        self._process = prepared(perform, there, name="juggler")
        start(self._process, script=False)
        there.close()
        self._pipe.send(pattern)
        self._asks.put(self._ask)
        Thread(target=self._read, name="juggler's news", daemon=True).start()
        Thread(target=self._write, name="asks", daemon=True).start()
        self._page.at_end(self.close)

    def _read(self) -> None:
        try:
            while True:
                told: Told = self._pipe.recv()
                # A page that draws more slowly than the body juggles shows the newest only.
                self._page.jobs.post(partial(self._heard, told), key="news")
        except (EOFError, OSError):
            return

    def _write(self) -> None:
        try:
            while (ask := self._asks.get()) is not None:
                self._pipe.send(ask)
        except OSError:
            return

    def _tell(self, **changes: object) -> None:
        self._ask = replace(self._ask, **changes)  # type: ignore[arg-type]
        self._asks.put(self._ask)
        self._ask = replace(self._ask, push=None)

    def _run(self, running: bool) -> None:
        self._play.label = "Pause" if running else "Go on"
        self._tell(running=running)

    def _heard(self, told: Told) -> None:
        if told.sentence:
            self._status.content = "The last good state is shown."
            self._page.complain(told.sentence)
            return
        self.last = told
        self.figure.draw(told.position, told.activation)
        self._levels.content = busiest(self.performance.body.names, told.activation)
        self._status.content = (
            f"{told.time:.1f} s, {told.catches} catches, {told.drops} drops, "
            f"{told.pace:.2f} of real time"
        )

    def _moving(self) -> tuple[str, ...]:
        shapes, m = self.figure.shapes, self.performance.body.model
        return tuple(
            part
            for part, b in shapes.parts.items()
            if part not in shapes.loose and m.body_dofnum[b] > 0
        )

    def _above(self) -> Floats:
        """(k, 3) [m] how high balls are seen."""
        data = self.performance.show.plant.data
        palms = [data.site(arm.palm).xpos for arm in self.performance.body.arms]
        return np.array(palms) + np.array([0.0, 0.0, HIGH])
