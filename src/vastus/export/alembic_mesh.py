"""One region in an Alembic file: its mesh and the fields at its points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from vastus.export.at_points import CALLED
from vastus.export.copy import MeshCopy
from vastus.export.identifiers import readable
from vastus.numerics.types import Floats, Ints

NAME = "vastus:name"  # the region's own name, which may be no identifier


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
    fields = {f: _read_field(above, name, frames) for f, name in CALLED.items() if name in held}
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
