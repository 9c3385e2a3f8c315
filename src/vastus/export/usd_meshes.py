"""Regions as meshes: what stays, and what each frame adds.

Points are of single precision, as the format has them: good to 1e-7 of the model's size.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.export.identifiers import readable
from vastus.io.skin import Skin
from vastus.numerics.types import Floats

NAME = "vastus:name"  # the region's own name, which may be no identifier


@dataclass(frozen=True, eq=False)
class Part:
    """A region: its own name, its path in the stage, its surface and its material."""

    name: str
    path: str
    skin: Skin
    material: Any


def define_mesh(stage: Any, part: Part) -> Any:
    """The mesh of a region with all that does not change."""
    from pxr import UsdGeom, UsdShade, Vt

    mesh = UsdGeom.Mesh.Define(stage, part.path)
    mesh.GetPrim().SetDisplayName(readable(part.name))
    mesh.GetPrim().SetCustomDataByKey(NAME, readable(part.name))
    faces = part.skin.faces
    mesh.CreateFaceVertexCountsAttr(Vt.IntArray.FromNumpy(np.full(len(faces), 3, np.int32)))
    mesh.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(faces.ravel().astype(np.int32)))
    mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    mesh.CreateOrientationAttr(UsdGeom.Tokens.rightHanded)
    mesh.CreateDoubleSidedAttr(False)
    UsdShade.MaterialBindingAPI.Apply(mesh.GetPrim()).Bind(part.material)
    return mesh


class Shape:
    """What changes of a mesh: points (p, 3) with their extent, and fields (p,) at the points."""

    def __init__(self, mesh: Any) -> None:
        from pxr import UsdGeom

        self._points, self._extent = mesh.CreatePointsAttr(), mesh.CreateExtentAttr()
        self._primvars = UsdGeom.PrimvarsAPI(mesh)

    def set(self, x: Floats, fields: Mapping[str, Floats], *code: float) -> None:
        """Put all of it there, at a time code or for good."""
        from pxr import Sdf, UsdGeom, Vt

        self._points.Set(_vectors(x), *code)
        self._extent.Set(_vectors(np.stack([x.min(axis=0), x.max(axis=0)])), *code)
        kind, where = Sdf.ValueTypeNames.FloatArray, UsdGeom.Tokens.vertex
        for name, values in fields.items():
            primvar = self._primvars.CreatePrimvar(name, kind, where)
            primvar.Set(Vt.FloatArray.FromNumpy(values.astype(np.float32)), *code)


def set_colour(mesh: Any, colour: Floats, *code: float) -> None:
    """Give a mesh a colour (3,), as screens have it, at a time code or for good."""
    from pxr import UsdGeom

    primvar = mesh.CreateDisplayColorPrimvar(UsdGeom.Tokens.constant)
    primvar.Set(_vectors(linear(colour)[None]), *code)


def linear(colour: Floats) -> Floats:
    """Light as the format counts it, of a colour as screens do (sRGB)."""
    return np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)


def _vectors(rows: Floats) -> Any:
    from pxr import Vt

    return Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(rows, np.float32))
