"""A click on the model: which tet and muscle that is, and what they show at this time."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from vastus.app.figure import Figure, Hit
from vastus.app.page import Page
from vastus.app.words import plain
from vastus.io.colours import FIELDS
from vastus.io.tape import Moment
from vastus.numerics.types import Floats

HINT = "Click on the model to see the numbers of that place."


class Probe:
    """Shows the values at the place that was clicked, and follows it through time."""

    def __init__(self, page: Page, figure: Figure) -> None:
        self._page, self._figure = page, figure
        self._hit: Hit | None = None
        self._moment: Moment | None = None
        self._row: Mapping[str, float] = {}
        self._text = page.server.gui.add_markdown(HINT)
        page.when_clicked(self._clicked)

    def show(self, moment: Moment, row: Mapping[str, float]) -> None:
        """The values of another moment, whose scalar outputs are `row`."""
        self._moment, self._row = moment, row
        self._update()

    def _clicked(self, origin: Floats, direction: Floats) -> None:
        self._hit = self._figure.hit(origin, direction)
        self._update()

    def _update(self) -> None:
        if self._hit is None or self._moment is None:
            self._text.content = HINT
            self._outline(np.zeros((0, 2, 3)))
            return
        model = self._figure.model
        corners = self._moment.x[model.mesh.T[self._hit.tet]]
        self._outline(np.array(list(combinations(corners, 2))))
        self._text.content = described(self._figure, self._hit, self._moment, self._row)

    def _outline(self, edges: Floats) -> None:
        self._page.server.scene.add_line_segments(
            "/probe",
            edges.astype(np.float32) if len(edges) else np.zeros((1, 2, 3), np.float32),
            np.array((255, 220, 0), np.uint8),
            thickness=4.0,
            thickness_units="screen",
            position=tuple(self._figure.offset),
            visible=bool(len(edges)),
        )


def described(figure: Figure, hit: Hit, moment: Moment, row: Mapping[str, float]) -> str:
    """Markdown of the values of a tet and of its muscle."""
    model, tet = figure.model, hit.tet
    region = model.regions[model.region[tet]]
    place = ", ".join(f"{1e3 * c:.1f}" for c in moment.x[model.mesh.T[tet]].mean(axis=0))
    lines = [f"**{plain(region.name)}** ({region.tissue.value}), tet {tet}", f"at ({place}) mm"]
    if tet in model.soft:
        for shade in FIELDS.values():
            value = shade.scale * moment.fields[shade.field][tet]
            lines.append(f"{shade.label}: {value:.4g} {shade.unit}".strip())
    if region.muscle is not None:
        lines += _muscle(region.muscle, row)
    return "  \n".join(lines)


def _muscle(name: str, row: Mapping[str, float]) -> list[str]:
    told = {
        "activation": ("_activation", 1.0, ""),
        "length": ("_length_m", 1e3, "mm"),
        "mean fibre stretch": ("_stretch", 1.0, ""),
        "force": ("_force_N", 1.0, "N"),
        "volume change": ("_volume_change", 100.0, "%"),
    }
    found = [
        f"{what}: {scale * row[f'{name}{ending}']:.4g} {unit}".strip()
        for what, (ending, scale, unit) in told.items()
        if f"{name}{ending}" in row
    ]
    return [f"**muscle {plain(name)}**", *found] if found else []
