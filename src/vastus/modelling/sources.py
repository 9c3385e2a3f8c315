"""What a scene may start from: how a shape, model, mesh or surfaces are built, and repaired."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import singledispatch
from math import inf
from typing import Any

from vastus.cache import Log
from vastus.errors import ModelError
from vastus.files.meshes import LabelledMesh
from vastus.geometry.tetmesh import TetMesh
from vastus.materials.base import require
from vastus.model import Model
from vastus.modelling import gallery, shapes
from vastus.modelling.labelled.labelled_model import labelled_model
from vastus.modelling.labelled.repair_mesh import repair_source
from vastus.modelling.shapes.arguments import OBJECTS
from vastus.modelling.surfaces.anatomy import Anatomy, anatomy_of
from vastus.modelling.surfaces.repair import repair
from vastus.scene.scene import Scene, Shape, Shells, Source
from vastus.scene.schema import unknown

LEAST, MOST = 1e-6, 1e6  # beyond these the arithmetic of meshing breaks down, whatever the unit
SHAPES: dict[str, Callable[..., Model]] = {
    name: make
    for room in (shapes, gallery)
    for name, make in vars(room).items()
    if inspect.isfunction(make)
}


@dataclass(frozen=True, eq=False)
class Built:
    """A model, how it came about if it was built from surfaces, and what the build began with."""

    model: Model
    anatomy: Anatomy | None = None
    began: Built | None = None


@dataclass(frozen=True, eq=False)
class RepairedSource:
    """A source in the units of its author's files, with what was done how often, and remarks."""

    source: Source
    done: Mapping[str, int] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()


@singledispatch
def start(source: Source | None, scene: Scene, log: Log) -> Built:
    """The model that a source is by itself; the log runs the steps of one that takes long."""
    raise TypeError(f"no model starts from {source!r}")


@singledispatch
def repaired(source: Source | None, scene: Scene) -> RepairedSource:
    """The source of a scene without what is broken in its files."""
    raise ModelError(
        f"'{scene.places.file}' starts from a model, in which --fix finds nothing to repair; it "
        "repairs a 'mesh' with labels and 'surfaces'"
    )


@start.register(Model)
def _saved(source: Model, scene: Scene, log: Log) -> Built:
    return Built(source)


@start.register(LabelledMesh)
def _labelled(source: LabelledMesh, scene: Scene, log: Log) -> Built:
    return Built(labelled_model(scene, source))


@repaired.register(LabelledMesh)
def _repaired_mesh(source: LabelledMesh, scene: Scene) -> RepairedSource:
    assert scene.description.mesh is not None
    found = repair_source(scene, source)
    mesh = TetMesh(found.source.mesh.X / scene.description.mesh.metres, found.source.mesh.T)
    moved = f"no vertex was moved by more than {1000 * found.shift:.3g} mm"
    return RepairedSource(
        LabelledMesh(mesh, found.source.cell_data, found.source.point_data),
        {what.value: count for what, count in found.done.items()},
        (moved,) if found.shift > 0 else (),
    )


@start.register(Shells)
def _meshed(source: Shells, scene: Scene, log: Log) -> Built:
    anatomy = anatomy_of(scene, source, log)
    return Built(anatomy.body.model, anatomy)


@repaired.register(Shells)
def _repaired_surfaces(source: Shells, scene: Scene) -> RepairedSource:
    found = {}
    for name, shell in source.items():
        with scene.places.blame("surfaces", "parts", name):
            found[name] = repair(shell)
    remarks = tuple(f"{name}: {', '.join(one.done)}" for name, one in found.items() if one.done)
    return RepairedSource(
        Shells({name: one.surface for name, one in found.items()}), remarks=remarks
    )


@start.register(Shape)
def _shaped(source: Shape, scene: Scene, log: Log) -> Built:
    with scene.places.blame("model", "shape"):
        if source.name not in SHAPES:
            raise ModelError(unknown("shape", source.name, list(SHAPES)))
    make = SHAPES[source.name]
    for name, value in source.options.items():
        with scene.places.blame("model", name):
            _check_option(name, value, make)
    logged = {"log": log} if "log" in inspect.signature(make).parameters else {}
    with scene.places.blame("model"):
        return Built(make(**source.options, **logged))


def _check_option(name: str, value: Any, make: Any) -> None:
    known = inspect.signature(make).parameters
    parameters = {name: p for name, p in known.items() if name not in OBJECTS}
    if name not in parameters:
        raise ModelError(unknown("option", name, list(parameters)))
    if isinstance(parameters[name].default, bool):
        require(isinstance(value, bool), f"{value!r} was given, but it must be true or false")
    else:
        _check_number(value, signed=parameters[name].default == 0)


def _check_number(value: Any, *, signed: bool) -> None:
    """Refuse what is no size; a `signed` number, zero unless given, is a place or an angle."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    require(number, f"{value!r} was given, but it must be a number")
    if signed:
        within = abs(value) <= MOST
        require(within, f"{value!r} was given, but it must be between -{MOST:g} and {MOST:g}")
        return
    require(0 < value < inf, f"{value!r} was given, but it must be finite and above 0")
    within = LEAST <= value <= MOST
    require(within, f"{value!r} was given, but it must be between {LEAST:g} and {MOST:g}")
