"""Pictures of a build from surfaces, one for each step, and of any model from four sides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vastus.files.safe import make_folder
from vastus.model import Model
from vastus.modelling.joints.joint_fit import BallFit, HingeFit
from vastus.modelling.surfaces.anatomy import Anatomy
from vastus.modelling.surfaces.surface_model import Body
from vastus.numerics.types import Floats, Ints
from vastus.parts import Tissue
from vastus.pictures.build_sheets import (
    GLASSY,
    attachments_sheet,
    fibres_sheet,
    parts_sheet,
    tendons_sheet,
    view_panels,
)
from vastus.pictures.colours import ORANGE, RED, TISSUE_COLOURS, part_colours
from vastus.pictures.panels import (
    Panel,
    Shape,
    View,
    axis_name,
    four_views,
    square_window,
    surface_shape,
    upward,
    view_toward,
    window_around,
    with_colours,
)
from vastus.pictures.renderer import load_pyvista
from vastus.pictures.sheets import Entry, Sheet
from vastus.pictures.skin import Skin, skins

Fits = Mapping[str, BallFit | HingeFit]
BONY = 0.35  # opacity of bones
CLOSE = 7.0  # width of a close view, in radii
UNFITTED = 0.02  # radius of a joint that was given, of the extent of the body
COLOUR = np.array([0.10, 0.55, 0.45])
PLACES = np.linspace(0.2, 0.8, 13)  # where a cut may be, of the extent
SLICES = (0.8, 0.5, 0.2)  # of the extent of what is not bone
_EDGES = np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])


def draw_build(anatomy: Anatomy, model: Model, folder: Path) -> list[Path]:
    """Draw the steps that led to a model, each to a PNG file in a folder; the files, in order."""
    body, up = anatomy.body, upward(model.gravity)
    sheets = {
        "1_parts": parts_sheet(anatomy, up),
        "2_mesh": mesh_sheet(body, up),
        "3_attachments": attachments_sheet(body, up),
        "4_tendons": tendons_sheet(body, up),
        "5_fibres": fibres_sheet(body, model, up),
        "6_joints": joints_sheet(body, model, anatomy.fits, up),
    }
    drawn = {make_folder(folder) / f"{name}.png": sheet for name, sheet in sheets.items() if sheet}
    for path, sheet in drawn.items():
        sheet.save(path)
    return list(drawn)


def draw_model(model: Model, path: Path) -> None:
    """Draw a model at rest from four sides to one PNG file."""
    shapes = [_skin_shape(model, skin) for skin in skins(model)]
    counts = {"muscles": model.muscles, "bones": model.bones, "joints": model.joints}
    lines = [
        model.name,
        f"{model.mesh.n_tets} tets, "
        + ", ".join(f"{len(items)} {kind}" for kind, items in counts.items()),
    ]
    found = [tissue for tissue in Tissue if model.is_tissue(tissue).any()]
    entries = [Entry(0, TISSUE_COLOURS[tissue], tissue.value) for tissue in found]
    seen = model.mesh.X[np.unique(model.mesh.boundary)]
    Sheet(lines, view_panels(shapes, seen, upward(model.gravity)), entries).save(path)


def _skin_shape(model: Model, skin: Skin) -> Shape:
    X = model.mesh.X[skin.vertices]
    rgb = np.array([TISSUE_COLOURS[tissue] for tissue in Tissue])[model.tissue[skin.tets]]
    return surface_shape(
        X,
        skin.faces,
        rgb,
        opacity=GLASSY if skin.tissue is Tissue.PASSIVE else 1.0,
    )


@dataclass(frozen=True, eq=False)
class Mark:
    """A joint to be drawn: its centre (3,), its axis (3,) if any, its radius [m], and words."""

    centre: Floats
    axis: Floats | None
    radius: float
    text: str
    given: bool


def joints_sheet(body: Body, model: Model, fits: Fits, up: Floats) -> Sheet | None:
    """The joints of a model, those that were fitted with the shape that fits; None without any."""
    marks = _marks(model, fits)
    if not marks:
        return None
    colours = part_colours(body.parts)
    bones = [(p, colours[i]) for i, p in enumerate(body.parts) if p.bony]
    shapes = [surface_shape(p.surface.X, p.surface.faces, rgb, opacity=BONY) for p, rgb in bones]
    entries = []
    for number, mark in enumerate(marks, start=1):
        shapes += _mark_shapes(mark, number)
        entries.append(Entry(number, COLOUR, mark.text, hollow=not mark.given, aside=True))
    points = np.concatenate([p.surface.X for p, _ in bones] or [model.mesh.X])
    lines = [
        "6 Joints: their centres and axes",
        "green: fitted sphere, or spool about its axis; orange: axis, pointing so that a positive "
        "turn is right-handed; red: centre; full badge: given by the author; ring: fitted",
    ]
    insets = [
        panel for number, mark in enumerate(marks, 1) for panel in _close(shapes, mark, number, up)
    ]
    return Sheet(lines, view_panels(shapes, points, up)[:2], entries, insets)


def _marks(model: Model, fits: Fits) -> list[Mark]:
    """The model's joints in their order, then fits that the model has no joint for."""
    extent = float(np.linalg.norm(np.ptp(model.mesh.X, axis=0)))
    joints = {joint.name: joint for joint in model.joints}
    marks = []
    for name in dict.fromkeys([*joints, *fits]):
        pair = f" of {' and '.join(joints[name].bones)}" if name in joints else ""
        if name in fits:
            marks.append(_fitted(name + pair, fits[name]))
        else:
            joint = joints[name]
            text = f"{name}{pair}: {joint.kind}, given by the author"
            at, axis = np.asarray(joint.centre), joint.direction
            marks.append(Mark(at, axis, UNFITTED * extent, text, given=True))
    return marks


def _fitted(name: str, fit: BallFit | HingeFit) -> Mark:
    axis = fit.axis if isinstance(fit, HingeFit) else None
    kind = "ball" if axis is None else "hinge"
    return Mark(fit.centre, axis, fit.radius, f"{name}: {kind}, {fit.sentence}", given=False)


def _mark_shapes(mark: Mark, number: int) -> list[Shape]:
    pyvista = load_pyvista()
    core = pyvista.Sphere(radius=0.12 * mark.radius, center=mark.centre)
    shapes = [surface_shape(core.points, core.regular_faces, RED, number)]
    if mark.axis is None:
        shape = pyvista.Sphere(radius=mark.radius, center=mark.centre)
    else:
        length = 3.5 * mark.radius
        arrow = pyvista.Arrow(
            start=mark.centre - 0.5 * length * mark.axis,
            direction=mark.axis,
            tip_length=0.15,
            tip_radius=0.03,
            shaft_radius=0.012,
            scale=length,
        ).triangulate()
        shapes.append(surface_shape(arrow.points, arrow.regular_faces, ORANGE, number))
        shape = pyvista.Cylinder(
            center=mark.centre,
            direction=mark.axis,
            radius=mark.radius,
            height=1.2 * mark.radius,
            resolution=60,
        ).triangulate()
    return [*shapes, surface_shape(shape.points, shape.regular_faces, COLOUR, opacity=0.35)]


def _close(shapes: list[Shape], mark: Mark, number: int, up: Floats) -> list[Panel]:
    """A joint close by: along its axis and across it, or from the front and the right."""
    if mark.axis is None:
        front, right, *_ = four_views(up)
        sides = {front.name: front, right.name: right}
    else:
        along = view_toward(mark.axis, up)
        sides = {"against its axis": along, "across its axis": view_toward(along.right, up)}
    width = CLOSE * mark.radius
    return [
        Panel(shapes, square_window(mark.centre, width, view), f"{number}, {name}")
        for name, view in sides.items()
    ]


def mesh_sheet(body: Body, up: Floats) -> Sheet:
    """The tets cut open from two sides, with slices across the longest extent."""
    mesh = body.made.body.mesh
    front, right, *_ = four_views(up)
    edges = 1e3 * np.percentile(_edges(body, np.arange(mesh.n_tets)), [5, 50, 95])
    lines = [
        f"2 Mesh: {mesh.n_tets} tets, {mesh.n_vertices} vertices",
        f"edges {edges[0]:.1f}, {edges[1]:.1f} and {edges[2]:.1f} mm (5, 50 and 95 %), least "
        f"dihedral angle {mesh.quality().min_dihedral.min():.1f} degrees; cut where most is seen",
    ]
    entries = [
        Entry(number, rgb, _mesh_text(body, number - 1))
        for number, rgb in enumerate(part_colours(body.parts), start=1)
    ]
    return Sheet(lines, [_cut(body, view) for view in (front, right)], entries, _slices(body, up))


def _mesh_text(body: Body, part: int) -> str:
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
    pyvista, mesh = load_pyvista(), body.made.body.mesh
    grid = pyvista.UnstructuredGrid({pyvista.CellType.TETRA: mesh.T}, mesh.X)
    grid.cell_data["part"] = body.made.labels
    return grid


def _cut(body: Body, view: View) -> Panel:
    """What is behind a plane, with the edges of the tets."""
    plane = {"normal": view.toward, "origin": _place(body, view) * view.toward}
    half = _grid(body).clip(**plane).extract_surface(algorithm="dataset_surface")
    window = window_around(np.array(half.points), view)
    return Panel(_part_shapes(body, half), window, f"cut, {view.name}")


def _part_shapes(body: Body, surface: Any) -> list[Shape]:
    """A surface, in pieces that are of one part each."""
    parts, colours = surface.cell_data["part"], part_colours(body.parts)
    shapes = []
    for i in np.unique(parts):
        piece = surface.extract_cells(parts == i).extract_surface(algorithm="dataset_surface")
        shapes.append(Shape(with_colours(piece, colours[i]), int(i) + 1, edges=True))
    return shapes


def _place(body: Body, view: View) -> float:
    """The depth [m] at which a plane shows most, and the one in the middle among equals."""
    mesh = body.made.body.mesh
    depth = (mesh.X @ view.toward)[mesh.T]
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
    sides = [up, *(view.toward for view in four_views(up)[:2])]
    along = sides[int(np.argmax([np.ptp(mesh.X @ direction) for direction in sides]))]
    view = view_toward(along, up)
    soft = ~np.array([part.bony for part in body.parts])[body.made.labels]
    reach = mesh.X[mesh.T[soft] if soft.any() else mesh.T] @ along
    places = [reach.min() + share * np.ptp(reach) for share in SLICES]
    slices = [_slice(body, view, float(place)) for place in places]
    return [panel for panel in slices if panel is not None]


def _slice(body: Body, view: View, place: float) -> Panel | None:
    """A slice at a place [m] along a side; None if nothing is there."""
    cut = _grid(body).slice(normal=view.toward, origin=place * view.toward)
    if not cut.n_cells:
        return None
    name = f"slice at {axis_name(view.toward)} {100 * place:.1f} cm"
    tight = window_around(np.array(cut.points), view)
    window = square_window(tight.centre, max(tight.size), view)
    return Panel(_part_shapes(body, cut), window, name)
