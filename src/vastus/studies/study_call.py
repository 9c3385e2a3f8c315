"""Studies from Python: a scene or a function, what varies, and by which design."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vastus.studies.designs import Design
from vastus.studies.functions import FunctionSubject
from vastus.studies.outputs import outputs as outputs_of
from vastus.studies.parameters import Parameter, parameter
from vastus.studies.scenes import SceneSubject
from vastus.studies.study import Study

Given = Mapping[str, Any]


@dataclass(frozen=True)
class Varied:
    """Parameters with the design that varies them."""

    parameters: tuple[Parameter, ...]
    design: Design


def study(
    subject: str | Path | Callable[..., Any],
    varied: Given | Varied,
    *,
    outputs: Any = (),
    laws: Sequence[str | Path] = (),
    frames: str | Path | None = None,
) -> Study:
    """A study of a scene file, or of a function of the parameters that gives numbers by name.

    `varied` has the values of each path (`[1e5, 2e5]`), or its ends (`(1e5, 4e5)`) for designs
    that draw; a mapping alone is a grid. `outputs` are columns such as "elbow_angle_deg@max", or a
    function of a variant's frames. With a folder for `frames`, each variant is a result there.
    """
    chosen = varied if isinstance(varied, Varied) else grid(varied)
    if callable(subject):
        made: Any = FunctionSubject(subject, chosen.parameters)
    else:
        made = SceneSubject(
            subject,
            chosen.parameters,
            laws=[Path(law) for law in laws],
            frames=None if frames is None else Path(frames),
        )
    return Study(made, chosen.parameters, outputs_of(outputs), chosen.design)


def grid(parameters: Given) -> Varied:
    """Every value of each parameter with every value of all others."""
    return _varied(parameters, Design("grid"))


def listed(parameters: Given) -> Varied:
    """The values of all parameters side by side."""
    return _varied(parameters, Design("list"))


def lhs(parameters: Given, n: int, *, seed: int = 0) -> Varied:
    """A Latin hypercube of n rows."""
    return _varied(parameters, Design("lhs", n, seed))


def sobol(parameters: Given, n: int, *, seed: int = 0) -> Varied:
    """A scrambled Sobol sequence of n rows, a power of two."""
    return _varied(parameters, Design("sobol", n, seed))


def saltelli(parameters: Given, n: int, *, seed: int = 0) -> Varied:
    """Saltelli's n blocks of d + 2 rows for d parameters, for Sobol's indices."""
    return _varied(parameters, Design("saltelli", n, seed))


def one_at_a_time(parameters: Given) -> Varied:
    """All parameters in their middle, then each by itself at its ends."""
    return _varied(parameters, Design("one_at_a_time"))


def _varied(parameters: Given, design: Design) -> Varied:
    return Varied(tuple(parameter(name, given) for name, given in parameters.items()), design)
