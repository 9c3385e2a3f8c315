"""A scene's surfaces as a model: in metres, repaired, built, and their joints found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite

import numpy as np

from vastus.cache import Log
from vastus.errors import ModelError, known
from vastus.geometry.surface import Surface
from vastus.modelling.joints.joint_fit import BallFit, HingeFit, fit_ball, fit_hinge
from vastus.modelling.surfaces.body_parts import Ends, Part, Spot
from vastus.modelling.surfaces.pipeline import Plan
from vastus.modelling.surfaces.repair import Repaired, repair
from vastus.modelling.surfaces.surface_model import Body, body_of
from vastus.parts import Bone, Tissue
from vastus.scene.scene import Scene
from vastus.scene.schema import Unit, unknown
from vastus.scene.selection import Sphere
from vastus.scene.surfaces import Neighbours, SurfacePart
from vastus.skeleton.joints import Ball, Hinge, Joint

BoneParts = dict[str, tuple[str, ...]]
SMALLEST, LARGEST = 0.05, 2.5  # [m] extent of a limb or a body
# Scanners and the programs behind them count in millimetres.
_LIKELIEST_FIRST = (Unit.MM, Unit.M, Unit.CM)
FITS: dict[type[Joint], Callable[..., BallFit | HingeFit]] = {
    Ball: fit_ball,
    Hinge: fit_hinge,
}


def bone_parts(scene: Scene) -> BoneParts:
    """The parts of each bone: bodies that the author makes of several, then the bones left."""
    said = _parts(scene)
    single = [name for name, part in said.items() if part.tissue is Tissue.BONE]
    grouped: BoneParts = {}
    for name, bone in scene.description.bones.items():
        if bone.regions:
            for i, region in enumerate(bone.regions):
                with scene.places.blame("bones", name, "regions", i):
                    _require_free(region, single, grouped)
            grouped[name] = tuple(dict.fromkeys(bone.regions))
    left = _left(single, grouped)
    for name in grouped:
        if name in left:
            with scene.places.blame("bones", name):
                raise ModelError(
                    f"'{name}' is another bone's part: list it in 'regions', or "
                    "give the group a name of its own"
                )
    return grouped | {name: (name,) for name in left}


def require_names(scene: Scene, bones: BoneParts) -> None:
    """Refuse bones, joints, muscles and regions of names that no part has."""
    said = scene.description
    assert said.surfaces is not None
    muscles = sorted(said.surfaces.muscles)
    for keys, kind, names, exist in (
        (("bones",), "bone", said.bones, bones),
        (("muscles",), "muscle", said.muscles, muscles),
        (("inputs", "activation"), "muscle", said.inputs.activation, muscles),
        (("inputs", "bones"), "bone", said.inputs.bones, bones),
        (("regions",), "region", said.regions, _regions(scene)),
    ):
        for name in names:
            with scene.places.blame(*keys, name):
                _require(kind, name, exist)
    _require_materials(scene)
    _require_joints(scene, bones)


def _regions(scene: Scene) -> list[str]:
    """The regions that the parts will have; whether all tendons are there shows only later."""
    parts = _parts(scene)
    sinews = [f"{name} tendon" for name, p in parts.items() if p.tissue is Tissue.MUSCLE]
    return [*parts, *sinews]


def _require_materials(scene: Scene) -> None:
    exist = [*(tissue.value for tissue in Tissue), *_regions(scene)]
    for name in scene.description.materials:
        if name not in exist:
            sentence = unknown("tissue or region", name, exist)
            raise scene.places.error(("materials", name), sentence)


def _require_joints(scene: Scene, bones: BoneParts) -> None:
    for name, joint in scene.description.placed_joints.items():
        for i, bone in enumerate(joint.bones):
            with scene.places.blame("joints", name, "bones", i):
                _require("bone", bone, bones)
        if joint.bones[0] == joint.bones[1]:
            with scene.places.blame("joints", name, "bones"):
                raise ModelError(f"a joint ties two bones, but both are '{joint.bones[0]}'")


def _parts(scene: Scene) -> dict[str, SurfacePart]:
    assert scene.description.surfaces is not None
    return scene.description.surfaces.parts


def _left(single: list[str], grouped: BoneParts) -> list[str]:
    taken = {region for regions in grouped.values() for region in regions}
    return [name for name in single if name not in taken]


def _require_free(region: str, single: list[str], grouped: BoneParts) -> None:
    _require("bone", region, single)
    owner = next((name for name, regions in grouped.items() if region in regions), None)
    if owner is not None:
        raise ModelError(f"'{region}' belongs to bone '{owner}' already")


def _require(kind: str, name: str, names: Iterable[str]) -> None:
    if name not in names:
        raise known(kind, name, names)


@dataclass(frozen=True)
class Guess:
    """The likeliest unit for parts of an `extent` in file units, and `others` that fit too."""

    extent: float
    unit: Unit
    others: tuple[Unit, ...] = ()

    @property
    def sure(self) -> bool:
        """Whether no other unit fits."""
        return not self.others

    def __str__(self) -> str:
        if self.sure:
            return f"the files are in {self.unit.value}: the parts are {self._size(self.unit)}"
        doubts = " or ".join(f"in {u.value} ({self._size(u)})" for u in (self.unit, *self.others))
        return f"the files may be {doubts}; {self.unit.value} is taken unless 'units' says it"

    def _size(self, unit: Unit) -> str:
        return f"{self.extent * unit.metres:.3g} m across"


def likely_unit(extent: float) -> Guess:
    """The unit in which all parts together, of an `extent` in file units, are as large as a body.

    The extent is the longest side of the box around them.
    """
    fitting = [unit for unit in _LIKELIEST_FIRST if _fits(extent, unit)]
    if not fitting:
        sizes = ", ".join(f"{extent * u.metres:.3g} m if in {u.value}" for u in Unit)
        given = f"{extent:.3g} file units across ({sizes})" if isfinite(extent) else "endless"
        raise ModelError(
            f"the parts together are {given}, but a limb or body is {SMALLEST:g} to {LARGEST:g} m: "
            "give 'units', or check that all files are of one body"
        )
    return Guess(extent, fitting[0], tuple(fitting[1:]))


def _fits(extent: float, unit: Unit) -> bool:
    return SMALLEST <= extent * unit.metres <= LARGEST


@dataclass(frozen=True, eq=False)
class Anatomy:
    """A body built from a scene's surfaces, and what was found on the way."""

    body: Body
    log: Log
    unit: Guess
    repaired: Mapping[str, Repaired]
    fits: Mapping[str, BallFit | HingeFit]


def anatomy_of(scene: Scene, shells: Mapping[str, Surface], log: Log) -> Anatomy:
    """The body that a scene's surfaces make, with the joints that are to be found."""
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


def unit_of(scene: Scene, shells: Mapping[str, Surface]) -> Guess:
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


def metric_shells(scene: Scene, shells: Mapping[str, Surface]) -> dict[str, Surface]:
    """The surfaces in metres."""
    usual, said = unit_of(scene, shells).unit, _said(scene)
    scales = {name: (said[name].units or usual).metres for name in shells}
    return {name: Surface(shell.X * scales[name], shell.faces) for name, shell in shells.items()}


def _said(scene: Scene) -> dict[str, SurfacePart]:
    assert scene.description.surfaces is not None
    return scene.description.surfaces.parts


def parts_of(scene: Scene, surfaces: Mapping[str, Surface]) -> list[Part]:
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
        _spots(said.origin_at),
        _spots(said.insertion_at),
        gap=said.gap,
    )
    return Part(name, surface, said.tissue, muscle, ends, said.size, said.compartment)


def _spots(spheres: tuple[Sphere, ...] | None) -> tuple[Spot, ...]:
    return tuple(Spot(sphere.centre, sphere.radius) for sphere in spheres or ())


def plan_of(scene: Scene) -> Plan:
    """How the surfaces of a scene become one mesh."""
    said, gravity = scene.description.surfaces, scene.description.gravity
    assert said is not None
    up = (0.0, 0.0, 1.0) if gravity is None or not any(gravity) else tuple(-g for g in gravity)
    fused = said.neighbours is Neighbours.FUSED
    widths = said.size, said.envelope, said.gap
    return Plan(*widths, fused, said.clearance, up)  # type: ignore[arg-type]


def unplaced(scene: Scene) -> list[str]:
    """The joints without a centre, to be found from the shape of their bones."""
    joints = scene.description.placed_joints.items()
    return [name for name, joint in joints if joint.centre is None]


def fitted(
    scene: Scene, name: str, parts: Sequence[Part], bones: BoneParts, log: Log
) -> BallFit | HingeFit:
    """Where a joint is, by the shape of its bones."""
    joint = scene.description.placed_joints[name]
    surfaces = {part.name: part.surface for part in parts}
    with scene.places.blame("joints", name):
        one, two = ([surfaces[part] for part in bones[bone]] for bone in joint.bones)
        return log.run(f"joint {name}", _fit_of(joint.kind), one, two, names=joint.bones)


def _fit_of(kind: type[Joint]) -> Callable[..., BallFit | HingeFit]:
    if kind not in FITS:
        raise ModelError(f"the centre of a {kind.kind} cannot be found: give 'centre'")
    return FITS[kind]


def with_fits(scene: Scene, anatomy: Anatomy) -> Scene:
    """The scene with the joints that were found as if the author had written them."""
    return with_found(scene, anatomy.fits)


def with_found(scene: Scene, fits: Mapping[str, BallFit | HingeFit]) -> Scene:
    """The scene with these places of joints as if the author had written them."""
    joints = dict(scene.description.joints)
    for name, fit in fits.items():
        axis = tuple(fit.axis.tolist()) if isinstance(fit, HingeFit) else None
        update = {"centre": tuple(fit.centre.tolist()), "axis": axis}
        joints[name] = joints[name].model_copy(update=update)  # type: ignore[union-attr]
    return replace(scene, description=scene.description.model_copy(update={"joints": joints}))
