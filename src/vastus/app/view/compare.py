"""A second result beside the first, or over it with their distance as colours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum

import numpy as np

from vastus.app.figure import DISTANCE, Figure, limits_of
from vastus.app.look import ColourBy, Limits, Look
from vastus.app.view.timeline import CachedPlayback
from vastus.app.web_page import Page
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.pictures.renderer import view_direction
from vastus.results.playback import Snapshot

APART = 1.1  # breadths between two figures
JUDGED = 5


class Arrangement(StrEnum):
    """How two results are seen."""

    BESIDE = "side by side"
    OVER = "overlaid"


class Comparison:
    """Draws the frame of another result that is nearest in time."""

    def __init__(
        self, page: Page, first: CachedPlayback, other: CachedPlayback, change: Callable[[], None]
    ) -> None:
        self._first, self._other, self._change = first, other, change
        self._figure = Figure(page.server, other.model, "/other")
        self._apart = APART * breadth(first.model, first.places())
        self._arrangement = page.server.gui.add_dropdown("Second result", tuple(Arrangement))
        page.when(self._arrangement, lambda _: self._changed(), key="compare")
        self._changed_place()

    @property
    def same_mesh(self) -> bool:
        """Whether the two results have the same tets, so that they have a distance."""
        return np.array_equal(self._first.model.mesh.T, self._other.model.mesh.T)

    @property
    def limits(self) -> Limits:
        """The ends of the colours of the distance [m]."""
        found = [self._measured(moment) for moment in self._first.spread(JUDGED)]
        return limits_of(ColourBy.DISTANCE, found, self._first.model)

    @property
    def apart(self) -> Floats:
        """(3,) how far the other result is shown from its place [m]."""
        return self._apart if self._beside else np.zeros(3)

    def draw(self, moment: Snapshot, look: Look) -> Snapshot:
        """Draw the other result at the time of a moment; the moment with its distance from it."""
        there = self._other[self._other.nearest(moment.time)]
        if look.colour_by is ColourBy.DISTANCE:
            look = replace(look, colour_by=ColourBy.TISSUE)
        self._figure.draw(there, look)
        return self._measured(moment) if self.same_mesh else moment

    def _measured(self, moment: Snapshot) -> Snapshot:
        """A moment with how far each tet is from where the other result has it [m]."""
        there = self._other[self._other.nearest(moment.time)]
        away = np.linalg.norm(moment.x - there.x, axis=1)
        distance = away[self._first.model.mesh.T].mean(axis=1)
        return replace(moment, fields={**moment.fields, DISTANCE.field: distance})

    def _changed(self) -> None:
        self._changed_place()
        self._change()

    def _changed_place(self) -> None:
        self._figure.move(self.apart)
        self._figure.set_translucent(not self._beside)

    @property
    def _beside(self) -> bool:
        return Arrangement(self._arrangement.value) is Arrangement.BESIDE


def breadth(model: Model, points: Floats) -> Floats:
    """(3,) to the right in the picture, as far as points (k, 3) reach [m]."""
    direction = view_direction(model)
    right = np.cross([0.0, 0.0, 1.0], direction)
    right /= np.linalg.norm(right)
    return np.asarray(np.ptp(points @ right) * right)
