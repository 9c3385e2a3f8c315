"""A model in the page: a coloured surface for each region, lines along its fibres, and joints."""

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
from vastus.app.text import label
from vastus.files.identifiers import unlike
from vastus.geometry.queries import first_hit, locate
from vastus.model import Model
from vastus.modelling.fibres.streamlines import fibre_lines
from vastus.numerics.rotation import is_rotation, quaternions
from vastus.numerics.types import Floats, Ints
from vastus.parts import Tissue
from vastus.pictures.colours import FIELDS, TISSUE_COLOURS, Shade, muscle_colour
from vastus.pictures.skin import Skin, region_skins
from vastus.results.playback import Snapshot
from vastus.skeleton.joints import Joint

if TYPE_CHECKING:
    import viser

DISTANCE = Shade("distance", "distance", unit="mm", scale=1e3)
SHADES = {ColourBy(name): shade for name, shade in FIELDS.items()} | {ColourBy.DISTANCE: DISTANCE}
TRANSLUCENT = 0.25
AXIS, POINT = 0.12, 0.03  # of the model's extent, of the lines that show joints
COUNT = 30  # lines in a muscle
EVERY = 3  # points of a line that is traced, one of which is drawn
NEAR = 1e-3  # by which a point on the surface may lie outside
NONE = np.zeros((0, 2, 3))


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
        self.model, self._translucent = model, False
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
        self._fibre_lines, self._joint_lines = FibreLines(model), JointLines(model)
        self.offset = np.zeros(3)

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
        if (
            look.colour_by is not ColourBy.TISSUE
            and SHADES[look.colour_by].field not in moment.fields
        ):
            look = replace(look, colour_by=ColourBy.TISSUE)
        with self._server.atomic():
            for name in self._skins:
                self._region(name, moment, look)
            self._lines("fibres", self._fibres(moment, look), (110, 15, 15), 1.0)
            self._lines("joints", self._joint_lines.at(moment, look), (20, 90, 200), 4.0)

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
            if self._placed(name, moment):
                return
        drawn = self._drawn[name]()
        self._send(name, drawn, _rgb(drawn.values, skin, look), faint=look.fibres)

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
            rest = whole_surface(
                self._skins[name], self.model.mesh.X, np.zeros((self.model.mesh.n_tets, 1))
            )
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
        seen_through = self._translucent or tissue is Tissue.PASSIVE or (faint and fibrous)
        opacity = TRANSLUCENT if seen_through else 1.0
        data = coloured(drawn.points, drawn.normals, rgb, drawn.faces, opacity=opacity)
        self._still.discard(name)
        self._nodes[name] = self._server.scene.add_glb(self._paths[name], data, cast_shadow=False)

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


def _values(moment: Snapshot, colour_by: ColourBy) -> Floats:
    """(m, 1) what colours stand for: activation unless a field is asked for."""
    field = "activation" if colour_by is ColourBy.TISSUE else SHADES[colour_by].field
    return np.asarray(moment.fields[field], float)[:, None]


def _rgb(values: Floats, skin: Skin, look: Look) -> np.ndarray:
    """(p, 3) the colours of values (p, 1), 0 to 255."""
    if look.colour_by is ColourBy.TISSUE or skin.tissue in (Tissue.BONE, Tissue.PASSIVE):
        rgb = muscle_colour(values)
        if skin.tissue is not Tissue.MUSCLE:
            rgb[:] = TISSUE_COLOURS[skin.tissue]
        return np.asarray(255 * rgb).astype(np.uint8)
    low, high = look.limits[look.colour_by]
    return SHADES[look.colour_by].colours(values[:, 0], low, high)


def limits_of(colour_by: ColourBy, moments: list[Snapshot], model: Model) -> Limits:
    """The ends of the colours of a field over some moments: those of muscles, if there are any.

    Tendons bear so much more stress that muscles would all look alike.
    """
    muscle = np.flatnonzero(model.strength > 0)
    tets = muscle if len(muscle) else model.soft
    shade = SHADES[colour_by]
    return shade.limits_of(np.concatenate([m.fields[shade.field][tets] for m in moments]))


class JointLines:
    """The axis of each hinge or slider, and a small cross at each other joint."""

    def __init__(self, model: Model) -> None:
        extent = float(np.ptp(model.mesh.X, axis=0).max())
        self._lines = [
            (model.bone(joint.bones[0]), _lines(joint, extent)) for joint in model.joints
        ]

    def at(self, moment: Snapshot, look: Look) -> Floats:
        """(k, 2, 3) their segments [m], carried by the first bone of each; none unless shown."""
        shown = self._lines if look.joints else ()
        return np.concatenate([NONE, *(_moved(at, moment.poses[bone]) for bone, at in shown)])


def _lines(joint: Joint, extent: float) -> Floats:
    centre = np.asarray(joint.centre, float)
    if joint.direction is not None:
        half = AXIS * extent / 2 * joint.direction
        return np.array([[centre - half, centre + half]])
    return centre + np.stack([-np.eye(3), np.eye(3)], axis=1) * POINT * extent / 2


def _moved(lines: Floats, pose: Floats) -> Floats:
    return np.asarray(lines @ pose[:, :3].T + pose[:, 3])


@dataclass(frozen=True, eq=False)
class Bundle:
    """Points in tets: corners (p, 4) with weights (p, 4), and the segments (k, 2) between them."""

    corners: Ints
    weights: Floats
    segments: Ints

    def at(self, x: Floats) -> Floats:
        """(k, 2, 3) the segments when the mesh's vertices are at x (n, 3) [m]."""
        points = np.einsum("pa,pai->pi", self.weights, x[self.corners])
        return np.asarray(points[self.segments])


class FibreLines:
    """The fibres of a model's muscles; each muscle is traced when it is first asked for."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._bundles: dict[str, Bundle] = {}

    def at(self, x: Floats, muscles: list[str]) -> Floats:
        """(k, 2, 3) pieces of fibre of some muscles when vertices are at x (n, 3) [m]."""
        return np.concatenate([NONE, *(self._of(m).at(x) for m in muscles)])

    def _of(self, muscle: str) -> Bundle:
        if muscle not in self._bundles:
            self._bundles[muscle] = _traced(self._model, muscle)
        return self._bundles[muscle]


def _traced(model: Model, muscle: str) -> Bundle:
    lines = [line[::EVERY] for line in fibre_lines(model, muscle, COUNT)]
    points = np.concatenate([np.zeros((0, 3)), *lines])
    tets = np.flatnonzero(model.muscle_of_tet == model.muscle(muscle))
    part, kept = model.mesh.submesh(tets)
    found = locate(part, points, tolerance=NEAR)
    ends = np.cumsum([len(line) for line in lines])
    starts = np.setdiff1d(np.arange(len(points)), ends - 1)
    segments = np.column_stack([starts, starts + 1])
    inside = (found.tets[segments] >= 0).all(axis=1)
    return Bundle(kept[part.T[found.tets]], found.weights, segments[inside])
