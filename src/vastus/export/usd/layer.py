"""The layer of a USD file: all regions with what each frame adds, written and read back."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from vastus.errors import FileError, MissingExtra
from vastus.export.formats import Watch
from vastus.export.regions import (
    CALLED,
    SPEED,
    Clock,
    Copy,
    MeshCopy,
    Parts,
    at_points,
    clock,
)
from vastus.export.usd.prims import (
    MARK,
    NAME,
    TOP,
    Part,
    Shape,
    define_material,
    define_mesh,
    new_stage,
    set_colour,
)
from vastus.export.usd.rig import BONES, Rig
from vastus.files.identifiers import identifiers
from vastus.files.safe import replacing
from vastus.measure.fields import VELOCITY
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.parts import Region, Tissue
from vastus.pictures.colours import TISSUE_COLOURS, muscle_colour
from vastus.pictures.skin import region_skins
from vastus.results.playback import Playback, Snapshot

SUFFIXES = (".usdc", ".usda", ".usd")
HELD = 50  # frames in memory, before they are saved
GROUPS = {
    Tissue.BONE: BONES,
    Tissue.MUSCLE: f"{TOP}/Muscles",
    Tissue.TENDON: f"{TOP}/Tendons",
    Tissue.PASSIVE: f"{TOP}/Passive",
}
# Blender calls all objects by the last part of their path.
TAKEN = ("Model", "Bones", "Muscles", "Tendons", "Passive", "Materials", "Skeleton", "Motion")


def write(playback: Playback, path: Path, watch: Watch) -> None:
    """Write a result as USD; the suffix tells whether it is binary or text (`.usda`)."""
    require_usd()
    from pxr import Tf

    if path.suffix.lower() not in SUFFIXES:
        raise FileError(f"'{path}' must end in one of {', '.join(SUFFIXES)} to be USD")
    try:
        with replacing(path) as part:
            _fill(playback, part, watch)
    except Tf.ErrorException as error:
        said = error.args[0].commentary  # the first of many that follow from it
        raise FileError(f"cannot write '{path}': {said.lower()}") from None


def _fill(playback: Playback, path: Path, watch: Watch) -> None:
    ticks = clock(playback.times)
    stage = new_stage(path, playback, ticks)
    regions = Regions(stage, playback, ticks)
    for moment in playback:
        regions.add(moment, ticks.codes[moment.index])
        if moment.index % HELD == HELD - 1:
            stage.Save()
        watch(moment.index + 1, len(playback))
    stage.Save()


def require_usd() -> None:
    """Refuse if the package that writes USD is absent."""
    if find_spec("pxr") is None:
        raise MissingExtra("usd-core", "usd")


def read(path: Path) -> Copy:
    """What a USD file of a result says, as programs see it that move meshes by transforms."""
    require_usd()
    from pxr import Tf, Usd, UsdGeom

    try:
        stage = Usd.Stage.Open(str(path))
    except Tf.ErrorException:
        raise FileError(f"cannot read '{path}' as USD") from None
    if MARK not in stage.GetRootLayer().customLayerData:
        raise FileError(f"'{path}' is USD, but not a result that Vastus exported")
    meshes = [UsdGeom.Mesh(p) for p in stage.Traverse() if p.IsA(UsdGeom.Mesh)]
    codes = _codes(stage, meshes)
    copies = {m.GetPrim().GetCustomDataByKey(NAME): _copied(m, codes) for m in meshes}
    return Copy(np.array(codes) / stage.GetTimeCodesPerSecond(), copies)


def _codes(stage: Any, meshes: list[Any]) -> list[float]:
    """The time codes at which any mesh moves, or else the one at which all begins."""
    from pxr import UsdGeom

    attributes = [m.GetPointsAttr() for m in meshes]
    attributes += [op.GetAttr() for m in meshes for op in UsdGeom.Xformable(m).GetOrderedXformOps()]
    found = {code for attribute in attributes for code in attribute.GetTimeSamples()}
    return sorted(found) or [stage.GetStartTimeCode()]


def _copied(mesh: Any, codes: list[float]) -> MeshCopy:
    from pxr import UsdGeom

    faces = np.array(mesh.GetFaceVertexIndicesAttr().Get()).reshape(-1, 3)
    x = np.array([_moved(mesh, code) for code in codes])
    api = UsdGeom.PrimvarsAPI(mesh)
    primvars = {field: api.GetPrimvar(name) for field, name in (CALLED | {SPEED: SPEED}).items()}
    fields = {f: np.array([p.Get(c) for c in codes]) for f, p in primvars.items() if p.HasValue()}
    moved = mesh.GetVelocitiesAttr()
    if moved.HasValue():
        fields[VELOCITY] = np.array([moved.Get(code) for code in codes])
    return MeshCopy(faces, x, fields)


def _moved(mesh: Any, code: float) -> Floats:
    points = np.array(mesh.GetPointsAttr().Get(code), float)
    M = np.array(mesh.ComputeLocalToWorldTransform(code))
    return np.asarray(points @ M[:3, :3] + M[3, :3])


class Regions:
    """The mesh of each region: bones follow a skeleton, the others have points in every frame."""

    def __init__(self, stage: Any, playback: Playback, clock: Clock) -> None:
        model, parts = playback.model, _parts(stage, playback.model)
        self._reds = _reds(playback)
        self._surfaces = Parts(tuple(part.skin for part in parts), model.mesh.n_tets)
        self._moved: list[tuple[int, Part, Any]] = []
        self._carried: list[tuple[int, Any]] = []  # by the skeleton
        rig = Rig(stage, playback, clock) if model.bones else None
        fields = at_points(self._surfaces, playback[0])
        for place, part in enumerate(parts):
            mesh, bone = define_mesh(stage, part), _bone(model, part.name)
            set_colour(mesh, TISSUE_COLOURS[part.skin.tissue])
            if rig and bone is not None and rig.is_rigid(bone):
                still = {n: v for n, v in fields[place].items() if n not in (VELOCITY, SPEED)}
                Shape(mesh).set(model.mesh.X[part.skin.vertices], still)
                self._carried.append((place, mesh))
                rig.carry(mesh, bone, len(part.skin.vertices))
            else:
                self._moved.append((place, part, mesh))

    def add(self, moment: Snapshot, code: float) -> None:
        """Put those that deform where they are at a time code."""
        fields = at_points(self._surfaces, moment)
        for place, part, mesh in self._moved:
            Shape(mesh).set(moment.x[part.skin.vertices], fields[place], code)
            if part.name in self._reds:
                set_colour(mesh, self._reds[part.name][moment.index], code)
        for place, mesh in self._carried:
            if SPEED in fields[place]:
                Shape(mesh).set_fields({SPEED: fields[place][SPEED]}, code)


def _reds(playback: Playback) -> dict[str, Floats]:
    """(frames, 3) the colours of each region of muscle; full red is the largest activation."""
    regions = {r.name: f"{r.muscle}_activation" for r in playback.model.regions if _is_belly(r)}
    columns = playback.result.table
    levels = {region: columns[name] for region, name in regions.items() if name in columns}
    peak = max([1.0, *(level.max() for level in levels.values())])
    return {region: muscle_colour(level[:, None] / peak) for region, level in levels.items()}


def _is_belly(region: Region) -> bool:
    return region.tissue is Tissue.MUSCLE


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
