"""Procedural models by the name of their shape."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from vastus.errors import ModelError
from vastus.model import Model
from vastus.modelling import shapes
from vastus.scene.base import unknown
from vastus.scene.scene import Scene

SHAPES: dict[str, Callable[..., Model]] = {
    name: make for name, make in vars(shapes).items() if inspect.isfunction(make)
}


def shaped_model(scene: Scene) -> Model:
    """The procedural model that a scene asks for."""
    source = scene.description.model
    assert source is not None
    assert source.shape is not None
    with scene.places.blame("model", "shape"):
        if source.shape not in SHAPES:
            raise ModelError(unknown("shape", source.shape, list(SHAPES)))
    make = SHAPES[source.shape]
    for name, value in source.options.items():
        with scene.places.blame("model", name):
            _check_option(name, value, make)
    with scene.places.blame("model"):
        return make(**source.options)


def _check_option(name: str, value: Any, make: Any) -> None:
    parameters = dict(inspect.signature(make).parameters)
    parameters.pop("materials", None)  # scenes have a section for them
    if name not in parameters:
        raise ModelError(unknown("option", name, list(parameters)))
    default = parameters[name].default
    number = isinstance(default, int | float) and not isinstance(default, bool)
    if number and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise ModelError(f"{value!r} was given, but it must be a number")
