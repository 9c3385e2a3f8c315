"""A body in layers as USD: bones with transforms, lines as curves, volumes and skin with points.

Bones are below `/Model/Bones`, a transform for each body with the meshes that it carries. Lines are
curves below `/Model/Lines`, a prim for each muscle, with activation and colour of each curve.
Volumes are below `/Model/Muscles`, the skin is `/Model/Skin`, and what hands carry `/Model/Loads`.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np

from vastus.bodies.upper.dumbbells import COLOUR
from vastus.export.bodies.stage import move, new_body_stage, require_usd_path
from vastus.export.formats import Watch
from vastus.export.regions import clock, linear
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
from vastus.flesh.layers import BodyLayers, Layer
from vastus.numerics.types import Floats, Ints
from vastus.parts import Tissue
from vastus.pictures.bodies.line_tubes import radii
from vastus.pictures.colours import SKIN, line_colour, muscle_colour

BONES, LINES, MUSCLES, COVER, LOADS = (
    f"{TOP}/{name}" for name in ("Bones", "Lines", "Muscles", "Skin", "Loads")
)
GROUPS = {Layer.BONES: BONES, Layer.LINES: LINES, Layer.MUSCLES: MUSCLES}
# Programs call objects by the last part of their path.
TAKEN = ("Model", "Bones", "Lines", "Muscles", "Skin", "Loads", "Materials")


def write(layers: BodyLayers, path: Path, watch: Watch, *, shown: Collection[Layer]) -> None:
    """Write some layers as USD; the suffix tells whether it is binary or text (`.usda`)."""
    require_usd_path(path)
    with replacing(path) as part:
        _Stage(layers, part, [layer for layer in layers.present if layer in shown]).fill(watch)


class _Stage:
    """The stage of one motion."""

    def __init__(self, layers: BodyLayers, path: Path, shown: list[Layer]) -> None:
        self._layers, self._shown, self._clock = layers, shown, clock(layers.times)
        groups = [GROUPS[layer] for layer in shown if layer in GROUPS]
        self._stage = new_body_stage(path, layers.name, layers.provenance, self._clock, groups)
        bodies = [f"{name or 'world'}" for name in layers.bodies]
        names = [*bodies, *(f"{bone.name} surface" for bone in layers.bones)]
        if layers.lines is not None:
            names += [f"{group} lines" for group in layers.lines.paths.groups]
        if layers.flesh is not None:
            names += [f"{name} volume" for name in layers.flesh.names]
        self._plain = identifiers(dict.fromkeys(names), taken=TAKEN)

    def fill(self, watch: Watch) -> None:
        """Write all of it."""
        movers = []
        if Layer.BONES in self._shown:
            self._carry()
        if Layer.LINES in self._shown:
            movers.append(self._lines())
        if Layer.MUSCLES in self._shown:
            movers.append(self._muscles())
        if Layer.SKIN in self._shown:
            movers.append(self._skin())
        if Layer.LOADS in self._shown:
            movers.append(self._loads())
        for index, code in enumerate(self._clock.codes):
            for mover in movers:
                mover(index, code)
            if index % HELD == HELD - 1:
                self._stage.Save()
            watch(index + 1, len(self._layers))
        self._stage.Save()

    def _carry(self) -> None:
        """Bodies with their transforms, and the bones that they carry, at rest."""
        from pxr import UsdGeom

        material = define_material(self._stage, Tissue.BONE)
        layers = self._layers
        for body in dict.fromkeys(bone.body for bone in layers.bones):
            name = layers.bodies[body] or "world"
            frame = UsdGeom.Xform.Define(self._stage, f"{BONES}/{self._plain[name]}")
            frame.GetPrim().SetCustomDataByKey(NAME, readable(name))
            move(frame, layers.poses[:, body], self._clock)
            for bone in layers.bones:
                if bone.body == body:
                    path = f"{frame.GetPath()}/{self._plain[f'{bone.name} surface']}"
                    mesh = self._mesh(path, bone.name, bone.surface.faces, material)
                    Shape(mesh).set(bone.surface.X, {})
                    set_colour(mesh, np.array(bone.colour))

    def _lines(self) -> Any:
        """A prim of curves for each muscle; what gives them their points in a frame is returned."""
        lines = self._layers.lines
        assert lines is not None
        groups, paths = np.array(lines.paths.groups), lines.paths
        curves = {}
        for group in dict.fromkeys(lines.paths.groups):
            mine = np.flatnonzero(groups == group)
            rows = np.concatenate(
                [np.arange(*paths.starts[line : line + 2]) for line in mine.tolist()]
            )
            curves[group] = _Curves(
                self._stage, f"{LINES}/{self._plain[f'{group} lines']}", group,
                [paths.names[line] for line in mine], np.diff(paths.starts)[mine],
                2.0 * radii(paths.areas[mine]),
            ), mine, rows  # fmt: skip

        def mover(index: int, code: float) -> None:
            points, levels = paths.at(self._layers.poses[index]), lines.activations[index]
            for curve, mine, rows in curves.values():
                curve.set(points[rows], levels[mine], code)

        return mover

    def _muscles(self) -> Any:
        flesh = self._layers.flesh
        assert flesh is not None
        material = define_material(self._stage, Tissue.MUSCLE)
        meshes = []
        for name, rest in zip(flesh.names, flesh.volumes_rest, strict=True):
            path = f"{MUSCLES}/{self._plain[f'{name} volume']}"
            meshes.append(self._mesh(path, name, rest.faces, material))
        ends = np.cumsum([rest.n_vertices for rest in flesh.volumes_rest])[:-1]

        def mover(index: int, code: float) -> None:
            parts, levels = np.split(flesh.volumes(index), ends), flesh.activations[index]
            for mesh, X, level in zip(meshes, parts, levels, strict=True):
                Shape(mesh).set(X, {}, code)
                set_colour(mesh, muscle_colour(float(level)), code)
                set_level(mesh, float(level), code)

        return mover

    def _skin(self) -> Any:
        flesh = self._layers.flesh
        assert flesh is not None
        mesh = self._mesh(COVER, "skin", flesh.skin_rest.faces, None)
        set_colour(mesh, SKIN)
        shape = Shape(mesh)
        return lambda index, code: shape.set(flesh.skin(index), {}, code)

    def _loads(self) -> Any:
        loads, poses = self._layers.loads, self._layers.poses
        assert loads is not None
        mesh = self._mesh(LOADS, "loads", loads.faces, None)
        set_colour(mesh, np.array(COLOUR))
        shape = Shape(mesh)
        return lambda index, code: shape.set(loads.at(index, poses[index]).X, {}, code)

    def _mesh(self, path: str, name: str, faces: Ints, material: Any) -> Any:
        from pxr import UsdGeom

        mesh = UsdGeom.Mesh.Define(self._stage, path)
        set_faces(mesh, name, faces, material)
        return mesh


class _Curves:
    """The lines of one muscle as straight curves, each with its activation and colour."""

    def __init__(
        self, stage: Any, path: str, name: str, lines: list[str], counts: Ints, widths: Floats
    ) -> None:
        from pxr import Sdf, UsdGeom, Vt

        curves = UsdGeom.BasisCurves.Define(stage, path)
        curves.GetPrim().SetDisplayName(readable(name))
        curves.GetPrim().SetCustomDataByKey(NAME, readable(name))
        curves.CreateTypeAttr(UsdGeom.Tokens.linear)
        curves.CreateCurveVertexCountsAttr(Vt.IntArray.FromNumpy(counts.astype(np.int32)))
        curves.CreateWidthsAttr(Vt.FloatArray.FromNumpy(widths.astype(np.float32)))
        curves.SetWidthsInterpolation(UsdGeom.Tokens.uniform)
        api, each = UsdGeom.PrimvarsAPI(curves), UsdGeom.Tokens.uniform
        api.CreatePrimvar("line", Sdf.ValueTypeNames.StringArray, each).Set(lines)
        self._levels = api.CreatePrimvar("activation", Sdf.ValueTypeNames.FloatArray, each)
        self._colours = curves.CreateDisplayColorPrimvar(each)
        self._shape = Shape(curves)

    def set(self, points: Floats, levels: Floats, code: float) -> None:
        """Put points (p, 3) [m] and activations (m,) to a time code."""
        from pxr import Vt

        self._shape.set(points, {}, code)
        self._levels.Set(Vt.FloatArray.FromNumpy(levels.astype(np.float32)), code)
        rgb = linear(line_colour(levels[:, None])).astype(np.float32)
        self._colours.Set(Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(rgb)), code)
