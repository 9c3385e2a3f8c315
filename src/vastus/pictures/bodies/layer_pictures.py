"""Pictures of a body in layers: bones, lines of muscle by their activation, volumes and skin."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from vastus.bodies.upper.dumbbells import COLOUR
from vastus.bodies.upper.shape import carried
from vastus.flesh.layers import BodyLayers, Layer
from vastus.geometry.surface import Surface, joined
from vastus.numerics.types import Floats, Ints
from vastus.pictures.animation import encode, tiled
from vastus.pictures.bodies.line_tubes import LineTubes
from vastus.pictures.colours import LINES, SKIN, line_colour, muscle_colour
from vastus.pictures.picture import beyond, captioned, colour_bar, save_image, shrunk, widened
from vastus.pictures.renderer import LOOK, Image, add_lights, aim, captured, load_pyvista

FPS, FINER = 15.0, 1.5  # of movies: drawn no longer than an exercise is simulated
FRONT, LEFT, OBLIQUE = (0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.5, -0.85, 0.12)
SIDES = {"front": FRONT, "left": LEFT, "back": (0.0, 1.0, 0.0), "right": (-1.0, 0.0, 0.0)}
WITHIN, COVER = (Layer.BONES, Layer.LINES, Layer.LOADS), (Layer.SKIN, Layer.LOADS)
PANELS = (WITHIN, (Layer.BONES, Layer.MUSCLES, Layer.LOADS), COVER)
SEEN, THINNED = 24, 9  # frames at which the camera is aimed, and of so many points one
Watch = Callable[[int, int], None]


@dataclass(eq=False)
class _Drawn:
    """A mesh on the screen, all of a layer: hundreds of actors take longer than triangles."""

    mesh: Any

    def show(self, X: Floats, N: Floats, rgb: Floats | None = None) -> None:
        """Put it to points and unit normals (p, 3), maybe with other colours (p, 3)."""
        self.mesh.points = X
        # Not in place: the array on the screen may be that of the surface at rest.
        self.mesh.point_data.active_normals = N
        if rgb is not None:
            self.mesh.point_data["rgb"][:] = (255 * rgb).astype(np.uint8)


class LayerRenderer:
    """Some layers of a body before a camera in a direction (3,) that sees all its frames."""

    def __init__(
        self,
        layers: BodyLayers,
        height: int,
        *,
        view: Sequence[float] = OBLIQUE,
        shown: Collection[Layer] = WITHIN,
        opacity: float = 1.0,
        finer: float = 2.0,
    ) -> None:
        """All layers that there are count for the camera; `opacity` is that of the skin.

        Pictures are drawn so much `finer` and made smaller, which smooths their edges.
        """
        self.layers, self._shown = layers, [layer for layer in layers.present if layer in shown]
        self._plotter = load_pyvista().Plotter(off_screen=True, lighting="none")
        makers = {
            Layer.BONES: self._add_bones, Layer.LINES: self._add_lines,
            Layer.MUSCLES: self._add_muscles, Layer.SKIN: lambda: self._add_skin(opacity),
            Layer.LOADS: self._add_loads,
        }  # fmt: skip
        self._updates = [makers[layer]() for layer in self._shown]
        direction = np.asarray(view, float)
        direction /= np.linalg.norm(direction)
        aim(
            self._plotter,
            layers.places(spread(len(layers), SEEN), THINNED),
            round(finer * height),
            direction,
        )
        self._size = round(self._plotter.window_size[0] / finer), height
        self._plotter.set_background("#ffffff", top="#dfe7ef")
        add_lights(self._plotter)
        # The renderer's own smoothing takes three times as long where there is no graphics card.
        self._plotter.disable_anti_aliasing()

    def picture(self, index: int) -> Image:
        """(height, width, 3) the body in a frame."""
        for update in self._updates:
            update(index)
        return shrunk(captured(self._plotter), self._size)

    def __enter__(self) -> LayerRenderer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._plotter.close()

    def _add_bones(self) -> Callable[[int], None]:
        layers = self.layers
        sizes = [bone.surface.n_vertices for bone in layers.bones]
        rgb = np.repeat([bone.colour for bone in layers.bones], sizes, axis=0)
        rest = joined([bone.surface for bone in layers.bones])
        drawn = self._add(rest, rgb, 0.12)

        def update(index: int) -> None:
            poses = layers.poses[index][layers.body_of_point]
            turned = np.einsum("pij,pj->pi", poses[:, :, :3], rest.vertex_normals)
            drawn.show(carried(rest.X, poses), turned)

        return update

    def _add_lines(self) -> Callable[[int], None]:
        lines = self.layers.lines
        assert lines is not None
        tubes = LineTubes(lines.paths)
        X, _ = tubes.at(lines.paths.points)
        drawn = self._add(Surface(X, tubes.faces), np.zeros_like(X), 0.2)

        def update(index: int) -> None:
            points = lines.paths.at(self.layers.poses[index])
            rgb = line_colour(lines.activations[index][:, None])
            drawn.show(*tubes.at(points), rgb[tubes.line_of_point])

        return update

    def _add_muscles(self) -> Callable[[int], None]:
        flesh = self.layers.flesh
        assert flesh is not None
        rest = joined(flesh.volumes_rest)
        drawn = self._add(rest, np.zeros_like(rest.X), 0.3)

        def update(index: int) -> None:
            X = flesh.volumes(index)
            rgb = muscle_colour(flesh.activations[index][:, None])[flesh.muscle_of_point]
            drawn.show(X, Surface(X, rest.faces).vertex_normals, rgb)

        return update

    def _add_skin(self, opacity: float) -> Callable[[int], None]:
        flesh = self.layers.flesh
        assert flesh is not None
        rest = flesh.skin_rest
        drawn = self._add(rest, np.tile(SKIN, (rest.n_vertices, 1)), 0.18, opacity)

        def update(index: int) -> None:
            X = flesh.skin(index)
            drawn.show(X, Surface(X, rest.faces).vertex_normals)

        return update

    def _add_loads(self) -> Callable[[int], None]:
        loads = self.layers.loads
        assert loads is not None
        rest = loads.at(0, self.layers.poses[0])
        drawn = self._add(rest, np.tile(COLOUR, (rest.n_vertices, 1)), 0.4)

        def update(index: int) -> None:
            now = loads.at(index, self.layers.poses[index])
            drawn.show(now.X, now.vertex_normals)

        return update

    def _add(self, rest: Surface, rgb: Floats, specular: float, opacity: float = 1.0) -> _Drawn:
        mesh = load_pyvista().PolyData.from_regular_faces(rest.X, rest.faces)
        mesh.point_data.active_normals = rest.vertex_normals
        mesh.point_data["rgb"] = (255 * np.asarray(rgb)).astype(np.uint8)
        self._plotter.add_mesh(
            mesh, scalars="rgb", rgb=True, opacity=opacity, specular=specular, reset_camera=False,
            culling="back" if opacity < 1 else None, **LOOK,
        )  # fmt: skip
        return _Drawn(mesh)


def spread(frames: int, count: int) -> Ints:
    """At most `count` of so many frames, evenly spread, with the first and the last."""
    return np.unique(np.linspace(0, frames - 1, min(count, frames)).round().astype(np.int64))


def layer_sheet(layers: BodyLayers, path: Path, *, count: int = 5, height: int = 560) -> None:
    """Draw `count` moments from the front, and below from the left, to one PNG file."""
    pictures: list[Image] = []
    rows = spread(len(layers), count)
    for side, view in (("front", FRONT), ("left", LEFT)):
        with LayerRenderer(layers, height, view=view) as renderer:
            pictures += [
                captioned(renderer.picture(int(row)), f"{layers.times[row]:.2f} s, {side}")
                for row in rows
            ]
    width = max(picture.shape[1] for picture in pictures)
    sheet = tiled([widened(picture, width) for picture in pictures], len(rows))
    if layers.lines is not None:
        ends = beyond(layers.lines.activations[rows], 0.0, 1.0)
        sheet = np.concatenate([sheet, colour_bar(LINES, (0.0, 1.0), ends, sheet.shape[1], height)])
    save_image(sheet, path)


def side_sheet(layers: BodyLayers, path: Path, *, index: int = -1, height: int = 520) -> None:
    """Draw a frame from four sides, a row for each kind of layer, to one PNG file."""
    index %= len(layers)
    rows = [panel for panel in PANELS if set(panel) - {Layer.LOADS} <= set(layers.present)]
    pictures: list[Image] = []
    for panel in rows:
        for side, view in SIDES.items():
            with LayerRenderer(layers, height, view=view, shown=panel) as renderer:
                text = f"{layers.times[index]:.2f} s, {side}"
                pictures.append(captioned(renderer.picture(index), text))
    width = max(picture.shape[1] for picture in pictures)
    save_image(tiled([widened(picture, width) for picture in pictures], len(SIDES)), path)


def layer_movie(
    layers: BodyLayers,
    path: Path,
    *,
    fps: float = FPS,
    height: int = 720,
    panels: Sequence[Collection[Layer]] = (WITHIN,),
    watch: Watch = lambda done, total: None,
) -> None:
    """Draw a body over time, `fps` pictures of each second, to an MP4 file.

    There is a picture for each of the `panels`, which are layers, side by side.
    """
    rows = movie_rows(layers.times, fps)

    def drawn() -> Iterator[Image]:
        with ExitStack() as stack:
            renderers = [
                stack.enter_context(LayerRenderer(layers, height, shown=panel, finer=FINER))
                for panel in panels
            ]
            for number, row in enumerate(rows, 1):
                pictures = [renderer.picture(int(row)) for renderer in renderers]
                yield captioned(np.concatenate(pictures, axis=1), f"{layers.times[row]:.2f} s")
                watch(number, len(rows))

    encode(path, drawn(), fps)


def movie_rows(times: Floats, fps: float) -> Ints:
    """The frames nearest to times that are 1/fps apart."""
    wanted = np.arange(times[0], times[-1] + 0.5 / fps, 1.0 / fps)
    return np.asarray(np.abs(times[:, None] - wanted).argmin(axis=0), np.int64)
