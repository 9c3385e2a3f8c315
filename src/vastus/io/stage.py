"""Off-screen drawing of shots before one fixed camera."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import ModuleType, TracebackType
from typing import Any

import numpy as np

from vastus.errors import MissingExtra
from vastus.io.camera import VIEW_ANGLE, aspect_of, fitted, view_direction
from vastus.io.clip import Clip, Shot
from vastus.io.skin import Skin, colours, skins
from vastus.model import Tissue
from vastus.numerics.types import Floats

Image = np.ndarray  # (height, width, 3) uint8
Paint = Callable[[Skin, Shot], np.ndarray]  # (p, 3) uint8: the colours of a skin's points

# Key, fill and rim: where they stand in camera coordinates, and how bright.
LIGHTS = {(-0.8, 1.0, 1.6): 0.95, (1.6, 0.2, 1.0): 0.45, (0.6, 0.8, -1.0): 0.4}
LOOK = {"interpolation": "Phong", "ambient": 0.26, "diffuse": 0.8, "specular_power": 25}


class Stage:
    """A clip's model before a camera that sees all its shots; only points and colours change.

    Pictures are `height` pixels high, and as wide as the motion needs. Colours are those of the
    tissues unless there is a `paint`; `view` is the unit direction (3,) to the camera, if given.
    """

    def __init__(
        self, clip: Clip, height: int, *, paint: Paint | None = None, view: Floats | None = None
    ) -> None:
        self._model, self._paint = clip.model, paint or self._tissues
        self._peak = max(1.0, *(float(s.activation.max(initial=0.0)) for s in clip.shots))
        pyvista = drawing()
        self._plotter = pyvista.Plotter(off_screen=True, lighting="none")
        self._aim(_seen(clip), height, view_direction(clip.model) if view is None else view)
        self._plotter.set_background("#ffffff", top="#dfe7ef")
        light(pyvista, self._plotter)
        self._plotter.enable_anti_aliasing("ssaa")
        self._skins = [(skin, self._add(pyvista, skin)) for skin in skins(clip.model)]

    def picture(self, shot: Shot) -> Image:
        """(height, width, 3) the picture of one shot."""
        for skin, surface in self._skins:
            surface.points = shot.x[skin.vertices]
            # In place: to assign an array would make it the one that is drawn.
            surface.point_data["rgb"][:] = self._paint(skin, shot)
            surface.point_data["Normals"][:] = skin.normals(shot.x)
        self._plotter.render()
        return np.array(self._plotter.screenshot(return_img=True))

    def __enter__(self) -> Stage:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._plotter.close()

    def _tissues(self, skin: Skin, shot: Shot) -> np.ndarray:
        rgb = colours(self._model, skin, shot.activation / self._peak)
        return (255 * rgb).astype(np.uint8)

    def _add(self, pyvista: ModuleType, skin: Skin) -> Any:
        X = self._model.mesh.X
        surface = pyvista.PolyData.from_regular_faces(X[skin.vertices], skin.faces)
        surface.point_data.active_normals = skin.normals(X)
        surface.point_data["rgb"] = np.zeros((len(skin.vertices), 3), np.uint8)
        glassy = skin.tissue is Tissue.PASSIVE
        self._plotter.add_mesh(
            surface,
            scalars="rgb",
            rgb=True,
            opacity=0.25 if glassy else 1.0,
            culling="back",
            specular=0.12 if skin.tissue is Tissue.BONE else 0.3,
            reset_camera=False,
            **LOOK,
        )
        return surface

    def _aim(self, points: Floats, height: int, direction: Floats) -> None:
        width = 2 * round(height * aspect_of(points, direction) / 2)
        view = fitted(points, direction, width / height)
        self._plotter.window_size = (width, height)
        camera = self._plotter.camera
        camera.position, camera.focal_point, camera.up = view.position, view.target, view.up
        camera.view_angle = VIEW_ANGLE


def light(pyvista: ModuleType, plotter: Any) -> None:
    """Add the lights, which move with the camera."""
    for position, intensity in LIGHTS.items():
        lamp = pyvista.Light(position=position, intensity=intensity, light_type="camera light")
        plotter.add_light(lamp)


def drawing() -> ModuleType:
    """pyvista, told not to complain where there is no screen."""
    try:
        pyvista = import_module("pyvista")
    except ImportError:
        raise MissingExtra("pyvista", "viz") from None
    logger = import_module("vtkmodules.vtkCommonCore").vtkLogger
    logger.SetStderrVerbosity(logger.VERBOSITY_ERROR)
    return pyvista


def _seen(clip: Clip) -> Floats:
    """(k, 3) all places that the surface ever has."""
    used = np.unique(clip.model.mesh.boundary)
    return np.concatenate([shot.x[used] for shot in clip.shots])
