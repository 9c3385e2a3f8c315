"""A body's motion as USD: parts with transforms in time, muscles with points and activation.

Bones are below `/Model/Bones`, balls below `/Model/Balls`, each as a transform of its part with the
meshes that it carries. Muscles are below `/Model/Muscles`, with their activation as a primvar and
as `displayColor`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from vastus.export.bodies.shapes import BodyShapes, poses_over_time, reds
from vastus.export.bodies.stage import move, new_body_stage, require_usd_path
from vastus.export.formats import Watch
from vastus.export.regions import clock
from vastus.export.usd.layer import HELD
from vastus.export.usd.prims import (
    NAME,
    TOP,
    Shape,
    define_material,
    set_colour,
    set_faces,
    set_level,
)
from vastus.files.identifiers import identifiers, readable
from vastus.files.safe import replacing
from vastus.parts import Tissue
from vastus.results.body_motion import BodyMotion

GROUPS = BONES, BALLS, MUSCLES = f"{TOP}/Bones", f"{TOP}/Balls", f"{TOP}/Muscles"
# Programs call objects by the last part of their path.
TAKEN = ("Model", "Bones", "Balls", "Muscles", "Materials")


def write(motion: BodyMotion, path: Path, watch: Watch) -> None:
    """Write a motion as USD; the suffix tells whether it is binary or text (`.usda`)."""
    require_usd_path(path)
    with replacing(path) as part:
        _Stage(motion, part).fill(watch)


class _Stage:
    """The stage of one motion."""

    def __init__(self, motion: BodyMotion, path: Path) -> None:
        self._motion, self._clock = motion, clock(motion.times)
        self._shapes = BodyShapes(motion.body)
        self._stage = new_body_stage(path, motion.name, motion.provenance, self._clock, GROUPS)
        self._bone = define_material(self._stage, Tissue.BONE)
        self._muscle = define_material(self._stage, Tissue.MUSCLE)
        names = [*self._shapes.parts, *(s.name for s in self._shapes.surfaces), *motion.body.names]
        self._plain = identifiers(dict.fromkeys(names), taken=TAKEN)

    def fill(self, watch: Watch) -> None:
        """Write all of it."""
        self._carry()
        muscles = [self._mesh(MUSCLES, name, self._shapes.faces, self._muscle)
                   for name in self._motion.body.names]  # fmt: skip
        rows = zip(self._clock.codes, self._motion.positions, self._motion.activations, strict=True)
        for index, (code, position, activation) in enumerate(rows):
            self._shapes.place(position)
            X, _ = self._shapes.muscles()
            for mesh, x, level, colour in zip(
                muscles, X, activation, reds(activation), strict=True
            ):
                Shape(mesh).set(x, {}, code)
                set_colour(mesh, colour, code)
                set_level(mesh, float(level), code)
            if index % HELD == HELD - 1:
                self._stage.Save()
            watch(index + 1, len(self._motion))
        self._stage.Save()

    def _carry(self) -> None:
        """Parts with their transforms, and the meshes that they carry."""
        from pxr import UsdGeom

        for part, poses in poses_over_time(self._shapes, self._motion).items():
            group = BALLS if part in self._shapes.loose else BONES
            frame = UsdGeom.Xform.Define(self._stage, f"{group}/{self._plain[part]}")
            frame.GetPrim().SetCustomDataByKey(NAME, readable(part))
            move(frame, poses, self._clock)
            for bone in self._shapes.surfaces:
                if bone.body == part:
                    above = str(frame.GetPath())
                    mesh = self._mesh(above, bone.name, bone.surface.faces, self._bone)
                    Shape(mesh).set(bone.surface.X, {})
                    set_colour(mesh, np.array(bone.colour[:3]))

    def _mesh(self, above: str, name: str, faces: Any, material: Any) -> Any:
        from pxr import UsdGeom

        called = self._plain[name]
        # A bone often has the name of the part that carries it.
        path = f"{above}/{called}_mesh" if above.endswith(f"/{called}") else f"{above}/{called}"
        mesh = UsdGeom.Mesh.Define(self._stage, path)
        set_faces(mesh, name, faces, material)
        return mesh
