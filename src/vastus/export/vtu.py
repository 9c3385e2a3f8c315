"""VTU files of whole tets with all their fields, and the list of them for ParaView."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from vastus.export.folders import read_series, write_series
from vastus.export.formats import Watch
from vastus.export.regions import SPEED, Copy, MeshCopy, in_motion
from vastus.files.meshes import LabelledMesh, read_mesh
from vastus.measure.fields import VELOCITY
from vastus.results.frame_file import write_vtu
from vastus.results.playback import ALL_FIELDS, FIELDS, POINT_FIELDS, Playback, Snapshot
from vastus.results.writer import write_collection


def write(playback: Playback, path: Path, watch: Watch) -> None:
    """Write all tets of each frame, and list the files with their times."""
    whole = Playback(playback.result, (*ALL_FIELDS, *POINT_FIELDS))
    mesh = playback.model.mesh

    def save(file: Path, snapshot: Snapshot) -> None:
        points = {"displacement": snapshot.x - mesh.X, **snapshot.point_fields}
        if VELOCITY in points:
            points[SPEED] = in_motion(points[VELOCITY])[SPEED]
        write_vtu(file, snapshot.x, mesh.T, points, snapshot.fields)

    def finish(folder: Path, files: list[str]) -> None:
        listed = [[file] for file in files]
        write_collection(folder / "result.pvd", playback.times.tolist(), listed)

    write_series(whole, path, watch, "vtu", save, finish)


def read(path: Path) -> Copy:
    """The surfaces of the regions in such a folder."""
    return read_series(path, _skins)


def _skins(file: Path) -> Iterator[MeshCopy]:
    frame = read_mesh(file)
    for region in range(frame.cell_data["region"].max() + 1):
        yield _skin(frame, np.flatnonzero(frame.cell_data["region"] == region))


def _skin(frame: LabelledMesh, own: np.ndarray) -> MeshCopy:
    inner, kept = frame.mesh.submesh(own)
    vertices, points = np.unique(kept[inner.boundary], return_inverse=True)
    tets = own[inner.boundary_tets]
    fields = {name: frame.cell_data[name][tets][None] for name in FIELDS}
    if VELOCITY in frame.point_data:
        fields |= in_motion(frame.point_data[VELOCITY][vertices][None])
    return MeshCopy(points.reshape(-1, 3), frame.mesh.X[vertices][None], fields)
