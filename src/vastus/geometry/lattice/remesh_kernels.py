"""The loops of remeshing: edges collapsed and flipped one after another, vertices moved on a level.

A run is a side of a face: 3 f + k goes from corner k of face f to the next. `twin` (3 m,) has the
run back along the same edge, in the face beyond it; `out` (n,) has one run away from each vertex,
or -1 if it is gone. A face that is gone has -1 as its first corner.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vastus.geometry.lattice.interpolation import interpolated
from vastus.numerics.jit import loop, point

TURN = 0.5  # the least cosine between the normals of a face before and after
WORST = 4.0  # the aspect above which no face gets worse by moving a vertex
FLAT = 1e-6  # of the product of four sides: opposite angles that are half a turn together
STEPS = 3  # of Newton's method, back to the level
FAR = 0.5  # of a cell: the longest of them


@point
def _next(run: int) -> int:
    return run - 2 if run % 3 == 2 else run + 1


@point
def _last(run: int) -> int:
    return run + 2 if run % 3 == 0 else run - 1


@point
def _tail(F: Any, run: int) -> int:
    """The vertex that a run comes from."""
    return F[run // 3, run % 3]


@point
def _valence(twin: Any, first: int) -> int:
    """How many edges there are at the tail of a run."""
    count, run = 1, twin[_last(first)]
    while run != first:
        count, run = count + 1, twin[_last(run)]
    return count


@point
def _joined(F: Any, twin: Any, first: int, vertex: int) -> bool:
    """Whether an edge joins the tail of a run with a vertex."""
    run, found = first, False
    while True:
        found = found or _tail(F, _next(run)) == vertex
        run = twin[_last(run)]
        if run == first:
            return found


@point
def _in_common(F: Any, twin: Any, one: int, two: int) -> int:
    """How many neighbours the tails of two runs have in common."""
    count, run = 0, one
    while True:
        count += _joined(F, twin, two, _tail(F, _next(run)))
        run = twin[_last(run)]
        if run == one:
            return count


@point
def _gap(p: Any, q: Any) -> float:
    return np.sqrt((p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 + (p[2] - q[2]) ** 2)


@point
def _normal(p: Any, q: Any, r: Any) -> tuple[float, float, float, float]:
    """The normal of a triangle times twice its area, and that."""
    ax, ay, az = q[0] - p[0], q[1] - p[1], q[2] - p[2]
    bx, by, bz = r[0] - p[0], r[1] - p[1], r[2] - p[2]
    x, y, z = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    return x, y, z, np.sqrt(x * x + y * y + z * z)


@point
def _turns(one: Any, two: Any) -> bool:
    """Whether two normals with their lengths differ by more than a face may turn."""
    along = one[0] * two[0] + one[1] * two[1] + one[2] * two[2]
    return not along > TURN * one[3] * two[3]


@point
def _aspect(p: Any, q: Any, r: Any) -> float:
    """The longest side of a triangle over its smallest height."""
    longest = max(_gap(p, q), _gap(q, r), _gap(r, p))
    return longest**2 / max(_normal(p, q, r)[3], 1e-30)


@loop
def collapse(X, F, twin, out, runs, short, most):  # type: ignore[no-untyped-def]
    """Collapse the edges of `runs` that are shorter than `short`, one after another.

    An edge goes to its middle if its ends have two neighbours in common, the third corners of its
    faces, else the surface would touch itself; if that turns no face over, and makes no edge
    longer than `most`.
    """
    for run in runs:
        a = _tail(F, run)
        if a < 0 or F[run // 3, 0] < 0:
            continue
        b = _tail(F, _next(run))
        if _gap(X[a], X[b]) < short and _may_collapse(X, F, twin, run, most):
            _collapse_one(X, F, twin, out, run)


@point
def _may_collapse(X: Any, F: Any, twin: Any, run: int, most: float) -> bool:
    back = twin[run]
    if _valence(twin, _last(run)) <= 3 or _valence(twin, _last(back)) <= 3:
        return False
    if _in_common(F, twin, run, back) != 2:
        return False
    a, b = _tail(F, run), _tail(F, back)
    x = (0.5 * (X[a, 0] + X[b, 0]), 0.5 * (X[a, 1] + X[b, 1]), 0.5 * (X[a, 2] + X[b, 2]))
    return _fits(X, F, twin, run, b, x, most) and _fits(X, F, twin, back, a, x, most)


@point
def _fits(X: Any, F: Any, twin: Any, first: int, other: int, x: Any, most: float) -> bool:
    """Whether faces at the tail of a run, but those with another vertex, may have it at x."""
    run = twin[_last(first)]
    ok = True
    while run != first:
        p, q, r = _tail(F, run), _tail(F, _next(run)), _tail(F, _last(run))
        if q != other and r != other:
            ok = ok and _gap(x, X[q]) <= most and _gap(x, X[r]) <= most
            ok = ok and not _turns(_normal(X[p], X[q], X[r]), _normal(x, X[q], X[r]))
        run = twin[_last(run)]
    return ok


@point
def _collapse_one(X: Any, F: Any, twin: Any, out: Any, run: int) -> None:
    back = twin[run]
    a, b = _tail(F, run), _tail(F, back)
    for c in range(3):
        X[a, c] = 0.5 * (X[a, c] + X[b, c])
    at = back
    while True:
        F[at // 3, at % 3] = a
        at = twin[_last(at)]
        if at == back:
            break
    for side in (run, back):
        one, two = twin[_next(side)], twin[_last(side)]
        third = _tail(F, _last(side))
        twin[one], twin[two] = two, one
        out[third] = one if _tail(F, one) == third else two
        out[a] = two if _tail(F, one) == third else one
    out[b] = -1
    F[run // 3, 0] = F[back // 3, 0] = -1


@loop
def flip(X, F, twin, out):  # type: ignore[no-untyped-def]
    """Flip edges whose opposite angles are more than half a turn together; how many there were."""
    count = 0
    for run in range(len(twin)):
        if F[run // 3, 0] >= 0 and run < twin[run] and _may_flip(X, F, twin, run):
            _flip_one(F, twin, out, run)
            count += 1
    return count


@point
def _may_flip(X: Any, F: Any, twin: Any, run: int) -> bool:
    back = twin[run]
    a, b, c, d = _tail(F, run), _tail(F, back), _tail(F, _last(run)), _tail(F, _last(back))
    if not _obtuse(X[a], X[b], X[c], X[d]):
        return False
    first, second = _normal(X[a], X[b], X[c]), _normal(X[b], X[a], X[d])
    x, y, z = first[0] + second[0], first[1] + second[1], first[2] + second[2]
    both = (x, y, z, np.sqrt(x * x + y * y + z * z))
    if _turns(both, _normal(X[c], X[a], X[d])) or _turns(both, _normal(X[d], X[b], X[c])):
        return False
    if _valence(twin, run) <= 3 or _valence(twin, back) <= 3:
        return False
    return not _joined(F, twin, _last(run), d)


@point
def _obtuse(a: Any, b: Any, c: Any, d: Any) -> bool:
    """Whether the angles at c and d, over the edge from a to b, are more than half a turn."""
    at_c, at_d = _across(a, b, c), _across(a, b, d)
    sine = at_c[0] * at_d[1] + at_c[1] * at_d[0]  # of the sum of both, times four sides
    return sine < -FLAT * at_c[2] * at_d[2]


@point
def _across(a: Any, b: Any, c: Any) -> tuple[float, float, float]:
    """Cosine and sine of the angle at c between a and b times the sides, and their product."""
    cosine = 0.0
    for k in range(3):
        cosine += (a[k] - c[k]) * (b[k] - c[k])
    return cosine, _normal(c, a, b)[3], _gap(a, c) * _gap(b, c)


@point
def _flip_one(F: Any, twin: Any, out: Any, run: int) -> None:
    """Make of faces (a, b, c) and (b, a, d) the faces (c, a, d) and (d, b, c)."""
    back = twin[run]
    a, b, c, d = _tail(F, run), _tail(F, back), _tail(F, _last(run)), _tail(F, _last(back))
    ca, bc, ad, db = twin[_last(run)], twin[_next(run)], twin[_next(back)], twin[_last(back)]
    f, g = 3 * (run // 3), 3 * (back // 3)
    F[f // 3, 0], F[f // 3, 1], F[f // 3, 2] = c, a, d
    F[g // 3, 0], F[g // 3, 1], F[g // 3, 2] = d, b, c
    twin[f], twin[f + 1], twin[f + 2] = ca, ad, g + 2
    twin[g], twin[g + 1], twin[g + 2] = db, bc, f + 2
    twin[ca], twin[ad], twin[db], twin[bc] = f, f + 1, g, g + 1
    out[c], out[a], out[d], out[b] = f, f + 1, g, g + 1


@loop
def relax(X, F, twin, out, grid):  # type: ignore[no-untyped-def]
    """Move vertices along a level set to the middle of their neighbours, one after another.

    `grid` is (values, first node (3,), cell). A vertex stays that would turn a face over, or make
    one worse that is bad.
    """
    for vertex in range(len(X)):
        if out[vertex] >= 0:
            x = _middle(X, F, twin, out[vertex], grid)
            if _improves(X, F, twin, out[vertex], x):
                X[vertex, 0], X[vertex, 1], X[vertex, 2] = x


@point
def _middle(X: Any, F: Any, twin: Any, first: int, grid: Any) -> tuple[float, float, float]:
    """The place on the level next to the middle of the neighbours of a run's tail."""
    p = X[_tail(F, first)]
    u = v = w = 0.0
    count, run = 0, first
    while True:
        q = X[_tail(F, _next(run))]
        u, v, w, count = u + q[0] - p[0], v + q[1] - p[1], w + q[2] - p[2], count + 1
        run = twin[_last(run)]
        if run == first:
            break
    u, v, w = u / count, v / count, w / count
    a, b, c = slope(grid, p[0], p[1], p[2])
    off = (u * a + v * b + w * c) / max(a * a + b * b + c * c, 1e-30)
    return to_level(grid, p[0] + u - off * a, p[1] + v - off * b, p[2] + w - off * c)


@point
def _improves(X: Any, F: Any, twin: Any, first: int, x: Any) -> bool:
    run, ok = first, True
    while True:
        p, q, r = X[_tail(F, run)], X[_tail(F, _next(run))], X[_tail(F, _last(run))]
        ok = ok and not _turns(_normal(p, q, r), _normal(x, q, r))
        aspect = _aspect(x, q, r)
        ok = ok and (aspect <= WORST or aspect <= _aspect(p, q, r))
        run = twin[_last(run)]
        if run == first:
            return ok


@point
def _value(grid: Any, x: float, y: float, z: float) -> float:
    values, corner, cell = grid
    return interpolated(values, (x - corner[0]) / cell, (y - corner[1]) / cell,
                        (z - corner[2]) / cell)  # fmt: skip


@point
def slope(grid: Any, x: float, y: float, z: float) -> tuple[float, float, float]:
    """How the values of a level set grow at a place, over a cell."""
    cell = grid[2]
    h = 0.5 * cell
    return (
        (_value(grid, x + h, y, z) - _value(grid, x - h, y, z)) / cell,
        (_value(grid, x, y + h, z) - _value(grid, x, y - h, z)) / cell,
        (_value(grid, x, y, z + h) - _value(grid, x, y, z - h)) / cell,
    )


@point
def to_level(grid: Any, x: float, y: float, z: float) -> tuple[float, float, float]:
    """A place moved to the level, along the gradient."""
    for _ in range(STEPS):
        a, b, c = slope(grid, x, y, z)
        square = a * a + b * b + c * c
        step = _value(grid, x, y, z) / max(square, 1e-2)
        step /= max(abs(step) * np.sqrt(square) / (FAR * grid[2]), 1.0)
        x, y, z = x - step * a, y - step * b, z - step * c
    return x, y, z


@loop
def all_to_level(X, grid):  # type: ignore[no-untyped-def]
    """Move points X (n, 3) to the level."""
    for k in range(len(X)):
        X[k, 0], X[k, 1], X[k, 2] = to_level(grid, X[k, 0], X[k, 1], X[k, 2])
