"""What a USD file of a result says, as a program sees it that moves meshes by their transforms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from vastus.errors import FileError
from vastus.export.at_points import CALLED
from vastus.export.copy import Copy, MeshCopy
from vastus.export.usd_meshes import NAME
from vastus.export.usd_stage import MARK
from vastus.numerics.types import Floats


def read_stage(path: Path) -> Copy:
    """The times, and the mesh of each region with its fields."""
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
    primvars = {field: api.GetPrimvar(name) for field, name in CALLED.items()}
    fields = {f: np.array([p.Get(c) for c in codes]) for f, p in primvars.items() if p.HasValue()}
    return MeshCopy(faces, x, fields)


def _moved(mesh: Any, code: float) -> Floats:
    points = np.array(mesh.GetPointsAttr().Get(code), float)
    M = np.array(mesh.ComputeLocalToWorldTransform(code))
    return np.asarray(points @ M[:3, :3] + M[3, :3])
