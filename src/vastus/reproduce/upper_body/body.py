"""The body of all experiments, made once, and what it looks like from its sides."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from vastus.bodies.upper.assembly import whole_upper_body
from vastus.bodies.upper.record import UpperBody
from vastus.control.upper_body.dynamics import Dynamics
from vastus.control.upper_body.musculoskeleton import Musculoskeleton
from vastus.geometry.surface import Surface
from vastus.numerics.types import Floats
from vastus.pictures.panels import ROOM, Panel, Shape, render_panels, view_toward, window_around
from vastus.pictures.renderer import Image

FRONT, SIDE, BACK = (0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
UP = np.array([0.0, 0.0, 1.0])
NAMES = ("from the front", "from its left", "from behind")


@cache
def upper_body() -> UpperBody:
    """The package's own body: 68 bodies, 147 degrees of freedom, 814 lines."""
    return whole_upper_body()


@cache
def dynamics_of(slack_ratio: float = 1.05) -> Dynamics:
    """Its dynamics, with slack lengths of so many rest lengths."""
    return Dynamics(Musculoskeleton.of(upper_body()), slack_ratio=slack_ratio)


def seen(
    shapes: Sequence[Shape],
    points: Floats,
    height: int,
    *,
    sides: Sequence[Sequence[float]] = (FRONT, SIDE, BACK),
    room: float = ROOM,
) -> list[Image]:
    """Pictures of shapes without perspective, in windows that hold points (k, 3), side by side."""
    views = [view_toward(np.asarray(side, float), UP) for side in sides]
    panels = [Panel(shapes, window_around(points, view, room)) for view in views]
    return [rendered.image for rendered in render_panels(panels, height)]


def posed_bones(pose: Floats, bodies: Sequence[str] | None = None) -> list[tuple[str, Surface]]:
    """The bones of some bodies, or of all, where a pose (b, 3, 4) carries them, with the body."""
    names = dynamics_of().body.body_names
    made = upper_body()
    out = []
    for row in made.rows:
        if bodies is None or row.name in bodies:
            M = pose[names.index(row.name)]
            for bone in (made.bones[name] for name in row.bones):
                out.append((row.name, Surface(bone.X @ M[:, :3].T + M[:, 3], bone.faces)))
    return out


def posed_lines(pose: Floats, muscles: Sequence[int] | None = None) -> list[Floats]:
    """The points (k, 3) of some lines, or of all, where a pose (b, 3, 4) carries them."""
    names, lines = dynamics_of().body.body_names, upper_body().lines
    chosen = range(len(lines)) if muscles is None else muscles
    out = []
    for k in chosen:
        M = pose[[names.index(anchor.body) for anchor in lines[k].path]]
        X = np.array([anchor.point for anchor in lines[k].path])
        out.append(np.einsum("kij,kj->ki", M[:, :, :3], X) + M[:, :, 3])
    return out
