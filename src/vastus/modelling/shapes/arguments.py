"""What the call of a shape is checked for before it does anything: the options' names and kinds."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from numbers import Real
from typing import ParamSpec

import numpy as np

from vastus.cache import Log
from vastus.errors import ModelError, known
from vastus.materials.base import require
from vastus.model import Model
from vastus.modelling.tissues import Materials

# Options that no scene has: there is a section for materials, and the build has its log.
OBJECTS: dict[str, type] = {"materials": Materials, "log": Log}

Options = ParamSpec("Options")


def checked(shape: Callable[Options, Model]) -> Callable[Options, Model]:
    """The shape, which refuses in one sentence an option that it has not or cannot use.

    Its first option may be given without a name.
    """
    defaults = {name: p.default for name, p in inspect.signature(shape).parameters.items()}
    first = next(iter(defaults))

    @wraps(shape)
    def call(*args: Options.args, **options: Options.kwargs) -> Model:
        try:
            listed = ", ".join(defaults)
            require(len(args) < 2, f"all options but the first need their names: {listed}")
            require(not (args and first in options), f"{first} is given twice")
            for name, value in (*zip((first,), args, strict=False), *options.items()):
                if name not in defaults:
                    raise known("option", name, defaults)
                kind = kind_of(name, value, defaults[name])
                require(kind is None, f"{name} is {value!r}; it must be {kind}")
        except ModelError as error:
            raise ModelError(f"{shape.__name__}: {error}") from None
        return shape(*args, **options)

    return call


def kind_of(name: str, value: object, default: object) -> str | None:
    """What the value of an option must be, in words, if it is not: judged by its default."""
    if name in OBJECTS:
        kind = OBJECTS[name]
        return None if value is None or isinstance(value, kind) else kind.__name__
    truth = isinstance(value, bool | np.bool_)
    if isinstance(default, bool):
        return None if truth else "True or False"
    return None if isinstance(value, Real) and not truth else "a number"
