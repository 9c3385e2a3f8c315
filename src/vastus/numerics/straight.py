"""Straight-line functions handed to LLVM as they are, without numba's inference line by line.

Numba takes milliseconds for each of the thousand lines of a tangent that was derived symbolically.
All of them are arithmetic of floating-point numbers, whose translation needs no inference.
"""

from __future__ import annotations

import ast
import inspect
import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]

from vastus.numerics.jit import INLINED, intrinsic, overload, point, types

DOUBLE = ir.DoubleType()
COLUMNS = {"H": 9}  # of a matrix; others have 3


_OF_ONE: dict[str, Callable[[Any], Any]] = {}  # functions of one number, which numba compiles


def straight(function: Any) -> Any:
    """A point function of lines that `symbolic.derive` writes; its arrays must be contiguous.

    The lines are read when they are compiled: where that is kept, reading would take longer.
    """
    names = inspect.getfullargspec(function).args

    @cache
    def tree() -> ast.FunctionDef:
        found = ast.parse(inspect.getsource(function)).body[0]
        assert isinstance(found, ast.FunctionDef)
        return found

    def result() -> Any:
        returned = any(isinstance(line, ast.Return) for line in tree().body)
        return types.float64 if returned else types.none

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _Lines(context, builder, zip(names, args, signature.args, strict=True)).run(tree())

    # The number of arguments must stand in the text: numba looks at it.
    said = ", ".join(names)
    text = f"def typed(context, {said}):\n    return result()({said}), emit\n"
    text += f"def chosen({said}):\n    return lambda {said}: emitted({said})\n"
    space: dict[str, Any] = {"result": result, "emit": emit}
    exec(text, space)
    space["emitted"] = intrinsic(space["typed"])
    overload(function, jit_options=INLINED)(space["chosen"])
    return function


class _Lines:
    """The lines of a function, as instructions."""

    def __init__(self, context: Any, builder: Any, arguments: Any) -> None:
        self.context, self.builder = context, builder
        self.known: dict[str, Any] = {}
        for name, value, kind in arguments:
            if isinstance(kind, types.Array):
                assert kind.layout == "C"
                self.known[name] = context.make_array(kind)(context, builder, value).data
            else:
                self.known[name] = context.cast(builder, value, kind, types.float64)

    def run(self, tree: ast.FunctionDef) -> Any:
        """Write all; the value is what the function returns."""
        for line in tree.body:
            if isinstance(line, ast.Assign):
                self.known[line.targets[0].id] = self.value(line.value)  # type: ignore[attr-defined]
            elif isinstance(line, ast.AugAssign):
                place, added = self.place(line.target), self.value(line.value)
                self.builder.store(self.builder.fadd(self.builder.load(place), added), place)
            elif isinstance(line, ast.Return):
                return self.value(line.value)
        return self.context.get_dummy_value()

    def place(self, node: Any) -> Any:
        """Where an entry of an array stands."""
        name, index = node.value.id, node.slice
        if isinstance(index, ast.Tuple):
            row, column = (each.value for each in index.elts)  # type: ignore[attr-defined]
            offset = row * COLUMNS.get(name, 3) + column
        else:
            offset = index.value
        return self.builder.gep(
            self.known[name], [ir.Constant(ir.IntType(64), offset)], inbounds=True
        )

    def value(self, node: Any) -> Any:
        """What an expression is."""
        if isinstance(node, ast.Name):
            return self.known[node.id]
        if isinstance(node, ast.Subscript):
            return self.builder.load(self.place(node))
        if isinstance(node, ast.BinOp):
            return self._binary(node.op, self.value(node.left), self.value(node.right))
        if isinstance(node, ast.Compare):
            sign = "<" if isinstance(node.ops[0], ast.Lt) else "<="
            right = self.value(node.comparators[0])
            return self.builder.fcmp_ordered(sign, self.value(node.left), right)
        if isinstance(node, ast.Call):
            return self._call(node)
        return ir.Constant(DOUBLE, _number(node))

    def _binary(self, operation: ast.operator, a: Any, b: Any) -> Any:
        if isinstance(operation, ast.Pow):
            two = types.float64(types.float64, types.float64)
            return self.context.compile_internal(self.builder, _power, two, [a, b])
        build = {ast.Add: "fadd", ast.Mult: "fmul", ast.Div: "fdiv"}[type(operation)]
        return getattr(self.builder, build)(a, b)

    def _call(self, node: ast.Call) -> Any:
        arguments = [self.value(argument) for argument in node.args]
        if isinstance(node.func, ast.Name):  # choose
            return self.builder.select(*arguments)
        name = node.func.attr  # type: ignore[attr-defined]
        one = types.float64(types.float64)
        return self.context.compile_internal(self.builder, _of_one(name), one, arguments)


def _number(node: Any) -> float:
    if isinstance(node, ast.UnaryOp):
        return -_number(node.operand)
    return float(getattr(np, node.attr) if isinstance(node, ast.Attribute) else node.value)


def _power(x: float, y: float) -> float:
    return x**y


def _of_one(name: str) -> Callable[[Any], Any]:
    if name not in _OF_ONE:
        space: dict[str, Any] = {"np": np, "math": math}
        exec(f"def f(x):\n    return {'math' if name == 'erf' else 'np'}.{name}(x)\n", space)
        _OF_ONE[name] = space["f"]
    return _OF_ONE[name]


__all__ = ["point", "straight"]
