"""A body in the scene of a page: bones that are placed, muscles as volumes, and their ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from vastus.app.look import coloured
from vastus.app.surgery.bones import BoneHit, bone_hit, met, seen_bones
from vastus.bodies.appearance import course
from vastus.bodies.body import Body
from vastus.control.disorders.insertion import path_sites
from vastus.geometry.surface import Surface
from vastus.numerics.rotation import quaternions
from vastus.numerics.types import Floats
from vastus.pictures.bodies.muscle_shapes import MuscleShapes
from vastus.pictures.colours import IVORY, RED, RELAXED

if TYPE_CHECKING:
    import mujoco
    import viser

ROOT = "/body"
FAINT, CLEARER = 0.22, 0.6
CHOSEN_BONE = np.array([0.98, 0.80, 0.45])
FORMER = (70, 90, 150)
BALLS = {"now": (0.005, (20, 150, 80)), "before": (0.004, FORMER)}  # radius [m], colour


class Others(StrEnum):
    """How muscles that are not chosen are seen."""

    SOLID = "solid"
    FAINT = "faint"
    HIDDEN = "hidden"


@dataclass(frozen=True)
class View:
    """What is chosen, and how it is seen; muscles by name, the bone by number."""

    muscles: tuple[str, ...]
    bone: int | None
    sites: tuple[str, ...]  # those that a click would move
    others: Others = Others.FAINT
    moving: bool = False  # chosen muscles let the bones be seen


class BodyDisplay:
    """Shows a body; what looks the same is not sent again."""

    def __init__(self, server: viser.ViserServer, body: Body) -> None:
        self._server = server
        self.bones = seen_bones(body)
        self.data = body.data()
        server.scene.add_frame(ROOT, show_axes=False)
        self._nodes: dict[int, viser.GlbHandle] = {}
        self._tints: dict[int, bool] = {}
        self._muscles: dict[str, tuple[Surface, tuple[bool, float], viser.GlbHandle]] = {}
        self._balls: list[viser.IcosphereHandle] = []
        self._numbers = {name: k for k, name in enumerate(body.names)}

    def show(self, body: Body, before: Body, pose: Floats, view: View) -> None:
        """Show a body in a pose (nq,), with the former paths of the chosen muscles as lines."""
        self.data = body.data(pose)
        former = before.data(pose)
        with self._server.atomic():
            for number in range(len(self.bones)):
                self._bone(number, chosen=number == view.bone)
            shapes = MuscleShapes(body.units)
            X, _ = shapes.at([course(body, self.data, k) for k in range(len(body.units))])
            for unit, points in zip(body.units, X, strict=True):
                self._muscle(unit.name, Surface(points, shapes.faces), view)
            self._lines(before, former, view)
            for ball in self._balls:
                ball.remove()
            self._balls = [
                *self._ends("before", before, former, view),
                *self._ends("now", body, self.data, view),
            ]

    def bone_hit(self, origin: Floats, direction: Floats) -> BoneHit | None:
        """Where a ray first meets a bone."""
        return bone_hit(self.bones, origin, direction, self.data)

    def muscle_hit(self, origin: Floats, direction: Floats) -> tuple[str, float] | None:
        """Which muscle that is seen a ray first meets, and how far along."""
        found = []
        for name, (surface, (_, opacity), _) in self._muscles.items():
            far = met(origin, direction, surface.X, surface.faces) if opacity > 0 else None
            if far is not None:
                found.append((name, far))
        return min(found, key=lambda each: each[1], default=None)

    def extent(self, numbers: Sequence[int] | None = None) -> Floats:
        """(k, 3) points [m] of some bones, or of all, to be looked at."""
        chosen = [self.bones[k] for k in (range(len(self.bones)) if numbers is None else numbers)]
        points = [bone.part.placed(self.data).X for bone in chosen]
        return np.concatenate(points) if points else np.array(self.data.xpos)

    def _bone(self, number: int, *, chosen: bool) -> None:
        bone = self.bones[number]
        if self._tints.get(number) is not chosen:
            self._tints[number] = chosen
            own = np.array(bone.part.colour[:3])
            plain = IVORY if own.min() > 0.99 else own  # what has no colour is white in files
            data = _painted(bone.surface, CHOSEN_BONE if chosen else plain)
            path = f"{ROOT}/bones/{number}"
            self._nodes[number] = self._server.scene.add_glb(path, data, cast_shadow=False)
        R, x = bone.frame(self.data)
        node = self._nodes[number]
        node.wxyz, node.position = tuple(quaternions(R[None])[0]), tuple(x)

    def _muscle(self, name: str, surface: Surface, view: View) -> None:
        chosen = name in view.muscles
        opacity = {Others.SOLID: 1.0, Others.FAINT: FAINT, Others.HIDDEN: 0.0}[view.others]
        if chosen:
            opacity = CLEARER if view.moving else 1.0
        look = (chosen, opacity)
        before = self._muscles.get(name)
        if before is not None:
            same = np.allclose(before[0].X, surface.X, rtol=0.0, atol=1e-7)
            if look == before[1] and same:
                return
            if opacity == 0.0:
                before[2].visible = False
                self._muscles[name] = surface, look, before[2]
                return
        data = _painted(surface, RED if chosen else RELAXED, opacity or 1.0)
        # By number, since names may hold anything.
        path = f"{ROOT}/muscles/{self._numbers[name]}"
        node = self._server.scene.add_glb(path, data, cast_shadow=False, visible=opacity > 0)
        self._muscles[name] = surface, look, node

    def _lines(self, before: Body, former: mujoco.MjData, view: View) -> None:
        """The former paths of the chosen muscles."""
        pieces = [np.zeros((1, 2, 3))]
        for name in view.muscles:
            path = course(before, former, self._numbers[name])
            pieces.append(np.stack([path[:-1], path[1:]], axis=1))
        points = np.concatenate(pieces)[1:]
        self._server.scene.add_line_segments(
            f"{ROOT}/before",
            (points if len(points) else np.zeros((1, 2, 3))).astype(np.float32),
            np.array(FORMER, np.uint8),
            thickness=3.0,
            thickness_units="screen",
            visible=bool(len(points)),
        )

    def _ends(
        self, when: str, body: Body, data: mujoco.MjData, view: View
    ) -> Iterator[viser.IcosphereHandle]:
        """A ball at each point that a click would move."""
        there = {site for muscle in view.muscles for site in path_sites(body, muscle)}
        radius, rgb = BALLS[when]
        for number, site in enumerate(sorted(there.intersection(view.sites))):
            yield self._server.scene.add_icosphere(
                f"{ROOT}/{when}/{number}",
                radius,
                rgb,
                position=tuple(data.site(site).xpos),
                cast_shadow=False,
            )


def _painted(surface: Surface, colour: Floats, opacity: float = 1.0) -> bytes:
    """A surface in one colour."""
    rgb = np.tile((255 * colour).astype(np.uint8), (surface.n_vertices, 1))
    return coloured(surface.X, surface.vertex_normals, rgb, surface.faces, opacity=opacity)
