"""Fibres of muscles, and how much of each tet each muscle fills."""

from __future__ import annotations

from functools import reduce

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order
from scipy.sparse.linalg import spsolve
from scipy.spatial import KDTree

from vastus.energies.flesh.mixture import Shares
from vastus.flesh.parts import FibreSamples, MusclePart
from vastus.geometry.indices import components
from vastus.geometry.lattice.cutting import Cut
from vastus.geometry.lattice.raster import fill
from vastus.geometry.surface import Surface
from vastus.numerics.rotation import unit
from vastus.numerics.types import Bools, Floats, Ints

VOXELS = 3000  # of a muscle in which the course of its fibres is found, about
ENDS = 0.04  # of these, nearest to each end, at which fibres begin and end
SAMPLES = 30_000  # of a muscle that tell how much of which tet it fills, at least
FINEST = 4  # samples along the side of a voxel, at most
MOST = 4e6  # samples in the box of a muscle


def fibres_along(surface: Surface) -> FibreSamples:
    """Fibres from end to end of a closed surface: the gradient of a potential between its ends.

    The ends are where steps from voxel to voxel take longest to get to from each other.
    """
    span = surface.X.max(axis=0) - surface.X.min(axis=0)
    volume = max(abs(surface.volume), 1e-6 * float(np.prod(np.maximum(span, 1e-6))))
    cell = (volume / VOXELS) ** (1 / 3)
    corner = surface.X.min(axis=0) - 0.5 * cell
    shape = tuple(int(n) for n in np.ceil(span / cell) + 2)
    voxels = np.argwhere(fill(surface, corner, cell, shape))  # type: ignore[arg-type]
    points = corner + cell * voxels
    axis = _long_axis(surface.X)
    if len(voxels) < 20:
        return FibreSamples(surface.X.mean(axis=0)[None], axis[None])
    links = _links(voxels)
    piece = components(len(voxels), links)
    main = np.flatnonzero(piece == np.argmax(np.bincount(piece)))
    u = _potential(len(voxels), links, main)
    slope = _gradient(voxels, u)[main]
    known = np.linalg.norm(slope, axis=1) > 1e-9
    return FibreSamples(points[main][known], unit(slope[known]))


def _long_axis(X: Floats) -> Floats:
    return np.asarray(np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2][0])


def _links(voxels: Ints) -> Ints:
    """(k, 2) pairs of voxels that share a face, an edge or a corner."""
    tree = KDTree(voxels)
    return np.asarray(tree.query_pairs(1.8, output_type="ndarray"), np.int64)


def _potential(count: int, links: Ints, main: Ints) -> Floats:
    """(count,) harmonic between 0 and 1 at the two ends of the main piece."""
    ones = np.ones(len(links))
    graph = sparse.csr_array((ones, tuple(links.T)), shape=(count, count))
    graph = sparse.csr_array(graph + graph.T)
    start = breadth_first_order(graph, main[0], return_predecessors=False)[-1]
    away = breadth_first_order(graph, start, return_predecessors=False)
    back = breadth_first_order(graph, away[-1], return_predecessors=False)
    ends = max(1, int(ENDS * len(main)))
    u = np.zeros(count)
    u[back[:ends]] = 1.0
    fixed = np.zeros(count, bool)
    fixed[away[:ends]] = fixed[back[:ends]] = True
    free = main[~fixed[main]]
    laplacian = sparse.csr_array(sparse.diags_array(graph.sum(axis=1)) - graph)
    rows = laplacian[free]
    u[free] = spsolve(sparse.csc_array(rows[:, free]), -(rows @ u))
    return u


def _gradient(voxels: Ints, u: Floats) -> Floats:
    """(k, 3) the gradient of values on voxels, fitted over the neighbours of each."""
    neighbours = KDTree(voxels).query(voxels, k=min(19, len(voxels)))[1]
    offset = (voxels[neighbours] - voxels[:, None]).astype(float)
    rise = u[neighbours] - u[:, None]
    A = np.einsum("kni,knj->kij", offset, offset) + 1e-6 * np.eye(3)
    return np.linalg.solve(A, np.einsum("kni,kn->ki", offset, rise)[..., None])[..., 0]


def shares_of(
    muscles: list[MusclePart], lattice: Cut, tet_of_copy: Ints, volumes: Floats
) -> Shares:
    """How much of which tet each muscle fills, with the mean direction of its fibres there.

    Muscles that overlap share what they both fill: no tet is filled more than once.
    """
    rows = [_rows(i, muscle, lattice, tet_of_copy, volumes) for i, muscle in enumerate(muscles)]
    if not rows:
        return Shares.none()
    tet, muscle, share, fibre = (np.concatenate(column) for column in zip(*rows, strict=True))
    share = shared_out(tet, share, _room(lattice, tet_of_copy, volumes))
    density = np.array([each.density for each in muscles])[muscle]
    order = np.argsort(tet, kind="stable")
    return Shares(tet[order], muscle[order], share[order], fibre[order], density[order])


def shared_out(tet: Ints, share: Floats, room: Floats) -> Floats:
    """(r,) shares of tets (r,), lowered alike where those of a tet add to more than its room."""
    total = np.bincount(tet, share, minlength=len(room))
    return np.asarray(share / np.maximum(total / room, 1.0)[tet])


def _room(lattice: Cut, tet_of_copy: Ints, volumes: Floats) -> Floats:
    """(m,) what one muscle can fill of each tet: 1, or more by as much as voxels are rounded."""
    held = lattice.owner[lattice.owner >= 0]
    count = np.bincount(tet_of_copy[held], minlength=len(volumes))
    return np.maximum(count * lattice.voxel**3 / volumes, 1.0)


def _rows(
    index: int, muscle: MusclePart, lattice: Cut, tet_of_copy: Ints, volumes: Floats
) -> tuple[Ints, Ints, Floats, Floats]:
    voxels, part = filled_voxels(muscle.surface, lattice)
    tet = tet_of_copy[lattice.owner[tuple(voxels.T)]]
    found, where = np.unique(tet, return_inverse=True)
    share = np.bincount(where, part) * lattice.voxel**3 / volumes[found]
    fibres = muscle.fibres or fibres_along(muscle.surface)
    places = lattice.first + lattice.voxel * voxels
    d = unit(fibres.directions)[KDTree(fibres.points).query(places)[1]]
    # Directions have no sign: the mean is that of their squares, by the largest of its axes.
    moment = np.zeros((len(found), 3, 3))
    np.add.at(moment, where, part[:, None, None] * d[:, :, None] * d[:, None, :])
    fibre = np.linalg.eigh(moment)[1][:, :, -1]
    return found, np.full(len(found), index), share, fibre


def filled_voxels(surface: Surface, lattice: Cut) -> tuple[Ints, Floats]:
    """The voxels (k, 3) of a cut lattice that a surface fills, and how much of each (k,)."""
    size, shape = lattice.voxel, np.array(lattice.owner.shape)
    low = np.floor((surface.X.min(axis=0) - lattice.first) / size).astype(int) - 1
    high = np.ceil((surface.X.max(axis=0) - lattice.first) / size).astype(int) + 2
    low, high = np.clip(low, 0, shape), np.clip(high, 0, shape)
    count = abs(surface.volume) / size**3
    n = high - low
    if (n <= 0).any():
        return np.zeros((0, 3), np.int64), np.zeros(0)
    wanted = np.ceil((SAMPLES / max(count, 1.0)) ** (1 / 3))
    room = np.floor((MOST / float(np.prod(n.astype(float)))) ** (1 / 3))
    times = int(np.clip(min(wanted, room), 1, FINEST))
    fine = size / times
    corner = lattice.first + size * (low - 0.5) + 0.5 * fine
    inside = fill(surface, corner, fine, tuple(int(k) for k in n * times))  # type: ignore[arg-type]
    part = _counted(inside, times) / times**3
    box = lattice.owner[tuple(slice(int(a), int(b)) for a, b in zip(low, high, strict=True))]
    found = np.argwhere((part > 0) & (box >= 0))
    return found + low, part[tuple(found.T)]


def _counted(inside: Bools, times: int) -> np.ndarray:
    """(p, q, r) how many nodes are inside in each block, which has `times` along each axis."""
    count = inside.view(np.uint8)
    for axis in range(3):
        before = (slice(None),) * axis
        layers = [count[(*before, slice(k, None, times))] for k in range(times)]
        count = reduce(np.add, layers)
    return count
