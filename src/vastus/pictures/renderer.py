"""Off-screen pictures of a model in motion, before one fixed camera that sees all of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType, TracebackType
from typing import Any

import numpy as np

from vastus.actuators import Cable
from vastus.errors import MissingExtra
from vastus.geometry.surface import Surface
from vastus.measure.fields import tet_activation
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.parts import Floor, Tissue
from vastus.pictures.colours import skin_colours
from vastus.pictures.skin import Skin, skins
from vastus.processes import put_off
from vastus.results.playback import Snapshot
from vastus.skeleton.joints import Hinge

VIEW_ANGLE = 20.0  # [deg] vertical; narrow, so that near parts do not look large
MARGIN = 1.06
TURN, RISE = np.radians(14.0), np.radians(9.0)  # away from the plain side view, for depth
# Key, fill, rim, and one from below: where they stand in camera coordinates, and how bright.
# Without the last, what points at the camera from below it would have ambient light alone.
LIGHTS = {
    (-0.8, 1.0, 1.6): 0.85,
    (1.6, 0.2, 1.0): 0.42,
    (0.6, 0.8, -1.0): 0.4,
    (0.3, -1.2, 0.7): 0.25,
}
FLOOR, CABLE = "#b9c6d0", "#2a3d4f"
THICK = 0.008  # of the model's length: a cable, as drawn
LOOK = {"interpolation": "Phong", "ambient": 0.26, "diffuse": 0.8, "specular_power": 25}

Image = np.ndarray  # (height, width, 3) uint8
Paint = Callable[[Skin, Snapshot], np.ndarray]  # (p, 3) uint8: the colours of a skin's points


@dataclass(frozen=True, eq=False)
class Camera:
    """A position, the point looked at, and the upward direction, (3,) each [m]."""

    position: Floats
    target: Floats
    up: Floats


def aspect_of(points: Floats, direction: Floats) -> float:
    """Width over height of points (k, 3) seen from a direction, kept between 0.6 and 2."""
    right, up = _frame(direction)
    return float(np.clip(np.ptp(points @ right) / max(np.ptp(points @ up), 1e-300), 0.6, 2.0))


def fitted(points: Floats, direction: Floats, aspect: float, angle: float = VIEW_ANGLE) -> Camera:
    """The camera in a unit direction (3,) from which all points (k, 3) fill the picture.

    `angle` [deg] is that of the view, vertically.
    """
    right, up = _frame(direction)
    across, along, depth = (points @ axis for axis in (right, up, direction))
    tangent = np.tan(np.radians(angle / 2)) / MARGIN
    middle = [(a.max() + a.min()) / 2 for a in (across, along)]
    high = np.maximum(np.abs(along - middle[1]), np.abs(across - middle[0]) / aspect)
    target = middle[0] * right + middle[1] * up + depth.mean() * direction
    distance = float((depth - depth.mean() + high / tangent).max())
    return Camera(target + direction * distance, target, up)


def view_direction(model: Model) -> Floats:
    """(3,) the unit direction to the camera: near the first hinge's axis, or facing most area."""
    hinges = [joint for joint in model.joints if isinstance(joint, Hinge)]
    side = hinges[0].direction if hinges else _broadside(model)
    right, up = _frame(side)
    turned = np.cos(TURN) * side + np.sin(TURN) * right
    return np.asarray(np.cos(RISE) * turned + np.sin(RISE) * up)


def _broadside(model: Model) -> Floats:
    """The horizontal direction that sees most of the rest surface, -y where all are equal."""
    corners = model.mesh.X[model.mesh.boundary]
    areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    angles = np.radians(np.arange(-90, 90, 5))
    directions = np.stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)], axis=1)
    # Squares, not absolute values: those would prefer to look at a box from its edge.
    facing = (areas @ directions.T) ** 2 / np.linalg.norm(areas, axis=1)[:, None]
    seen = facing.sum(axis=0)
    return np.asarray(directions[np.argmax(np.round(seen / seen.max(), 6))])


def _frame(direction: Floats) -> tuple[Floats, Floats]:
    """The directions to the right and up in the picture, (3,) each."""
    vertical = np.array([0.0, 0.0, 1.0] if abs(direction[2]) < 0.9 else [0.0, 1.0, 0.0])
    right = np.cross(vertical, direction)
    right /= np.linalg.norm(right)
    return right, np.cross(direction, right)


class Renderer:
    """A model before a camera that sees all the snapshots; only points and colours change.

    Pictures are `height` pixels high, and as wide as the motion needs. Colours are those of the
    tissues unless there is a `paint`; `view` is the unit direction (3,) to the camera, if given.
    Tissues of `glass` are seen through, unless there are neither others nor cavities or cables in
    them. A floor is drawn below it all. `quick` pictures take less than half the time, and have
    slightly rougher edges.
    """

    def __init__(
        self,
        model: Model,
        snapshots: Sequence[Snapshot],
        height: int,
        *,
        paint: Paint | None = None,
        view: Floats | None = None,
        glass: Collection[Tissue] = (Tissue.PASSIVE,),
        quick: bool = False,
    ) -> None:
        others = any(region.tissue not in glass for region in model.regions)
        self._model, self._paint = model, paint or self._tissues
        self._glass = glass if others or model.cavities or model.cables else ()
        self._clear = 0.25 if model.muscles else 0.6  # opacity of what is seen through
        self._peak = max(1.0, *(float(s.activation.max(initial=0.0)) for s in snapshots))
        pyvista = load_pyvista()
        self._plotter = pyvista.Plotter(off_screen=True, lighting="none")
        used = np.unique(model.mesh.boundary)
        seen = np.concatenate([snapshot.x[used] for snapshot in snapshots])
        aim(self._plotter, seen, height, view_direction(model) if view is None else view)
        self._plotter.set_background("#ffffff", top="#dfe7ef")
        add_lights(self._plotter)
        # Several colours a pixel are drawn for one picture, but only several depths for many.
        self._plotter.enable_anti_aliasing("msaa" if quick else "ssaa")
        if model.floor is not None:
            self._add_floor(pyvista, model.floor, seen)
        self._skins = [(skin, self._add(pyvista, skin)) for skin in skins(model)]
        self._cables = [(cable, self._add_cable(pyvista, cable)) for cable in model.cables]

    def picture(self, snapshot: Snapshot) -> Image:
        """(height, width, 3) the picture of one snapshot."""
        for skin, surface in self._skins:
            surface.points = snapshot.x[skin.vertices]
            # In place: to assign an array would make it the one that is drawn.
            surface.point_data["rgb"][:] = self._paint(skin, snapshot)
            surface.point_data["Normals"][:] = skin.normals(snapshot.x)
        for cable, tube in self._cables:
            tube.shallow_copy(self._tube(load_pyvista(), cable, snapshot.x))
        return captured(self._plotter)

    def __enter__(self) -> Renderer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._plotter.close()

    def _tissues(self, skin: Skin, snapshot: Snapshot) -> np.ndarray:
        level = tet_activation(self._model, snapshot.activation) / self._peak
        return (255 * skin_colours(self._model, skin, level)).astype(np.uint8)

    def _add(self, pyvista: ModuleType, skin: Skin) -> Any:
        X = self._model.mesh.X
        # What is drawn first is seen through what comes later: the walls of hollows, then the rest.
        pieces = Surface(X, skin.vertices[skin.faces]).pieces
        faces = skin.faces[np.argsort(-pieces, kind="stable")]
        surface = pyvista.PolyData.from_regular_faces(X[skin.vertices], faces)
        surface.point_data.active_normals = skin.normals(X)
        surface.point_data["rgb"] = np.zeros((len(skin.vertices), 3), np.uint8)
        glassy = skin.tissue in self._glass
        self._plotter.add_mesh(
            surface,
            scalars="rgb",
            rgb=True,
            opacity=self._clear if glassy else 1.0,
            culling="back",
            specular=0.12 if skin.tissue is Tissue.BONE else 0.3,
            reset_camera=False,
            **LOOK,
        )
        return surface

    def _add_cable(self, pyvista: ModuleType, cable: Cable) -> Any:
        tube = self._tube(pyvista, cable, self._model.mesh.X)
        self._plotter.add_mesh(tube, color=CABLE, reset_camera=False, specular=0.3, **LOOK)
        return tube

    def _tube(self, pyvista: ModuleType, cable: Cable, x: Floats) -> Any:
        """A thin tube along a cable when vertices are at x (n, 3) [m]."""
        thick = THICK * float(np.ptp(self._model.mesh.X, axis=0).max())
        return pyvista.lines_from_points(cable.at(x)).tube(radius=thick / 2)

    def _add_floor(self, pyvista: ModuleType, floor: Floor, seen: Floats) -> None:
        """Add a disc of the floor, as wide as twice what is seen (k, 3) [m] above it."""
        normal = np.array(floor.normal) / np.linalg.norm(floor.normal)
        middle = (seen.min(axis=0) + seen.max(axis=0)) / 2
        level = middle - ((middle - np.array(floor.point)) @ normal) * normal
        wide = float(np.linalg.norm(np.cross(seen - middle, normal), axis=1).max())
        disc = pyvista.Disc(center=level, inner=0.0, outer=2 * wide, normal=normal, c_res=180)
        self._plotter.add_mesh(disc, color=FLOOR, reset_camera=False, specular=0.0, **LOOK)


def aim(plotter: Any, points: Floats, height: int, direction: Floats) -> None:
    """Turn a plotter's camera in a unit direction (3,) so that points (k, 3) fill its picture."""
    width = 2 * round(height * aspect_of(points, direction) / 2)
    view = fitted(points, direction, width / height)
    plotter.window_size = (width, height)
    camera = plotter.camera
    camera.position, camera.focal_point, camera.up = view.position, view.target, view.up
    camera.view_angle = VIEW_ANGLE


def captured(plotter: Any) -> Image:
    """(height, width, 3) what a plotter shows."""
    with put_off():  # VTK would swallow Ctrl-C within its pipeline
        # What has moved towards the camera since the last picture would be cut off.
        plotter.renderer.ResetCameraClippingRange()
        plotter.render()
        return np.array(plotter.screenshot(return_img=True))


def add_lights(plotter: Any) -> None:
    """Add the lights, which move with the camera."""
    Light = load_pyvista().Light
    for position, intensity in LIGHTS.items():
        plotter.add_light(Light(position=position, intensity=intensity, light_type="camera light"))


def load_pyvista() -> ModuleType:
    """pyvista, told not to complain where there is no screen."""
    try:
        pyvista = import_module("pyvista")
    except ImportError:
        raise MissingExtra("pyvista", "viz") from None
    logger = import_module("vtkmodules.vtkCommonCore").vtkLogger
    logger.SetStderrVerbosity(logger.VERBOSITY_ERROR)
    return pyvista
