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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from vastus.errors import ModelError
from vastus.numerics.jit import cache_folder
from vastus.numerics.symbolic.derive import Derived, Gradients, source, stretch_source
from vastus.numerics.symbolic.graph import Graph, Scalar

PerTet = Sequence[tuple[str, int]]  # names, and how many numbers each has: 3 or 1
RESERVED = ("F", "stretches", "d", "T0")
STRETCHES = ("stretch_a", "stretch_b", "stretch_c")


@dataclass(frozen=True, eq=False)
class Recorded:
    """A recorded energy, its inputs by name, and what differs from tet to tet."""

    psi: Scalar
    inputs: Mapping[str, list[Scalar]]
    here: list[Scalar]


def trace(energy: Callable[..., Any], arguments: Sequence[str], per_tet: PerTet = ()) -> ModuleType:
    """A module with `energy`, `stress`, `tangent`, `respond` and `parameters`, made from an energy.

    `arguments` are the names that `energy` takes: `F` (3, 3), `d` (3,), `T0` [Pa], those of
    `per_tet`, and parameters; `module.parameters(...)` turns the latter into the numbers `p` that
    the others read, which those of `per_tet` follow. An energy that takes `stretches` (3,) instead
    of `F` is differentiated by them: the module then has `value`, `slopes` and `curvatures`.
    """
    known = record(energy, arguments, per_tet)
    inputs = known.inputs["F"] or known.inputs["stretches"]
    gradients = Gradients(inputs, [*known.inputs["d"], *known.here])
    first = gradients.of(known.psi)
    rows = [gradients.of(entry) for entry in first]
    count = len(inputs)
    second = [rows[i][j] for i in range(count) for j in range(i, count)]
    others = {name for name, _ in per_tet}
    parameters = [name for name in arguments if name not in RESERVED and name not in others]
    write = source if count == 9 else stretch_source
    text = write(Derived(known.psi, first, second), parameters, known.here)
    return load(energy.__name__, text)


def record(energy: Callable[..., Any], arguments: Sequence[str], per_tet: PerTet = ()) -> Recorded:
    """The recorded energy."""
    graph = Graph()
    by_stretches = "stretches" in arguments
    F = [] if by_stretches else [graph.variable(f"F[{r}, {c}]") for r in range(3) for c in range(3)]
    stretches = [graph.variable(name) for name in STRETCHES] if by_stretches else []
    d = [graph.variable(f"d[{c}]") for c in range(3)]
    others = {name: [graph.variable(f"{name}[{c}]") for c in range(size)] for name, size in per_tet}
    known: dict[str, Any] = {
        "F": np.array(F, dtype=object).reshape(-1, 3),
        "stretches": np.array(stretches, dtype=object),
        "d": np.array(d, dtype=object),
    }
    for name, nodes in others.items():
        known[name] = np.array(nodes, dtype=object) if len(nodes) == 3 else nodes[0]
    inputs = {n: known[n] if n in known else graph.variable(n) for n in arguments}
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
    here = [node for nodes in others.values() for node in nodes]
    return Recorded(psi, {"F": F, "stretches": stretches, "d": d}, here)


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
