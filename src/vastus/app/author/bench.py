"""The surfaces of the parts as they lie on the bench: coloured, hidden, and clicked on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from vastus.app.glb import coloured
from vastus.geometry.rays import first_hit
from vastus.geometry.surface import Surface
from vastus.numerics.types import Floats

if TYPE_CHECKING:
    import viser

ROOT = "/bench"  # of all that is seen while surfaces are, and not a model
FAINT = 0.3


@dataclass(frozen=True, eq=False)
class Coat:
    """Colours (n, 3) 0 to 255 of a surface's vertices; a faint surface is seen through."""

    rgb: np.ndarray
    faint: bool = False

    def same(self, other: Coat | None) -> bool:
        """Whether it looks like another."""
        return (
            other is not None and self.faint == other.faint and np.array_equal(self.rgb, other.rgb)
        )


@dataclass(frozen=True, eq=False)
class Touch:
    """Where a part was clicked on: its name and the place (3,) [m]."""

    part: str
    place: Floats


class Bench:
    """Shows surfaces [m] by name; one is sent again only if it looks different."""

    def __init__(self, server: viser.ViserServer) -> None:
        self._server = server
        self._root = server.scene.add_frame(ROOT, show_axes=False)
        self._shown: dict[str, tuple[Surface, Coat, viser.GlbHandle]] = {}
        self._numbers = count()
        self._hidden = False

    def show(self, surfaces: Mapping[str, Surface], coats: Mapping[str, Coat]) -> None:
        """Show those surfaces that have a coat, and no others."""
        with self._server.atomic():
            for name in set(self._shown) - set(coats):
                self._shown.pop(name)[2].remove()
            for name, coat in coats.items():
                self._dress(name, surfaces[name], coat)

    def stand_aside(self, hidden: bool) -> None:
        """Hide all surfaces, as when the model made of them is shown, or show them again."""
        self._root.visible = not hidden
        self._hidden = hidden

    def touched(self, origin: Floats, direction: Floats) -> Touch | None:
        """What a ray meets first, of what can be seen."""
        if self._hidden:
            return None
        best, found = np.inf, None
        for name, (surface, _, _) in self._shown.items():
            met = first_hit(origin, direction, surface.X, surface.faces)
            if met is not None and met[1] < best:
                best = met[1]
                found = Touch(name, origin + best * direction)
        return found

    def _dress(self, name: str, surface: Surface, coat: Coat) -> None:
        before = self._shown.get(name)
        if before is not None and before[0] is surface and coat.same(before[1]):
            return
        opacity = FAINT if coat.faint else 1.0
        data = coloured(surface.X, surface.vertex_normals, coat.rgb, surface.faces, opacity=opacity)
        # By number, since the names of parts may hold anything.
        path = before[2].name if before is not None else f"{ROOT}/parts/{next(self._numbers)}"
        node = self._server.scene.add_glb(path, data, cast_shadow=False)
        self._shown[name] = surface, coat, node
