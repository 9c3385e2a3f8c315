"""Stanford PLY, one binary file a frame, with the fields as properties of vertices."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from vastus.errors import FileError
from vastus.export.folders import read_series, write_series
from vastus.export.formats import Watch
from vastus.export.regions import SPEED, Copy, MeshCopy, Parts, in_motion, parts_of
from vastus.measure.fields import VELOCITY
from vastus.results.playback import FIELDS, Playback, Snapshot

_SPEEDS = ("vx", "vy", "vz", SPEED)  # of motions
# Not every reader takes more than the corners of a face.
_FACE = np.dtype([("count", "u1"), ("corners", "<i4", 3)])
_END = b"end_header\n"


def write(playback: Playback, path: Path, watch: Watch) -> None:
    """Write a folder of PLY files, in metres, z up; fields are means over the faces at a point."""
    parts = parts_of(playback.model)
    names = [region.name for region in playback.model.regions]
    faces = _faces(parts).tobytes()

    def save(file: Path, moment: Snapshot) -> None:
        points = _points(parts, moment)
        file.write_bytes(_head(points, names, len(parts.faces)) + points.tobytes() + faces)

    write_series(playback, path, watch, "ply", save)


def read(path: Path) -> Copy:
    """What such a folder holds."""
    return read_series(path, _meshes)


def _kind(*further: str) -> np.dtype:
    """What is written of a point, with further numbers."""
    names = ("x", "y", "z", *FIELDS, *further)
    return np.dtype([(name, "<f4") for name in names] + [("region", "<i4")])


def _head(points: np.ndarray, names: list[str], count: int) -> bytes:
    """The head of a file with these points and so many faces."""
    properties = [f"property float {name}" for name in points.dtype.names[:-1]]  # type: ignore[index]
    lines = [
        "ply",
        "format binary_little_endian 1.0",
        "comment metres, z up",
        *(f"comment region {i} {json.dumps(name)}" for i, name in enumerate(names)),
        f"element vertex {len(points)}",
        *properties,
        "property int region",
        f"element face {count}",
        "property list uchar int vertex_indices",
    ]
    return "\n".join(lines).encode("ascii") + b"\n" + _END


def _points(parts: Parts, moment: Snapshot) -> np.ndarray:
    moving = VELOCITY in moment.point_fields
    points = np.empty(len(parts.vertices), _kind(*_SPEEDS) if moving else _kind())
    points["region"] = parts.region_of_point
    for axis, name in enumerate("xyz"):
        points[name] = moment.x[parts.vertices, axis]
    for name in FIELDS:
        points[name] = parts.averaged(moment.fields[name])
    if moving:
        v = moment.point_fields[VELOCITY][parts.vertices]
        for name, values in zip(_SPEEDS, (*v.T, in_motion(v)[SPEED]), strict=True):
            points[name] = values
    return points


def _faces(parts: Parts) -> np.ndarray:
    faces = np.empty(len(parts.faces), _FACE)
    faces["count"], faces["corners"] = 3, parts.faces
    return faces


def _meshes(file: Path) -> Iterator[MeshCopy]:
    head, _, body = file.read_bytes().partition(_END)
    counts = [int(line.split()[-1]) for line in head.splitlines() if line.startswith(b"element")]
    moving = f"float {SPEED}".encode() in head
    kind = _kind(*_SPEEDS) if moving else _kind()
    size = counts[0] * kind.itemsize
    if len(body) != size + counts[1] * _FACE.itemsize:
        raise FileError(f"'{file}' is damaged: it has not as many bytes as its head says")
    points = np.frombuffer(body[:size], kind)
    faces = np.frombuffer(body[size:], _FACE)["corners"]
    for region in range(points["region"].max() + 1):
        own = np.flatnonzero(points["region"] == region)
        x = np.stack([points[axis][own] for axis in "xyz"], axis=1)
        corners = faces[points["region"][faces[:, 0]] == region] - own[0]
        fields = {name: points[name][own][None] for name in FIELDS}
        if moving:
            fields |= in_motion(np.stack([points[name][own] for name in _SPEEDS[:3]], axis=1)[None])
        yield MeshCopy(corners.astype(np.int64), x[None], fields)
