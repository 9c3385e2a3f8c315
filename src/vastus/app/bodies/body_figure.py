"""A body in the page: bones and balls that are moved, and muscles that are sent as they deform."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from vastus.app.look import coloured
from vastus.app.text import label
from vastus.bodies.appearance import BoneSurface
from vastus.bodies.body import Body
from vastus.export.bodies.shapes import BodyShapes, reds
from vastus.files.identifiers import unlike
from vastus.geometry.surface import Surface
from vastus.numerics.rotation import quaternions
from vastus.numerics.types import Floats
from vastus.pictures.renderer import fitted

if TYPE_CHECKING:
    import viser

    from vastus.app.web_page import Page

STATIONS, AROUND = 17, 8  # of a muscle: all of them are sent with every picture
FRONT = np.array([0.93, -0.28, 0.22])  # the way to the camera, as in pictures
ANGLE, ASPECT, MARGIN = 75.0, 1.2, 1.1  # [deg] of the page's camera, of the picture, and around it
Dragged = Callable[[str, str, Floats, Floats], None]


class BodyFigure:
    """One body in the scene of a page.

    All muscles are one node: a page draws one of thousands of triangles sooner than many small
    ones.
    """

    def __init__(self, server: viser.ViserServer, body: Body) -> None:
        self._server = server
        self.shapes = BodyShapes(body, stations=STATIONS, around=AROUND)
        count, points = len(body.units), STATIONS * AROUND
        starts = points * np.arange(count)[:, None, None]
        self._faces = (self.shapes.faces[None] + starts).reshape(-1, 3)
        self._frames: dict[str, Any] = {}
        self._nodes: dict[str, list[Any]] = {}
        self._muscles: Any = None
        taken: list[str] = []
        for part in self.shapes.parts:
            path = unlike(f"/body/{_word(part)}", taken)
            taken.append(path)
            self._frames[part] = server.scene.add_frame(path, show_axes=False)
            own = [s for s in self.shapes.surfaces if s.body == part]
            self._nodes[part] = [
                server.scene.add_glb(f"{path}/{k}", _data(surface), cast_shadow=False)
                for k, surface in enumerate(own)
            ]

    def draw(self, position: Floats, activation: Floats) -> None:
        """Show the body at a position (nq,) with activations (units,)."""
        self.shapes.place(position)
        X, N = self.shapes.muscles()
        with self._server.atomic():
            for part, frame in self._frames.items():
                pose = self.shapes.pose(part)
                frame.wxyz = tuple(quaternions(pose[None, :, :3])[0])
                frame.position = tuple(pose[:, 3])
            if len(X):
                rgb = np.repeat((255 * reds(activation)).astype(np.uint8), X.shape[1], axis=0)
                data = coloured(X.reshape(-1, 3), N.reshape(-1, 3), rgb, self._faces)
                self._send(data)

    def when_dragged(self, page: Page, job: Dragged) -> None:
        """Do a job while a visitor drags a bone that joints can move.

        It is given the phase, the part, and the places (3,) [m] where it was taken and is now.
        """
        m = self.shapes.body.model
        for part, b in self.shapes.parts.items():
            if part not in self.shapes.loose and m.body_dofnum[b] > 0:
                for node in self._nodes[part]:
                    page.when_dragged(node, partial(_of_part, job, part))

    def look(self, page: Page, points: Floats) -> None:
        """Let visitors see the body and points (k, 3) [m] when they arrive."""
        bones = [s for s in self.shapes.surfaces if s.body not in self.shapes.loose]
        poses = [self.shapes.pose(bone.body) for bone in bones]
        pairs = zip(bones, poses, strict=True)
        shown = [bone.surface.X @ p[:, :3].T + p[:, 3] for bone, p in pairs]
        seen = np.concatenate([*shown, points])
        view = fitted(seen, FRONT / np.linalg.norm(FRONT), ASPECT, ANGLE)
        page.look_from(view.target + MARGIN * (view.position - view.target), view.target)

    def _send(self, data: bytes) -> None:
        if self._muscles is None:
            self._muscles = self._server.scene.add_glb("/muscles", data, cast_shadow=False)
        else:
            self._muscles.glb_data = data


def _of_part(job: Dragged, part: str, phase: str, begun: Floats, end: Floats) -> None:
    job(phase, part, begun, end)


def _word(name: str) -> str:
    return label(name).replace("/", "\N{DIVISION SLASH}")


def _data(bone: BoneSurface) -> bytes:
    surface: Surface = bone.surface
    rgb = np.tile((255 * np.array(bone.colour[:3])).astype(np.uint8), (len(surface.X), 1))
    return coloured(surface.X, surface.vertex_normals, rgb, surface.faces)


def busiest(names: tuple[str, ...], activation: Floats, count: int = 8) -> str:
    """The most active muscles as lines of a list, each with a bar."""
    most = np.argsort(-activation, kind="stable")[:count]
    bars = ["#" * round(20 * min(float(activation[k]), 1.0)) for k in most]
    rows = [f"{activation[k]:4.2f} {bar:<20} {label(names[k])}"
            for k, bar in zip(most, bars, strict=True)]  # fmt: skip
    return "```\n" + "\n".join(rows) + "\n```"
