"""The surfaces of a document: read once, in metres, repaired; coloured, hidden and clicked on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from vastus.app.author.document import Document
from vastus.app.look import coloured
from vastus.errors import VastusError
from vastus.files.meshes import read_surface
from vastus.geometry.queries import first_hit
from vastus.geometry.surface import Surface
from vastus.modelling.surfaces.anatomy import Guess, metric_shells, unit_of
from vastus.modelling.surfaces.preview import Preview
from vastus.modelling.surfaces.repair import repair
from vastus.numerics.types import Floats
from vastus.parts import Tissue
from vastus.pictures.colours import SILVER, TISSUE_COLOURS
from vastus.scene.fibres import End
from vastus.scene.scene import Scene

if TYPE_CHECKING:
    import viser

Key = tuple[str, float, float]  # file, time of its last change, its unit [m]
ROOT = "/surfaces"  # of all that is seen while surfaces are, and not a model
FAINT = 0.3
SELECTED = np.array([0.95, 0.55, 0.20])
ENDS = {End.ORIGIN: np.array([0.10, 0.35, 0.85]), End.INSERTION: np.array([0.05, 0.60, 0.30])}


class SurfaceFiles:
    """The surfaces of a document's parts [m].

    A surface stays the same object as long as its file and unit do.
    """

    def __init__(self) -> None:
        self.surfaces: dict[str, Surface] = {}
        self.unreadable: dict[str, str] = {}  # part to sentence
        self.unit: Guess | None = None
        self._files: dict[tuple[Path, float], Surface] = {}
        self._metric: dict[Key, tuple[Surface, str]] = {}

    def read(self, document: Document) -> None:
        """Read what the document names; parts whose file cannot be read are left out."""
        shells: dict[str, Surface] = {}
        self.unreadable = {}
        for part in document.parts:
            try:
                shells[part] = self._file(document.file(part))
            except (VastusError, OSError) as error:
                self.unreadable[part] = str(error)
        self.unit, self.surfaces = None, {}
        if shells:
            self._measure(document, shells)

    @property
    def box(self) -> tuple[Floats, Floats]:
        """The low and the high corner (3,) of the box around all surfaces [m]."""
        X = np.concatenate([surface.X for surface in self.surfaces.values()])
        return X.min(axis=0), X.max(axis=0)

    @property
    def extent(self) -> float:
        """The largest side of that box [m], or 1 if there are no surfaces."""
        if not self.surfaces:
            return 1.0
        low, high = self.box
        return float((high - low).max())

    def _measure(self, document: Document, shells: dict[str, Surface]) -> None:
        scene = Scene(document.description)
        try:
            self.unit = unit_of(scene, shells)
            metric = metric_shells(scene, shells)
        except VastusError as error:
            self.unreadable |= dict.fromkeys(shells, str(error))
            return
        for part, surface in metric.items():
            size = float(surface.X.max() - surface.X.min())
            file = document.file(part)
            key = (str(file), file.stat().st_mtime, size)
            if key not in self._metric:
                self._metric[key] = _repaired(surface)
            self.surfaces[part], trouble = self._metric[key]
            if trouble:
                self.unreadable[part] = trouble

    def _file(self, path: Path) -> Surface:
        key = (path, path.stat().st_mtime)
        if key not in self._files:
            self._files[key] = read_surface(path)
        return self._files[key]


def _repaired(surface: Surface) -> tuple[Surface, str]:
    """The surface as it will be built; as it is, with the reason, if it cannot be."""
    try:
        return repair(surface).surface, ""
    except VastusError as error:
        return surface, str(error)


@dataclass(frozen=True, eq=False)
class SurfaceColours:
    """Colours (n, 3) 0 to 255 of a surface's vertices; a faint surface is seen through."""

    rgb: np.ndarray
    faint: bool = False

    def same(self, other: SurfaceColours | None) -> bool:
        """Whether it looks like another."""
        return (
            other is not None and self.faint == other.faint and np.array_equal(self.rgb, other.rgb)
        )


@dataclass(frozen=True, eq=False)
class Touch:
    """Where a part was clicked on: its name and the place (3,) [m]."""

    part: str
    place: Floats


class SurfaceDisplay:
    """Shows surfaces [m] by name; one is sent again only if it looks different."""

    def __init__(self, server: viser.ViserServer) -> None:
        self._server = server
        self._root = server.scene.add_frame(ROOT, show_axes=False)
        self._shown: dict[str, tuple[Surface, SurfaceColours, viser.GlbHandle]] = {}
        self._numbers = count()
        self._hidden = False

    def show(self, surfaces: Mapping[str, Surface], colours: Mapping[str, SurfaceColours]) -> None:
        """Show those surfaces that have colours, and no others."""
        with self._server.atomic():
            for name in set(self._shown) - set(colours):
                self._shown.pop(name)[2].remove()
            for name, of in colours.items():
                self._send(name, surfaces[name], of)

    def hide(self, hidden: bool) -> None:
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

    def _send(self, name: str, surface: Surface, colours: SurfaceColours) -> None:
        before = self._shown.get(name)
        if before is not None and before[0] is surface and colours.same(before[1]):
            return
        opacity = FAINT if colours.faint else 1.0
        data = coloured(
            surface.X, surface.vertex_normals, colours.rgb, surface.faces, opacity=opacity
        )
        # By number, since the names of parts may hold anything.
        path = before[2].name if before is not None else f"{ROOT}/parts/{next(self._numbers)}"
        node = self._server.scene.add_glb(path, data, cast_shadow=False)
        self._shown[name] = surface, colours, node


def colours_of(
    surfaces: Mapping[str, Surface],
    tissues: Mapping[str, Tissue],
    selected: str | None,
    preview: Preview | None,
) -> dict[str, SurfaceColours]:
    """The colours of each surface; beside a selected muscle the other muscles are faint.

    `preview` is what a build would make of the selected muscle, if that is known.
    """
    focused = selected is not None and tissues.get(selected) is Tissue.MUSCLE
    colours = {}
    for name, surface in surfaces.items():
        tissue, chosen = tissues[name], name == selected
        faint = focused and not chosen and tissue is not Tissue.BONE
        plain = TISSUE_COLOURS[tissue]
        rgb = np.tile(0.6 * plain + 0.4 * SELECTED if chosen else plain, (surface.n_vertices, 1))
        if chosen and preview is not None and len(preview.s) == surface.n_vertices:
            _colour_ends(rgb, preview)
        faint = faint or tissue is Tissue.PASSIVE
        colours[name] = SurfaceColours((255 * rgb).astype(np.uint8), faint)
    return colours


def _colour_ends(rgb: np.ndarray, preview: Preview) -> None:
    """Colour the tendons and attachments of a muscle as they would be built."""
    rgb[preview.tendon()] = SILVER
    for end, vertices in preview.held.items():
        rgb[vertices] = ENDS[end]
