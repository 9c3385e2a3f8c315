"""What an author may do next, and how large the model would be.

What a click on a surface means.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import numpy as np

from vastus.app.author.document import Document
from vastus.geometry.surface import Surface
from vastus.model import Drive
from vastus.modelling.surfaces.body import tets_needed
from vastus.modelling.surfaces.pipeline import SIZE
from vastus.scene.fibres import End


def next_step(document: Document) -> str:
    """The next thing that a scene lacks before it can be built and moved."""
    names = document.names
    if not names.parts:
        return "add surface files under Parts."
    if not names.bones:
        return "say under Parts which surfaces are bone."
    if not names.muscles:
        return "say under Parts which surfaces are muscle."
    held = [bone for bone in names.bones if drive_of(document, bone) is not Drive.FREE]
    if not held:
        return "choose a bone under Parts that is held still; now the body would fall."
    loose = [bone for bone in names.bones if bone not in held and not _tied(document, bone)]
    if loose:
        return f"tie '{loose[0]}' to another bone under Joints, or hold it still."
    return "look at the muscles, check, and build."


def drive_of(document: Document, bone: str) -> Drive:
    """Who moves a bone."""
    said = document.said.bones.get(bone)
    return (said.drive if said else None) or Drive.FREE


def up_of(document: Document) -> tuple[float, float, float]:
    """The direction against gravity, of length 1; z if there is none."""
    gravity = np.array(document.said.gravity or (0.0, 0.0, -1.0))
    x, y, z = -gravity / (np.linalg.norm(gravity) or 1.0) + 0.0
    return (x, y, z) if gravity.any() else (0.0, 0.0, 1.0)


def least_tets(document: Document, surfaces: Mapping[str, Surface]) -> int | None:
    """How many tets a build makes at least; None without surfaces.

    Surfaces with detail finer than the tets need more.
    """
    if not surfaces:
        return None
    X = np.concatenate([surface.X for surface in surfaces.values()])
    usual = document.surfaces.size or SIZE * float(np.linalg.norm(np.ptp(X, axis=0)))
    sizes = {name: document.parts[name].size or usual for name in surfaces}
    return int(sum(float(tets_needed(surfaces[name], size)) for name, size in sizes.items()))


def _tied(document: Document, bone: str) -> bool:
    return any(bone in joint.bones for joint in document.joints.values())


class Mode(StrEnum):
    """What a click does, in the words of the page."""

    SELECT = "selects a part"
    PICK_ORIGIN = "makes a part the origin"
    PICK_INSERTION = "makes a part the insertion"
    PAINT_ORIGIN = "paints the origin"
    PAINT_INSERTION = "paints the insertion"
    ERASE = "erases paint"

    @property
    def picks(self) -> End | None:
        """The end of a muscle whose part a click names."""
        return {Mode.PICK_ORIGIN: End.ORIGIN, Mode.PICK_INSERTION: End.INSERTION}.get(self)

    @property
    def paints(self) -> End | None:
        """The end of a muscle that a click paints."""
        return {Mode.PAINT_ORIGIN: End.ORIGIN, Mode.PAINT_INSERTION: End.INSERTION}.get(self)
