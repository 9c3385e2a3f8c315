"""What the pictures of parts, attachments and tendons show."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vastus.geometry.surface import Surface
from vastus.geometry.tetmesh import TetMesh
from vastus.model import Tissue
from vastus.modelling.surfaces.anatomy import Anatomy
from vastus.modelling.surfaces.ends import Attachment
from vastus.modelling.surfaces.pipeline import shared_vertices
from vastus.modelling.surfaces.repair import Repaired
from vastus.modelling.surfaces.surface_model import Body
from vastus.numerics.types import Floats, Ints
from vastus.pictures.colours import BLUE, ORANGE, PALE, RED, part_colours
from vastus.pictures.panels import ROOM, Panel, Thing, around, dots, four_sides, solid
from vastus.pictures.sheets import Entry, Sheet
from vastus.pictures.skin import IVORY, SILVER, SKIN
from vastus.scene.fibres import End

GLASSY, FAINT = 0.22, 0.14  # opacity of what is looked through
LIFT = 5e-4  # of the diagonal of the body
END_COLOURS = {End.ORIGIN: BLUE, End.INSERTION: ORANGE}


def views(things: Sequence[Thing], points: Floats, up: Floats, room: float = ROOM) -> list[Panel]:
    """Things from all four sides, each window with room for points (k, 3)."""
    return [Panel(things, around(points, side, room), side.name) for side in four_sides(up)]


def flesh_views(things: Sequence[Thing], body: Body, up: Floats) -> list[Panel]:
    """Things from all four sides, near enough that what is not bone fills the windows."""
    mesh, soft = body.made.body.mesh, [i for i, part in enumerate(body.parts) if not part.bony]
    tets = np.isin(body.made.labels, soft)
    points = mesh.X[np.unique(mesh.T[tets])] if tets.any() else mesh.X
    return views(things, points, up, room=2.5 * ROOM)


def parts_sheet(anatomy: Anatomy, up: Floats) -> Sheet:
    """The repaired surfaces in the colours of their parts."""
    parts, colours = anatomy.body.parts, part_colours(anatomy.body.parts)
    things = [
        solid(
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
    return Sheet(lines, views(things, points, up), entries)


def _said(anatomy: Anatomy, name: str) -> str:
    mended: Repaired | None = anatomy.repaired.get(name)
    if mended is None:
        return ""
    return f": {'; '.join(mended.done) or 'sound'}"


def attachments_sheet(body: Body, up: Floats) -> Sheet:
    """Where muscles hold on to other parts: the faces and vertices that they share."""
    mesh, labels = body.made.body.mesh, body.made.labels
    things, entries = _bodies(body, PALE), []
    for number, attachment in enumerate(body.made.attachments, start=1):
        way = body.made.ways[attachment.part]
        held = shared_vertices(mesh, labels, way, attachment)
        rgb = END_COLOURS[attachment.end]
        things += _patch(mesh, labels == attachment.part, held, rgb, number)
        text = attachment_text(body, attachment, len(held))
        entries.append(Entry(number, rgb, text, hollow=not attachment.given, aside=True))
    lines = [
        "3 Attachments: the vertices that muscles share with other parts",
        "blue: origin; orange: insertion; full badge: given by the author; ring: proposed",
    ]
    return Sheet(lines, flesh_views(things, body, up), entries)


def attachment_text(body: Body, attachment: Attachment, held: int) -> str:
    """An attachment in a line."""
    muscle, to = (body.parts[i].name for i in (attachment.part, attachment.to))
    source = "given" if attachment.given else "proposed"
    within = "what is painted" if attachment.painted else f"{attachment.cap:.0%} of the length"
    shared = f"{held} vertices within {within}" if held else "NO VERTEX"
    away = f"{'paint' if attachment.painted else 'tip'} {1e3 * attachment.distance:.1f} mm away"
    return f"{muscle} -> {to}: {attachment.end.value}, {source}, {away}, {shared}"


def _bodies(body: Body, bone: Floats) -> list[Thing]:
    """Bones in one colour, other parts translucent in their own."""
    mesh, made = body.made.body.mesh, body.made
    colours = part_colours(body.parts)
    return [
        part_solid(mesh, made.labels == i, bone if part.bony else colours[i], glassy=not part.bony)
        for i, part in enumerate(body.parts)
        if (made.labels == i).any()
    ]


def part_solid(mesh: TetMesh, tets: np.ndarray, rgb: Floats, *, glassy: bool = False) -> Thing:
    """The surface of some tets (m,), a mask, in one colour."""
    inner, _ = mesh.submesh(np.flatnonzero(tets))
    return solid(inner.X, inner.boundary, rgb, opacity=FAINT if glassy else 1.0)


def _patch(mesh: TetMesh, tets: np.ndarray, held: Ints, rgb: Floats, number: int) -> list[Thing]:
    """The faces of a muscle's surface between vertices that are held, and these vertices."""
    if not len(held):
        return []
    inner, kept = mesh.submesh(np.flatnonzero(tets))
    faces = kept[inner.boundary]
    faces = faces[np.isin(faces, held).all(axis=1)]
    patch = [_lifted(Surface(mesh.X, faces), rgb, number)] if len(faces) else []
    return [*patch, dots(mesh.X[held], 0.75 * rgb, number, width=3.0)]


def _lifted(patch: Surface, rgb: Floats, number: int) -> Thing:
    """A patch a little way off what it lies on, which has the same faces."""
    lift = LIFT * float(np.linalg.norm(np.ptp(patch.X, axis=0)))
    return solid(patch.X - lift * patch.vertex_normals, patch.faces, rgb, number)


def tendons_sheet(body: Body, up: Floats) -> Sheet:
    """Belly and tendon of each muscle."""
    made = body.made
    things, entries = [], []
    for i, part in enumerate(body.parts):
        mine = made.labels == i
        if mine.any():
            things.append(_tissues(body, np.flatnonzero(mine), i + 1))
        if part.tissue is Tissue.MUSCLE:
            entries.append(Entry(i + 1, RED, _tendon_text(body, i)))
    lines = [
        "4 Tendons: where each muscle is belly and where tendon",
        "red: belly; silver: tendon; ivory: bone; percentages of the muscle's length",
    ]
    return Sheet(lines, flesh_views(things, body, up), entries)


def _tissues(body: Body, tets: Ints, number: int) -> Thing:
    mesh, part = body.made.body.mesh, body.parts[number - 1]
    inner, _ = mesh.submesh(tets)
    tendon = body.flesh.tendon[tets[inner.boundary_tets]]
    plain = {Tissue.BONE: IVORY, Tissue.PASSIVE: SKIN, Tissue.TENDON: SILVER, Tissue.MUSCLE: RED}
    rgb = np.where(tendon[:, None], SILVER, plain[part.tissue])
    glassy = GLASSY if part.tissue is Tissue.PASSIVE else 1.0
    return solid(inner.X, inner.boundary, rgb, number, opacity=glassy)


def _tendon_text(body: Body, part: int) -> str:
    origin, insertion = body.flesh.fractions[part]
    said = body.parts[part]
    source = "given" if said.ends.tendons else "from the cross-sections"
    length = 100 * body.made.ways[part].length
    share = f"tendon {origin:.0%} at the origin, {insertion:.0%} at the insertion"
    return f"{said.name}: {length:.1f} cm between tips, {share}, {source}"
