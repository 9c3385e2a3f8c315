"""Panels of a sheet: shapes seen without perspective, and which of them each pixel shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from vastus.geometry.surface import Surface
from vastus.numerics.types import Floats, Ints
from vastus.pictures.renderer import LOOK, Image, add_lights, load_pyvista

_ALONG = 0.999  # cosine above which a direction counts as an axis
ROOM = 0.025  # around what is seen, of its larger extent


@dataclass(frozen=True, eq=False)
class View:
    """What is to the right, up and toward the viewer, (3,) each, of length one."""

    right: Floats
    up: Floats
    toward: Floats

    @property
    def name(self) -> str:
        """Where the viewer stands."""
        return f"from {axis_name(self.toward)}"


@dataclass(frozen=True, eq=False)
class Window:
    """A rectangle of `size` (width, height) [m] about a centre (3,), seen from a side."""

    view: View
    centre: Floats
    size: tuple[float, float]

    @property
    def aspect(self) -> float:
        """Width over height."""
        return self.size[0] / self.size[1]


def upward(gravity: Floats) -> Floats:
    """(3,) the direction against gravity, or z where there is none."""
    size = np.linalg.norm(gravity)
    return np.asarray(-gravity / size) if size > 0 else np.array([0.0, 0.0, 1.0])


def view_toward(toward: Floats, up: Floats) -> View:
    """The side with the viewer in a direction (3,), upright if that is possible."""
    toward = toward / np.linalg.norm(toward)
    right = np.cross(up, toward)
    if np.linalg.norm(right) < 1e-3:
        right = np.cross(np.roll(up, -1), toward)
    right = right / np.linalg.norm(right)
    return View(right, np.cross(toward, right), toward)


def four_views(up: Floats) -> list[View]:
    """Front, right, back and left of a body that faces -y, or z where y is up."""
    across = np.array([0.0, 1.0, 0.0] if abs(up[0]) > 0.9 else [1.0, 0.0, 0.0])
    front = np.cross(across - (across @ up) * up, up)
    right = np.cross(front, up)
    return [view_toward(toward, up) for toward in (front, right, -front, -right)]


def window_around(points: Floats, view: View, room: float = ROOM) -> Window:
    """The window that holds points (k, 3), with `room` on all sides, of the larger extent."""
    low, high = (f([points @ view.right, points @ view.up], axis=1) for f in (np.min, np.max))
    depth = (points @ view.toward).mean()
    middle = (low + high) / 2
    centre = middle[0] * view.right + middle[1] * view.up + depth * view.toward
    width, height = high - low + 2 * room * max(*(high - low), 1e-9)
    # A stick would leave no room for words.
    return Window(view, centre, (max(width, 0.2 * height), max(height, 0.2 * width)))


def square_window(centre: Floats, width: float, view: View) -> Window:
    """A square window of a width [m] about a centre (3,)."""
    return Window(view, centre, (width, width))


def axis_name(direction: Floats) -> str:
    """A direction (3,) in words: an axis with its sign, or three numbers."""
    main = int(np.argmax(np.abs(direction)))
    if abs(direction[main]) > _ALONG:
        return f"{'+' if direction[main] > 0 else '-'}{'xyz'[main]}"
    return f"[{', '.join(f'{c:.2f}' for c in direction)}]"


EDGE = "#30343a"


@dataclass(frozen=True, eq=False)
class Shape:
    """A pyvista data set whose cells or points have an `rgb`; `number` names it in pictures."""

    data: Any
    number: int = 0
    opacity: float = 1.0
    edges: bool = False
    width: float = 3.0  # [px] of lines and points


@dataclass(frozen=True, eq=False)
class Panel:
    """Things in a window, with a name."""

    shapes: Sequence[Shape]
    window: Window
    name: str = ""


@dataclass(frozen=True, eq=False)
class Rendered:
    """A picture (h, w, 3), the number (h, w) of what each pixel shows, and pixels a metre."""

    image: Image
    numbers: Ints
    scale: float


def surface_shape(X: Floats, faces: Ints, rgb: Floats, number: int = 0, **look: Any) -> Shape:
    """Triangles (k, 3) in one colour (3,), or in one for each (k, 3)."""
    used, corners = np.unique(faces, return_inverse=True)
    surface = Surface(X[used], corners.reshape(-1, 3))
    data = load_pyvista().PolyData.from_regular_faces(surface.X, surface.faces)
    data.point_data.active_normals = surface.vertex_normals
    return Shape(with_colours(data, rgb), number, **look)


def lines_shape(lines: Sequence[Floats], rgb: Floats, **look: Any) -> Shape:
    """Lines, each of points (s, 3), in one colour (3,) or in one for each (k, 3)."""
    counts = [len(line) for line in lines]
    starts = np.cumsum([0, *counts[:-1]])
    cells = [np.r_[k, start + np.arange(k)] for k, start in zip(counts, starts, strict=True)]
    data = load_pyvista().PolyData(np.concatenate(lines), lines=np.concatenate(cells))
    return Shape(with_colours(data, rgb), **look)


def points_shape(X: Floats, rgb: Floats, number: int = 0, **look: Any) -> Shape:
    """Points (n, 3) in one colour (3,)."""
    return Shape(with_colours(load_pyvista().PolyData(X), rgb), number, **look)


def with_colours(data: Any, rgb: Floats) -> Any:
    """A data set with colours (3,) or (k, 3), from 0 to 1, on its cells."""
    colours = np.broadcast_to(rgb, (data.n_cells, 3))
    data.cell_data["rgb"] = (255 * np.clip(colours, 0, 1)).astype(np.uint8)
    return data


def render_panels(panels: Sequence[Panel], height: int) -> list[Rendered]:
    """The pictures of panels, `height` pixels high; things that several share are set up once."""
    rendered = []
    for _, group in groupby(panels, key=lambda panel: id(panel.shapes)):
        same = list(group)
        windows = [panel.window for panel in same]
        images = zip(
            windows,
            _screenshots(_coloured_plotter(same[0].shapes), windows, height),
            _screenshots(_numbered_plotter(same[0].shapes), windows, height),
            strict=True,
        )
        rendered += [Rendered(i, _decoded(n), height / w.size[1]) for w, i, n in images]
    return rendered


def _coloured_plotter(shapes: Sequence[Shape]) -> Any:
    pyvista = load_pyvista()
    plotter = pyvista.Plotter(off_screen=True, lighting="none")
    plotter.set_background("#ffffff")
    add_lights(plotter)
    plotter.enable_anti_aliasing("ssaa")
    if any(shape.opacity < 1 for shape in shapes):
        plotter.enable_depth_peeling(8)
    for shape in shapes:
        plotter.add_mesh(
            shape.data,
            scalars="rgb",
            rgb=True,
            opacity=shape.opacity,
            show_edges=shape.edges,
            edge_color=EDGE,
            lighting=shape.data.point_data.active_normals is not None,
            **_lines(shape),
            **LOOK,
        )
    return plotter


def _numbered_plotter(shapes: Sequence[Shape]) -> Any:
    """The opaque things, each in the colour that is its number."""
    plotter = load_pyvista().Plotter(off_screen=True, lighting="none")
    plotter.set_background("#000000")
    # Without smooth edges: a mixture of two numbers would be a third.
    plotter.render_window.SetMultiSamples(0)
    for shape in shapes:
        if shape.opacity == 1:
            colour = tuple(shape.number.to_bytes(3, "big"))
            plotter.add_mesh(shape.data, color=colour, lighting=False, **_lines(shape))
    return plotter


def _decoded(image: Image) -> Ints:
    return np.asarray(image.astype(np.int64) @ [65536, 256, 1])


def _lines(shape: Shape) -> dict[str, Any]:
    width = 1.0 if shape.edges else shape.width
    return {"line_width": width, "point_size": shape.width, "reset_camera": False}


def _screenshots(plotter: Any, windows: Sequence[Window], height: int) -> list[Image]:
    """One stage through several windows."""
    images = []
    for window in windows:
        plotter.window_size = (round(height * window.aspect), height)
        _aim(plotter.camera, window)
        plotter.renderer.ResetCameraClippingRange()
        plotter.render()
        images.append(np.array(plotter.screenshot(return_img=True)))
    plotter.close()
    return images


def _aim(camera: Any, window: Window) -> None:
    away = 10 * max(window.size) * window.view.toward
    camera.position, camera.focal_point = window.centre + away, window.centre
    camera.up = window.view.up
    camera.parallel_projection, camera.parallel_scale = True, window.size[1] / 2
