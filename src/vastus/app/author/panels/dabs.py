"""What is painted at the ends of a muscle, as balls that can be seen through."""

from __future__ import annotations

from typing import Any

import numpy as np

from vastus.app.author.bench import ROOT
from vastus.app.author.coats import ENDS
from vastus.app.author.edits.ends import Dab, dabs
from vastus.app.author.studio import Studio
from vastus.scene.fibres import End

FAINT = 0.25


class Dabs:
    """Draws the dabs of the selected muscle."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self._drawn: list[Any] = []
        self._of: list[tuple[End, Dab]] = []

    def refresh(self) -> None:
        """Draw what is painted now."""
        muscle, document = self._studio.selected_muscle, self._studio.document
        wanted = [(end, dab) for end in End if muscle for dab in dabs(document, muscle, end)]
        if wanted == self._of:
            return
        for handle in self._drawn:
            handle.remove()
        self._of = wanted
        self._drawn = [self._ball(n, end, dab) for n, (end, dab) in enumerate(wanted)]

    def _ball(self, number: int, end: End, dab: Dab) -> Any:
        colour = dict(zip(End, ENDS.values(), strict=True))[end]
        return self._studio.page.server.scene.add_icosphere(
            f"{ROOT}/paint/{number}",
            radius=dab.radius,
            color=tuple(np.round(255 * colour).astype(int).tolist()),
            opacity=FAINT,
            position=dab.centre,
            cast_shadow=False,
        )
