"""A scene's surfaces as a model: in metres, repaired, built, and their joints found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vastus.cache import Store
from vastus.errors import ModelError
from vastus.geometry.surface import Surface
from vastus.model import Bone, Tissue
from vastus.modelling.anatomy.body import Body, body_of
from vastus.modelling.anatomy.joint_fit import BallFit, HingeFit, fit_ball, fit_hinge
from vastus.modelling.anatomy.named import BoneParts, bone_parts, require_names
from vastus.modelling.anatomy.parts import Ends, Part
from vastus.modelling.anatomy.pipeline import Plan
from vastus.modelling.anatomy.repair import Repaired, repair
from vastus.modelling.anatomy.steps import Log
from vastus.modelling.anatomy.units import Guess, likely_unit
from vastus.scene.anatomy import JointKind
from vastus.scene.scene import Scene, Shells
from vastus.scene.surfaces import Neighbours, SurfacePart

FITS: dict[JointKind, Callable[..., BallFit | HingeFit]] = {
    JointKind.BALL: fit_ball,
    JointKind.HINGE: fit_hinge,
}


@dataclass(frozen=True, eq=False)
class Anatomy:
    """A body built from a scene's surfaces, and what was found on the way."""

    body: Body
    log: Log
    unit: Guess
    repaired: Mapping[str, Repaired]
    fits: Mapping[str, BallFit | HingeFit]


def anatomy_of(
    scene: Scene, shells: Shells, *, store: Store | None = None, watch: Callable[[str], None]
) -> Anatomy:
    """The body that a scene's surfaces make, with the joints that are to be found."""
    log = Log(store, watch)
    bones = bone_parts(scene)
    require_names(scene, bones)
    unit = unit_of(scene, shells)
    repaired = {}
    for name, shell in metric_shells(scene, shells).items():
        with scene.places.blame("surfaces", "parts", name):
            repaired[name] = log.run(f"repair {name}", repair, shell)
    parts = [_part(name, said, repaired[name].surface) for name, said in _said(scene).items()]
    fits = _fits(scene, parts, bones, log)
    with scene.places.blame("surfaces"):
        body = body_of(parts, _plan(scene), log, scene.name)
    model = body.model.with_(bones=tuple(Bone(name, regions) for name, regions in bones.items()))
    return Anatomy(replace(body, model=model), log, unit, repaired, fits)


def unit_of(scene: Scene, shells: Shells) -> Guess:
    """The unit of the files: the author's, or the likely one for a body of their size."""
    said = scene.description.surfaces
    assert said is not None
    low = np.min([shell.X.min(axis=0) for shell in shells.values()], axis=0)
    high = np.max([shell.X.max(axis=0) for shell in shells.values()], axis=0)
    extent = float((high - low).max())
    if said.units is not None:
        return Guess(extent, said.units)
    with scene.places.blame("surfaces"):
        return likely_unit(extent)


def metric_shells(scene: Scene, shells: Shells) -> Shells:
    """The surfaces in metres."""
    usual, said = unit_of(scene, shells).unit, _said(scene)
    scales = {name: (said[name].units or usual).metres for name in shells}
    return {name: Surface(shell.X * scales[name], shell.faces) for name, shell in shells.items()}


def _said(scene: Scene) -> dict[str, SurfacePart]:
    assert scene.description.surfaces is not None
    return scene.description.surfaces.parts


def _part(name: str, said: SurfacePart, surface: Surface) -> Part:
    muscle = said.muscle or (name if said.tissue is Tissue.MUSCLE else None)
    ends = Ends(said.origin, said.insertion, said.caps, said.tendons)
    return Part(name, surface, said.tissue, muscle, ends, said.size, said.compartment)


def _plan(scene: Scene) -> Plan:
    said, gravity = scene.description.surfaces, scene.description.gravity
    assert said is not None
    up = (0.0, 0.0, 1.0) if gravity is None or not any(gravity) else tuple(-g for g in gravity)
    fused = said.neighbours is Neighbours.FUSED
    return Plan(said.size, said.envelope, said.gap, fused, up)  # type: ignore[arg-type]


def _fits(
    scene: Scene, parts: Sequence[Part], bones: BoneParts, log: Log
) -> dict[str, BallFit | HingeFit]:
    """The joints without a centre, found from the shape of their bones."""
    surfaces = {part.name: part.surface for part in parts}
    fits = {}
    for name, joint in scene.description.joints.items():
        if joint is not None and joint.centre is None:
            with scene.places.blame("joints", name):
                one, two = ([surfaces[part] for part in bones[bone]] for bone in joint.bones)
                fit = _fit_of(joint.kind)
                fits[name] = log.run(f"joint {name}", fit, one, two, names=joint.bones)
    return fits


def _fit_of(kind: JointKind) -> Callable[..., BallFit | HingeFit]:
    if kind not in FITS:
        raise ModelError(f"the centre of a {kind.value} cannot be found: give 'centre'")
    return FITS[kind]


def with_fits(scene: Scene, anatomy: Anatomy) -> Scene:
    """The scene with the joints that were found as if the author had written them."""
    joints = dict(scene.description.joints)
    for name, fit in anatomy.fits.items():
        axis = tuple(fit.axis.tolist()) if isinstance(fit, HingeFit) else None
        update = {"centre": tuple(fit.centre.tolist()), "axis": axis}
        joints[name] = joints[name].model_copy(update=update)  # type: ignore[union-attr]
    return replace(scene, description=scene.description.model_copy(update={"joints": joints}))
