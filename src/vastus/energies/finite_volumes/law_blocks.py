"""What laws give for several tets side by side, compiled once for each law."""

from __future__ import annotations

from functools import cache
from typing import Any

from vastus.energies.finite_volumes.forms import add_cofactors, gradient, pushes, sizes
from vastus.energies.finite_volumes.patches import LANES
from vastus.energies.law_address import SIGNATURE
from vastus.materials.base import PointLaw
from vastus.numerics.jit import carray, function_at


@cache
def scales_at(law: PointLaw) -> Any:
    """The function that writes m and s (2, lanes) for F:F and det F (2, lanes)."""
    scales = law.scales
    assert scales is not None

    @function_at(SIGNATURE, scales)
    def scales_law(F, d, T0, p, count, out):  # type: ignore[no-untyped-def]
        at, given, numbers = carray(F, (2, LANES)), carray(out, (2, LANES)), carray(p, (count,))
        for k in range(LANES):
            given[0, k], given[1, k] = scales(at[0, k], at[1, k], numbers)
        return 0.0

    return scales_law


@cache
def pushes_at(law: PointLaw) -> Any:
    """The function that writes pushes (9, lanes) for edges and faces at rest: all but the corners.

    It is for tets that obey this law alone. Its room is (31, lanes), of which pushes come first.
    """
    scales = law.scales
    assert scales is not None

    @function_at(SIGNATURE, scales)
    def pushes_law(F, d, T0, p, count, out):  # type: ignore[no-untyped-def]
        E, B, numbers = carray(F, (9, LANES)), carray(d, (10, LANES)), carray(p, (count,))
        room = carray(out, (31, LANES))
        H, P, G, at, given = room[:9], room[9:18], room[18:27], room[27:29], room[29:]
        for k in range(LANES):
            gradient(E, B, k, G)
        for k in range(LANES):
            sizes(G, k, at)
        for k in range(LANES):
            given[0, k], given[1, k] = scales(at[0, k], at[1, k], numbers)
        for i in range(9):
            for k in range(LANES):
                P[i, k] = 0.0
        for k in range(LANES):
            add_cofactors(G, given[0, k], given[1, k], k, P)
        for k in range(LANES):
            pushes(P, B, k, H)
        return 0.0

    return pushes_law


@cache
def second_at(law: PointLaw) -> Any:
    """The function that writes S (6, lanes) for the strains (6, lanes)."""
    second = law.second
    assert second is not None

    @function_at(SIGNATURE, second)
    def second_law(F, d, T0, p, count, out):  # type: ignore[no-untyped-def]
        G, S, numbers = carray(F, (6, LANES)), carray(out, (6, LANES)), carray(p, (count,))
        for k in range(LANES):
            S[0, k], S[1, k], S[2, k], S[3, k], S[4, k], S[5, k] = second(
                (G[0, k], G[1, k], G[2, k], G[3, k], G[4, k], G[5, k]), numbers
            )
        return 0.0

    return second_law
