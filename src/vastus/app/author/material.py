"""The surfaces behind a document: read once, in metres, repaired; and what cannot be used."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from vastus.app.author.document import Document
from vastus.errors import VastusError
from vastus.geometry.surface import Surface
from vastus.io.meshes import read_surface
from vastus.modelling.anatomy.repair import repair
from vastus.modelling.anatomy.surfaces_model import metric_shells, unit_of
from vastus.modelling.anatomy.units import Guess
from vastus.numerics.types import Floats
from vastus.scene.scene import Scene, Shells

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
