"""Compiled functions of laws at a point, which loops call by their addresses.

So no loop is compiled for a law, nor anything for a sum of laws.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]

from vastus.materials.base import PointFunction, PointLaw
from vastus.numerics.jit import carray, function_at, intrinsic, point, types

_NUMBERS = types.CPointer(types.float64)
# (F, d, T0, p, how many p, what to add to) -> energy
SIGNATURE = types.float64(_NUMBERS, _NUMBERS, types.float64, _NUMBERS, types.intp, _NUMBERS)


@cache
def respond_at(law: PointLaw) -> Any:
    """The function that returns the energy and adds the stress; its `address` is for `call`."""
    respond = law.respond or _both(law.energy, law.stress)

    @function_at(SIGNATURE, respond)
    def respond_law(F, d, T0, p, count, out):  # type: ignore[no-untyped-def]
        P = carray(out, (3, 3))
        return respond(carray(F, (3, 3)), carray(d, (3,)), T0, carray(p, (count,)), P)

    return respond_law


@cache
def tangent_at(law: PointLaw) -> Any:
    """The function that adds the tangent and returns 0."""
    tangent = law.tangent

    @function_at(SIGNATURE, tangent)
    def tangent_law(F, d, T0, p, count, out):  # type: ignore[no-untyped-def]
        H = carray(out, (9, 9))
        tangent(carray(F, (3, 3)), carray(d, (3,)), T0, carray(p, (count,)), H)
        return 0.0

    return tangent_law


@cache
def _both(energy: PointFunction, stress: PointFunction) -> PointFunction:
    @point
    def respond(F: Any, d: Any, T0: float, p: Any, P: Any) -> float:
        stress(F, d, T0, p, P)
        return energy(F, d, T0, p)

    return respond


def _call(context, address, F, f, d, e, T0, p, first, count, out, o):  # type: ignore[no-untyped-def]
    """Call the function at an address with the numbers of arrays from F[f], d[e], p[first], out[o].

    The indices count the numbers of arrays as they lie in memory.
    """
    assert all(array.layout == "C" for array in (F, d, p, out))

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        def numbers(array: int) -> Any:
            kind = context.make_array(signature.args[array])
            data = kind(context, builder, values[array]).data
            return builder.gep(data, [values[array + 1]])

        double, whole = ir.DoubleType(), ir.IntType(64)
        several = double.as_pointer()
        kind = ir.FunctionType(double, [several, several, double, several, whole, several])
        function = builder.inttoptr(values[0], kind.as_pointer())
        arguments = [numbers(1), numbers(3), values[5], numbers(6), values[8], numbers(9)]
        return builder.call(function, arguments)

    index, number = types.intp, types.float64
    return number(index, F, index, d, index, number, p, index, index, out, index), emit


call: Any = intrinsic(_call)
