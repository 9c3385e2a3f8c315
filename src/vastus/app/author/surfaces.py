"""The surfaces behind a document: read once, in metres, repaired; and what cannot be used.

The surfaces of the parts as they lie on the bench: coloured, hidden, and clicked on.

The colours of surfaces on the bench: tissue, what is selected, and what a muscle will become.
"""

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
from vastus.model import Tissue
from vastus.modelling.surfaces.anatomy import Guess, metric_shells, unit_of
from vastus.modelling.surfaces.ends import End
from vastus.modelling.surfaces.repair import repair
from vastus.numerics.types import Floats
from vastus.pictures.skin import IVORY, RELAXED, SILVER, SKIN
from vastus.scene.scene import Scene, Shells

if TYPE_CHECKING:
    import viser

    from vastus.app.author.studio import Studio

Key = tuple[str, float, float]  # file, time of its last change, its unit [m]


class Material:
    """Surfaces by part [m]; a surface stays the same object as long as its file and unit do."""

    def __init__(self) -> None:
        self.surfaces: dict[str, Surface] = {}
        self.unreadable: dict[str, str] = {}  # part to sentence
        self.unit: Guess | None = None
        self._files: dict[tuple[Path, float], Surface] = {}
        self._metric: dict[Key, tuple[Surface, str]] = {}

    def read(self, document: Document) -> None:
        """Read what the document names; parts whose file cannot be read are left out."""
        shells: Shells = {}
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

    def _measure(self, document: Document, shells: Shells) -> None:
        scene = Scene(document.said, shells)
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


TISSUES = {
    Tissue.BONE: IVORY,
    Tissue.TENDON: SILVER,
    Tissue.MUSCLE: RELAXED,
    Tissue.PASSIVE: SKIN,
}
CHOSEN = np.array([0.95, 0.55, 0.20])
ENDS = {End.ORIGIN: np.array([0.10, 0.35, 0.85]), End.INSERTION: np.array([0.05, 0.60, 0.30])}


def coats_of(studio: Studio) -> dict[str, Coat]:
    """The coat of each surface; beside a selected muscle the other muscles are faint."""
    parts, muscle = studio.document.parts, studio.selected_muscle
    coats = {}
    for name, surface in studio.material.surfaces.items():
        tissue = parts[name].tissue
        faint = muscle is not None and name != muscle and tissue is not Tissue.BONE
        colour = TISSUES[tissue]
        if name == studio.selected:
            colour = 0.6 * colour + 0.4 * CHOSEN
        rgb = np.tile(colour, (surface.n_vertices, 1))
        if name == muscle:
            rgb = _shown(studio, name, surface, rgb)
        coats[name] = Coat((255 * rgb).astype(np.uint8), faint or tissue is Tissue.PASSIVE)
    return coats


def _shown(studio: Studio, name: str, surface: Surface, rgb: np.ndarray) -> np.ndarray:
    """The colours of a muscle with its tendons and attachments as they would be built."""
    seen = studio.preview(name)
    if seen is None or len(seen.s) != surface.n_vertices:
        return rgb
    rgb[seen.tendon()] = SILVER
    for end, vertices in seen.held.items():
        rgb[vertices] = ENDS[end]
    return rgb
