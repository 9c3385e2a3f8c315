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
from vastus.numerics.symbolic.derive import (
    Derived,
    Gradients,
    source,
    stretch_source,
    volume_source,
)
from vastus.numerics.symbolic.graph import Graph, Scalar, power
from vastus.numerics.symbolic.volume import named_part, volume_part

PerTet = Sequence[tuple[str, int]]  # names, and how many numbers each has: 3 or 1
RESERVED = ("F", "stretches", "d", "T0")
SHARE = "vastus_share"  # of the part in J that is taken from the tets
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
    return load(energy.__name__, _text(known, known.psi, _parameters(arguments, per_tet)))


def trace_volume(
    energy: Callable[..., Any], arguments: Sequence[str], per_tet: PerTet, bulk: str | None
) -> tuple[ModuleType, ModuleType] | None:
    """Two modules, of an energy of which tets keep only a part of what J alone decides.

    The first is that of `trace` with one parameter more, the share that is taken from the tets; the
    second has `bulk`, what is taken at the share 1 with its derivatives, as a function of J and the
    parameters. J is `det(F)` or the product of the stretches; `bulk` is the parameter that
    multiplies the part, if it cannot be seen. None if nothing depends on J alone.
    """
    known, names = record(energy, arguments, per_tet), _parameters(arguments, per_tet)
    graph, F, stretches = known.psi.graph, known.inputs["F"], known.inputs["stretches"]
    J = _volume_ratio(F, stretches)
    if bulk is None:
        part = volume_part(known.psi, J, names)
    else:
        side, zero = power(J, graph.constant(1 / 3)), graph.constant(0.0)
        uniform = {x: zero if k % 4 else side for k, x in enumerate(F)} | dict.fromkeys(
            stretches, side
        )
        try:
            part = named_part(known.psi, J, bulk, uniform, names)
        except ModelError as problem:
            raise ModelError(f"law '{energy.__name__}': {problem}") from None
    if part is None:
        return None
    psi = known.psi - graph.variable(SHARE) * part.within
    derived = Derived(part.value, [part.slope], [part.curvature])
    return (
        load(energy.__name__, _text(known, psi, [*names, SHARE])),
        load(f"{energy.__name__}_volume", volume_source(derived, names)),
    )


def _volume_ratio(F: list[Scalar], stretches: list[Scalar]) -> Scalar:
    if stretches:
        return stretches[0] * stretches[1] * stretches[2]
    a, b, c, d, e, f, g, h, i = F
    # As `materials.functions.det` writes it, for the same expression is the same node.
    return a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g)


def _parameters(arguments: Sequence[str], per_tet: PerTet) -> list[str]:
    others = {name for name, _ in per_tet}
    return [name for name in arguments if name not in RESERVED and name not in others]


def _text(known: Recorded, psi: Scalar, parameters: list[str]) -> str:
    inputs = known.inputs["F"] or known.inputs["stretches"]
    gradients = Gradients(inputs, [*known.inputs["d"], *known.here])
    first = gradients.of(psi)
    rows = [gradients.of(entry) for entry in first]
    count = len(inputs)
    second = [rows[i][j] for i in range(count) for j in range(i, count)]
    write = source if count == 9 else stretch_source
    return write(Derived(psi, first, second), parameters, known.here)


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
