"""Materials: ivory bone, silver tendon, skin, and muscle that reddens with its activation."""

from __future__ import annotations

from typing import Any

from vastus.export.usd_meshes import linear
from vastus.export.usd_stage import TOP
from vastus.io.skin import IVORY, RELAXED, SILVER, SKIN
from vastus.model import Tissue
from vastus.numerics.types import Floats

COLOURS = {
    Tissue.BONE: IVORY,
    Tissue.MUSCLE: RELAXED,
    Tissue.TENDON: SILVER,
    Tissue.PASSIVE: SKIN,
}
ROUGHNESS = {Tissue.BONE: 0.6, Tissue.MUSCLE: 0.45, Tissue.TENDON: 0.35, Tissue.PASSIVE: 0.7}
SEEN_THROUGH = 0.35  # opacity of passive tissue, which covers the rest
READER = "UsdPrimvarReader_float3"


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
    colour.ConnectToSource(_reader(stage, f"{path}/Colour", COLOURS[tissue]))
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
