"""The moments of a result at hand: read once, kept as long as there is room."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from functools import cached_property

import numpy as np

from vastus.app.figure import SHADES, limits_of
from vastus.app.look import Limits, Paint
from vastus.errors import FileError
from vastus.io.tape import Moment, Tape

ROOM = 600e6  # [bytes] of moments that are kept
JUDGED = 5  # moments, evenly spread, that the limits of colours are found from


class Reel:
    """The moments of a tape, the last ones kept."""

    def __init__(self, tape: Tape) -> None:
        self.tape, self.model = tape, tape.model
        self._kept: OrderedDict[int, Moment] = OrderedDict()

    def __len__(self) -> int:
        return len(self.tape)

    def __getitem__(self, index: int, /) -> Moment:
        if index in self._kept:
            self._kept.move_to_end(index)
        else:
            self._kept[index] = self.tape[index]
            while len(self._kept) > max(1, ROOM // _size(self._kept[index])):
                self._kept.popitem(last=False)
        return self._kept[index]

    def nearest(self, time: float) -> int:
        """The frame whose time is nearest [s]."""
        return int(np.argmin(np.abs(self.tape.times - time)))

    @property
    def first(self) -> int:
        """The first frame whose file is whole."""
        for index in range(len(self)):
            with suppress(FileError):
                return self[index].index
        return 0

    def spread(self, count: int) -> list[Moment]:
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

    @cached_property
    def limits(self) -> dict[Paint, Limits]:
        """The ends of the colours of each field."""
        moments = self.spread(JUDGED)
        fields = [paint for paint, shade in SHADES.items() if shade.field in moments[0].fields]
        return {paint: limits_of(paint, moments, self.model) for paint in fields}


def _size(moment: Moment) -> int:
    return int(moment.x.nbytes + sum(values.nbytes for values in moment.fields.values()))
