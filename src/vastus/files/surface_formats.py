"""How each format of triangle surfaces is read and written: OBJ, STL, PLY, VTP, GLB and GLTF.

Coordinates are as in the file: its units and axes are the author's to say.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import numpy as np

from vastus.errors import FileError, MissingExtra
from vastus.files.bounds import (
    Limit,
    Lzma,
    Zlib,
    glb_text,
    gltf_text,
    require_gltf,
    require_ply,
    require_xml,
)
from vastus.files.safe import read_bytes
from vastus.geometry.surface import Surface

Element = ElementTree.Element
Raw = tuple[np.ndarray, np.ndarray]  # vertices (n, 3) and triangles (k, 3), not yet looked at
_NOTHING = np.zeros((0, 3)), np.zeros((0, 3), np.int64)
_TYPES = {
    f"{sign}Int{n}": f"{kind}{n // 8}"
    for sign, kind in (("", "i"), ("U", "u"))
    for n in (8, 16, 32, 64)
}
_TYPES |= {"Float32": "f4", "Float64": "f8"}
_PACKERS: dict[str, type[Zlib] | type[Lzma]] = {
    "vtkZLibDataCompressor": Zlib,
    "vtkLZMADataCompressor": Lzma,
}


def read_vtp(name: str) -> Raw:
    """The vertices (n, 3) and triangles (k, 3) of all pieces; what is damaged raises anything.

    VTK itself would end the process at a wrong size.
    """
    file = _File(Path(name))
    X, faces, start = [np.zeros((0, 3))], [np.zeros((0, 3), np.int64)], 0
    for piece in file.root.iter("Piece"):
        points = file.arrays(piece, "Points")
        if points:
            (x,) = points.values()
            X.append(x.reshape(-1, 3))
            faces += [
                start + _fans(file.arrays(piece, "Polys")),
                start + _strips(file.arrays(piece, "Strips")),
            ]
            start += len(X[-1])
    return np.concatenate(X), np.concatenate(faces)


class _File:
    """The elements of a file, and the bytes that lie behind them."""

    def __init__(self, path: Path) -> None:
        contents = read_bytes(path)
        tag = contents.find(b"<AppendedData")
        self._behind, self._encoded = b"", True
        if tag >= 0:
            first = contents.index(b"_", contents.index(b">", tag)) + 1
            self._encoded = b"base64" in contents[tag:first]
            self._behind = contents[first : contents.rindex(b"</AppendedData>")]
            contents = contents[:tag] + b"</VTKFile>"
        self.root = ElementTree.fromstring(contents)
        order = "<" if self.root.get("byte_order", "LittleEndian") == "LittleEndian" else ">"
        self._order, self._word = (
            order,
            np.dtype(order + _TYPES[self.root.get("header_type", "UInt32")]),
        )
        packer = self.root.get("compressor")
        if packer is not None and packer not in _PACKERS:
            raise FileError(f"'{path}' is packed by {packer}; read are {', '.join(_PACKERS)}")
        self._packer = _PACKERS[packer](Limit.of(path)) if packer else None

    def arrays(self, piece: Element, section: str) -> dict[str, np.ndarray]:
        """The arrays of a section of a piece by name, one after the other."""
        return {a.get("Name", ""): self._array(a) for a in piece.iterfind(f"{section}/DataArray")}

    def _array(self, element: Element) -> np.ndarray:
        dtype = np.dtype(self._order + _TYPES[element.get("type", "")])
        form, text = element.get("format", "ascii"), (element.text or "").split()
        if form == "ascii":
            values = np.array(text, dtype)
        elif form == "binary":
            values = np.frombuffer(self._bytes("".join(text).encode(), True), dtype)
        else:
            behind = self._behind[int(element.get("offset", "")) :]
            values = np.frombuffer(self._bytes(behind, self._encoded), dtype)
        return values.astype(np.float64 if dtype.kind == "f" else np.int64)

    def _bytes(self, source: bytes, encoded: bool) -> bytes:
        """The bytes of an array: a head with sizes, and what it tells of, each maybe in base64."""
        head = int(self._words(source, 1, encoded)[0])
        if self._packer is None:
            word = self._word.itemsize
            if encoded and b"=" not in source[: _chars(word)]:
                return _taken(source, 0, word + head, encoded)[word:]
            return _taken(source, _chars(word) if encoded else word, head, encoded)
        sizes = self._words(source, 3 + head, encoded)[3:]
        size = len(sizes.tobytes()) + 3 * self._word.itemsize
        packed = _taken(source, _chars(size) if encoded else size, int(sizes.sum()), encoded)
        ends = np.cumsum(sizes).tolist()
        blocks = zip([0, *ends[:-1]], ends, strict=True) if ends else ()
        return b"".join(self._packer.decompress(packed[a:b]) for a, b in blocks)

    def _words(self, source: bytes, count: int, encoded: bool) -> np.ndarray:
        return np.frombuffer(_taken(source, 0, count * self._word.itemsize, encoded), self._word)


def _taken(source: bytes, start: int, size: int, encoded: bool) -> bytes:
    """So many bytes of a source from a place on, all of which must be there."""
    part = source[start : start + (_chars(size) if encoded else size)]
    data = b64decode(part)[:size] if encoded else part
    if size < 0 or len(data) != size:
        raise ValueError("cut off")
    return data


def _chars(size: int) -> int:
    return 4 * -(-size // 3)


def _fans(polys: dict[str, np.ndarray]) -> np.ndarray:
    """Polygons cut into triangles from their first corner."""
    ends, corners = (
        polys.get("offsets", np.zeros(0, int)),
        polys.get("connectivity", np.zeros(0, int)),
    )
    starts = np.concatenate([[0], ends[:-1]]) if len(ends) else ends
    _require_rising(starts, ends, len(corners))
    count = np.maximum(ends - starts - 2, 0)
    first = np.repeat(starts, count)
    step = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    return corners[np.stack([first, first + step + 1, first + step + 2], axis=1)]


def _strips(strips: dict[str, np.ndarray]) -> np.ndarray:
    """Strips cut into triangles, every other one turned."""
    ends, corners = (
        strips.get("offsets", np.zeros(0, int)),
        strips.get("connectivity", np.zeros(0, int)),
    )
    starts = np.concatenate([[0], ends[:-1]]) if len(ends) else ends
    _require_rising(starts, ends, len(corners))
    count = np.maximum(ends - starts - 2, 0)
    step = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    first = np.repeat(starts, count) + step
    odd = step % 2
    return corners[np.stack([first, first + 1 + odd, first + 2 - odd], axis=1)]


def _require_rising(starts: np.ndarray, ends: np.ndarray, count: int) -> None:
    if len(ends) and ((starts > ends).any() or ends[-1] > count or starts.min() < 0):
        raise ValueError("cells of other corners")


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
