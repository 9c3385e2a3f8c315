"""Further directions and quantities of tets, for laws that ask for them."""

from __future__ import annotations

import numpy as np

from vastus.errors import ModelError
from vastus.model import Model, index_of
from vastus.numerics.types import Floats
from vastus.scene.directions import Around, DirectionPart, QuantityPart, Ramp, Turned
from vastus.scene.scene import Scene


def with_per_tet(scene: Scene, model: Model) -> Model:
    """The model with the directions and quantities that the author gives."""
    directions, quantities = dict(model.directions), dict(model.quantities)
    for name, part in scene.description.directions.items():
        with scene.places.blame("directions", name):
            directions[name] = _direction(part, model)
    for name, quantity in scene.description.quantities.items():
        with scene.places.blame("quantities", name):
            quantities[name] = _quantity(quantity, model)
    return model.with_(directions=directions, quantities=quantities)


def _direction(part: DirectionPart, model: Model) -> Floats:
    """(m, 3) unit vectors, zero where the direction is not asked for."""
    soft = np.isin(np.arange(model.mesh.n_tets), model.soft)
    chosen = soft if part.regions is None else np.isin(model.region, _regions(part.regions, model))
    found = np.zeros((model.mesh.n_tets, 3))
    if part.direction is not None:
        found[:] = part.direction
    elif part.turned is not None:
        found = _turned(part.turned, model.fibre)
    elif part.around is not None:
        found = _around(part.around, model.mesh.centroids)
    length = np.linalg.norm(found, axis=1, keepdims=True)
    unit = np.divide(found, length, out=np.zeros_like(found), where=length > 0)
    return np.asarray(np.where(chosen[:, None], unit, 0.0))


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


def _quantity(part: QuantityPart, model: Model) -> Floats:
    """(m,) numbers."""
    found = np.full(model.mesh.n_tets, 0.0 if part.value is None else part.value)
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
