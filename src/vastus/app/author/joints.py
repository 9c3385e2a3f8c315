"""Where the joints of a document are: as said, or as the shape of the bones tells.

Joints that a document may get: by the shape of its bones, from the highest down.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np

from vastus.app.author.document import Document
from vastus.app.author.edits.skeleton import add_joint
from vastus.app.author.guide import drive_of
from vastus.app.author.surfaces import Material
from vastus.errors import VastusError
from vastus.geometry.surface import Surface
from vastus.model import Drive
from vastus.modelling.surfaces.anatomy import FITS
from vastus.modelling.surfaces.joints import BallFit, HingeFit
from vastus.numerics.types import Floats
from vastus.scene.body import JointKind

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


KINDS = (JointKind.BALL, JointKind.HINGE)  # a spool makes no good ball, but a head any hinge


def with_proposed(document: Document, material: Material) -> Document:
    """The document with a joint wherever two bones fit, can move, and are not tied yet."""
    before = document
    tied = {frozenset(joint.bones) for joint in document.joints.values()}
    for pair in combinations(downwards(document, material), 2):
        free = any(drive_of(document, bone) is Drive.FREE for bone in pair)
        if free and frozenset(pair) not in tied:
            document = _with_fitting(document, material, pair)
    added = [name for name in document.joints if name not in before.joints]
    words = f"add joint{'s' if len(added) > 1 else ''} {', '.join(added)}"
    return document.with_data(document.data, words) if added else before


def downwards(document: Document, material: Material) -> list[str]:
    """The bones from the highest down, so that the second of a joint hangs on the first."""
    gravity = document.said.gravity or (0.0, 0.0, -1.0)

    def depth(bone: str) -> float:
        return float(middle(document, material, (bone,)) @ gravity)

    return sorted(document.names.bones, key=depth)


def middle(document: Document, material: Material, bones: tuple[str, ...]) -> Floats:
    """(3,) midway between bones [m]; the origin if none of them can be read."""
    parts = [part for bone in bones for part in document.names.bones[bone]]
    places = [material.surfaces[p].X.mean(axis=0) for p in parts if p in material.surfaces]
    return np.mean(places, axis=0) if places else np.zeros(3)


def free_name(stem: str, taken: Container[str]) -> str:
    """The stem, numbered if it is taken."""
    names = [stem, *(f"{stem} {number}" for number in range(2, 1000))]
    return next(name for name in names if name not in taken)


def _with_fitting(document: Document, material: Material, pair: tuple[str, str]) -> Document:
    for kind in KINDS:
        name = free_name(f"{pair[0]} to {pair[1]}", document.joints)
        trial = add_joint(document, name, kind, pair)
        if found_joint(trial, material, name).centre is not None:
            return trial
    return document
