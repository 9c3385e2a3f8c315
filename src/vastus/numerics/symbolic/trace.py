"""From an energy written in Python to compiled energy, stress and tangent at a point.

The function is called once with recorded numbers, differentiated symbolically, and written out as
straight-line Python that numba compiles. The module's name is a hash of its text, so that
compiled loops over it are found again by the next process.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from vastus.errors import ModelError
from vastus.numerics.jit import cache_folder
from vastus.numerics.symbolic.derive import UPPER, Gradients, source
from vastus.numerics.symbolic.graph import Graph, Scalar

Recorded = tuple[Scalar, list[Scalar], list[Scalar]]
RESERVED = ("F", "d", "T0")


def trace(energy: Callable[..., Any], arguments: Sequence[str]) -> ModuleType:
    """A module with `energy`, `stress`, `tangent`, `respond` and `parameters`, made from an energy.

    `arguments` are the names that `energy` takes: `F` (3, 3), `d` (3,), `T0` [Pa] and parameters;
    `module.parameters(...)` turns the latter into the numbers `p` that the others read.
    """
    psi, F, d = record(energy, arguments)
    gradients = Gradients(F, d)
    g = gradients.of(psi)
    rows = [gradients.of(entry) for entry in g]
    H = [rows[i][j] for i, j in UPPER]
    parameters = [name for name in arguments if name not in RESERVED]
    return load(energy.__name__, source(psi, g, H, parameters))


def record(energy: Callable[..., Any], arguments: Sequence[str]) -> Recorded:
    """The recorded energy, the nine entries of F and the three of d."""
    graph = Graph()
    F = [graph.variable(f"F[{r}, {c}]") for r in range(3) for c in range(3)]
    d = [graph.variable(f"d[{c}]") for c in range(3)]
    known = {"F": np.array(F, dtype=object).reshape(3, 3), "d": np.array(d, dtype=object)}
    inputs = {name: known.get(name, graph.variable(name)) for name in arguments}
    try:
        psi = energy(**inputs)
    except ModelError as problem:
        raise ModelError(f"law '{energy.__name__}': {problem}") from None
    except (TypeError, AttributeError) as problem:
        raise ModelError(
            f"law '{energy.__name__}' cannot be differentiated ({problem}); it may use arithmetic, "
            "numpy's functions of one number, and det, inv, where, minimum and maximum of "
            "vastus.materials"
        ) from problem
    if not isinstance(psi, Scalar):
        kind = type(psi).__name__
        raise ModelError(
            f"law '{energy.__name__}' returns a {kind}, not one number that depends on F"
        )
    return psi, F, d


def load(name: str, text: str) -> ModuleType:
    """The module with this text, kept in the cache folder under a name that is its hash."""
    module_name = f"vastus_law_{name}_{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    if module_name in sys.modules:
        return sys.modules[module_name]
    path = cache_folder() / f"{module_name}.py"
    if not path.exists():
        _write(path, text)
    spec = importlib.util.spec_from_file_location(module_name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    spec.loader.exec_module(module)
    return module


def _write(path: Path, text: str) -> None:
    """Write through a temporary file: another process may be writing the same module."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    with os.fdopen(handle, "w") as file:
        file.write(text)
    Path(temporary).replace(path)
