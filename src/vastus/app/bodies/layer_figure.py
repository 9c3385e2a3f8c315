"""A body in layers in the page: bones are moved, all else is sent as it deforms."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from vastus.app.look import LINEAR, coloured
from vastus.bodies.upper.dumbbells import COLOUR
from vastus.flesh.layers import BodyLayers, Layer
from vastus.geometry.surface import Surface, joined
from vastus.numerics.rotation import quaternions
from vastus.numerics.types import Floats
from vastus.pictures.bodies.layer_pictures import OBLIQUE, spread
from vastus.pictures.colours import SKIN, line_colour, muscle_colour
from vastus.pictures.renderer import fitted

if TYPE_CHECKING:
    import viser

    from vastus.app.web_page import Page

THICKNESS = 0.004  # [m] of a line
ANGLE, ASPECT, MARGIN = 75.0, 0.7, 1.1  # [deg] of the page's camera, of the picture, and around it
SEEN, THINNED = 5, 9  # frames that must fit into the picture, and of so many points one


class LayerFigure:
    """The layers of a body in the scene of a page; of those that are hidden nothing is sent."""

    def __init__(self, server: viser.ViserServer, layers: BodyLayers) -> None:
        self._server, self.layers = server, layers
        self.visible = dict.fromkeys(layers.present, True)
        self._nodes: dict[Layer, Any] = {}
        self._drawers: dict[Layer, Callable[[int], None]] = {
            Layer.BONES: self._draw_bones, Layer.LINES: self._draw_lines,
            Layer.MUSCLES: self._draw_muscles, Layer.SKIN: self._draw_skin,
            Layer.LOADS: self._draw_loads,
        }  # fmt: skip
        self._frames: dict[int, Any] = {}
        self._opacity = 1.0
        self._quaternions = quaternions(layers.poses[..., :3])
        self._add_bones()

    def draw(self, index: int) -> None:
        """Show a frame."""
        with self._server.atomic():
            for layer, visible in self.visible.items():
                if visible:
                    self._drawers[layer](index)

    def show(self, layer: Layer, visible: bool, index: int) -> None:
        """Show or hide a layer, at the frame that is seen."""
        self.visible[layer] = visible
        if visible:
            self._drawers[layer](index)
        if layer in self._nodes:
            self._nodes[layer].visible = visible

    def see_through(self, opacity: float) -> None:
        """Let the skin be so opaque, from 0 to 1."""
        self._opacity = opacity
        if Layer.SKIN in self._nodes:
            self._nodes[Layer.SKIN].opacity = _glass(opacity)

    def look(self, page: Page) -> None:
        """Let visitors see all of the motion when they arrive."""
        seen = self.layers.places(spread(len(self.layers), SEEN), THINNED)
        direction = np.array(OBLIQUE) / np.linalg.norm(OBLIQUE)
        view = fitted(seen, direction, ASPECT, ANGLE)
        page.look_from(view.target + MARGIN * (view.position - view.target), view.target)

    def _add_bones(self) -> None:
        """All bones of a body are one node, sent once."""
        scene = self._server.scene
        self._nodes[Layer.BONES] = scene.add_frame("/bones", show_axes=False)
        for body in dict.fromkeys(bone.body for bone in self.layers.bones):
            own = [bone for bone in self.layers.bones if bone.body == body]
            surface = joined([bone.surface for bone in own])
            sizes = [bone.surface.n_vertices for bone in own]
            rgb = np.repeat([bone.colour for bone in own], sizes, axis=0)
            self._frames[body] = scene.add_frame(f"/bones/{body}", show_axes=False)
            scene.add_glb(f"/bones/{body}/surface", _data(surface, rgb), cast_shadow=False)

    def _draw_bones(self, index: int) -> None:
        for body, frame in self._frames.items():
            frame.wxyz = tuple(self._quaternions[index, body])
            frame.position = tuple(self.layers.poses[index, body, :, 3])

    def _draw_lines(self, index: int) -> None:
        lines = self.layers.lines
        assert lines is not None
        points = lines.paths.at(self.layers.poses[index])[lines.paths.segments]
        rgb = (255 * line_colour(lines.activations[index][:, None])).astype(np.uint8)
        rgb = LINEAR[rgb]  # the page takes colours of lines for linear ones
        colours = np.repeat(rgb[lines.paths.line_of_segment][:, None], 2, axis=1)
        node = self._nodes.get(Layer.LINES)
        if node is None:
            self._nodes[Layer.LINES] = self._server.scene.add_line_segments(
                "/lines", points.astype(np.float32), colours, thickness=THICKNESS
            )
        else:
            node.points, node.colors = points.astype(np.float32), colours

    def _draw_muscles(self, index: int) -> None:
        flesh = self.layers.flesh
        assert flesh is not None
        surface = Surface(flesh.volumes(index), flesh.volume_faces)
        rgb = muscle_colour(flesh.activations[index][:, None])[flesh.muscle_of_point]
        self._send(Layer.MUSCLES, surface, rgb)

    def _draw_loads(self, index: int) -> None:
        loads = self.layers.loads
        assert loads is not None
        surface = loads.at(index, self.layers.poses[index])
        self._send(Layer.LOADS, surface, np.tile(COLOUR, (surface.n_vertices, 1)))

    def _send(self, layer: Layer, surface: Surface, rgb: Floats) -> None:
        """Show a surface with colours (n, 3) in the place of the layer's last one."""
        node, data = self._nodes.get(layer), _data(surface, rgb)
        if node is None:
            node = self._server.scene.add_glb(f"/{layer.value}", data, cast_shadow=False)
            self._nodes[layer] = node
        else:
            node.glb_data = data

    def _draw_skin(self, index: int) -> None:
        flesh = self.layers.flesh
        assert flesh is not None
        X, node = flesh.skin(index), self._nodes.get(Layer.SKIN)
        if node is None:
            self._nodes[Layer.SKIN] = self._server.scene.add_mesh_simple(
                "/skin", X, flesh.skin_rest.faces, color=tuple((255 * SKIN).astype(int).tolist()),
                opacity=_glass(self._opacity), cast_shadow=False, receive_shadow=False,
            )  # fmt: skip
        else:
            node.vertices = X


def _glass(opacity: float) -> float | None:
    """The opacity as the page wants it: a surface that is drawn as opaque has none."""
    return None if opacity >= 1.0 else float(opacity)


def _data(surface: Surface, rgb: Floats) -> bytes:
    colours = (255 * np.asarray(rgb)).astype(np.uint8)
    return coloured(surface.X, surface.vertex_normals, colours, surface.faces)
