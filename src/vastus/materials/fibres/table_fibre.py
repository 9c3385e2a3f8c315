"""Fibres whose passive and active force-length curves are tables, as they are published.

    psi = o (T0 A(lam/o) + smax B(lam/o)),   lam = |F d|,   A and B zero at rest

A' and B' are the active and the passive table as functions of the fibre's length over its optimal
one, so that the force along the fibre per rest area is T0 A' + smax B'. Between rows a curve is a
monotone cubic (PCHIP): with a continuous slope, and never beyond the rows on either side. Below its
first row it stays as there, and the active curve also above its last; the passive one goes on
straight. Where a curve stays its slope is zero, so that the stress is smooth everywhere; A and B
are integrated exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np

from vastus.errors import ModelError
from vastus.materials.base import Law, PointLaw, check_positive, register, require
from vastus.numerics.jit import point
from vastus.numerics.small import apply
from vastus.numerics.types import Floats

Table = tuple[tuple[float, float], ...]  # rows of a relative length and a relative force

# The default is the curve of `muscle`, as a table.
ACTIVE: Table = (
    (0.4, 0.0), (0.5, 0.09), (0.6, 0.36), (0.7, 0.64), (0.8, 0.84), (0.9, 0.96), (1.0, 1.0),
    (1.1, 0.96), (1.2, 0.84), (1.3, 0.64), (1.4, 0.36), (1.5, 0.09), (1.6, 0.0),
)  # fmt: skip
PASSIVE: Table = (
    (1.0, 0.0), (1.05, 0.0196), (1.1, 0.0467), (1.15, 0.0846), (1.2, 0.1372), (1.25, 0.2103),
    (1.3, 0.3121), (1.35, 0.4537), (1.4, 0.6507),
)  # fmt: skip

# What stands in `p`: optimal, smax and the pieces of a curve, then the pieces of both curves. From
# its x on a piece is f + m t + c t^2 + e t^3 with t = length - x, and its integral up to x is w:
# six numbers (x, w, f, m, c, e). The first piece is what lies below the table.
HEAD, WIDTH = 3, 6
FILLER = (1e300, 0.0, 0.0, 0.0, 0.0, 0.0)  # a piece that begins beyond all lengths


@point
def _piece(x: float, p: Any, start: int) -> int:
    """Where the piece of a curve that holds at x begins in p."""
    low, high = 0, int(p[2])
    while high - low > 1:
        middle = (low + high) // 2
        if p[start + WIDTH * middle] <= x:
            low = middle
        else:
            high = middle
    return start + WIDTH * low


@point
def _work(x: float, p: Any, start: int) -> float:
    """The integral of a curve up to x."""
    k = _piece(x, p, start)
    t = x - p[k]
    bent = p[k + 3] / 2.0 + t * (p[k + 4] / 3.0 + t * p[k + 5] / 4.0)
    return p[k + 1] + t * (p[k + 2] + t * bent)


@point
def _force(x: float, p: Any, start: int) -> float:
    """The value of a curve at x."""
    k = _piece(x, p, start)
    t = x - p[k]
    return p[k + 2] + t * (p[k + 3] + t * (p[k + 4] + t * p[k + 5]))


@point
def _slope(x: float, p: Any, start: int) -> float:
    """The derivative of a curve at x."""
    k = _piece(x, p, start)
    t = x - p[k]
    return p[k + 3] + t * (2.0 * p[k + 4] + 3.0 * t * p[k + 5])


@point
def _stretch(y: Any) -> float:
    # The tiny number keeps the derivative finite for a fibre crushed to nothing.
    return np.sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2] + 1e-30)


@point
def energy(F: Any, d: Any, T0: float, p: Any) -> float:
    x, passive = _stretch(apply(F, d)) / p[0], HEAD + WIDTH * int(p[2])
    return p[0] * (T0 * _work(x, p, HEAD) + p[1] * _work(x, p, passive))


@point
def stress(F: Any, d: Any, T0: float, p: Any, P: Any) -> None:
    y, passive = apply(F, d), HEAD + WIDTH * int(p[2])
    lam = _stretch(y)
    x = lam / p[0]
    s = (T0 * _force(x, p, HEAD) + p[1] * _force(x, p, passive)) / lam
    for r in range(3):
        for c in range(3):
            P[r, c] += s * y[r] * d[c]


@point
def tangent(F: Any, d: Any, T0: float, p: Any, H: Any) -> None:
    y, passive = apply(F, d), HEAD + WIDTH * int(p[2])
    lam = _stretch(y)
    x = lam / p[0]
    s = (T0 * _force(x, p, HEAD) + p[1] * _force(x, p, passive)) / lam
    rise = (T0 * _slope(x, p, HEAD) + p[1] * _slope(x, p, passive)) / p[0]
    for r in range(3):
        for q in range(3):
            h = (rise - s) * y[r] * y[q] / (lam * lam)
            if r == q:
                h += s
            for c in range(3):
                for k in range(3):
                    H[3 * r + c, 3 * q + k] += h * d[c] * d[k]


@register
@dataclass(frozen=True)
class TableFibre(Law):
    """Passive and active fibres whose force-length curves are tables.

    A row is the fibre's length over its optimal length, and its force over the largest active one:
    `active_curve` is multiplied by the active stress, `passive_curve` by `smax` [Pa]; either may be
    empty. `optimal` is the stretch at which the fibre has its optimal length. A passive curve that
    is not zero at rest, where the length is 1/optimal, makes the tissue tense there.
    """

    active_curve: Table = ACTIVE
    passive_curve: Table = PASSIVE
    smax: float = 3e5
    optimal: float = 1.0

    name: ClassVar[str] = "table_fibre"
    point: ClassVar[PointLaw] = PointLaw(energy, stress, tangent)
    active: ClassVar[bool] = True
    fibrous: ClassVar[bool] = True
    at_optimal: ClassVar[str | None] = "optimal"
    per_fibre: ClassVar[str | None] = "smax"

    def __post_init__(self) -> None:
        check_positive(self.name, smax=self.smax, optimal=self.optimal)
        for name in ("active_curve", "passive_curve"):
            rows = _table(getattr(self, name), f"{self.name}: {name}")
            object.__setattr__(self, name, rows)
        require(
            bool(self.active_curve or self.passive_curve),
            f"{self.name}: both of its curves are empty",
        )

    def parameters(self) -> tuple[float, ...]:
        return _parameters(self.active_curve, self.passive_curve, self.smax, self.optimal)


def _table(given: Any, what: str) -> Table:
    """What is given, as lists or as an array (k, 2), if it is a curve."""
    try:
        rows = np.asarray(given, np.float64)
    except (TypeError, ValueError):
        rows = np.zeros(())
    if rows.shape[:1] == (0,):
        return ()
    pairs = rows.ndim == 2 and rows.shape[1] == 2
    require(pairs, f"{what} must be rows of two numbers, a length and a force")
    require(len(rows) > 1, f"{what} has one row; it needs at least two")
    require(bool(np.isfinite(rows).all()), f"{what} has a number that is not finite")
    x = rows[:, 0]
    require(x[0] >= 0, f"{what} has the length {x[0]:g}, which is below 0")
    wrong = np.flatnonzero(np.diff(x) <= 0)
    if len(wrong):
        before, after = x[wrong[0]], x[wrong[0] + 1]
        raise ModelError(f"{what}: its lengths must rise, but {after:g} comes after {before:g}")
    return tuple((float(a), float(b)) for a, b in rows)


@cache
def _parameters(active: Table, passive: Table, smax: float, optimal: float) -> tuple[float, ...]:
    """What the point functions read; the number of pieces is a power of two, so that few differ."""
    count = max(16, 1 << (max(len(active), len(passive))).bit_length())
    curves = [
        _pieces(active, 1 / optimal, straight=False),
        _pieces(passive, 1 / optimal, straight=True),
    ]
    filled = [np.concatenate([c, np.tile(FILLER, (count - len(c), 1))]).ravel() for c in curves]
    return tuple(np.concatenate([[optimal, smax, count], *filled]).tolist())


def _pieces(table: Table, rest: float, *, straight: bool) -> Floats:
    """(rows + 1, 6) the pieces of a curve, whose integral is zero at the length `rest`.

    Above its last row it goes on `straight`, or stays as there.
    """
    if not table:
        return np.zeros((1, WIDTH))
    x, f = np.array(table).T
    m = _slopes(x, f)
    m[0] = 0.0
    if not straight:
        m[-1] = 0.0
    h, rise = np.diff(x), np.diff(f) / np.diff(x)
    c = np.append((3 * rise - 2 * m[:-1] - m[1:]) / h, 0.0)
    e = np.append((m[:-1] + m[1:] - 2 * rise) / h**2, 0.0)
    areas = h * (f[:-1] + h * (m[:-1] / 2 + h * (c[:-1] / 3 + h * e[:-1] / 4)))
    w = np.append(0.0, np.cumsum(areas))
    pieces = np.stack([x, w, f, m, c, e], axis=1)
    pieces = np.concatenate([[[x[0], 0.0, f[0], 0.0, 0.0, 0.0]], pieces])
    k = int(np.searchsorted(x, rest, side="right"))
    t = rest - pieces[k, 0]
    pieces[:, 1] -= pieces[k, 1] + np.polyval([*(pieces[k, :1:-1] / [4, 3, 2, 1]), 0.0], t)
    return np.asarray(pieces)


def _slopes(x: Floats, f: Floats) -> Floats:
    """(k,) the slopes at the rows that keep the curve monotone where its rows are."""
    from scipy.interpolate import PchipInterpolator  # as heavy as the rest of the package

    return np.array(PchipInterpolator(x, f).derivative()(x))
