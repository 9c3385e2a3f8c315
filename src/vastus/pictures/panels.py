"""The sides that a body is seen from, without perspective, so that lengths can be compared.

Panels: things before a side of theirs, and which of them each pixel shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from vastus.geometry.surface import Surface
from vastus.numerics.types import Floats, Ints
from vastus.pictures.stage import LOOK, Image, drawing, light

_ALONG = 0.999  # cosine above which a direction counts as an axis
ROOM = 0.025  # around what is seen, of its larger extent


@dataclass(frozen=True, eq=False)
class Side:
    """What is to the right, up and toward the viewer, (3,) each, of length one."""

    right: Floats
    up: Floats
    toward: Floats

    @property
    def name(self) -> str:
        """Where the viewer stands."""
        return f"from {name_of(self.toward)}"


@dataclass(frozen=True, eq=False)
class Window:
    """A rectangle of `size` (width, height) [m] about a centre (3,), seen from a side."""

    side: Side
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


def looking(toward: Floats, up: Floats) -> Side:
    """The side with the viewer in a direction (3,), upright if that is possible."""
    toward = toward / np.linalg.norm(toward)
    right = np.cross(up, toward)
    if np.linalg.norm(right) < 1e-3:
        right = np.cross(np.roll(up, -1), toward)
    right = right / np.linalg.norm(right)
    return Side(right, np.cross(toward, right), toward)


def four_sides(up: Floats) -> list[Side]:
    """Front, right, back and left of a body that faces -y, or z where y is up."""
    across = np.array([0.0, 1.0, 0.0] if abs(up[0]) > 0.9 else [1.0, 0.0, 0.0])
    front = np.cross(across - (across @ up) * up, up)
    right = np.cross(front, up)
    return [looking(toward, up) for toward in (front, right, -front, -right)]


def around(points: Floats, side: Side, room: float = ROOM) -> Window:
    """The window that holds points (k, 3), with `room` on all sides, of the larger extent."""
    low, high = (f([points @ side.right, points @ side.up], axis=1) for f in (np.min, np.max))
    depth = (points @ side.toward).mean()
    middle = (low + high) / 2
    centre = middle[0] * side.right + middle[1] * side.up + depth * side.toward
    width, height = high - low + 2 * room * max(*(high - low), 1e-9)
    # A stick would leave no room for words.
    return Window(side, centre, (max(width, 0.2 * height), max(height, 0.2 * width)))


def square(centre: Floats, width: float, side: Side) -> Window:
    """A square window of a width [m] about a centre (3,)."""
    return Window(side, centre, (width, width))


def name_of(direction: Floats) -> str:
    """A direction (3,) in words: an axis with its sign, or three numbers."""
    main = int(np.argmax(np.abs(direction)))
    if abs(direction[main]) > _ALONG:
        return f"{'+' if direction[main] > 0 else '-'}{'xyz'[main]}"
    return f"[{', '.join(f'{c:.2f}' for c in direction)}]"


EDGE = "#30343a"


@dataclass(frozen=True, eq=False)
class Thing:
    """A pyvista data set whose cells or points have an `rgb`; `number` names it in pictures."""

    data: Any
    number: int = 0
    opacity: float = 1.0
    edges: bool = False
    width: float = 3.0  # [px] of lines and points


@dataclass(frozen=True, eq=False)
class Panel:
    """Things in a window, with a name."""

    things: Sequence[Thing]
    window: Window
    name: str = ""


@dataclass(frozen=True, eq=False)
class Painted:
    """A picture (h, w, 3), the number (h, w) of what each pixel shows, and pixels a metre."""

    image: Image
    numbers: Ints
    scale: float


def solid(X: Floats, faces: Ints, rgb: Floats, number: int = 0, **look: Any) -> Thing:
    """Triangles (k, 3) in one colour (3,), or in one for each (k, 3)."""
    used, corners = np.unique(faces, return_inverse=True)
    surface = Surface(X[used], corners.reshape(-1, 3))
    data = drawing().PolyData.from_regular_faces(surface.X, surface.faces)
    data.point_data.active_normals = surface.vertex_normals
    return Thing(coloured(data, rgb), number, **look)


def threads(lines: Sequence[Floats], rgb: Floats, **look: Any) -> Thing:
    """Lines, each of points (s, 3), in one colour (3,) or in one for each (k, 3)."""
    counts = [len(line) for line in lines]
    starts = np.cumsum([0, *counts[:-1]])
    cells = [np.r_[k, start + np.arange(k)] for k, start in zip(counts, starts, strict=True)]
    data = drawing().PolyData(np.concatenate(lines), lines=np.concatenate(cells))
    return Thing(coloured(data, rgb), **look)


def dots(X: Floats, rgb: Floats, number: int = 0, **look: Any) -> Thing:
    """Points (n, 3) in one colour (3,)."""
    return Thing(coloured(drawing().PolyData(X), rgb), number, **look)


def coloured(data: Any, rgb: Floats) -> Any:
    """A data set with colours (3,) or (k, 3), from 0 to 1, on its cells."""
    colours = np.broadcast_to(rgb, (data.n_cells, 3))
    data.cell_data["rgb"] = (255 * np.clip(colours, 0, 1)).astype(np.uint8)
    return data


def paint(panels: Sequence[Panel], height: int) -> list[Painted]:
    """The pictures of panels, `height` pixels high; things that several share are set up once."""
    painted = []
    for _, group in groupby(panels, key=lambda panel: id(panel.things)):
        same = list(group)
        windows = [panel.window for panel in same]
        shots = zip(
            windows,
            _shots(_coloured_stage(same[0].things), windows, height),
            _shots(_numbered_stage(same[0].things), windows, height),
            strict=True,
        )
        painted += [Painted(i, _decoded(n), height / w.size[1]) for w, i, n in shots]
    return painted


def _coloured_stage(things: Sequence[Thing]) -> Any:
    pyvista = drawing()
    plotter = pyvista.Plotter(off_screen=True, lighting="none")
    plotter.set_background("#ffffff")
    light(pyvista, plotter)
    plotter.enable_anti_aliasing("ssaa")
    if any(thing.opacity < 1 for thing in things):
        plotter.enable_depth_peeling(8)
    for thing in things:
        plotter.add_mesh(
            thing.data,
            scalars="rgb",
            rgb=True,
            opacity=thing.opacity,
            show_edges=thing.edges,
            edge_color=EDGE,
            lighting=thing.data.point_data.active_normals is not None,
            **_lines(thing),
            **LOOK,
        )
    return plotter


def _numbered_stage(things: Sequence[Thing]) -> Any:
    """The opaque things, each in the colour that is its number."""
    plotter = drawing().Plotter(off_screen=True, lighting="none")
    plotter.set_background("#000000")
    # Without smooth edges: a mixture of two numbers would be a third.
    plotter.render_window.SetMultiSamples(0)
    for thing in things:
        if thing.opacity == 1:
            colour = tuple(thing.number.to_bytes(3, "big"))
            plotter.add_mesh(thing.data, color=colour, lighting=False, **_lines(thing))
    return plotter


def _decoded(image: Image) -> Ints:
    return np.asarray(image.astype(np.int64) @ [65536, 256, 1])


def _lines(thing: Thing) -> dict[str, Any]:
    width = 1.0 if thing.edges else thing.width
    return {"line_width": width, "point_size": thing.width, "reset_camera": False}


def _shots(plotter: Any, windows: Sequence[Window], height: int) -> list[Image]:
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
    away = 10 * max(window.size) * window.side.toward
    camera.position, camera.focal_point = window.centre + away, window.centre
    camera.up = window.side.up
    camera.parallel_projection, camera.parallel_scale = True, window.size[1] / 2
