"""Further directions and quantities of tets, for laws that ask for them."""

from __future__ import annotations

import numpy as np

from vastus.errors import ModelError
from vastus.files.meshes import LabelledMesh
from vastus.model import Model, index_of
from vastus.modelling.fibres.laplace import mean_line
from vastus.numerics.rotation import unit
from vastus.numerics.types import Floats
from vastus.scene.directions import Around, DirectionPart, QuantityPart, Ramp, Turned
from vastus.scene.scene import Scene, Source
from vastus.scene.schema import Path as Keys
from vastus.scene.schema import unknown
from vastus.scene.tet_arrays import fitting


def with_per_tet(scene: Scene, model: Model) -> Model:
    """The model with the directions and quantities that the author gives."""
    directions, quantities = dict(model.directions), dict(model.quantities)
    for name, part in scene.description.directions.items():
        with scene.places.blame("directions", name):
            directions[name] = _direction(part, model, _filed(scene, ("directions", name), part))
    for name, quantity in scene.description.quantities.items():
        with scene.places.blame("quantities", name):
            filed = _filed(scene, ("quantities", name), quantity)
            quantities[name] = _quantity(quantity, model, filed)
    return model.with_(directions=directions, quantities=quantities)


def _filed(scene: Scene, keys: Keys, part: DirectionPart | QuantityPart) -> Floats | None:
    """(m, 3) or (m,) what a file says, if the part names one, or data of the mesh's."""
    if part.file is not None:
        if keys not in scene.tet_arrays:
            raise ModelError("its 'file' was not read; read the scene from its own file")
        return scene.tet_arrays[keys]
    return None if part.data is None else _of_mesh(scene.source, part, part.data)


def _of_mesh(source: Source | None, part: DirectionPart | QuantityPart, name: str) -> Floats:
    """Data of tets, or means over the vertices of each: of vectors as lines, as fibres are."""
    if not isinstance(source, LabelledMesh):
        raise ModelError("'data' are in the mesh's file, but there is no mesh: give a 'file'")
    lines = isinstance(part, DirectionPart)
    shape = (3,) if lines else ()
    on_tets, on_vertices = (fitting(d, shape) for d in (source.cell_data, source.point_data))
    if name in on_tets:
        return np.asarray(on_tets[name], float)
    if name not in on_vertices:
        known = [*on_tets, *on_vertices]
        raise ModelError(unknown("vectors" if lines else "numbers", name, known))
    corners = np.asarray(on_vertices[name], float)[source.mesh.T]
    return mean_line(corners) if lines else np.asarray(corners.mean(axis=1))


def _sized(filed: Floats, model: Model) -> Floats:
    if len(filed) != model.mesh.n_tets:
        raise ModelError(
            f"the file has {len(filed)} rows, but the model has {model.mesh.n_tets} tets"
        )
    return filed


def _direction(part: DirectionPart, model: Model, filed: Floats | None) -> Floats:
    """(m, 3) unit vectors, zero where the direction is not asked for."""
    soft = np.isin(np.arange(model.mesh.n_tets), model.soft)
    chosen = soft if part.regions is None else np.isin(model.region, _regions(part.regions, model))
    found = np.zeros((model.mesh.n_tets, 3))
    if filed is not None:
        found = _sized(filed, model).copy()
    elif part.direction is not None:
        found[:] = part.direction
    elif part.turned is not None:
        found = _turned(part.turned, model.fibre)
    elif part.around is not None:
        found = _around(part.around, model.mesh.centroids)
    found[~chosen] = 0.0
    for name, direction in part.by_region.items():
        found[model.region == index_of("region", name, model.regions)] = direction
    return unit(found)


def _turned(part: Turned, fibre: Floats) -> Floats:
    """Rodrigues' formula."""
    axis = np.array(part.axis) / np.linalg.norm(part.axis)
    c, s = np.cos(np.radians(part.angle)), np.sin(np.radians(part.angle))
    return np.asarray(
        c * fibre + s * np.cross(axis, fibre) + (1 - c) * np.outer(fibre @ axis, axis)
    )


def _around(part: Around, centroids: Floats) -> Floats:
    axis = np.array(part.axis) / np.linalg.norm(part.axis)
    circles = np.cross(axis, centroids - np.array(part.point))
    length = np.linalg.norm(circles, axis=1, keepdims=True)
    if not length.all():
        raise ModelError("the axis passes through the middle of a tet, where it has no circle")
    angle = np.radians(part.angle)
    return np.asarray(np.cos(angle) * circles / length + np.sin(angle) * axis)


def _quantity(part: QuantityPart, model: Model, filed: Floats | None) -> Floats:
    """(m,) numbers."""
    found = np.full(model.mesh.n_tets, 0.0 if part.value is None else part.value)
    if filed is not None:
        found = _sized(filed, model).copy()
    if part.ramp is not None:
        found = _ramp(part.ramp, model.mesh.centroids)
    for name, value in part.regions.items():
        found[model.region == index_of("region", name, model.regions)] = value
    return found


def _ramp(part: Ramp, centroids: Floats) -> Floats:
    start, way = np.array(part.start), np.array(part.end) - np.array(part.start)
    s = np.clip((centroids - start) @ way / (way @ way), 0.0, 1.0)
    return np.asarray(part.values[0] + s * (part.values[1] - part.values[0]))


def _regions(names: tuple[str, ...], model: Model) -> list[int]:
    return [index_of("region", name, model.regions) for name in names]
