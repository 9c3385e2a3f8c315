"""Procedural models by the name of their shape."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from math import inf
from typing import Any

from vastus.errors import ModelError
from vastus.materials.base import require
from vastus.model import Model
from vastus.modelling import shapes
from vastus.scene.base import unknown
from vastus.scene.scene import Scene

SHAPES: dict[str, Callable[..., Model]] = {
    name: make for name, make in vars(shapes).items() if inspect.isfunction(make)
}

LEAST, MOST = 1e-6, 1e6  # beyond these the arithmetic of meshing breaks down, whatever the unit


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
    if isinstance(parameters[name].default, bool):
        require(isinstance(value, bool), f"{value!r} was given, but it must be true or false")
    else:
        _check_number(value)


def _check_number(value: Any) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    require(number, f"{value!r} was given, but it must be a number")
    require(0 < value < inf, f"{value!r} was given, but it must be finite and above 0")
    within = LEAST <= value <= MOST
    require(within, f"{value!r} was given, but it must be between {LEAST:g} and {MOST:g}")
