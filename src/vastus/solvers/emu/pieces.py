"""The energy of EMU as an objective: elements free of each other, tied to the nearest mesh.

E(F) = Psi(F) + alpha/2 Rᵀ W R - f·y*, with y* = L⁻¹ Dᵀ W (F - F0) the nearest mesh and
R = F - F0 - D y* the discontinuity (EMU eq. 5 and 22). Its derivative is
dPsi + alpha W R - W D L⁻¹ f: the sign of the first term of eq. 10 is a misprint.

While EMU iterates, a bone on the mesh may deviate from its own gradient, by as much as the weight
alpha V E of its element lets it: this is the slack on B q = B_F F of EMU eq. 21, with the joints
exact. In the end the bones follow their gradients exactly and the tissue is fitted once more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vastus.errors import SolveError
from vastus.inputs import Inputs
from vastus.numerics.minimise import largest_part
from vastus.numerics.rotation import nearest_rotations
from vastus.numerics.types import Floats
from vastus.skeleton.affine import Affine, turned
from vastus.solvers.emu.mesh_contact import MeshContact
from vastus.solvers.emu.space import Space
from vastus.solvers.problem import Configuration


@dataclass(eq=False)
class Pieces:
    """Independent gradients F (elements, 3, 3), the nearest mesh y (n_y, 3), and their distance."""

    F: Floats
    y: Floats
    distance: float  # [J] half the weighted square of the discontinuity
    step: Floats | None = None  # (elements, 3, 3) the step that led here
    before: float = np.inf  # [J] the energy where it came from
    value: float = np.nan  # [J] the energy, once it is known


@dataclass(eq=False)
class Line:
    """What is known along a direction d from q: the mesh is linear, the distance quadratic."""

    q: Pieces
    step: Floats  # the direction in the minimiser's coordinates
    d: Floats  # (elements, 3, 3)
    y: Floats  # (n_y, 3) how the nearest mesh follows
    bones: Floats  # (f, 3, 3) how the discontinuity of the bones follows
    slope: float
    curvature: float

    def length(self, q: Pieces, step: Floats) -> float | None:
        """How far along this line a step from q is, or None if it is not on it."""
        if q is not self.q:
            return None
        j = int(np.argmax(np.abs(self.step)))
        s = step[j] / self.step[j] if self.step[j] else 0.0
        return float(s) if np.array_equal(step, s * self.step) else None


Direction = Callable[["PiecesEnergy", Pieces, Floats], Floats]


class PiecesEnergy:
    """The energy under fixed inputs; coordinates are gradients times lengths, so forces are [N].

    `further` forces (n, 3) [N] act on the vertices as the loads do.
    """

    def __init__(
        self,
        space: Space,
        alpha: float,
        inputs: Inputs,
        start: Configuration,
        direction: Direction,
        further: Floats | None = None,
    ) -> None:
        self.space, self.alpha, self.start = space, alpha, start
        self.problem = space.problem
        self.tension = self.problem.elastic.tension(inputs.excitation)
        self.bellies = self.problem.bellies.at(inputs)
        loads = self.problem.loads.at(inputs).force
        self.external = loads if further is None else loads + further
        self.force, self.sag = space.weight(self.external)
        self.q0, self.F0 = space.origin(start)
        self.contact = MeshContact(space, [e.at(inputs) for e in self.problem.contact], start)
        self.noise, self.load = 0.0, 0.0
        self.floor = self.problem.force_noise + space.noise + alpha * space.weight_noise
        self._direction = direction
        self._line: Line | None = None

    @cached_property
    def spring(self) -> Floats:
        """(elements, 1, 1) the weights alpha W [J]."""
        return self.alpha * self.space.w[:, None, None]

    def at(self, F: Floats) -> Pieces:
        """The point with these gradients."""
        y = self.space.nearest(F - self.F0)
        R = F - self.F0 - self.space.gradients(y)
        return Pieces(F, y, 0.5 * _dot(self.space.w[:, None, None] * R, R))

    def discontinuity(self, q: Pieces) -> Floats:
        """(elements, 3, 3) R = F - F0 - D y."""
        return q.F - self.F0 - self.space.gradients(q.y)

    def value(self, q: Pieces) -> float:
        """The energy [J]."""
        elastic = self.elastic(q.F)
        work = _dot(self.force, q.y)
        fixed = _dot(self.external, self.q0 - self.problem.model.mesh.X)
        apart = self.alpha * q.distance
        size = float(np.abs(elastic).sum()) + abs(apart) + abs(work)
        self.noise = self.problem.elastic.noise + self.space.bone_elastic.noise + 1e-15 * size
        q.value = float(elastic.sum()) + apart - work - fixed
        if self.contact:
            q.value += self.contact.value(q.y)
            self.noise += self.contact.noise
        return q.value

    def elastic(self, F: Floats) -> Floats:
        """(elements,) the elastic energy of each element [J]."""
        tissue = F[: self.space.soft]
        soft = self.problem.elastic.energy(tissue, self.tension) + self.bellies.energies(tissue)
        for volume in self.problem.volumes:
            soft = soft + volume.energy(tissue)
        return np.concatenate([soft, self.space.bone_elastic.energy(self._bone_poses(F))])

    def gradient(self, q: Pieces) -> Floats:
        """(9 elements,) the derivative by gradients times lengths [N]."""
        stress = self.stress(q.F)
        corner = stress / self.space.length[:, None, None]
        self.load = float(np.sqrt(_dot(corner, corner) + _dot(self.force, self.force)))
        g = stress + self.spring * self.discontinuity(q) - self._weight
        if self.contact:
            g += self.through_mesh(self.space.solve(self.contact.slope(q.y)))
            self.load = float(np.hypot(self.load, self.contact.load))
        return (g / self.space.length[:, None, None]).ravel()

    def through_mesh(self, y: Floats) -> Floats:
        """(elements, 3, 3) W D y."""
        return np.asarray(self.space.w[:, None, None] * self.space.gradients(y))

    def stress(self, F: Floats) -> Floats:
        """(elements, 3, 3) dPsi/dF [J]."""
        soft = self.problem.elastic.stress(F[: self.space.soft], self.tension)
        self.bellies.add_stress(F[: self.space.soft], soft)
        for volume in self.problem.volumes:
            volume.add_stress(F[: self.space.soft], soft)
        soft *= self.problem.elastic.volumes[:, None, None]
        bones = self.space.bone_elastic.gradient(self._bone_poses(F)).reshape(-1, 3, 3)
        return np.concatenate([soft, bones])

    def tangents(self, F: Floats) -> tuple[Floats, Floats]:
        """(s, 9, 9) and (f, 9, 9) the second derivatives over the volume [Pa]."""
        bones = self.space.bone_elastic
        f = self.space.bones
        dense = bones.hessian(self._bone_poses(F)).reshape(f, 9, f, 9)
        blocks = np.einsum("aiaj->aij", dense) / bones.volumes[:, None, None]
        soft = self.problem.elastic.tangent(F[: self.space.soft], self.tension)
        self.bellies.add_tangents(F[: self.space.soft], soft)
        for volume in self.problem.volumes:
            volume.add_tangents(F[: self.space.soft], soft)
        return soft, np.ascontiguousarray(blocks)

    def columns(self, F: Floats) -> tuple[Floats, Floats]:
        """U (9 elements, r) and c (r,) [J] of the matrices c u u^T that couple tets of a belly."""
        found = self.bellies.columns(F[: self.space.soft])
        U = np.zeros((F.size, len(found)))
        for k, (u, _) in enumerate(found):
            U[: u.size, k] = u.ravel()
        return U, np.array([c for _, c in found], float)

    def longest(self, q: Pieces, step: Floats) -> float:
        """The largest part of a step, at most 1, on which nothing touches."""
        if not self.contact:
            return 1.0
        return largest_part(
            lambda part: self.contact.longest(q.y, self.retract(q, part * step).y - q.y)
        )

    def direction(self, q: Pieces, g: Floats) -> Floats:
        """The descent direction, with the nearest mesh along it."""
        length = self.space.length[:, None, None]
        d = self._direction(self, q, g.reshape(-1, 3, 3) * length)
        self._line = self._along(q, d, (d * length).ravel())
        return self._line.step

    def retract(self, q: Pieces, step: Floats) -> Pieces:
        """The point a step away, where bones have turned instead of growing (theory, eq. 23)."""
        s = self._line.length(q, step) if self._line else None
        if s is None:
            d = step.reshape(-1, 3, 3) / self.space.length[:, None, None]
            self._line, s = self._along(q, d, step), 1.0
        assert self._line is not None
        return self._moved(self._line, s)

    def _moved(self, line: Line, s: float) -> Pieces:
        q, step = line.q, s * line.d
        F, y = q.F + step, q.y + s * line.y
        distance = q.distance + s * (line.slope + 0.5 * s * line.curvature)
        if self.space.k:
            bend = self._bend(line, s)
            # A change of the mesh and of F together leaves the discontinuity as it is.
            F += self.space.bone_gradients(bend)
            y[: self.space.k] += bend
            distance += self._turn_bones(line, s, F, y)
        return Pieces(F, y, distance, step, q.value)

    def _bend(self, line: Line, s: float) -> Floats:
        """(k, 3) what turning the bones adds to their coordinates; NaN if joints cannot close."""
        k, start = self.space.k, self.start.poses
        straight = line.q.y[:k] + s * line.y[:k]
        chart = Affine().chart(self.problem.skeleton, self.space.poses(start, line.q.y[:k]))
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                moved = chart.move(s * line.y[:k].ravel())
            return self.space.coordinates(start, moved) - straight
        except SolveError:
            return np.full((k, 3), np.nan)

    def _turn_bones(self, line: Line, s: float, F: Floats, y: Floats) -> float:
        """Turn the bones' own gradients too, the mesh following; how much the distance grows."""
        space, bones = self.space, slice(self.space.soft, None)
        w = space.w[bones, None, None]
        change = _turned(line.q.F[bones], s * line.d[bones]) - F[bones]
        pull = np.einsum("fck,frc->kr", space.strain_of, w * change)
        R = self._bone_discontinuity(line.q) + s * line.bones
        F[bones] += change
        y += space.response @ pull
        own = _dot(w * change, change) - _dot(pull, space.response[: space.k] @ pull)
        return _dot(w * R, change) + 0.5 * own

    def _along(self, q: Pieces, d: Floats, step: Floats) -> Line:
        space = self.space
        y = space.nearest(d)
        R = d - space.gradients(y)
        weighted = space.w[:, None, None] * R
        slope = _dot(weighted, self.discontinuity(q))
        return Line(q, step, d, y, R[space.soft :], slope, _dot(weighted, R))

    def _bone_discontinuity(self, q: Pieces) -> Floats:
        bones = np.einsum("fck,kr->frc", self.space.strain_of, q.y[: self.space.k])
        return q.F[self.space.soft :] - self.F0[self.space.soft :] - bones

    @cached_property
    def _weight(self) -> Floats:
        """(elements, 3, 3) W D L⁻¹ f: the external forces in deformation space (EMU eq. 22)."""
        return self.through_mesh(self.sag)

    def _bone_poses(self, F: Floats) -> Floats:
        poses = np.zeros((len(self.problem.model.bones), 3, 4))
        poses[self.problem.skeleton.free, :, :3] = F[self.space.soft :]
        return poses


def _dot(a: Floats, b: Floats) -> float:
    """The inner product; not by BLAS, whose threads would compete with those of the loops."""
    return float(np.einsum("i,i->", a.reshape(-1), b.reshape(-1)))


def _turned(F: Floats, d: Floats) -> Floats:
    """(f, 3, 3) F + d, its turning part applied as a rotation; NaN where a bone has collapsed."""
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            return np.array([turned(A, change) for A, change in zip(F, d, strict=True)])
    except SolveError:
        return np.full_like(F, np.nan)


def final_mesh(energy: PiecesEnergy, q: Pieces) -> Configuration:
    """The mesh that minimises the energy together with F, its bones placed by their gradients."""
    sag = energy.sag
    if energy.contact:
        sag = sag - energy.space.solve(energy.contact.slope(q.y))
    return placed_mesh(energy, q.F, q.y + sag / energy.alpha)


def placed_mesh(energy: PiecesEnergy, F: Floats, y: Floats) -> Configuration:
    """The mesh y (n_y, 3) with its bones placed by their gradients in F (elements, 3, 3)."""
    space, problem = energy.space, energy.problem
    poses = space.poses(energy.start.poses, y[: space.k])
    placed = problem.bones.close(problem.skeleton, _by_gradient(energy, poses, F[space.soft :]))
    if space.k:
        # The columns of the inverse of L move the bones and let the tissue give way.
        gap = space.coordinates(energy.start.poses, placed) - y[: space.k]
        y = y + space.response @ np.linalg.solve(space.response[: space.k], gap)
    return problem.configure(energy.q0 + space.vertices(y), placed)


def _by_gradient(energy: PiecesEnergy, poses: Floats, F: Floats) -> Floats:
    """The poses with the bones' own gradients about their centres, made rigid unless affine."""
    out, skeleton = poses.copy(), energy.problem.skeleton
    turns = F if energy.problem.bones.young else nearest_rotations(F)
    for bone, turn in zip(skeleton.free, turns, strict=True):
        centre = skeleton.centre[bone]
        image = poses[bone, :, :3] @ centre + poses[bone, :, 3]
        out[bone, :, :3] = turn
        out[bone, :, 3] = image - turn @ centre
    return out
