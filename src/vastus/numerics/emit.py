"""Straight-line source for a graph: one line a node, each computed once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite

from vastus.numerics.derive import ancestors
from vastus.numerics.graph import Scalar

HEADER = """\
# Written by vastus from the energy of a material law.
import math

import numpy as np

from vastus.numerics.jit import point


@point
def choose(condition, a, b):
    return a if condition else b
"""
PATTERNS = {
    "add": "{} + {}",
    "mul": "{} * {}",
    "<": "{} < {}",
    "<=": "{} <= {}",
    "reciprocal": "1.0 / {}",
    "power": "{} ** {}",
    "where": "choose({}, {}, {})",
    "erf": "math.erf({})",
}
UPPER = [(i, j) for i in range(9) for j in range(i, 9)]


def source(psi: Scalar, g: Sequence[Scalar], H: Sequence[Scalar], names: Sequence[str]) -> str:
    """The text of `energy`, `stress`, `tangent`, `respond` (the first two) and `parameters`.

    `g` are the 9 entries of the stress, `H` the 45 upper entries of the tangent by rows, `names`
    the parameters. What depends on these alone is computed by `parameters`, not at every point.
    """
    constant = _parameter_nodes([psi, *g, *H], names)
    slots = {node: f"p[{k}]" for k, node in enumerate(constant)}
    add_P = [f"P[{k // 3}, {k % 3}] += {{0}}" for k in range(9)]
    add_H = [_store(i, j) for i, j in UPPER]
    result = "return (" + "".join(f"{{{k}}}, " for k in range(len(constant))) + ")"
    return "\n\n".join(
        [
            HEADER,
            _function("@point\ndef energy(F, d, T0, p)", [psi], slots, ["return {0}"]),
            _function("@point\ndef stress(F, d, T0, p, P)", g, slots, add_P),
            _function("@point\ndef tangent(F, d, T0, p, H)", H, slots, add_H),
            _function(
                "@point\ndef respond(F, d, T0, p, P)", [*g, psi], slots, [*add_P, "return {0}"]
            ),
            _function(f"def parameters({', '.join(names)})", constant, {}, [result]),
        ]
    )


def _store(i: int, j: int) -> str:
    both = "" if i == j else f"\n    H[{j}, {i}] += {{0}}"
    return f"H[{i}, {j}] += {{0}}{both}"


def _parameter_nodes(outputs: Sequence[Scalar], names: Sequence[str]) -> list[Scalar]:
    """The nodes that depend on parameters alone and are used where more is known."""
    nodes = ancestors(outputs)
    alone: set[Scalar] = set()
    for node in nodes:
        parameter = node.op == "input" and node.value in names
        derived = bool(node.args) and all(a.op == "number" or a in alone for a in node.args)
        if parameter or derived:
            alone.add(node)
    used = {a for node in nodes if node not in alone for a in node.args} | set(outputs)
    return [node for node in nodes if node in alone and node in used]


def _function(
    head: str, outputs: Sequence[Scalar], slots: Mapping[Scalar, str], ends: Sequence[str]
) -> str:
    """A function that computes the outputs and puts them into the statements `ends`."""
    lines, text = [f"{head}:"], dict(slots)
    needed = [n for n in _needed(outputs, slots) if n.op != "number"]
    for k, node in enumerate(needed):
        lines.append(f"    t{k} = {slots.get(node) or _expression(node, text)}")
        text[node] = f"t{k}"
    results = [_operand(node, text) for node in outputs]
    if len(ends) == 1:
        lines.append("    " + ends[0].format(*results))
    else:
        pairs = zip(ends, results, strict=True)
        lines += ["    " + end.format(r) for end, r in pairs if r != "0.0"] or ["    pass"]
    return "\n".join(lines) + "\n"


def _needed(outputs: Sequence[Scalar], slots: Mapping[Scalar, str]) -> list[Scalar]:
    """What must be computed for the outputs when `slots` are known."""
    seen: set[Scalar] = set()
    waiting = list(outputs)
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            waiting.extend(() if node in slots else node.args)
    return sorted(seen, key=lambda n: n.index)


def _expression(node: Scalar, text: Mapping[Scalar, str]) -> str:
    if node.op == "input":
        return str(node.value)
    pattern = PATTERNS.get(node.op, f"np.{node.op}({{}})")
    return pattern.format(*(_operand(a, text) for a in node.args))


def _operand(node: Scalar, text: Mapping[Scalar, str]) -> str:
    if node.number is None:
        return text[node]
    return repr(node.number) if isfinite(node.number) else f"np.{node.number}"
