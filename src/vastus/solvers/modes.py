"""The lowest modes of the continuity matrix, kept on disk: they only depend on the model."""

from __future__ import annotations

import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import platformdirs
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import LinearOperator, eigsh

from vastus.numerics.types import Floats
from vastus.solvers.emu_space import Space

PROBES = 16


@dataclass(frozen=True, eq=False)
class Modes:
    """Scalar modes `shapes` (n_y, k) with rising eigenvalues `values` (k,) [J/m^2].

    `share` is the part of the squared norm of the inverse of L, the sum of 1/value^2, that they
    cover; what they leave is estimated with random vectors.
    """

    values: Floats
    shapes: Floats
    share: float


def lowest_modes(space: Space, count: int, folder: Path | None = None) -> Modes:
    """`count` modes, or as many as there are; read from `folder` (the user's cache) if known."""
    count = min(count, space.size)
    folder = folder or Path(platformdirs.user_cache_dir("vastus")) / "modes"
    path = folder / f"{_digest(space.L)}-{count}.npz"
    found = _read(path)
    if found is None:
        found = _computed(space, count)
        _write(path, found)
    return found


def enough_modes(space: Space, share: float = 0.9, most: int = 64) -> int:
    """How many scalar modes cover `share` of the spectrum, as the papers ask, up to `most`."""
    modes = lowest_modes(space, most)
    squares = modes.values**-2.0
    covered = np.cumsum(squares) * modes.share / squares.sum()
    return min(int(np.searchsorted(covered, share)) + 1, len(covered))


def _computed(space: Space, count: int) -> Modes:
    if 2 * count >= space.size:
        values, shapes = np.linalg.eigh(space.L.toarray())
        values, shapes = values[:count], shapes[:, :count]
    else:
        inverse = LinearOperator(space.L.shape, matvec=space.solve, dtype=float)
        start = np.random.default_rng(0).standard_normal(space.size)
        values, shapes = eigsh(space.L, count, sigma=0.0, OPinv=inverse, v0=start)
        order = np.argsort(values)
        values, shapes = values[order], shapes[:, order]
    covered = float((values**-2.0).sum())
    share = covered / (covered + _remainder(space, shapes))
    return Modes(values, np.ascontiguousarray(shapes), share)


def _remainder(space: Space, shapes: Floats) -> float:
    """The sum of 1/value^2 over all other modes, by Hutchinson's estimate."""
    signs = np.random.default_rng(1).choice([-1.0, 1.0], (space.size, PROBES))
    signs -= shapes @ (shapes.T @ signs)
    return float((space.solve(signs) ** 2).sum()) / PROBES


def _digest(L: csr_matrix) -> str:
    digest = hashlib.sha256()
    for part in (L.indptr, L.indices, np.round(L.data / np.abs(L.data).max(), 12)):
        digest.update(np.ascontiguousarray(part).tobytes())
    digest.update(np.float64(np.abs(L.data).max()).tobytes())
    return digest.hexdigest()[:24]


def _read(path: Path) -> Modes | None:
    try:
        with np.load(path) as stored:
            return Modes(stored["values"], stored["shapes"], float(stored["share"]))
    except (OSError, ValueError, KeyError):
        return None


def _write(path: Path, modes: Modes) -> None:
    """Write to a name of its own first: another process may be reading."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".npz")
        with os.fdopen(handle, "wb") as file:
            np.savez(file, values=modes.values, shapes=modes.shapes, share=modes.share)
        os.replace(name, path)
    except OSError:  # a cache that cannot be written is only slow
        return
