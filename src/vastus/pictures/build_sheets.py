"""What the pictures of parts, attachments, tendons and fibres of a build show."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vastus.geometry.signs import aligned
from vastus.geometry.surface import Surface
from vastus.geometry.tetmesh import TetMesh
from vastus.model import Model
from vastus.modelling.fibres.laplace import ill_directed
from vastus.modelling.fibres.streamlines import fibre_lines
from vastus.modelling.surfaces.anatomy import Anatomy
from vastus.modelling.surfaces.ends import Attachment
from vastus.modelling.surfaces.pipeline import shared_vertices
from vastus.modelling.surfaces.repair import Repaired
from vastus.modelling.surfaces.surface_model import Body
from vastus.numerics.types import Floats, Ints
from vastus.parts import Tissue
from vastus.pictures.colours import (
    BLUE,
    ORANGE,
    PALE,
    RED,
    TISSUE_COLOURS,
    muscle_colours,
    part_colours,
)
from vastus.pictures.panels import (
    ROOM,
    Panel,
    Shape,
    four_views,
    lines_shape,
    points_shape,
    surface_shape,
    window_around,
)
from vastus.pictures.sheets import Entry, Sheet
from vastus.scene.fibres import End

GLASSY, FAINT = 0.22, 0.14  # opacity of what is looked through
LIFT = 5e-4  # of the diagonal of the body
LINES, FEWEST = 800, 40  # of fibres: over all muscles; in each
END_COLOURS = {End.ORIGIN: BLUE, End.INSERTION: ORANGE}


def view_panels(
    shapes: Sequence[Shape], points: Floats, up: Floats, room: float = ROOM
) -> list[Panel]:
    """Shapes from all four sides, each window with room for points (k, 3)."""
    return [Panel(shapes, window_around(points, view, room), view.name) for view in four_views(up)]


def flesh_panels(shapes: Sequence[Shape], body: Body, up: Floats) -> list[Panel]:
    """Shapes from all four sides, near enough that what is not bone fills the windows."""
    mesh, soft = body.made.body.mesh, [i for i, part in enumerate(body.parts) if not part.bony]
    tets = np.isin(body.made.labels, soft)
    points = mesh.X[np.unique(mesh.T[tets])] if tets.any() else mesh.X
    return view_panels(shapes, points, up, room=2.5 * ROOM)


def parts_sheet(anatomy: Anatomy, up: Floats) -> Sheet:
    """The repaired surfaces in the colours of their parts."""
    parts, colours = anatomy.body.parts, part_colours(anatomy.body.parts)
    shapes = [
        surface_shape(
            part.surface.X,
            part.surface.faces,
            rgb,
            number,
            opacity=GLASSY if part.tissue is Tissue.PASSIVE else 1.0,
        )
        for number, (part, rgb) in enumerate(zip(parts, colours, strict=True), start=1)
    ]
    entries = [
        Entry(number, rgb, f"{part.name} ({part.tissue.value}){_said(anatomy, part.name)}")
        for number, (part, rgb) in enumerate(zip(parts, colours, strict=True), start=1)
    ]
    points = np.concatenate([part.surface.X for part in parts])
    size = " x ".join(f"{100 * side:.3g}" for side in np.ptp(points, axis=0))
    lines = [
        f"1 Parts: {len(parts)} repaired surfaces",
        f"{size} cm in x, y and z, if the files are in {anatomy.unit.unit.value}"
        f"{'' if anatomy.unit.sure else ', which is only likely'}",
    ]
    return Sheet(lines, view_panels(shapes, points, up), entries)


def _said(anatomy: Anatomy, name: str) -> str:
    repaired: Repaired | None = anatomy.repaired.get(name)
    if repaired is None:
        return ""
    return f": {'; '.join(repaired.done) or 'sound'}"


def attachments_sheet(body: Body, up: Floats) -> Sheet:
    """Where muscles hold on to other parts: the faces and vertices that they share."""
    mesh, labels = body.made.body.mesh, body.made.labels
    shapes, entries = _bodies(body, PALE), []
    for number, attachment in enumerate(body.made.attachments, start=1):
        way = body.made.ways[attachment.part]
        held = shared_vertices(mesh, labels, way, attachment)
        rgb = END_COLOURS[attachment.end]
        shapes += _patch(mesh, labels == attachment.part, held, rgb, number)
        text = attachment_text(body, attachment, len(held))
        entries.append(Entry(number, rgb, text, hollow=not attachment.given, aside=True))
    lines = [
        "3 Attachments: the vertices that muscles share with other parts",
        "blue: origin; orange: insertion; full badge: given by the author; ring: proposed",
    ]
    return Sheet(lines, flesh_panels(shapes, body, up), entries)


def attachment_text(body: Body, attachment: Attachment, held: int) -> str:
    """An attachment in a line."""
    muscle, to = (body.parts[i].name for i in (attachment.part, attachment.to))
    source = "given" if attachment.given else "proposed"
    within = "what is painted" if attachment.painted else f"{attachment.cap:.0%} of the length"
    shared = f"{held} vertices within {within}" if held else "NO VERTEX"
    away = f"{'paint' if attachment.painted else 'tip'} {1e3 * attachment.distance:.1f} mm away"
    return f"{muscle} -> {to}: {attachment.end.value}, {source}, {away}, {shared}"


def _bodies(body: Body, bone: Floats) -> list[Shape]:
    """Bones in one colour, other parts translucent in their own."""
    mesh, made = body.made.body.mesh, body.made
    colours = part_colours(body.parts)
    return [
        part_shape(mesh, made.labels == i, bone if part.bony else colours[i], glassy=not part.bony)
        for i, part in enumerate(body.parts)
        if (made.labels == i).any()
    ]


def part_shape(mesh: TetMesh, tets: np.ndarray, rgb: Floats, *, glassy: bool = False) -> Shape:
    """The surface of some tets (m,), a mask, in one colour."""
    inner, _ = mesh.submesh(np.flatnonzero(tets))
    return surface_shape(inner.X, inner.boundary, rgb, opacity=FAINT if glassy else 1.0)


def _patch(mesh: TetMesh, tets: np.ndarray, held: Ints, rgb: Floats, number: int) -> list[Shape]:
    """The faces of a muscle's surface between vertices that are held, and these vertices."""
    if not len(held):
        return []
    inner, kept = mesh.submesh(np.flatnonzero(tets))
    faces = kept[inner.boundary]
    faces = faces[np.isin(faces, held).all(axis=1)]
    patch = [_lifted(Surface(mesh.X, faces), rgb, number)] if len(faces) else []
    return [*patch, points_shape(mesh.X[held], 0.75 * rgb, number, width=3.0)]


def _lifted(patch: Surface, rgb: Floats, number: int) -> Shape:
    """A patch a little way off what it lies on, which has the same faces."""
    lift = LIFT * float(np.linalg.norm(np.ptp(patch.X, axis=0)))
    return surface_shape(patch.X - lift * patch.vertex_normals, patch.faces, rgb, number)


def tendons_sheet(body: Body, up: Floats) -> Sheet:
    """Belly and tendon of each muscle."""
    made = body.made
    shapes, entries = [], []
    for i, part in enumerate(body.parts):
        mine = made.labels == i
        if mine.any():
            shapes.append(_tissues(body, np.flatnonzero(mine), i + 1))
        if part.tissue is Tissue.MUSCLE:
            entries.append(Entry(i + 1, RED, _tendon_text(body, i)))
    lines = [
        "4 Tendons: where each muscle is belly and where tendon",
        "red: belly; silver: tendon; ivory: bone; percentages of the muscle's length",
    ]
    return Sheet(lines, flesh_panels(shapes, body, up), entries)


def _tissues(body: Body, tets: Ints, number: int) -> Shape:
    mesh, part = body.made.body.mesh, body.parts[number - 1]
    inner, _ = mesh.submesh(tets)
    tendon = body.flesh.tendon[tets[inner.boundary_tets]]
    plain = RED if part.tissue is Tissue.MUSCLE else TISSUE_COLOURS[part.tissue]
    rgb = np.where(tendon[:, None], TISSUE_COLOURS[Tissue.TENDON], plain)
    glassy = GLASSY if part.tissue is Tissue.PASSIVE else 1.0
    return surface_shape(inner.X, inner.boundary, rgb, number, opacity=glassy)


def _tendon_text(body: Body, part: int) -> str:
    origin, insertion = body.flesh.fractions[part]
    said = body.parts[part]
    source = "given" if said.ends.tendons else "from the cross-sections"
    length = 100 * body.made.ways[part].length
    share = f"tendon {origin:.0%} at the origin, {insertion:.0%} at the insertion"
    return f"{said.name}: {length:.1f} cm between tips, {share}, {source}"


def fibres_sheet(body: Body, model: Model, up: Floats) -> Sheet:
    """Lines along the fibres of all muscles of the final model."""
    bones = model.is_tissue(Tissue.BONE)
    shapes = [part_shape(model.mesh, bones, PALE, glassy=True)] if bones.any() else []
    entries = []
    colours = muscle_colours(body.parts)
    for i in np.unique(model.muscle_of_tet[model.muscle_of_tet >= 0]):
        muscle, tets = model.muscles[i].name, np.flatnonzero(model.muscle_of_tet == i)
        lines, rgb = fibre_lines(model, muscle, _share(model, tets)), colours.get(muscle, RED)
        shapes += [_fibre_shape(lines, rgb)] if lines else []
        entries.append(Entry(0, rgb, _fibre_text(model, muscle, tets, len(lines))))
    head = [
        "5 Fibres: lines along the fibres, from seeds spread over each muscle",
        "a fibre is ill-directed if it is more than 45 degrees off its surroundings",
    ]
    return Sheet(head, flesh_panels(shapes, body, up), entries)


def _share(model: Model, tets: Ints) -> int:
    """How many lines a muscle gets: as many as its volume is of all muscles."""
    volumes = model.mesh.volumes
    return int(max(FEWEST, LINES * volumes[tets].sum() / volumes[model.muscle_of_tet >= 0].sum()))


def _fibre_shape(lines: list[Floats], rgb: Floats) -> Shape:
    # In several shades, so that lines side by side are told apart.
    shades = np.linspace(0.55, 1.1, 7)[3 * np.arange(len(lines)) % 7]
    return lines_shape(lines, shades[:, None] * rgb, width=2.5)


def _fibre_text(model: Model, muscle: str, tets: Ints, count: int) -> str:
    fibre = aligned(model.mesh.submesh(tets)[0], model.fibre[tets])
    off = ill_directed(model.mesh, tets, fibre)
    return f"{muscle}: {count} lines, {off:.1%} of {len(tets)} tets' volume ill-directed"
