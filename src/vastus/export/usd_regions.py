"""All regions of a model on a stage, and what each frame adds to them."""

from __future__ import annotations

from typing import Any

import numpy as np

from vastus.export.at_points import at_points
from vastus.export.clock import Clock
from vastus.export.identifiers import identifiers
from vastus.export.parts import parts_of
from vastus.export.usd_bones import BONES, Rig
from vastus.export.usd_materials import COLOURS, define_material
from vastus.export.usd_meshes import Part, Shape, define_mesh, set_colour
from vastus.export.usd_stage import TOP
from vastus.io.skin import ACTIVE, RELAXED, Skin, region_skins
from vastus.io.tape import Moment, Tape
from vastus.model import Model, Tissue
from vastus.numerics.types import Floats

GROUPS = {
    Tissue.BONE: BONES,
    Tissue.MUSCLE: f"{TOP}/Muscles",
    Tissue.TENDON: f"{TOP}/Tendons",
    Tissue.PASSIVE: f"{TOP}/Passive",
}
# Blender calls all objects by the last part of their path.
TAKEN = ("Model", "Bones", "Muscles", "Tendons", "Passive", "Materials", "Skeleton", "Motion")


class Regions:
    """The mesh of each region: bones follow a skeleton, the others have points in every frame."""

    def __init__(self, stage: Any, tape: Tape, clock: Clock) -> None:
        self._model, self._peak = tape.model, _peak(tape)
        self._surfaces = parts_of(tape.model)
        self._moved: list[tuple[int, Part, Any]] = []
        rig = Rig(stage, tape, clock) if tape.model.bones else None
        fields = at_points(self._surfaces, tape[0])
        for place, part in enumerate(_parts(stage, tape.model)):
            mesh, bone = define_mesh(stage, part), _bone(tape.model, part.name)
            set_colour(mesh, COLOURS[part.skin.tissue])
            if rig and bone is not None and rig.is_rigid(bone):
                Shape(mesh).set(self._model.mesh.X[part.skin.vertices], fields[place])
                rig.carry(mesh, bone, len(part.skin.vertices))
            else:
                self._moved.append((place, part, mesh))

    def add(self, moment: Moment, code: float) -> None:
        """Put those that deform where they are at a time code."""
        fields = at_points(self._surfaces, moment)
        for place, part, mesh in self._moved:
            Shape(mesh).set(moment.x[part.skin.vertices], fields[place], code)
            if part.skin.tissue is Tissue.MUSCLE:
                set_colour(mesh, self._red(moment, part.skin), code)

    def _red(self, moment: Moment, skin: Skin) -> Floats:
        level = moment.fields["activation"][skin.tets].mean() / self._peak
        return RELAXED + np.clip(level, 0.0, 1.0) * (ACTIVE - RELAXED)


def _parts(stage: Any, model: Model) -> list[Part]:
    from pxr import UsdGeom

    skins = region_skins(model, split=False)
    plain = identifiers(skins, taken=TAKEN)
    tissues = dict.fromkeys(skin.tissue for skin in skins.values())
    for tissue in tissues:
        if not stage.GetPrimAtPath(GROUPS[tissue]):
            UsdGeom.Xform.Define(stage, GROUPS[tissue])
    materials = {tissue: define_material(stage, tissue) for tissue in tissues}
    return [
        Part(name, f"{GROUPS[skin.tissue]}/{plain[name]}", skin, materials[skin.tissue])
        for name, skin in skins.items()
    ]


def _bone(model: Model, region: str) -> int | None:
    return next((i for i, bone in enumerate(model.bones) if region in bone.regions), None)


def _peak(tape: Tape) -> float:
    """The largest activation of all, but at least 1."""
    names = {f"{muscle.name}_activation" for muscle in tape.model.muscles}
    levels = [column.max() for name, column in tape.result.table.items() if name in names]
    return float(max([1.0, *levels]))
