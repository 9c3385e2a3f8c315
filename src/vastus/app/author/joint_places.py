"""Where the joints of a document are or may be: as written, or as the shape of the bones tells."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from vastus.app.author.document import Document
from vastus.app.author.edits.skeleton import add_joint
from vastus.app.author.surface_display import SurfaceFiles
from vastus.errors import VastusError
from vastus.geometry.surface import Surface
from vastus.modelling.joints.joint_fit import BallFit, HingeFit
from vastus.modelling.joints.joint_proposals import Proposal, proposals
from vastus.modelling.surfaces.anatomy import FITS
from vastus.numerics.types import Floats
from vastus.parts import Drive
from vastus.skeleton.joints import Joint

DRAG = "Drag its handle; the red arrow is the axis of a hinge."


@dataclass(frozen=True, eq=False)
class JointSite:
    """Where a joint is, (3,) [m], and its axis (3,) if it is a hinge; None if that is not known."""

    centre: Floats | None
    axis: Floats | None
    sentence: str


def joint_site(document: Document, files: SurfaceFiles, name: str) -> JointSite:
    """Where a joint of the document is."""
    said = document.joints[name]
    if said.centre is not None:
        axis = None if said.axis is None else np.array(said.axis) / np.linalg.norm(said.axis)
        return JointSite(np.array(said.centre), axis, DRAG)
    if said.kind not in FITS:
        return JointSite(None, None, f"The place of a {said.kind.kind} cannot be found: place it.")
    one, two = (_surfaces(document, files, bone) for bone in said.bones)
    return _fitted(said.kind, one, two, said.bones)


@lru_cache(maxsize=256)
def _fitted(
    kind: type[Joint],
    one: tuple[Surface, ...],
    two: tuple[Surface, ...],
    names: tuple[str, str],
) -> JointSite:
    if not one or not two:
        return JointSite(None, None, "The surfaces of its bones cannot be read.")
    try:
        fit: BallFit | HingeFit = FITS[kind](one, two, names=names)
    except VastusError as error:
        return JointSite(None, None, str(error))
    axis = fit.axis if isinstance(fit, HingeFit) else None
    return JointSite(fit.centre, axis, f"Found: {fit.sentence}")


def proposed_joints(document: Document, files: SurfaceFiles) -> list[Proposal]:
    """The joints to be offered between bones that are not tied yet."""
    bones = {bone: _surfaces(document, files, bone) for bone in downwards(document, files)}
    fixed = [bone for bone in bones if document.drive(bone) is not Drive.FREE]
    tied = [joint.bones for joint in document.joints.values()]
    return proposals(bones, fixed, tied)


def accept(document: Document, proposal: Proposal, kind: type[Joint]) -> Document:
    """The document with a joint of one of the kinds that are proposed."""
    name = free_name(proposal.name, document.joints)
    centre = None if kind.findable else proposal.centre.tolist()
    return add_joint(document, name, kind, proposal.bones, centre=centre)


def _surfaces(document: Document, files: SurfaceFiles, bone: str) -> tuple[Surface, ...]:
    parts = document.names.bones.get(bone, ())
    return tuple(files.surfaces[part] for part in parts if part in files.surfaces)


def downwards(document: Document, files: SurfaceFiles) -> list[str]:
    """The bones from the highest down, so that the second of a joint hangs on the first."""
    gravity = document.description.gravity or (0.0, 0.0, -1.0)

    def depth(bone: str) -> float:
        return float(middle(document, files, (bone,)) @ gravity)

    return sorted(document.names.bones, key=depth)


def middle(document: Document, files: SurfaceFiles, bones: tuple[str, ...]) -> Floats:
    """(3,) midway between bones [m]; the origin if none of them can be read."""
    parts = [part for bone in bones for part in document.names.bones[bone]]
    places = [files.surfaces[p].X.mean(axis=0) for p in parts if p in files.surfaces]
    return np.mean(places, axis=0) if places else np.zeros(3)


def free_name(stem: str, taken: Container[str]) -> str:
    """The stem, numbered if it is taken."""
    names = [stem, *(f"{stem} {number}" for number in range(2, 1000))]
    return next(name for name in names if name not in taken)
