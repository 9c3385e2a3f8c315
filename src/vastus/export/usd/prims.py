"""The prims of a stage: its root with units and clock, meshes, and materials.

Points are of single precision, as the format has them: good to 1e-7 of the model's size.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vastus import __version__
from vastus.export.regions import Clock, linear
from vastus.files.identifiers import readable
from vastus.measure.fields import VELOCITY
from vastus.numerics.types import Floats, Ints
from vastus.parts import Tissue
from vastus.pictures.colours import TISSUE_COLOURS
from vastus.pictures.skin import Skin
from vastus.results.playback import Playback

TOP = "/Model"
MARK = "vastus"  # the layer data that say where the file is from
NAME = "vastus:name"  # the region's own name, which may be no identifier
ROUGHNESS = {Tissue.BONE: 0.6, Tissue.MUSCLE: 0.45, Tissue.TENDON: 0.35, Tissue.PASSIVE: 0.7}
SEEN_THROUGH = 0.35  # opacity of passive tissue, which covers the rest
READER = "UsdPrimvarReader_float3"
LARGEST = float(np.finfo(np.float32).max)


def new_stage(path: Path, playback: Playback, clock: Clock) -> Any:
    """A stage with the prim `TOP`, to be saved to a path that may exist."""
    from pxr import Usd, UsdGeom

    stage = Usd.Stage.CreateNew(str(path))
    set_clock(stage, clock)
    top = UsdGeom.Xform.Define(stage, TOP).GetPrim()
    top.SetDisplayName(readable(playback.model.name))
    stage.SetDefaultPrim(top)
    _say_where_from(stage.GetRootLayer(), playback)
    return stage


def set_clock(stage: Any, clock: Clock) -> None:
    """Give a stage its units, its up axis and its times."""
    from pxr import UsdGeom

    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    stage.SetTimeCodesPerSecond(clock.rate)
    stage.SetFramesPerSecond(clock.rate)
    stage.SetStartTimeCode(clock.codes[0])
    stage.SetEndTimeCode(clock.codes[-1])


def _say_where_from(layer: Any, playback: Playback) -> None:
    told = playback.result.provenance
    scene, model = (str(told.get(key) or "") for key in ("scene", "model"))
    layer.documentation = readable(
        f"Motion of the model '{playback.model.name}', written by Vastus {__version__}. "
        f"Metres, seconds, z up. Hash of the scene: {scene or 'none'}; of the model: {model}."
    )
    layer.customLayerData = {
        MARK: {
            "version": __version__,
            "scene": scene,
            "model": model,
            "provenance": json.dumps(told, sort_keys=True),
        }
    }


@dataclass(frozen=True, eq=False)
class Part:
    """A region: its own name, its path in the stage, its surface and its material."""

    name: str
    path: str
    skin: Skin
    material: Any


def define_mesh(stage: Any, part: Part) -> Any:
    """The mesh of a region with all that does not change."""
    from pxr import UsdGeom

    mesh = UsdGeom.Mesh.Define(stage, part.path)
    set_faces(mesh, part.name, part.skin.faces, part.material)
    return mesh


def set_faces(mesh: Any, name: str, faces: Ints, material: Any) -> None:
    """Give a mesh its name, its triangles (k, 3) and its material, if it has one."""
    from pxr import UsdGeom, UsdShade, Vt

    mesh.GetPrim().SetDisplayName(readable(name))
    mesh.GetPrim().SetCustomDataByKey(NAME, readable(name))
    mesh.CreateFaceVertexCountsAttr(Vt.IntArray.FromNumpy(np.full(len(faces), 3, np.int32)))
    mesh.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(faces.ravel().astype(np.int32)))
    mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    mesh.CreateOrientationAttr(UsdGeom.Tokens.rightHanded)
    mesh.CreateDoubleSidedAttr(False)
    if material is not None:
        UsdShade.MaterialBindingAPI.Apply(mesh.GetPrim()).Bind(material)


class Shape:
    """What changes of a mesh: points (p, 3) with their extent, and fields (p,) at the points.

    Velocities (p, 3) [m/s] are the mesh's own attribute, by which programs blur what moves.
    """

    def __init__(self, mesh: Any) -> None:
        from pxr import UsdGeom

        self._points, self._extent = mesh.CreatePointsAttr(), mesh.CreateExtentAttr()
        self._primvars, self._mesh = UsdGeom.PrimvarsAPI(mesh), mesh

    def set(self, x: Floats, fields: Mapping[str, Floats], *code: float) -> None:
        """Put all of it there, at a time code or for good."""
        self._points.Set(_vectors(x), *code)
        self._extent.Set(_vectors(np.stack([x.min(axis=0), x.max(axis=0)])), *code)
        self.set_fields({n: values for n, values in fields.items() if n != VELOCITY}, *code)
        if VELOCITY in fields:
            self._mesh.CreateVelocitiesAttr().Set(_vectors(fields[VELOCITY]), *code)

    def set_fields(self, fields: Mapping[str, Floats], *code: float) -> None:
        """Put fields (p,) there alone."""
        from pxr import Sdf, UsdGeom, Vt

        kind, where = Sdf.ValueTypeNames.FloatArray, UsdGeom.Tokens.vertex
        for name, values in fields.items():
            primvar = self._primvars.CreatePrimvar(name, kind, where)
            # The stress of a tet that is turned inside out may be beyond single precision.
            single = np.clip(values, -LARGEST, LARGEST).astype(np.float32)
            primvar.Set(Vt.FloatArray.FromNumpy(single), *code)


def set_colour(mesh: Any, colour: Floats, *code: float) -> None:
    """Give a mesh a colour (3,), as screens have it, at a time code or for good."""
    from pxr import UsdGeom

    primvar = mesh.CreateDisplayColorPrimvar(UsdGeom.Tokens.constant)
    primvar.Set(_vectors(linear(colour)[None]), *code)


def set_level(mesh: Any, level: float, code: float) -> None:
    """Give a mesh the activation that it has at a time code."""
    from pxr import Sdf, UsdGeom

    api, kind = UsdGeom.PrimvarsAPI(mesh), Sdf.ValueTypeNames.Float
    api.CreatePrimvar("activation", kind, UsdGeom.Tokens.constant).Set(level, code)


def _vectors(rows: Floats) -> Any:
    from pxr import Vt

    return Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(rows, np.float32))


def define_material(stage: Any, tissue: Tissue) -> Any:
    """The material of a tissue; its colour is the mesh's `displayColor`."""
    from pxr import Sdf, UsdGeom, UsdShade

    UsdGeom.Scope.Define(stage, f"{TOP}/Materials")
    path = f"{TOP}/Materials/{tissue.capitalize()}"
    material = UsdShade.Material.Define(stage, path)
    surface = UsdShade.Shader.Define(stage, f"{path}/Surface")
    surface.CreateIdAttr("UsdPreviewSurface")
    surface.CreateInput("roughness", Sdf.ValueTypeNames.Float).Set(ROUGHNESS[tissue])
    if tissue is Tissue.PASSIVE:
        surface.CreateInput("opacity", Sdf.ValueTypeNames.Float).Set(SEEN_THROUGH)
    colour = surface.CreateInput("diffuseColor", Sdf.ValueTypeNames.Color3f)
    colour.ConnectToSource(_reader(stage, f"{path}/Colour", TISSUE_COLOURS[tissue]))
    material.CreateSurfaceOutput().ConnectToSource(surface.ConnectableAPI(), "surface")
    return material


def _reader(stage: Any, path: str, fallback: Floats) -> Any:
    """The output of a shader that reads the mesh's colour."""
    from pxr import Gf, Sdf, UsdShade

    reader = UsdShade.Shader.Define(stage, path)
    reader.CreateIdAttr(READER)
    reader.CreateInput("varname", Sdf.ValueTypeNames.String).Set("displayColor")
    reader.CreateInput("fallback", Sdf.ValueTypeNames.Float3).Set(
        Gf.Vec3f(*linear(fallback).tolist())
    )
    return reader.CreateOutput("result", Sdf.ValueTypeNames.Float3)
