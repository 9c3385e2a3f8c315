"""From paths to parameters of a model: `muscles.biceps.strength`, `materials.muscle.young`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from vastus.errors import ModelError
from vastus.inputs import Inputs
from vastus.model import Model
from vastus.sensitivity.parameters import KINDS
from vastus.sensitivity.parameters.parameter import Parameter
from vastus.sensitivity.parameters.rest_shape import RestVertex

LIKE = 3  # paths that are suggested


def parameter_of(path: str | Parameter) -> Parameter:
    """The parameter of a path; one that is made already is itself."""
    if isinstance(path, Parameter):
        return path
    for kind in KINDS.values():
        names = kind.read(path)
        if names is not None:
            return kind(**names)
    forms = ", ".join(
        kind.form.replace("{", "").replace("}", "").upper() for kind in KINDS.values()
    )
    raise ModelError(f"no parameter '{path}'; parameters are called {forms.lower()}")


def parameters_of(
    paths: Sequence[str | Parameter], model: Model, inputs: Inputs
) -> list[Parameter]:
    """The parameters of paths, all of which the model has and may vary under these inputs."""
    found = []
    for path in paths:
        try:
            parameter = parameter_of(path)
            parameter.check(model, inputs)
            parameter.value(model, inputs)
        except ModelError as error:
            raise ModelError(f"{error}{_suggestion(str(path), model)}") from None
        found.append(parameter)
    return found


def all_paths(model: Model) -> Iterator[str]:
    """Every path that a model has, but those of single vertices."""
    for kind in KINDS.values():
        if kind is not RestVertex:
            yield from (kind(**names).path for names in kind.all_of(model))


def _suggestion(path: str, model: Model) -> str:
    near = get_close_matches(path, list(all_paths(model)), n=LIKE)
    near = [name for name in near if name != path]
    return f" (like '{path}': {', '.join(near)})" if near else ""
