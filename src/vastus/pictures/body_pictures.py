"""Pictures of an articulated body: its bones, and its muscles as volumes coloured by activation."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np

from vastus.bodies.appearance import BoneSurface, bone_surfaces, course
from vastus.bodies.body import Body, mujoco_package
from vastus.numerics.types import Floats
from vastus.pictures.colours import muscle_colour
from vastus.pictures.muscle_shapes import muscle_surface
from vastus.pictures.renderer import LOOK, Image, add_lights, aim, load_pyvista

FRONT = (0.93, -0.28, 0.22)  # the way to the camera: from before, a little from the right and above


class _Drawn(NamedTuple):
    """A bone that is drawn, with its normals (n, 3) in its own frame."""

    bone: BoneSurface
    N: Floats
    surface: Any

    def follow(self, data: Any) -> None:
        """Go where the bone is in the data."""
        R = data.body(self.bone.body).xmat.reshape(3, 3)
        self.surface.points = self.bone.placed(data).X
        self.surface.point_data["Normals"][:] = self.N @ R.T


class BodyRenderer:
    """A body before a camera that sees it and what is thrown in all its positions (k, nq)."""

    def __init__(
        self,
        body: Body,
        positions: Floats,
        height: int,
        *,
        view: Sequence[float] = FRONT,
        points: Floats | None = None,
        only: Collection[str] = (),
    ) -> None:
        """`points` (p, 3) [m] are seen besides, such as the places of balls.

        The camera is aimed at the bones of the bodies in `only`, or at all of them.
        """
        self.body, self._data = body, body.data(positions[len(positions) // 2])
        pyvista = load_pyvista()
        self._plotter = pyvista.Plotter(off_screen=True, lighting="none")
        self._bones = [self._add_bone(bone) for bone in bone_surfaces(body)]
        self._muscles = [self._add_muscle(pyvista, k) for k in range(len(body.units))]
        aimed = [d.bone for d in self._bones if not only or d.bone.body in only]
        seen = [bone.placed(self._data).X for bone in aimed]
        if points is not None:
            seen.append(points)
        aim(self._plotter, np.concatenate(seen), height, np.asarray(view) / np.linalg.norm(view))
        self._plotter.set_background("#ffffff", top="#dfe7ef")
        add_lights(self._plotter)
        self._plotter.enable_anti_aliasing("ssaa")

    def picture(self, position: Floats, activation: Floats) -> Image:
        """(height, width, 3) the body at a position (nq,) with activations (units,)."""
        mujoco, m, d = mujoco_package(), self.body.model, self._data
        d.qpos[:] = position
        mujoco.mj_kinematics(m, d)
        mujoco.mj_comPos(m, d)
        mujoco.mj_tendon(m, d)
        for drawn in self._bones:
            drawn.follow(d)
        for k, surface in enumerate(self._muscles):
            shape = muscle_surface(self.body.units[k], course(self.body, d, k))
            surface.points = shape.X
            colour = muscle_colour(float(np.clip(activation[k], 0.0, 1.0)))
            surface.point_data["rgb"][:] = (255 * colour).astype(np.uint8)
            surface.point_data["Normals"][:] = shape.vertex_normals
        self._plotter.render()
        return np.array(self._plotter.screenshot(return_img=True))

    def __enter__(self) -> BodyRenderer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._plotter.close()

    def _add_bone(self, bone: BoneSurface) -> _Drawn:
        pyvista = load_pyvista()
        surface = pyvista.PolyData.from_regular_faces(bone.surface.X, bone.surface.faces)
        surface = surface.compute_normals(split_vertices=False, auto_orient_normals=True)
        N = np.array(surface.point_data["Normals"], float)
        colour = bone.colour[:3]
        self._plotter.add_mesh(surface, color=colour, specular=0.12, reset_camera=False, **LOOK)
        return _Drawn(bone, N, surface)

    def _add_muscle(self, pyvista: Any, unit: int) -> Any:
        shape = muscle_surface(self.body.units[unit], course(self.body, self._data, unit))
        surface = pyvista.PolyData.from_regular_faces(shape.X, shape.faces)
        surface.point_data.active_normals = shape.vertex_normals
        surface.point_data["rgb"] = np.zeros((len(shape.X), 3), np.uint8)
        self._plotter.add_mesh(
            surface, scalars="rgb", rgb=True, specular=0.3, reset_camera=False, **LOOK
        )
        return surface
