"""What flesh looks like: its skin from four sides, what is under it, and a movie."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from vastus.flesh.solver import FleshFrame, FleshSolver
from vastus.geometry.surface import Surface, joined
from vastus.numerics.types import Floats
from vastus.pictures.animation import encode, tiled
from vastus.pictures.colours import IVORY, SKIN, muscle_colour
from vastus.pictures.picture import captioned, save_image, widened
from vastus.pictures.renderer import LOOK, Image, add_lights, aim, captured, load_pyvista

# The four sides, by the axis that points to the camera.
SIDES = {
    "from -y": (0.0, -1.0, 0.0),
    "from +x": (1.0, 0.0, 0.0),
    "from +y": (0.0, 1.0, 0.0),
    "from -x": (-1.0, 0.0, 0.0),
}
OBLIQUE = (0.45, -0.87, 0.2)
GLASS = 0.3  # the opacity of a skin that is seen through


@dataclass(frozen=True)
class Layers:
    """What is drawn: the skin, opaque or glassy, and what is under it."""

    skin: bool = True
    glassy: bool = False

    @property
    def inner(self) -> bool:
        """Whether bones and muscles are seen."""
        return self.glassy or not self.skin


@dataclass(eq=False)
class _Drawn:
    """A surface on the screen."""

    faces: np.ndarray
    mesh: Any

    def show(self, x: Floats) -> None:
        self.mesh.points = x
        self.mesh.point_data["Normals"][:] = Surface(x, self.faces).vertex_normals


class FleshRenderer:
    """Flesh before a camera in a direction (3,) that sees all the given points (k, 3)."""

    def __init__(
        self,
        solver: FleshSolver,
        points: Floats,
        height: int,
        *,
        view: Sequence[float] = OBLIQUE,
        layers: Layers = Layers(),
    ) -> None:
        self.solver = solver
        flesh = solver.flesh
        self._plotter = load_pyvista().Plotter(off_screen=True, lighting="none")
        self._bones: _Drawn | None = None
        self._muscles: _Drawn | None = None
        self._skin: _Drawn | None = None
        if layers.inner:
            # All in one mesh each: hundreds of actors take longer than their triangles.
            self._bones = self._add(joined([bone for _, bone in flesh.bones]), IVORY, 0.12)
            if flesh.muscles:
                bellies = joined([muscle.surface for muscle in flesh.muscles])
                self._muscles = self._add(bellies, muscle_colour(0.0), 0.3, painted=True)
        if layers.skin:
            opacity = GLASS if layers.glassy else 1.0
            self._skin = self._add(flesh.skin.surface, SKIN, 0.18, opacity=opacity)
        direction = np.asarray(view, float)
        aim(self._plotter, points, height, direction / np.linalg.norm(direction))
        self._plotter.set_background("#ffffff", top="#dfe7ef")
        add_lights(self._plotter)
        self._plotter.enable_anti_aliasing("ssaa")

    def _add(
        self, surface: Surface, colour: Floats, specular: float, *, opacity: float = 1.0,
        painted: bool = False,
    ) -> _Drawn:  # fmt: skip
        mesh = load_pyvista().PolyData.from_regular_faces(surface.X, surface.faces)
        mesh.point_data.active_normals = surface.vertex_normals
        options: dict[str, Any] = {"color": colour}
        if painted:
            mesh.point_data["rgb"] = np.zeros((surface.n_vertices, 3), np.uint8)
            options = {"scalars": "rgb", "rgb": True}
        self._plotter.add_mesh(
            mesh, opacity=opacity, specular=specular, reset_camera=False,
            culling="back" if opacity < 1 else None, **options, **LOOK,
        )  # fmt: skip
        return _Drawn(surface.faces, mesh)

    def picture(self, frame: FleshFrame) -> Image:
        """(height, width, 3) the picture of a frame."""
        flesh = self.solver.flesh
        if self._skin:
            self._skin.show(self.solver.skin(frame))
        if self._bones:
            places = [bone.X @ frame.poses[body, :, :3].T + frame.poses[body, :, 3]
                      for body, bone in flesh.bones]  # fmt: skip
            self._bones.show(np.concatenate(places))
        if self._muscles:
            self._muscles.show(np.concatenate(list(self.solver.muscles(frame).values())))
            colours = [muscle_colour(float(level)) for level in np.clip(frame.activation, 0, 1)]
            counts = [muscle.surface.n_vertices for muscle in flesh.muscles]
            painted = np.repeat(np.array(colours), counts, axis=0)
            self._muscles.mesh.point_data["rgb"][:] = (255 * painted).astype(np.uint8)
        return captured(self._plotter)

    def __enter__(self) -> FleshRenderer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._plotter.close()


def skin_sheet(
    solver: FleshSolver, frames: Sequence[tuple[str, FleshFrame]], path: Path, *, height: int = 520
) -> None:
    """Draw frames by name from four sides, and what is under the first skin, to one PNG file."""
    seen = np.concatenate([solver.skin(frame) for _, frame in frames])
    rows: list[list[Image]] = [[] for _ in range(len(frames) + 1)]
    for side, view in SIDES.items():
        with FleshRenderer(solver, seen, height, view=view) as renderer:
            for row, (name, frame) in zip(rows, frames, strict=False):
                row.append(captioned(renderer.picture(frame), f"{name}, {side}"))
        glassy = Layers(glassy=True)
        with FleshRenderer(solver, seen, height, view=view, layers=glassy) as renderer:
            name, frame = frames[-1]
            rows[-1].append(captioned(renderer.picture(frame), f"{name}, under the skin, {side}"))
    pictures = [picture for row in rows for picture in row]
    width = max(picture.shape[1] for picture in pictures)
    save_image(tiled([widened(picture, width) for picture in pictures], len(SIDES)), path)


def skin_movie(
    solver: FleshSolver,
    frames: Callable[[], Iterator[tuple[float, FleshFrame]]],
    path: Path,
    fps: float,
    *,
    height: int = 720,
    view: Sequence[float] = OBLIQUE,
    watch: Callable[[int], None] = lambda done: None,
) -> None:
    """Draw the skin, and what is under it, over time to an MP4 file."""
    seen = np.concatenate([solver.skin(frame)[::10] for _, frame in frames()])
    skin = FleshRenderer(solver, seen, height, view=view)
    inner = FleshRenderer(solver, seen, height, view=view, layers=Layers(glassy=True))

    def drawn() -> Iterator[Image]:
        for number, (at, frame) in enumerate(frames(), 1):
            both = np.concatenate([skin.picture(frame), inner.picture(frame)], axis=1)
            yield captioned(both, f"{at:.2f} s")
            watch(number)

    with skin, inner:
        encode(path, drawn(), fps)
