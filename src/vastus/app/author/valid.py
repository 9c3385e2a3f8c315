"""Whether plain data are a scene of surfaces, or the beginning of one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vastus.app.author.names import PARTS, Kind, Names, names_of
from vastus.app.author.trees import at, put
from vastus.errors import ModelError
from vastus.io.scene import describe
from vastus.model import Region, Tissue
from vastus.modelling.anatomy.named import bone_parts, require_names
from vastus.modelling.material import made_of
from vastus.modelling.tissues import usual_laws
from vastus.scene.anatomy import JointKind
from vastus.scene.base import unknown
from vastus.scene.places import Places
from vastus.scene.scene import Scene
from vastus.scene.schema import Description

NOWHERE = Places()
# Stands in where there is no part yet, since a scene needs one.
_STAND_IN = {"part": {"file": "part.obj", "tissue": "bone"}}


def described(data: Any, places: Places = NOWHERE) -> Description:
    """What the data say; the first thing that is wrong with them is one sentence."""
    _require_surfaces(data, places)
    said = _described(data, places)
    scene = Scene(said, places=places)
    require_names(scene, bone_parts(scene))
    names = names_of(data)
    _require_materials(said, names, places)
    _require_fibres(said, names, places)
    _require_levels(said, places)
    _require_centres(said, places)
    return said


def _require_surfaces(data: Any, places: Places) -> None:
    if isinstance(data, Mapping) and data.get("surfaces") is None:
        given = next((key for key in ("model", "mesh") if data.get(key) is not None), None)
        if given is not None:
            raise places.error(
                (given,), f"this scene starts from a {given}; only scenes of surfaces are authored"
            )


def _described(data: Any, places: Places) -> Description:
    if not isinstance(data, Mapping) or at(data, PARTS) != {}:
        return describe(data, places)
    said = describe(put(data, PARTS, _STAND_IN), places)
    assert said.surfaces is not None
    return said.model_copy(update={"surfaces": said.surfaces.model_copy(update={"parts": {}})})


def _require_materials(said: Description, names: Names, places: Places) -> None:
    """Refuse laws that do not exist, parameters that they have not, and soft bones."""
    for name, material in said.materials.items():
        path = ("materials", name)
        tissue = Tissue(name) if name in tuple(Tissue) else names.regions[name]
        if tissue is Tissue.BONE:
            raise places.error(path, f"'{name}' can have no material, because bones are rigid")
        made_of(Region(name, tissue, usual_laws(tissue), muscle=name), material, places, path)


def _require_fibres(said: Description, names: Names, places: Places) -> None:
    for name, muscle in said.muscles.items():
        fibres = muscle.fibres
        for end in (fibres.start or ()) + (fibres.end or ()) if fibres else ():
            if not names.has(Kind.BONE_OR_REGION, end):
                exist = [*names.bones, *names.regions]
                sentence = unknown("bone or region", end, exist)
                raise places.error(("muscles", name, "fibres"), sentence)


def _require_levels(said: Description, places: Places) -> None:
    """Refuse activations beyond a muscle's limit."""
    for name, curve in said.inputs.activation.items():
        limit = (said.muscles[name].limit if name in said.muscles else None) or 1.0
        levels = [curve] if isinstance(curve, float) else [level for _, level in curve]
        with places.blame("inputs", "activation", name):
            for level in levels:
                if not 0 <= level <= limit:
                    raise ModelError(f"activation {level:g} is not between 0 and {limit:g}")


def _require_centres(said: Description, places: Places) -> None:
    for name, joint in said.joints.items():
        if joint and joint.kind is JointKind.WELD and joint.centre is None:
            raise places.error(("joints", name), "the centre of a weld cannot be found: give it")
