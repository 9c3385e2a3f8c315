"""Alembic: an animated mesh a region with its fields, through the package `alembic3d`.

Programs take Alembic's y axis as up and its faces as clockwise. So the object above all meshes
turns them, and the corners of faces are written in reverse. Points are of single precision.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from vastus import __version__
from vastus.errors import FileError, MissingExtra
from vastus.export.formats import Watch
from vastus.export.regions import (
    CALLED,
    SPEED,
    Copy,
    MeshCopy,
    at_points,
    clock,
    parts_of,
)
from vastus.files.identifiers import identifiers, readable
from vastus.files.safe import replacing
from vastus.measure.fields import VELOCITY
from vastus.numerics.types import Floats, Ints
from vastus.pictures.skin import region_skins
from vastus.results.playback import Playback

NAME = "vastus:name"  # the region's own name, which may be no identifier
TOP = "Model"
BYTES = 36  # of a point in a frame: three coordinates, five fields, and some to spare
TURN = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # of rows, to y up


def write(playback: Playback, path: Path, watch: Watch) -> None:
    """Write a result as Alembic."""
    _require_alembic()
    _require_space(playback, path)
    with replacing(path) as part:
        try:
            _fill(playback, part, watch)
        except RuntimeError as error:
            raise FileError(f"cannot write '{path}': {_line(error)}") from None


def read(path: Path) -> Copy:
    """What an Alembic file of a result says."""
    _require_alembic()
    try:
        return _read(path)
    except RuntimeError as error:
        raise FileError(f"cannot read '{path}' as Alembic: {_line(error)}") from None


def _fill(playback: Playback, path: Path, watch: Watch) -> None:
    from alembic3d import Abc, AbcGeom

    said = json.dumps(playback.result.provenance, sort_keys=True)
    archive = Abc.CreateArchiveWithInfo(str(path), f"Vastus {__version__}", said)
    sampling = archive.addTimeSampling(_sampling(playback.times))
    top = AbcGeom.OXform(archive.getTop(), TOP)
    _turn(top)
    skins, surfaces = region_skins(playback.model, split=False), parts_of(playback.model)
    plain = identifiers(skins, taken=[TOP])
    meshes = {name: Mesh(top, plain[name], name, sampling) for name in skins}
    for moment in playback:
        fields = at_points(surfaces, moment)
        for (name, skin), own in zip(skins.items(), fields, strict=True):
            numbers = {field: values for field, values in own.items() if field != VELOCITY}
            meshes[name].add(moment.x[skin.vertices], skin.faces, numbers)
        watch(moment.index + 1, len(playback))


def _require_space(playback: Playback, path: Path) -> None:
    """Refuse beforehand what the disk cannot hold: there the library would end the process."""
    points = sum(len(skin.vertices) for skin in region_skins(playback.model, split=False).values())
    needed = len(playback) * points * BYTES
    folder = path.absolute().parent
    if folder.is_dir() and shutil.disk_usage(folder).free < needed:
        raise FileError(f"cannot write '{path}': it needs {needed / 1e6:.0f} MB of space")


def _turn(top: Any) -> None:
    """Let the object above all turn its meshes to y up."""
    import imath
    from alembic3d import AbcGeom

    matrix = np.eye(4)
    matrix[:3, :3] = TURN
    sample = AbcGeom.XformSample()
    sample.setMatrix(imath.M44d(*matrix.ravel().tolist()))
    top.getSchema().set(sample)


def _sampling(times: Floats) -> Any:
    """When the samples are: at even steps, or one by one."""
    from alembic3d import AbcCoreAbstract as Core

    ticks = clock(times)
    if np.array_equal(np.diff(ticks.codes), np.ones(len(times) - 1)):
        return Core.TimeSampling(1.0 / ticks.rate, float(times[0]))
    listed = Core.TimeVector()
    listed.extend(times.tolist())
    return Core.TimeSampling(Core.TimeSamplingType(Core.AcyclicFlag.kAcyclic), listed)


def _read(path: Path) -> Copy:
    from alembic3d import Abc, AbcGeom

    top = AbcGeom.IXform(Abc.IArchive(str(path)).getTop(), TOP)
    turn = np.array(top.getSchema().getValue().getMatrix())[:3, :3] @ TURN.T
    shapes = [(child, f"{child.getName()}Shape") for child in top.children]
    schemas = [AbcGeom.IPolyMesh(above, name).getSchema() for above, name in shapes]
    sampling, count = schemas[0].getTimeSampling(), schemas[0].getNumSamples()
    times = np.array([sampling.getSampleTime(i) for i in range(count)])
    return Copy(times, dict(read_mesh(schema, turn) for schema in schemas))


def _line(error: RuntimeError) -> str:
    """The last line of what the library says."""
    return str(error).strip().splitlines()[-1]


def _require_alembic() -> None:
    if find_spec("alembic3d") is None:
        raise MissingExtra("alembic3d", "alembic")


class Mesh:
    """The mesh of a region below an object; frames are added in their order."""

    def __init__(self, above: Any, plain: str, name: str, sampling: int) -> None:
        from alembic3d import Abc, AbcGeom

        # Programs call the mesh by the object above it, which may move it.
        self._mesh = AbcGeom.OPolyMesh(AbcGeom.OXform(above, plain), f"{plain}Shape")
        self._schema, self._sampling = self._mesh.getSchema(), sampling
        self._schema.setTimeSampling(sampling)
        self._fields: dict[str, Any] = {}
        own = Abc.OStringProperty(self._schema.getUserProperties(), NAME)
        own.setValue(readable(name))

    def add(self, x: Floats, faces: Ints, fields: Mapping[str, Floats]) -> None:
        """Add a frame: points (p, 3), faces (k, 3) that are always the same, and fields (p,)."""
        import imath
        from alembic3d import AbcGeom

        points = imath.V3fArrayFromBuffer(np.ascontiguousarray(x, np.float32))
        self._schema.set(AbcGeom.OPolyMeshSchemaSample(points, *_topology(faces)))
        for name, values in fields.items():
            numbers = imath.FloatArrayFromBuffer(values.astype(np.float32))
            sample = AbcGeom.OFloatGeomParamSample(numbers, AbcGeom.GeometryScope.kVertexScope)
            self._field(name).set(sample)

    def _field(self, name: str) -> Any:
        from alembic3d import AbcGeom

        if name not in self._fields:
            above, scope = self._schema.getArbGeomParams(), AbcGeom.GeometryScope.kVertexScope
            self._fields[name] = AbcGeom.OFloatGeomParam(above, name, False, scope, 1)
            self._fields[name].setTimeSampling(self._sampling)
        return self._fields[name]


def read_mesh(schema: Any, turn: Floats) -> tuple[str, MeshCopy]:
    """The name of a region and its mesh, its points (as rows) multiplied by `turn` (3, 3)."""
    from alembic3d import Abc

    # By time, not by number: the package takes a number for a time too.
    when, count = schema.getTimeSampling(), schema.getNumSamples()
    frames = [Abc.ISampleSelector(when.getSampleTime(i)) for i in range(count)]
    samples = [schema.getValue(frame) for frame in frames]
    x = np.array([np.array(sample.getPositions()) for sample in samples], float) @ turn
    faces = np.array(samples[0].getFaceIndices()).reshape(-1, 3)[:, ::-1]
    above = schema.getArbGeomParams()
    held = {above.getPropertyHeader(i).getName() for i in range(above.getNumProperties())}
    called = {f: name for f, name in (CALLED | {SPEED: SPEED}).items() if name in held}
    fields = {f: _read_field(above, name, frames) for f, name in called.items()}
    own = Abc.IStringProperty(schema.getUserProperties(), NAME)
    return own.getValue(), MeshCopy(faces, x, fields)


def _read_field(above: Any, name: str, frames: list[Any]) -> Floats:
    from alembic3d import AbcGeom

    param = AbcGeom.IFloatGeomParam(above, name)
    return np.array([np.array(param.getExpandedValue(frame).getVals()) for frame in frames], float)


def _topology(faces: Ints) -> list[Any]:
    """The corners of faces, clockwise as the format has them, and how many each face has."""
    import imath

    corners = np.ascontiguousarray(faces[:, ::-1], np.int32).ravel()
    counts = np.full(len(faces), 3, np.int32)
    return [imath.IntArrayFromBuffer(numbers) for numbers in (corners, counts)]
