"""How each format of triangle surfaces is read and written: OBJ, STL, PLY, VTP, GLB and GLTF.

Coordinates are as in the file: its units and axes are the author's to say.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from vastus.errors import FileError, MissingExtra
from vastus.geometry.surface import Surface
from vastus.io.announced import glb_text, gltf_text, require_gltf, require_ply, require_xml
from vastus.io.vtp import read_vtp

Raw = tuple[np.ndarray, np.ndarray]  # vertices (n, 3) and triangles (k, 3), not yet looked at
_NOTHING = np.zeros((0, 3)), np.zeros((0, 3), np.int64)


@dataclass(frozen=True)
class SurfaceFormat:
    """What reads a file of a format, and what writes one."""

    read: Callable[[str], Raw]
    write: Callable[[Path, Surface], None]


def _read_mesh(name: str) -> Raw:
    raw = import_module("trimesh").load_mesh(name, process=False, skip_materials=True)
    return (raw.vertices, raw.faces) if len(getattr(raw, "faces", ())) else _NOTHING


def _write_mesh(path: Path, surface: Surface, *, kind: str, **options: Any) -> None:
    _trimesh(surface).export(path, file_type=kind, **options)


def _read_obj(name: str) -> Raw:
    """trimesh skips lines that break off; here they are refused."""
    with Path(name).open(errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            words = line.split("#")[0].split()
            if words and words[0] in ("v", "f") and len(words) < 4 and not line.endswith("\\\n"):
                given = f"only {len(words) - 1} of at least 3 values after '{words[0]}'"
                raise FileError(f"'{name}', line {number} has {given}")
    return _read_mesh(name)


def _read_scene(name: str) -> Raw:
    """All meshes of the scene as one, each placed by its node."""
    scene = import_module("trimesh").load_scene(name, process=False, skip_materials=True)
    meshes = [raw for raw in scene.dump() if len(getattr(raw, "faces", ()))]
    if not meshes:
        return _NOTHING
    starts = np.cumsum([0, *(len(raw.vertices) for raw in meshes[:-1])])
    faces = [raw.faces + start for raw, start in zip(meshes, starts, strict=True)]
    return np.concatenate([raw.vertices for raw in meshes]), np.concatenate(faces)


def _read_gltf(name: str) -> Raw:
    require_gltf(name, gltf_text(name))
    return _read_scene(name)


def _read_glb(name: str) -> Raw:
    require_gltf(name, glb_text(name))
    return _read_scene(name)


def _read_ply(name: str) -> Raw:
    require_ply(name)
    return _read_mesh(name)


def _write_glb(path: Path, surface: Surface) -> None:
    path.write_bytes(_trimesh(surface).scene().export(file_type="glb", include_normals=False))


def _write_gltf(path: Path, surface: Surface) -> None:
    gltf = import_module("trimesh.exchange.gltf")
    files = gltf.export_gltf(_trimesh(surface).scene(), include_normals=False, embed_buffers=True)
    path.write_bytes(files["model.gltf"])


def _read_vtp(name: str) -> Raw:
    require_xml(name)
    return read_vtp(name)


def _write_vtp(path: Path, surface: Surface) -> None:
    arrays = _vtk("util.numpy_support")
    points = _vtk("vtkCommonCore").vtkPoints()
    points.SetData(arrays.numpy_to_vtk(surface.X, deep=True))
    body = _vtk("vtkCommonDataModel").vtkPolyData()
    body.SetPoints(points)
    cells = _vtk("vtkCommonDataModel").vtkCellArray()
    cells.SetData(3, arrays.numpy_to_vtkIdTypeArray(surface.faces.ravel(), deep=True))
    body.SetPolys(cells)
    writer = _vtk("vtkIOXML").vtkXMLPolyDataWriter()
    writer.SetInputData(body)
    writer.SetFileName(str(path))
    if not writer.Write():
        raise ValueError("VTK gives no reason")


def _trimesh(surface: Surface) -> Any:
    return import_module("trimesh").Trimesh(surface.X, surface.faces, process=False)


def _vtk(module: str) -> ModuleType:
    try:
        return import_module(f"vtkmodules.{module}")
    except ImportError:
        raise MissingExtra("pyvista", "viz") from None


def _mesh(kind: str, read: Callable[[str], Raw] = _read_mesh, **options: Any) -> SurfaceFormat:
    return SurfaceFormat(read, partial(_write_mesh, kind=kind, **options))


SURFACE_FORMATS: dict[str, SurfaceFormat] = {
    ".obj": _mesh("obj", _read_obj, digits=17, header=None, include_normals=False),
    ".stl": _mesh("stl"),
    ".ply": _mesh("ply", _read_ply),
    ".vtp": SurfaceFormat(_read_vtp, _write_vtp),
    ".glb": SurfaceFormat(_read_glb, _write_glb),
    ".gltf": SurfaceFormat(_read_gltf, _write_gltf),
}
