"""What the picture of the mesh shows: tets cut lengthwise, and slices across."""

from __future__ import annotations

from typing import Any

import numpy as np

from vastus.io.build_colours import part_colours
from vastus.io.easel import Panel, Thing, coloured
from vastus.io.lettering import Entry
from vastus.io.sheet import Sheet
from vastus.io.sides import Side, around, four_sides, looking, name_of, square
from vastus.io.stage import drawing
from vastus.modelling.anatomy.body import Body
from vastus.numerics.types import Floats, Ints

PLACES = np.linspace(0.2, 0.8, 13)  # where a cut may be, of the extent
SLICES = (0.8, 0.5, 0.2)  # of the extent of what is not bone
_EDGES = np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])


def mesh_sheet(body: Body, up: Floats) -> Sheet:
    """The tets cut open from two sides, with slices across the longest extent."""
    mesh = body.made.body.mesh
    front, right, *_ = four_sides(up)
    edges = 1e3 * np.percentile(_edges(body, np.arange(mesh.n_tets)), [5, 50, 95])
    lines = [
        f"2 Mesh: {mesh.n_tets} tets, {mesh.n_vertices} vertices",
        f"edges {edges[0]:.1f}, {edges[1]:.1f} and {edges[2]:.1f} mm (5, 50 and 95 %), least "
        f"dihedral angle {mesh.quality().min_dihedral.min():.1f} degrees; cut where most is seen",
    ]
    entries = [
        Entry(number, rgb, _text(body, number - 1))
        for number, rgb in enumerate(part_colours(body.parts), start=1)
    ]
    return Sheet(lines, [_cut(body, side) for side in (front, right)], entries, _slices(body, up))


def _text(body: Body, part: int) -> str:
    tets = np.flatnonzero(body.made.labels == part)
    name = body.parts[part].name
    if not len(tets):
        return f"{name}: NO TETS"
    share = body.made.body.mesh.volumes[tets].sum() / body.parts[part].surface.volume
    edge = 1e3 * np.median(_edges(body, tets))
    return f"{name}: {len(tets)} tets, edge {edge:.1f} mm, {share:.0%} of the surface's volume"


def _edges(body: Body, tets: Ints) -> Floats:
    """(6 k,) the lengths of the edges of some tets [m]."""
    mesh = body.made.body.mesh
    ends = mesh.X[mesh.T[tets][:, _EDGES]]
    return np.linalg.norm(ends[:, :, 0] - ends[:, :, 1], axis=2).ravel()


def _grid(body: Body) -> Any:
    """The tets as a pyvista grid that knows their parts."""
    pyvista, mesh = drawing(), body.made.body.mesh
    grid = pyvista.UnstructuredGrid({pyvista.CellType.TETRA: mesh.T}, mesh.X)
    grid.cell_data["part"] = body.made.labels
    return grid


def _cut(body: Body, side: Side) -> Panel:
    """What is behind a plane, with the edges of the tets."""
    plane = {"normal": side.toward, "origin": _place(body, side) * side.toward}
    half = _grid(body).clip(**plane).extract_surface(algorithm="dataset_surface")
    return Panel(_things(body, half), around(np.array(half.points), side), f"cut, {side.name}")


def _things(body: Body, surface: Any) -> list[Thing]:
    """A surface, in pieces that are of one part each."""
    parts, colours = surface.cell_data["part"], part_colours(body.parts)
    things = []
    for i in np.unique(parts):
        piece = surface.extract_cells(parts == i).extract_surface(algorithm="dataset_surface")
        things.append(Thing(coloured(piece, colours[i]), int(i) + 1, edges=True))
    return things


def _place(body: Body, side: Side) -> float:
    """The depth [m] at which a plane shows most, and the one in the middle among equals."""
    mesh = body.made.body.mesh
    depth = (mesh.X @ side.toward)[mesh.T]
    low, high = depth.min(axis=1), depth.max(axis=1)
    places = low.min() + PLACES * (high.max() - low.min())
    places = places[np.argsort(np.abs(PLACES - 0.5), kind="stable")]
    size = np.cbrt(np.abs(mesh.volumes)) ** 2
    cut = [np.where((low < place) & (place < high), size, 0.0) for place in places]
    # Roots favour planes through many parts over those through one large part.
    shown = [np.sqrt(np.bincount(body.made.labels, areas)).sum() for areas in cut]
    return float(places[int(np.argmax(shown))])


def _slices(body: Body, up: Floats) -> list[Panel]:
    """Slices across the longest extent, seen from its end."""
    mesh = body.made.body.mesh
    sides = [up, *(side.toward for side in four_sides(up)[:2])]
    along = sides[int(np.argmax([np.ptp(mesh.X @ direction) for direction in sides]))]
    side = looking(along, up)
    soft = ~np.array([part.bony for part in body.parts])[body.made.labels]
    reach = mesh.X[mesh.T[soft] if soft.any() else mesh.T] @ along
    places = [reach.min() + share * np.ptp(reach) for share in SLICES]
    slices = [_slice(body, side, float(place)) for place in places]
    return [panel for panel in slices if panel is not None]


def _slice(body: Body, side: Side, place: float) -> Panel | None:
    """A slice at a place [m] along a side; None if nothing is there."""
    cut = _grid(body).slice(normal=side.toward, origin=place * side.toward)
    if not cut.n_cells:
        return None
    name = f"slice at {name_of(side.toward)} {100 * place:.1f} cm"
    window = around(np.array(cut.points), side)
    return Panel(_things(body, cut), square(window.centre, max(window.size), side), name)
