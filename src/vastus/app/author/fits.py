"""Where the joints of a document are: as said, or as the shape of the bones tells."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from vastus.app.author.document import Document
from vastus.app.author.material import Material
from vastus.errors import VastusError
from vastus.geometry.surface import Surface
from vastus.modelling.anatomy.joint_fit import BallFit, HingeFit
from vastus.modelling.anatomy.surfaces_model import FITS
from vastus.numerics.types import Floats
from vastus.scene.anatomy import JointKind

DRAG = "Drag its handle; the red arrow is the axis of a hinge."


@dataclass(frozen=True, eq=False)
class Found:
    """Where a joint is, (3,) [m], and its axis (3,) if it is a hinge; None if that is not known."""

    centre: Floats | None
    axis: Floats | None
    sentence: str


def found_joint(document: Document, material: Material, name: str) -> Found:
    """Where a joint of the document is."""
    said = document.joints[name]
    if said.centre is not None:
        axis = None if said.axis is None else np.array(said.axis) / np.linalg.norm(said.axis)
        return Found(np.array(said.centre), axis, DRAG)
    if said.kind not in FITS:
        return Found(None, None, f"The place of a {said.kind.value} cannot be found: place it.")
    one, two = (
        tuple(
            material.surfaces[part]
            for part in document.names.bones.get(bone, ())
            if part in material.surfaces
        )
        for bone in said.bones
    )
    return _fitted(said.kind, one, two, said.bones)


@lru_cache(maxsize=256)
def _fitted(
    kind: JointKind,
    one: tuple[Surface, ...],
    two: tuple[Surface, ...],
    names: tuple[str, str],
) -> Found:
    if not one or not two:
        return Found(None, None, "The surfaces of its bones cannot be read.")
    try:
        fit: BallFit | HingeFit = FITS[kind](one, two, names=names)
    except VastusError as error:
        return Found(None, None, str(error))
    axis = fit.axis if isinstance(fit, HingeFit) else None
    return Found(fit.centre, axis, f"Found: {fit.sentence}")
