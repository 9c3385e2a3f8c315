"""Points of curves, such as fascicles, with the parameters of a solid that runs along them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu
from scipy.spatial import cKDTree

from vastus.errors import ModelError
from vastus.numerics.rotation import unit
from vastus.numerics.types import Floats, Ints

FEWEST = 4  # curves
_PER_CURVE = 32  # steps along one of median length
_NEIGHBOURS = 12
_FLAT = 1e-6  # of the curves' extent: less apart they lie in one surface
_ANCHOR = 1e-6  # the weight of the first guess beside a neighbour's


@dataclass(frozen=True, eq=False)
class _Strands:
    """Points x (n, 3) [m] of curves (n,), unit tangents t (n, 3), lengths s (n,) [m] so far."""

    x: Floats
    t: Floats
    s: Floats
    curve: Ints

    @property
    def count(self) -> int:
        return int(self.curve[-1]) + 1


def lofted(curves: Sequence[Floats]) -> tuple[Floats, Floats]:
    """Points (n, 3) [m] of curves, each (k, 3) [m], and their parameters (n, 3) from 0 to 1.

    Along a curve w grows with its length, and (u, v) stay the same. How far apart curves are is
    learnt from neighbours (theory, eq. 76), so that they may begin and end anywhere. Curves that
    run the other way than most are turned round.
    """
    if len(curves) < FEWEST:
        raise ModelError(f"{len(curves)} curves were given; a solid needs at least {FEWEST}")
    strands = _strands([np.asarray(curve, float) for curve in curves])
    axis = unit(strands.t.sum(axis=0)[None])[0]
    frames = _frames(axis, strands.t)
    p, q = _pairs(strands)
    apart = strands.x[q] - strands.x[p]
    weight = 1 / np.maximum(np.linalg.norm(apart, axis=1), 1e-300)
    local = np.einsum("kci,ki->kc", 0.5 * (frames[p] + frames[q]), apart)
    local[:, 2] -= strands.s[q] - strands.s[p]
    start = _means(strands, np.column_stack([strands.x @ frames_of(axis).T]))
    start[:, 2] -= _means(strands, strands.s[:, None])[:, 0]
    shifts = _agreed(strands, (p, q), local, weight, start)
    U = shifts[strands.curve]
    U[:, 2] += strands.s
    return strands.x, _from_0_to_1(_main_axes(U, shifts))


def _strands(curves: list[Floats]) -> _Strands:
    """The curves in even steps of one length, all running the same way."""
    lengths = [_length(curve) for curve in curves]
    step = float(np.median(lengths)) / _PER_CURVE
    chords = unit(np.array([curve[-1] - curve[0] for curve in curves]))
    main = np.linalg.eigh(chords.T @ chords)[1][:, -1]
    along = chords @ main
    along = along * (np.sign(np.sign(along).sum()) or 1.0)
    parts = []
    for curve, length, sign in zip(curves, lengths, along, strict=True):
        x = evenly(curve[::-1] if sign < 0 else curve, max(3, round(length / step) + 1))
        s = np.linspace(0, length, len(x))
        parts.append((x, unit(np.gradient(x, axis=0)), s))
    which = np.repeat(np.arange(len(parts)), [len(x) for x, _, _ in parts])
    x, t, s = (np.concatenate([part[i] for part in parts]) for i in range(3))
    return _Strands(x, t, s, which)


def _length(curve: Floats) -> float:
    if curve.ndim != 2 or curve.shape[1] != 3 or not np.isfinite(curve).all():
        raise ModelError(f"a curve is rows of three finite numbers, not of shape {curve.shape}")
    length = float(np.linalg.norm(np.diff(curve, axis=0), axis=1).sum())
    if not length > 0:
        raise ModelError("a curve has no length; it needs two different points")
    return length


def evenly(curve: Floats, count: int) -> Floats:
    """(count, 3) points at even steps along a polygon (k, 3) [m]."""
    steps = np.linalg.norm(np.diff(curve, axis=0), axis=1)
    along = np.concatenate([[0.0], np.cumsum(steps)])
    at = np.linspace(0, along[-1], count)
    return np.column_stack([np.interp(at, along, c) for c in curve.T])


def frames_of(axis: Floats) -> Floats:
    """(3, 3) rows of a right-handed frame whose last is the unit vector `axis`."""
    first = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(axis, first), axis])


def _frames(axis: Floats, t: Floats) -> Floats:
    """(n, 3, 3) the frame of the axis, turned as little as possible to each tangent (n, 3)."""
    frame = frames_of(axis)
    turn = np.cross(axis, t)[:, None]
    cosine = np.maximum(t @ axis, -0.99)[:, None, None]
    return np.asarray(
        frame + np.cross(turn, frame) + np.cross(turn, np.cross(turn, frame)) / (1 + cosine)
    )


def _pairs(strands: _Strands) -> tuple[Ints, Ints]:
    """Positions (k,) of neighbouring points on different curves, that lie rather beside than
    behind each other."""
    others = cKDTree(strands.x).query(strands.x, k=min(4 * _NEIGHBOURS, len(strands.x)))[1]
    p, q = np.repeat(np.arange(len(strands.x)), others.shape[1]), others.ravel()
    apart = strands.x[q] - strands.x[p]
    along = np.abs(np.einsum("ki,ki->k", apart, strands.t[p] + strands.t[q])) / 2
    beside = (strands.curve[p] != strands.curve[q]) & (along < 0.5 * np.linalg.norm(apart, axis=1))
    return p[beside], q[beside]


def _means(strands: _Strands, values: Floats) -> Floats:
    """(curves, c) the mean over each curve of values (n, c)."""
    counts = np.bincount(strands.curve)
    sums = [np.bincount(strands.curve, column) for column in values.T]
    return np.column_stack(sums) / counts[:, None]


def _agreed(
    strands: _Strands, pairs: tuple[Ints, Ints], apart: Floats, weight: Floats, start: Floats
) -> Floats:
    """(curves, 3) where the curves lie so that neighbours are as far apart (k, 3) as they are."""
    n, rows = strands.count, np.arange(len(weight))
    i, j = (strands.curve[points] for points in pairs)
    data = np.concatenate([-np.ones(len(rows)), np.ones(len(rows))])
    D = sparse.coo_array(
        (data, (np.tile(rows, 2), np.concatenate([i, j]))), shape=(len(rows), n)
    ).tocsr()
    W = sparse.diags_array(weight / max(weight.mean(), 1e-300) if len(weight) else weight)
    L = D.T @ W @ D
    anchor = _ANCHOR * max(float(L.diagonal().max(initial=0.0)), 1.0)
    H = (L + anchor * sparse.eye_array(n)).tocsc()
    return np.asarray(splu(H).solve(D.T @ (W @ apart) + anchor * start))


def _main_axes(U: Floats, shifts: Floats) -> Floats:
    """The parameters (n, 3) with the first two turned to the main axes of all curves (c, 3)."""
    across = shifts[:, :2] - shifts[:, :2].mean(axis=0)
    sizes, axes = np.linalg.svd(across, full_matrices=False)[1:]
    if sizes[1] <= _FLAT * max(float(np.ptp(U, axis=0).max()), 1e-300):
        raise ModelError("all curves lie in one surface, so that there is no volume around them")
    axes[1] *= np.sign(np.linalg.det(axes))
    return np.column_stack([U[:, :2] @ axes.T, U[:, 2]])


def _from_0_to_1(U: Floats) -> Floats:
    return np.asarray((U - U.min(axis=0)) / np.ptp(U, axis=0))
