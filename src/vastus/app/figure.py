"""A model in the page: a coloured surface for each region, lines of fibres and joints, arrows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np

from vastus.app.look import (
    ColourBy,
    Limits,
    Look,
    RegionSurface,
    coloured,
    cut_surface,
    whole_surface,
)
from vastus.app.marks import HEAD, NONE, FibreLines, JointLines, arrows
from vastus.app.text import label
from vastus.files.identifiers import unlike
from vastus.geometry.queries import first_hit
from vastus.measure.contact_fields import FORCE
from vastus.model import Model
from vastus.numerics.rotation import is_rotation, quaternions
from vastus.numerics.types import Floats
from vastus.parts import Tissue
from vastus.pictures.colours import FIELDS, TISSUE_COLOURS, Shade, muscle_colour
from vastus.pictures.field_values import FieldValues, TetValues, has_field, values_of
from vastus.pictures.skin import Skin, region_skins
from vastus.results.playback import Snapshot

if TYPE_CHECKING:
    import viser

    from vastus.app.web_page import Page

DISTANCE = Shade("distance", "distance", unit="mm", scale=1e3)
SHADES = {ColourBy(name): shade for name, shade in FIELDS.items()} | {ColourBy.DISTANCE: DISTANCE}
TRANSLUCENT = 0.25
Dragged = Callable[[str, str, Floats, Floats], None]
STILL, ORIGIN = (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0)  # of a node that is not moved
LENGTH, THICK = 0.1, 0.0016  # of the model's extent: the longest arrow, and the radius of all


@dataclass(frozen=True)
class Hit:
    """Where a ray meets the model: the region by name, the tet, and the place (3,) [m]."""

    region: str
    tet: int
    place: tuple[float, float, float]


class Figure:
    """One model in the scene of a page, below the node `root`.

    A region is sent again only if what it shows has changed; rigid bones only get a new place.
    """

    def __init__(self, server: viser.ViserServer, model: Model, root: str = "/model") -> None:
        self.model, self._translucent, self._clear = model, False, False
        self._server, self._root = server, root
        self._skins = region_skins(model, split=True)
        self._tets = {
            r.name: np.flatnonzero(model.region == i) for i, r in enumerate(model.regions)
        }
        self._bone = {name: i for i, bone in enumerate(model.bones) for name in bone.regions}
        self._frame = server.scene.add_frame(root, show_axes=False)
        self._nodes: dict[str, viser.GlbHandle] = {}
        self._paths = _paths(root, self._skins)
        self._still: set[str] = set()  # rigid bones that are sent as they were modelled
        self._drawn: dict[str, Callable[[], RegionSurface]] = {}
        self._dragging: tuple[Page, Dragged] | None = None
        self._fibre_lines, self._joint_lines = FibreLines(model), JointLines(model)
        self.offset, self._extent = np.zeros(3), float(np.ptp(model.mesh.X, axis=0).max())

    @property
    def regions(self) -> list[str]:
        """The names of what is drawn."""
        return list(self._skins)

    def set_translucent(self, translucent: bool) -> None:
        """Whether the figure is seen through, from the next moment on."""
        if translucent != self._translucent:
            self._translucent = translucent
            self._still.clear()

    def move(self, offset: Floats) -> None:
        """Shift the whole figure (3,) [m]."""
        self.offset = np.asarray(offset, float)
        self._frame.position = tuple(self.offset)

    def draw(self, moment: Snapshot, look: Look) -> None:
        """Show a moment; one without the field of the colours shows its tissues."""
        measured = look.colour_by is not ColourBy.TISSUE
        if measured and not has_field(moment, SHADES[look.colour_by]):
            look = replace(look, colour_by=ColourBy.TISSUE)
        self._see_through_bones(look.colour_by is ColourBy.CONTACT)
        with self._server.atomic():
            for name in self._skins:
                self._region(name, moment, look)
            self._lines("fibres", self._fibres(moment, look), (110, 15, 15), 1.0)
            self._lines("joints", self._joint_lines.at(moment, look), (20, 90, 200), 4.0)
            self._send_arrows(self._arrows(moment, look))

    def _see_through_bones(self, clear: bool) -> None:
        """Whether bones are seen through, so that they do not hide what they press."""
        if clear != self._clear:
            self._clear = clear
            self._still.clear()

    def _fibres(self, moment: Snapshot, look: Look) -> Floats:
        """(k, 2, 3) pieces of fibre of the muscles that are seen, before the cut [m]."""
        if not look.fibres:
            return NONE
        seen = {r.muscle for r in self.model.regions if r.muscle and look.shows(r.name)}
        lines = self._fibre_lines.at(
            moment.x, [m.name for m in self.model.muscles if m.name in seen]
        )
        return lines if look.cut is None else lines[look.cut.beyond(lines[:, 0]) <= 0]

    def hit(self, origin: Floats, direction: Floats) -> Hit | None:
        """What a ray meets first, of all that is seen."""
        best, found = np.inf, None
        for name, seen in self._drawn.items():
            drawn = seen()
            met = first_hit(origin - self.offset, direction, drawn.points, drawn.faces)
            if met is not None and met[1] < best:
                best = met[1]
                place = origin + best * direction
                found = Hit(name, int(drawn.tets[met[0]]), tuple(place.tolist()))
        return found

    def when_dragged(self, page: Page, job: Dragged) -> None:
        """Do a job while a visitor drags a region with the left button, which then turns nothing.

        It is given the phase, the region, the place where it was taken and that of the pointer.
        """
        self._dragging = page, job
        for name in self._nodes:
            self._bind(name)

    def _bind(self, name: str) -> None:
        if self._dragging is not None:
            page, job = self._dragging
            page.when_dragged(
                self._nodes[name],
                lambda phase, start, end: job(phase, name, start - self.offset, end - self.offset),
            )

    def hide(self, hidden: bool) -> None:
        """Hide the whole figure, or show it again."""
        self._frame.visible = not hidden

    def remove(self) -> None:
        """Take the figure out of the scene."""
        self._frame.remove()

    def _region(self, name: str, moment: Snapshot, look: Look) -> None:
        if not look.shows(name):
            self._hide(name)
            return
        skin = self._skins[name]
        values = _values(moment, look.colour_by)
        if look.cut is not None:
            tets = self._tets[name]
            part = cut_surface(skin, tets, self.model.mesh.T, moment.x, values, look.cut)
            if part is None:
                self._hide(name)
                return
            self._drawn[name] = lambda: part
        else:
            self._drawn[name] = cache(partial(whole_surface, skin, moment.x, values))
            if not self._painted_bones(look) and self._placed(name, moment):
                return
        drawn = self._drawn[name]()
        faint = look.fibres or look.forces
        self._send(name, drawn, _rgb(drawn.values, skin, look), faint=faint)

    @staticmethod
    def _painted_bones(look: Look) -> bool:
        """Whether bones have colours that change, and are not only put where they are."""
        return look.colour_by is not ColourBy.TISSUE and SHADES[look.colour_by].bones

    def _hide(self, name: str) -> None:
        self._drawn.pop(name, None)
        if name in self._nodes:
            self._nodes[name].visible = False

    def _placed(self, name: str, moment: Snapshot) -> bool:
        """Whether a rigid bone, which looks the same everywhere, could just be moved."""
        pose = moment.poses[self._bone[name]] if name in self._bone else None
        if pose is None or not is_rotation(pose[:, :3]):
            return False
        if name not in self._still:
            nothing = TetValues(np.zeros(self.model.mesh.n_tets))
            rest = whole_surface(self._skins[name], self.model.mesh.X, nothing)
            self._send(name, rest, _rgb(rest.values, self._skins[name], Look()))
            self._still.add(name)
        node = self._nodes[name]
        node.wxyz = tuple(quaternions(pose[None, :, :3])[0])
        node.position = tuple(pose[:, 3])
        node.visible = True
        return True

    def _send(
        self, name: str, drawn: RegionSurface, rgb: np.ndarray, *, faint: bool = False
    ) -> None:
        tissue = self._skins[name].tissue
        fibrous = tissue in (Tissue.MUSCLE, Tissue.TENDON)
        seen_through = (
            self._translucent
            or tissue is Tissue.PASSIVE
            or (faint and fibrous)
            or (self._clear and tissue is Tissue.BONE)
        )
        opacity = TRANSLUCENT if seen_through else 1.0
        data = coloured(drawn.points, drawn.normals, rgb, drawn.faces, opacity=opacity)
        self._still.discard(name)
        if name in self._nodes and self._dragging is not None:
            # The same node goes on: one that is replaced would be lost to whoever drags it.
            node = self._nodes[name]
            node.glb_data, node.wxyz, node.position = data, STILL, ORIGIN
            node.visible = True
        else:
            path = self._paths[name]
            self._nodes[name] = self._server.scene.add_glb(path, data, cast_shadow=False)
            self._bind(name)

    def _arrows(self, moment: Snapshot, look: Look) -> Floats:
        """(k, 2, 3) arrows of the forces of contact on what is seen, before the cut [m]."""
        forces = moment.point_fields.get(FORCE) if look.forces else None
        if forces is None:
            return NONE
        seen = np.zeros(len(forces), bool)
        for name in filter(look.shows, self._skins):
            seen[self._skins[name].vertices] = True
        if look.cut is not None:
            seen &= look.cut.beyond(moment.x) <= 0
        forces = np.where(seen[:, None], forces, 0.0)
        return arrows(moment.x, forces, LENGTH * self._extent, look.longest)

    def _send_arrows(self, points: Floats) -> None:
        size = self._extent
        self._server.scene.add_arrows(
            f"{self._root}/forces",
            points.astype(np.float32) if len(points) else np.eye(2, 3, dtype=np.float32)[None],
            (15, 40, 120),
            shaft_radius=THICK * size,
            head_radius=2.5 * THICK * size,
            head_length=HEAD * LENGTH * size,
            visible=bool(len(points)),
        )

    def _lines(
        self, what: str, points: Floats, rgb: tuple[int, int, int], thickness: float
    ) -> None:
        self._server.scene.add_line_segments(
            f"{self._root}/{what}",
            points.astype(np.float32) if len(points) else np.zeros((1, 2, 3), np.float32),
            np.array(rgb, np.uint8),
            thickness=thickness,
            thickness_units="screen",
            visible=bool(len(points)),
        )


def _paths(root: str, skins: dict[str, Skin]) -> dict[str, str]:
    """A node of the scene for each region; names that look the same are numbered."""
    paths: dict[str, str] = {}
    for name, skin in skins.items():
        word = label(name).replace("/", "\N{DIVISION SLASH}")
        path = f"{root}/{skin.tissue.value}/{word}"
        paths[name] = unlike(path, paths.values())
    return paths


def _values(moment: Snapshot, colour_by: ColourBy) -> FieldValues:
    """What colours stand for: activation unless a field is asked for."""
    tissue = colour_by is ColourBy.TISSUE
    return values_of(moment, SHADES[ColourBy.ACTIVATION if tissue else colour_by])


def _rgb(values: Floats, skin: Skin, look: Look) -> np.ndarray:
    """(p, 3) the colours of values (p,), 0 to 255."""
    shade = SHADES.get(look.colour_by)
    if shade is None or (skin.tissue in (Tissue.BONE, Tissue.PASSIVE) and not shade.bones):
        rgb = muscle_colour(values[:, None])
        if skin.tissue is not Tissue.MUSCLE:
            rgb[:] = TISSUE_COLOURS[skin.tissue]
        return np.asarray(255 * rgb).astype(np.uint8)
    low, high = look.limits[look.colour_by]
    return shade.colours(values, low, high)


def limits_of(colour_by: ColourBy, moments: list[Snapshot], model: Model) -> Limits:
    """The ends of the colours of a field over some moments: those of muscles, if there are any.

    Tendons bear so much more stress that muscles would all look alike.
    """
    muscle = np.flatnonzero(model.strength > 0)
    tets = muscle if len(muscle) else model.soft
    shade = SHADES[colour_by]
    return shade.limits_of(np.concatenate([values_of(m, shade).among(tets) for m in moments]))
