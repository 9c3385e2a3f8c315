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
from vastus.modelling.anatomy.paint import Dab
from vastus.modelling.anatomy.parts import Ends, Part
from vastus.modelling.anatomy.pipeline import Plan
from vastus.modelling.anatomy.repair import Repaired, repair
from vastus.modelling.anatomy.steps import Log
from vastus.modelling.anatomy.units import Guess, likely_unit
from vastus.scene.anatomy import JointKind
from vastus.scene.scene import Scene, Shells
from vastus.scene.selection import Sphere
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
    parts = parts_of(scene, {name: found.surface for name, found in repaired.items()})
    fits = {name: fitted(scene, name, parts, bones, log) for name in unplaced(scene)}
    with scene.places.blame("surfaces"):
        body = body_of(parts, plan_of(scene), log, scene.name)
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


def parts_of(scene: Scene, surfaces: Shells) -> list[Part]:
    """The parts of a scene that have a repaired surface [m], in the author's order."""
    said = _said(scene)
    return [_part(name, said[name], surfaces[name]) for name in said if name in surfaces]


def _part(name: str, said: SurfacePart, surface: Surface) -> Part:
    muscle = said.muscle or (name if said.tissue is Tissue.MUSCLE else None)
    ends = Ends(
        said.origin,
        said.insertion,
        said.caps,
        said.tendons,
        said.fibre_caps,
        _dabs(said.origin_at),
        _dabs(said.insertion_at),
    )
    return Part(name, surface, said.tissue, muscle, ends, said.size, said.compartment)


def _dabs(spheres: tuple[Sphere, ...] | None) -> tuple[Dab, ...]:
    return tuple(Dab(sphere.centre, sphere.radius) for sphere in spheres or ())


def plan_of(scene: Scene) -> Plan:
    """How the surfaces of a scene become one mesh."""
    said, gravity = scene.description.surfaces, scene.description.gravity
    assert said is not None
    up = (0.0, 0.0, 1.0) if gravity is None or not any(gravity) else tuple(-g for g in gravity)
    fused = said.neighbours is Neighbours.FUSED
    return Plan(said.size, said.envelope, said.gap, fused, up)  # type: ignore[arg-type]


def unplaced(scene: Scene) -> list[str]:
    """The joints without a centre, to be found from the shape of their bones."""
    joints = scene.description.joints.items()
    return [name for name, joint in joints if joint is not None and joint.centre is None]


def fitted(
    scene: Scene, name: str, parts: Sequence[Part], bones: BoneParts, log: Log
) -> BallFit | HingeFit:
    """Where a joint is, by the shape of its bones."""
    joint = scene.description.joints[name]
    assert joint is not None
    surfaces = {part.name: part.surface for part in parts}
    with scene.places.blame("joints", name):
        one, two = ([surfaces[part] for part in bones[bone]] for bone in joint.bones)
        return log.run(f"joint {name}", _fit_of(joint.kind), one, two, names=joint.bones)


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
