"""Time in the page: a slider to scrub, play, loop and speed, and the frames kept at hand."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property

import numpy as np

from vastus.app.figure import SHADES, limits_of
from vastus.app.look import ColourBy, Limits
from vastus.app.web_page import Page
from vastus.errors import FileError
from vastus.measure.contact_fields import FORCE
from vastus.numerics.types import Floats
from vastus.pictures.field_values import has_field
from vastus.results.playback import Playback, Snapshot

SPEEDS = {"1/4": 0.25, "1/2": 0.5, "1": 1.0, "2": 2.0, "4": 4.0}
TICK = 1 / 120  # [s]
ROOM = 600e6  # [bytes] of moments that are kept
JUDGED = 5  # moments, evenly spread, that the limits of colours are found from
SEEN = 3  # moments that must fit into the picture


class Timeline:
    """Shows the frames at some times [s], one by one as a visitor asks, or in real time."""

    def __init__(self, page: Page, times: Floats, show: Callable[[int], None]) -> None:
        self._page, self._times, self._show = page, times, show
        self._shown: deque[float] = deque(maxlen=30)  # when the last frames were shown
        self._began, self._from = 0.0, 0
        self.index = 0
        gui, last = page.server.gui, len(times) - 1
        self._frame = gui.add_slider(
            "Frame", min=0, max=max(last, 1), step=1, initial_value=0, disabled=not last
        )
        self._play = gui.add_button("Play", disabled=not last)
        self._loop = gui.add_checkbox("Loop", initial_value=True)
        self._speed = gui.add_dropdown("Speed", tuple(SPEEDS), initial_value="1")
        self._clock = gui.add_markdown("")
        page.when(self._frame, lambda _: self._scrub(), key="scrub")
        page.when(self._play, lambda _: self.stop() if self.playing else self.play())
        page.when(self._speed, lambda _: self._restart())
        page.at_end(self.stop)
        self._running: threading.Event | None = None

    @property
    def playing(self) -> bool:
        """Whether time runs."""
        return self._running is not None

    def __len__(self) -> int:
        return len(self._times)

    @property
    def fps(self) -> float:
        """Frames a second of real time."""
        steps = np.diff(self._times)
        return 1.0 / self._last_stays if len(steps) and self._last_stays > 0 else 10.0

    @property
    def rate(self) -> float:
        """Frames shown a second, lately."""
        span = self._shown[-1] - self._shown[0] if len(self._shown) > 1 else 0.0
        return (len(self._shown) - 1) / span if span > 0 else 0.0

    def go(self, index: int) -> None:
        """Show a frame."""
        self.index = int(np.clip(index, 0, len(self._times) - 1))
        self._show(self.index)
        self._shown.append(time.perf_counter())
        self._frame.value = self.index
        pace = f", {self.rate:.0f} frames/s" if self.playing else ""
        self._clock.content = (
            f"{self._times[self.index]:.3f} s, frame {self.index + 1} of {len(self._times)}{pace}"
        )

    def play(self) -> None:
        """Let time run, from the start if it is at its end."""
        if self.index == len(self._times) - 1:
            self.go(0)
        self._play.label = "Pause"
        self._restart()
        self._running = threading.Event()
        threading.Thread(target=self._tick, args=(self._running,), daemon=True).start()

    def leave(self, what: str) -> None:
        """Stop, because something else is shown than a frame."""
        self.stop()
        self._clock.content = what

    def stop(self) -> None:
        """Stop at the present frame."""
        if self._running is not None:
            self._running.set()
            self._running = None
        self._play.label = "Play"

    def _scrub(self) -> None:
        self.stop()
        self.go(self._frame.value)

    def _restart(self) -> None:
        self._began, self._from = time.perf_counter(), self.index
        self._shown.clear()

    def _tick(self, stopped: threading.Event) -> None:
        while not stopped.wait(TICK):
            self._page.jobs.post(self._advance, key="advance")

    def _advance(self) -> None:
        if not self.playing:
            return
        passed = (time.perf_counter() - self._began) * SPEEDS[self._speed.value]
        due = int(np.searchsorted(self._times, self._times[self._from] + passed, side="right")) - 1
        if due > self.index:
            self.go(due)
        if self._times[self._from] + passed > self._times[-1] + self._last_stays:
            self._at_the_end()

    @property
    def _last_stays(self) -> float:
        return float(np.median(np.diff(self._times)))

    def _at_the_end(self) -> None:
        if self._loop.value:
            self.go(0)
            self._restart()
        else:
            self.stop()


class CachedPlayback:
    """The moments of a playback; the last ones are kept as long as there is room."""

    def __init__(self, playback: Playback) -> None:
        self._playback, self.model = playback, playback.model
        self._kept: OrderedDict[int, Snapshot] = OrderedDict()

    def __len__(self) -> int:
        return len(self._playback)

    def __getitem__(self, index: int, /) -> Snapshot:
        if index in self._kept:
            self._kept.move_to_end(index)
        else:
            self._kept[index] = self._playback[index]
            while len(self._kept) > max(1, ROOM // _size(self._kept[index])):
                self._kept.popitem(last=False)
        return self._kept[index]

    @property
    def times(self) -> Floats:
        """(frames,) when each frame is [s]."""
        return self._playback.times

    @property
    def table(self) -> Mapping[str, Floats]:
        """The scalar outputs of the result by name, (frames,) each."""
        return self._playback.result.table

    def nearest(self, time: float) -> int:
        """The frame whose time is nearest [s]."""
        return int(np.argmin(np.abs(self.times - time)))

    @property
    def first(self) -> int:
        """The first frame whose file is whole."""
        for index in range(len(self)):
            with suppress(FileError):
                return self[index].index
        return 0

    def spread(self, count: int) -> list[Snapshot]:
        """So many moments, evenly spread, without those whose files are damaged."""
        found, troubles = [], []
        for index in np.unique(np.linspace(0, len(self) - 1, count).round().astype(int)):
            try:
                found.append(self[int(index)])
            except FileError as error:
                troubles.append(error)
        if not found:
            raise troubles[0]
        return found

    def places(self) -> Floats:
        """(k, 3) places of the surface in some moments of the motion [m]."""
        used = np.unique(self.model.mesh.boundary)
        return np.concatenate([moment.x[used] for moment in self.spread(SEEN)])

    @cached_property
    def largest_push(self) -> float | None:
        """The largest force of contact at a vertex [N], if there is any."""
        forces = [m.point_fields[FORCE] for m in self.spread(JUDGED) if FORCE in m.point_fields]
        sizes = [np.linalg.norm(each, axis=1).max(initial=0.0) for each in forces]
        return float(max(sizes)) if sizes else None

    @cached_property
    def limits(self) -> dict[ColourBy, Limits]:
        """The ends of the colours of each field."""
        moments = self.spread(JUDGED)
        # A run that an earlier version began may have some only in its later frames.
        fields = [f for f, shade in SHADES.items() if all(has_field(m, shade) for m in moments)]
        return {field: limits_of(field, moments, self.model) for field in fields}


def _size(moment: Snapshot) -> int:
    fields = (*moment.fields.values(), *moment.point_fields.values())
    return int(moment.x.nbytes + sum(values.nbytes for values in fields))
