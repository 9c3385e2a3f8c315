"""What a scene names beside its surfaces, looked up before anything is meshed."""

from __future__ import annotations

from collections.abc import Iterable

from vastus.errors import ModelError, known
from vastus.model import Tissue
from vastus.scene.base import unknown
from vastus.scene.scene import Scene
from vastus.scene.surfaces import SurfacePart

BoneParts = dict[str, tuple[str, ...]]


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
    for name, joint in scene.description.joints.items():
        for i, bone in enumerate(joint.bones if joint else ()):
            with scene.places.blame("joints", name, "bones", i):
                _require("bone", bone, bones)
        if joint and joint.bones[0] == joint.bones[1]:
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
