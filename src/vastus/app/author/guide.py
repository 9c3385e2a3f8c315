"""What an author may do next, and how large the model would be."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from vastus.app.author.document import Document
from vastus.geometry.surface import Surface
from vastus.model import Drive
from vastus.modelling.anatomy.pipeline import SIZE

# Regular tets of edge 1 in a volume of 1, and how many more there are near surfaces.
TETS, FINER = 6 * np.sqrt(2), 1.5


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


def likely_tets(document: Document, surfaces: Iterable[Surface]) -> int | None:
    """About how many tets a build makes; None without surfaces."""
    shells = list(surfaces)
    if not shells:
        return None
    X = np.concatenate([surface.X for surface in shells])
    size = document.surfaces.size or SIZE * float(np.linalg.norm(np.ptp(X, axis=0)))
    volume = sum(abs(surface.volume) for surface in shells)
    return int(FINER * TETS * volume / size**3)


def _tied(document: Document, bone: str) -> bool:
    return any(bone in joint.bones for joint in document.joints.values())
