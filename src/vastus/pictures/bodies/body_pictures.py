"""Pictures of an articulated body: its bones, and its muscles as volumes coloured by activation."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np

from vastus.bodies.appearance import BoneSurface, bone_surfaces, course
from vastus.bodies.body import Body, mujoco_package
from vastus.control.muscle_kinds import Muscles
from vastus.numerics.types import Floats
from vastus.pictures.bodies.muscle_shapes import BellySurface, MuscleShapes
from vastus.pictures.colours import muscle_colour
from vastus.pictures.renderer import LOOK, Image, add_lights, aim, captured, load_pyvista

FRONT = (0.93, -0.28, 0.22)  # the way to the camera: from before, a little from the right and above
SEEN = 40  # positions of a motion at which the camera is aimed
THINNED = 5  # of so many vertices of a bone one is looked for in them


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
        muscles: Muscles | None = None,
        only: Collection[str] = (),
    ) -> None:
        """`points` (p, 3) [m] are the places of balls that are seen besides.

        If the muscles are bellies that are solved, they are drawn in their shapes. The camera is
        aimed at the bones of the bodies in `only`, or at all of them.
        """
        self.body, self._data = body, body.data(positions[len(positions) // 2])
        self._law, self._bellies = None, None
        if muscles is not None and muscles.bellies is not None:
            self._law, self._bellies = muscles.law, muscles.bellies
            shaped = zip(body.units, muscles.bellies.bellies, strict=True)
            self._carried = [BellySurface(unit, belly) for unit, belly in shaped]
        pyvista = load_pyvista()
        self._plotter = pyvista.Plotter(off_screen=True, lighting="none")
        self._bones = [self._add_bone(bone) for bone in bone_surfaces(body)]
        self._shapes = MuscleShapes(body.units)
        self._muscles = [self._add_muscle(pyvista, *one) for one in self._placed()]
        seen = self._seen(positions, only)
        if points is not None:
            seen += self._around(points)
        aim(self._plotter, np.concatenate(seen), height, np.asarray(view) / np.linalg.norm(view))
        self._plotter.set_background("#ffffff", top="#dfe7ef")
        add_lights(self._plotter)
        self._plotter.enable_anti_aliasing("ssaa")

    def picture(self, position: Floats, activation: Floats, speeds: Floats | None = None) -> Image:
        """(height, width, 3) the body at a position (nq,) with activations (units,).

        Speeds (nv,), zero unless given, matter to the shapes of bellies.
        """
        mujoco, m, d = mujoco_package(), self.body.model, self._data
        d.qpos[:] = position
        mujoco.mj_kinematics(m, d)
        mujoco.mj_comPos(m, d)
        mujoco.mj_tendon(m, d)
        if self._law is not None:
            d.qvel[:] = 0.0 if speeds is None else speeds
            mujoco.mj_fwdVelocity(m, d)
            count = len(self.body.units)
            self._law.forces(d.ten_length[:count], d.ten_velocity[:count], activation)
        for drawn in self._bones:
            drawn.follow(d)
        for k, (surface, (X, N)) in enumerate(zip(self._muscles, self._placed(), strict=True)):
            surface.points = X
            colour = muscle_colour(float(np.clip(activation[k], 0.0, 1.0)))
            surface.point_data["rgb"][:] = (255 * colour).astype(np.uint8)
            surface.point_data["Normals"][:] = N
        return captured(self._plotter)

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

    def _seen(self, positions: Floats, only: Collection[str]) -> list[Floats]:
        """Points of the bones in positions that are spread over all; free bodies are left out."""
        free = set(_free_bodies(self.body))
        aimed = [d.bone for d in self._bones if not only or d.bone.body in only]
        aimed = [bone for bone in aimed if bone.body not in free]
        rows = np.unique(np.linspace(0, len(positions) - 1, SEEN).round().astype(int))
        found = [bone.placed(self._data).X for bone in aimed]
        for row in rows:
            data = self.body.data(positions[row])
            found += [bone.placed(data).X[::THINNED] for bone in aimed]
        return found

    def _around(self, points: Floats) -> list[Floats]:
        """The points with the room that the largest free body takes about each of them."""
        free = set(_free_bodies(self.body))
        sizes = [np.abs(d.bone.surface.X).max() for d in self._bones if d.bone.body in free]
        room = max(sizes, default=0.0) * np.eye(3)
        return [points, *(points + side for axis in room for side in (axis, -axis))]

    def _courses(self) -> list[Floats]:
        return [course(self.body, self._data, k) for k in range(len(self.body.units))]

    def _placed(self) -> list[tuple[Floats, Floats]]:
        """Points and normals of each muscle."""
        if self._bellies is not None:
            vertices = [self._bellies.vertices(k) for k in range(len(self._carried))]
            found = zip(self._carried, vertices, self._courses(), strict=True)
            return [belly.at(X, course) for belly, X, course in found]
        return list(zip(*self._shapes.at(self._courses()), strict=True))

    def _add_muscle(self, pyvista: Any, X: Floats, N: Floats) -> Any:
        surface = pyvista.PolyData.from_regular_faces(X, self._shapes.faces)
        surface.point_data.active_normals = N
        surface.point_data["rgb"] = np.zeros((len(X), 3), np.uint8)
        self._plotter.add_mesh(
            surface, scalars="rgb", rgb=True, specular=0.3, reset_camera=False, **LOOK
        )
        return surface


def _free_bodies(body: Body) -> list[str]:
    """The bodies that hang on nothing, such as balls."""
    m = body.model
    owners = m.jnt_bodyid[m.jnt_type == mujoco_package().mjtJoint.mjJNT_FREE]
    return [m.body(int(k)).name for k in owners]
