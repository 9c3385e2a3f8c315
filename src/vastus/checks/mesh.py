"""The mesh: slivers, vertices of no tet, stray labels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vastus.checks.finding import Finding, warning
from vastus.model import Model, Tissue

SLIVER = 5.0  # [deg] smallest dihedral angle
STRAY = 0.02  # of a region's tets


def slivers(model: Model) -> Iterator[Finding]:
    """Nearly flat tets among those that deform."""
    angles = model.mesh.quality().min_dihedral[model.soft]
    count = int((angles < SLIVER).sum())
    if count:
        worst = model.soft[np.argmin(angles)]
        place = ", ".join(f"{c:.3g}" for c in model.mesh.centroids[worst])
        yield warning(
            "the mesh",
            f"has {count} slivers among {len(angles)} soft tets: tet {worst} near "
            f"[{place}] m has a dihedral angle of {angles.min():.2g} degrees",
            f"remesh so that no angle is below {SLIVER:g} degrees, or expect slow convergence",
        )


def unused_vertices(model: Model) -> Iterator[Finding]:
    """Vertices that no tet uses."""
    count = len(model.mesh.unused)
    if count:
        yield warning(
            "the mesh", f"has {count} vertices that belong to no tet", "they stay where they are"
        )


def stray_labels(model: Model) -> Iterator[Finding]:
    """Soft regions with a few tets apart from the rest, which are mostly labelled by mistake."""
    for index, region in enumerate(model.regions):
        tets = np.flatnonzero(model.region == index)
        sizes = np.bincount(model.mesh.submesh(tets)[0].components)
        stray = sizes[sizes < STRAY * len(tets)]
        if region.tissue is not Tissue.BONE and len(stray):
            yield warning(
                f"region '{region.name}'",
                f"has {stray.sum()} of its {len(tets)} tets apart from the rest, in pieces of "
                f"{stray.min()} or more",
                "give stray tets to their neighbours, or ignore this if it is meant",
            )


CHECKS = (slivers, unused_vertices, stray_labels)
