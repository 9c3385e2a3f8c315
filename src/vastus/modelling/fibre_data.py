"""Fibres as data: vectors on the tets or vertices of the mesh, or on those of another."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from vastus.errors import ModelError
from vastus.geometry.queries import nearest_vertex
from vastus.geometry.tetmesh import TetMesh
from vastus.modelling.alignment import aligned, mean_line
from vastus.numerics.types import Floats, Ints
from vastus.scene.base import unknown
from vastus.scene.fibres import Samples
from vastus.scene.scene import LabelledMesh

NEAR = 0.1  # of a muscle's extent: so near a sample says something about it
COVERED = 0.5  # of a muscle's tets that must be near


def own_data(base: LabelledMesh, name: str, tets: Ints) -> Floats:
    """(k, 3) the vectors called `name` in some tets; those on vertices are averaged as lines."""
    if name in _vectors(base.cells):
        found = _finite(name, base.cells[name][tets])
    elif name in _vectors(base.points):
        found = mean_line(_finite(name, base.points[name][base.mesh.T[tets]]))
    else:
        known = [*_vectors(base.cells), *_vectors(base.points)]
        raise ModelError(unknown("vectors", name, known))
    return aligned(base.mesh.submesh(tets)[0], found)


def nearest_data(samples: Samples, mesh: TetMesh, tets: Ints) -> Floats:
    """(k, 3) the vector of the sample nearest to the middle of each of some tets."""
    part, _ = mesh.submesh(tets)
    nearest, distance = nearest_vertex(samples.points, part.centroids)
    reach = NEAR * np.linalg.norm(np.ptp(part.X, axis=0))
    if (distance <= reach).mean() < COVERED:
        raise ModelError(
            f"the vectors span {span(samples.points)}, which does not cover the muscle, which is "
            f"at {span(part.X)}; check the file's 'units' and its axes"
        )
    return aligned(part, samples.vectors[nearest])


def span(X: Floats) -> str:
    """The corners of the box around points (n, 3) [m], in words."""
    low, high = (", ".join(f"{c:.4g}" for c in f(X, axis=0)) for f in (np.min, np.max))
    return f"[{low}] to [{high}] m"


def _vectors(data: Mapping[str, np.ndarray]) -> list[str]:
    return [name for name, values in data.items() if np.shape(values)[1:] == (3,)]


def _finite(name: str, values: np.ndarray) -> Floats:
    if not np.isfinite(values).all():
        raise ModelError(f"some vectors '{name}' in the muscle are not finite numbers")
    return np.asarray(values, float)
