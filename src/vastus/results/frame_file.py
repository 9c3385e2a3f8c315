"""The files of a frame: the tets that deform with their fields, and the surface of the bones.

Bones are carried by their poses, so that their tets are in the model alone; `FrameFiles.read` puts
them where they were. The surface of those that are pinned is written once. Frames of version 0.1
hold all tets, and are read as well.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from vastus.errors import FileError
from vastus.files.safe import read_bytes, replacing
from vastus.geometry.tetmesh import TetMesh
from vastus.measure.contact_fields import FORCE, PRESSURE
from vastus.measure.fields import VELOCITY, Fields, deformed, stretch, unit
from vastus.model import Model
from vastus.numerics.small import determinants
from vastus.numerics.types import Floats, Ints
from vastus.parts import Drive, Tissue
from vastus.skeleton.carried import places
from vastus.state import State

FRAMES = "frames"
POINTS, VERTEX = "Points", "vertex"
# Fields over vertices, and the shape of a value: of contact and of motion, where there is any.
ON_VERTICES: dict[str, tuple[int, ...]] = {PRESSURE: (), FORCE: (3,), VELOCITY: (3,)}
TRIANGLE, TET = 5, 10  # VTK's numbers
_NAMES = {np.dtype(np.float64): "Float64", np.dtype(np.int32): "Int32", np.dtype(np.uint8): "UInt8"}
_TYPES = {b"Float64": np.float64, b"Float32": np.float32, b"Int64": np.int64, b"Int32": np.int32}
_HEAD = re.compile(
    rb'<DataArray type="(\w+)" Name="([^"]*)"(?: NumberOfComponents="(\d+)")? format="binary">'
)
Arrays = Mapping[str, np.ndarray]


def frame_path(folder: Path, number: int) -> Path:
    """The file of a frame's tets that deform."""
    return folder / FRAMES / f"frame_{number:04d}.vtu"


def bones_path(folder: Path, number: int) -> Path:
    """The file of the surface of the bones that move, in a frame."""
    return folder / FRAMES / f"bones_{number:04d}.vtu"


def pinned_path(folder: Path, number: int | None = None) -> Path:
    """The file of the pinned bones' surface, or of a frame's in which they are elsewhere."""
    return folder / FRAMES / f"bones_pinned{'' if number is None else f'_{number:04d}'}.vtu"


def paths_of(folder: Path, number: int) -> list[Path]:
    """The files that show a frame; version 0.1 had none of bones."""
    elsewhere = pinned_path(folder, number)
    pinned = elsewhere if elsewhere.is_file() else pinned_path(folder)
    paths = [frame_path(folder, number), bones_path(folder, number), pinned]
    return [path for path in paths if path.is_file()]


@dataclass(frozen=True)
class _Surface:
    """Triangles of bones."""

    vertices: Ints  # (p,) of the model
    faces: Ints  # (k, 3) in these
    tets: Ints  # (k,) the tet behind each

    @classmethod
    def of(cls, faces: Ints, tets: Ints) -> _Surface:
        """Triangles (k, 3) of the model's vertices, and the tets (k,) behind them."""
        vertices, inner = np.unique(faces, return_inverse=True)
        return cls(vertices, inner.reshape(-1, 3), tets)


class Contents(NamedTuple):
    """What is read of a frame."""

    x: Floats  # (n, 3) vertices [m]
    fields: dict[str, Floats]  # (m, ...) over all tets
    point_fields: dict[str, Floats]  # (n, ...) over all vertices


class FrameFiles:
    """Writes and reads the frames of one model."""

    def __init__(self, model: Model) -> None:
        self._model = model
        # Where nothing deforms or nothing is bone, a frame holds the whole mesh.
        self._split = 0 < len(model.soft) < model.mesh.n_tets

    def write(self, folder: Path, number: int, fields: Fields, state: State) -> None:
        """Write a frame, which reads back as exactly this state."""
        path = frame_path(folder, number)
        if not self._split:
            write_whole(path, fields, state)
            return
        # Vertices that no pose can tell are kept beside those of the tets.
        astray = (self._carried(state.poses) != state.x).any(axis=1) & ~self._deforms
        vertices = np.concatenate([self._soft_mesh[1], np.flatnonzero(astray)])
        drawn = fields.on_vertices(state) | fields.in_motion(state)
        points = {
            VERTEX: vertices.astype(np.int32),
            "displacement": state.x[vertices] - self._model.mesh.X[vertices],
            **{name: values[vertices] for name, values in drawn.items()},
        }
        cells = {name: values[self._model.soft] for name, values in fields.of(state).items()}
        write_vtu(path, state.x[vertices], self._soft_mesh[0].T, points, cells)
        moving, pinned = self._bone_surfaces
        if len(moving.tets):
            self._write_surface(
                bones_path(folder, number), moving, state.x, fields.in_motion(state)
            )
        if not len(pinned.tets):
            return
        # A state that no solver made may have them anywhere.
        at_rest = (state.x == self._model.mesh.X)[pinned.vertices].all()
        path = pinned_path(folder, None if at_rest else number)
        if not (at_rest and path.is_file()):
            self._write_surface(path, pinned, state.x)

    def _write_surface(
        self, path: Path, surface: _Surface, x: Floats, drawn: Arrays | None = None
    ) -> None:
        labels = {
            "tissue": np.full(len(surface.tets), list(Tissue).index(Tissue.BONE)),
            "region": self._model.region[surface.tets],
        }
        points = {name: values[surface.vertices] for name, values in (drawn or {}).items()}
        write_vtu(path, x[surface.vertices], surface.faces, points, labels)

    def read(self, path: Path, names: Iterable[str], poses: Floats) -> Contents:
        """What a frame holds of the named fields, for the poses of the frame.

        Fields over vertices that the file has not are left out.
        """
        names = tuple(names)
        own = [name for name in names if name not in ON_VERTICES]
        arrays = read_arrays(path, (POINTS, *own), (VERTEX, *(set(names) - set(own))))
        x, vertices = arrays.pop(POINTS), arrays.pop(VERTEX, None)
        points = {name: arrays.pop(name) for name in ON_VERTICES if name in arrays}
        for name, values in points.items():
            self._require(path, name, values, (len(x), *ON_VERTICES[name]))
        if vertices is None:
            return self._whole(path, x, arrays, points)
        self._require(path, VERTEX, vertices, (len(x),))
        deform = self._soft_mesh[1]
        fits = len(x) >= len(deform) and (vertices[: len(deform)] == deform).all()
        if not fits or (vertices >= self._model.mesh.n_vertices).any() or (vertices < 0).any():
            raise FileError(f"'{path}': '{VERTEX}' must be vertices of the model that deforms")
        self._require(path, POINTS, x, (len(vertices), 3))
        placed = self._carried(poses)
        placed[vertices] = x
        fields = {name: self._on_all(path, name, v, poses) for name, v in arrays.items()}
        for name, values in points.items():
            points[name] = np.zeros((len(placed), *ON_VERTICES[name]))
            if name == VELOCITY:
                self._add_bones(path, points[name])
            points[name][vertices] = values
        return Contents(placed, fields, points)

    def _add_bones(self, path: Path, velocity: Floats) -> None:
        """Put in the velocities (n, 3) [m/s] of the bones that move, from the file of theirs.

        It holds their surface alone; what is inside follows, for the velocity of a bone is an
        affine function of the place at rest. Frames that have none of bones leave them at rest.
        """
        surface, file = self._bone_surfaces[0], path.with_name(path.name.replace("frame", "bones"))
        found = read_arrays(file, (), (VELOCITY,)) if file.is_file() else {}
        if VELOCITY not in found:
            return
        self._require(file, VELOCITY, found[VELOCITY], (len(surface.vertices), 3))
        owner, X = self._model.bone_of_vertex, self._model.mesh.X
        for bone in range(len(self._model.bones)):
            seen, own = owner[surface.vertices] == bone, owner == bone
            if seen.any():
                middle = X[own].mean(axis=0)
                at = np.insert(X - middle, 3, 1.0, axis=1)
                known = at[surface.vertices[seen]]
                velocity[own] = at[own] @ np.linalg.lstsq(known, found[VELOCITY][seen])[0]

    def _whole(
        self, path: Path, x: Floats, arrays: dict[str, Floats], points: dict[str, Floats]
    ) -> Contents:
        """What a file holds that has all tets."""
        self._require(path, POINTS, x, (self._model.mesh.n_vertices, 3))
        for name, values in arrays.items():
            self._require(path, name, values, (self._model.mesh.n_tets, *values.shape[1:]))
        return Contents(x, arrays, points)

    def _on_all(self, path: Path, name: str, values: Floats, poses: Floats) -> Floats:
        """(m, ...) a field on all tets, from its values on those that deform."""
        model = self._model
        self._require(path, name, values, (len(model.soft), *values.shape[1:]))
        field = np.empty((model.mesh.n_tets, *values.shape[1:]), values.dtype)
        field[model.soft] = values
        field[self._bony] = self._bone_fields[name](poses)
        return field

    def _carried(self, poses: Floats) -> Floats:
        """(n, 3) where poses put the vertices of bones; the others at rest."""
        owner = self._model.bone_of_vertex
        held = owner >= 0
        x = self._model.mesh.X.copy()
        x[held] = places(poses, owner[held], x[held])  # as solvers do, to the last bit
        return x

    @cached_property
    def _soft_mesh(self) -> tuple[TetMesh, Ints]:
        """The tets that deform, and the vertex (k,) of the model for each of theirs."""
        return self._model.mesh.submesh(self._model.soft)

    @cached_property
    def _deforms(self) -> np.ndarray:
        """(n,) whether a vertex is one of tets that deform."""
        mask = np.zeros(self._model.mesh.n_vertices, bool)
        mask[self._soft_mesh[1]] = True
        return mask

    @cached_property
    def _bony(self) -> Ints:
        """(b,) the tets of bones."""
        return np.setdiff1d(np.arange(self._model.mesh.n_tets), self._model.soft)

    @cached_property
    def _bone_surfaces(self) -> tuple[_Surface, _Surface]:
        """The surface of the bones that may move, and of those that are pinned."""
        inner, kept = self._model.mesh.submesh(self._bony)
        faces, tets = kept[inner.boundary], self._bony[inner.boundary_tets]
        held = [bone.drive is Drive.PINNED for bone in self._model.bones]
        pinned = np.array([*held, False])[self._bone_of_region[self._model.region[tets]]]
        return _Surface.of(faces[~pinned], tets[~pinned]), _Surface.of(faces[pinned], tets[pinned])

    @cached_property
    def _bone_of_region(self) -> Ints:
        """(regions,) the bone that a region is of, or -1."""
        bone = np.full(len(self._model.regions), -1)
        for index, item in enumerate(self._model.bones):
            bone[[r.name in item.regions for r in self._model.regions]] = index
        return bone

    @cached_property
    def _bone_fields(self) -> dict[str, Callable[[Floats], Floats | float | Ints]]:
        """How the fields of bones follow from the poses (bones, 3, 4)."""
        model, bony = self._model, self._bony
        owner, d = self._bone_of_region[model.region[bony]], model.fibre[bony]

        def gradients(poses: Floats) -> Floats:
            return np.concatenate([poses[:, :, :3], np.eye(3)[None]])  # the last: of no bone

        return {
            "fibre": lambda poses: unit(deformed(gradients(poses)[owner], d)),
            "activation": lambda poses: 0.0,
            "fibre_stretch": lambda poses: stretch(gradients(poses)[owner], d),
            "von_mises": lambda poses: 0.0,
            "volume_ratio": lambda poses: determinants(gradients(poses))[owner],
            "tissue": lambda poses: model.tissue[bony],
            "region": lambda poses: model.region[bony],
        }

    @staticmethod
    def _require(path: Path, name: str, values: np.ndarray, shape: tuple[int, ...]) -> None:
        if values.shape != shape or not np.isfinite(values).all():
            raise FileError(
                f"'{path}': '{name}' must be {shape} finite numbers; it has shape {values.shape}"
            )


def write_whole(path: Path, fields: Fields, state: State) -> None:
    """Write all tets of a state, with their displacement [m] and fields."""
    mesh = fields.model.mesh
    drawn = fields.on_vertices(state) | fields.in_motion(state)
    points = {"displacement": state.x - mesh.X, **drawn}
    write_vtu(path, state.x, mesh.T, points, fields.of(state))


def write_vtu(path: Path, x: Floats, cells: Ints, points: Arrays, fields: Arrays) -> None:
    """Write tets (m, 4) or triangles (m, 3) with data on points (n, ...) and cells (m, ...)."""
    kind = TET if cells.shape[1] == 4 else TRIANGLE
    ends = cells.shape[1] * np.arange(1, len(cells) + 1, dtype=np.int32)
    topology = {
        "connectivity": cells.astype(np.int32).ravel(),
        "offsets": ends,
        "types": np.full(len(cells), kind, np.uint8),
    }
    with replacing(path) as part, part.open("wb") as file:
        file.write(b'<?xml version="1.0"?>\n<VTKFile type="UnstructuredGrid" version="0.1"')
        file.write(b' byte_order="LittleEndian">\n<UnstructuredGrid>\n')
        file.write(f'<Piece NumberOfPoints="{len(x)}" NumberOfCells="{len(cells)}">\n'.encode())
        blocks = {"Points": {POINTS: x}, "Cells": topology, "PointData": points, "CellData": fields}
        for block, arrays in blocks.items():
            file.write(f"<{block}>\n".encode())
            for name, values in arrays.items():
                file.write(_element(name, values))
            file.write(f"</{block}>\n".encode())
        file.write(b"</Piece>\n</UnstructuredGrid>\n</VTKFile>\n")


def _element(name: str, values: np.ndarray) -> bytes:
    """An array as VTK's XML has it: its size in bytes and its numbers, in base 64."""
    whole = values.dtype.kind in "iu" and values.dtype != np.uint8
    values = np.ascontiguousarray(values, np.int32 if whole else None)
    width = f' NumberOfComponents="{values.shape[1]}"' if values.ndim > 1 else ""
    head = f'<DataArray type="{_NAMES[values.dtype]}" Name="{name}"{width} format="binary">\n'
    raw = values.nbytes.to_bytes(4, "little") + values.tobytes()
    return head.encode() + base64.b64encode(raw) + b"\n</DataArray>\n"


def read_arrays(
    path: Path, names: Iterable[str], optional: Iterable[str] = ()
) -> dict[str, np.ndarray]:
    """The named data of a frame, (k,) or (k, c) each; `Points` are the vertices [m].

    Only files as vastus writes them are understood. What is `optional` may be missing.
    """
    contents = read_bytes(path)
    if not contents.rstrip().endswith(b"</VTKFile>"):
        raise FileError(f"'{path}' is cut off: it does not end as a frame does")
    if b"<!DOCTYPE" in contents:
        raise FileError(f"'{path}' declares entities, which no frame needs")
    heads = {head[2].decode("utf-8", "replace"): head for head in _HEAD.finditer(contents)}
    found = {}
    for name in (*names, *(name for name in optional if name in heads)):
        if name not in heads:
            raise FileError(f"'{path}' has no array '{name}'")
        found[name] = _array(path, name, contents, heads[name])
    return found


def _array(path: Path, name: str, contents: bytes, head: re.Match[bytes]) -> np.ndarray:
    end = contents.find(b"</DataArray>", head.end())
    try:
        raw = base64.b64decode(contents[head.end() : end].strip())
        size = int.from_bytes(raw[:4], "little")
        if end < 0 or size != len(raw) - 4:
            raise ValueError
        values = np.frombuffer(raw, _TYPES[head[1]], offset=4)
        return values.reshape(-1, int(head[3])) if head[3] else values
    except (binascii.Error, ValueError, KeyError):
        raise FileError(f"'{path}' is damaged: its array '{name}' is not whole") from None
