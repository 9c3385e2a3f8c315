"""Deformation space: independent gradients, and the continuous mesh nearest to them.

Elements are the soft tets and then one for each free bone. The mesh is q = P y + q0, with y
(n_y, 3) the coordinates of the free bones that the joints leave, first, and then the free vertices.
Pins, bones and joints are the same for the three axes, so one scalar operator serves them all:
F = D y + F0, and L = Dᵀ W D is factored once (EMU eq. 4 and 20, the constraints eliminated).
The lowest modes of L are kept on disk.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import bmat, csr_matrix, diags, triu
from scipy.sparse.linalg import LinearOperator, eigsh

from vastus.cache import Store, cache_root, digest
from vastus.energies.ball_limits import BallLimits
from vastus.energies.joints import JointResistance
from vastus.energies.skeletal import BoneElastic
from vastus.errors import ModelError, SolveError
from vastus.inputs import Inputs
from vastus.model import Model
from vastus.numerics.factor import make_factor
from vastus.numerics.types import Bools, Floats, Ints
from vastus.parts import Tissue
from vastus.skeleton.affine import Affine
from vastus.skeleton.bones import Chart
from vastus.solvers.problem import Configuration, Problem
from vastus.solvers.ties import refuse_planes


class Space:
    """The linear operators of deformation space for one reduced model."""

    def __init__(self, problem: Problem, bone_young: float) -> None:
        refuse_partial_pins(problem.model)
        refuse_coupling(problem)
        refuse_planes(problem.model, "the affine bones of deformation space")
        self.problem = problem
        self._weight: tuple[Floats, tuple[Floats, Floats]] | None = None
        skeleton, model = problem.skeleton, problem.model
        self.soft, self.bones = len(problem.elastic.T), len(skeleton.free)
        self.free = problem.unknowns.free[::3] // 3  # (v,) free vertices
        moved = np.flatnonzero(np.isin(skeleton.owner, skeleton.free))
        self.carried = problem.unknowns.carried[moved]  # (h,) vertices of the free bones
        self.weight_of, self.strain_of, self.shift_of = self._bone_maps(moved)
        self.k = self.weight_of.shape[1]
        self.bone_elastic = BoneElastic(model, skeleton.free, bone_young)
        self.volumes = np.concatenate([problem.elastic.volumes, self.bone_elastic.volumes])
        self.young = _young(model, self.bones)
        self.w = self.volumes * self.young  # (elements,) [J]
        self.D = self._operator()
        self.L = (self.D.T @ diags(np.repeat(self.w, 3)) @ self.D).tocsr()
        upper = triu(self.L, format="csr")
        upper.sort_indices()
        self._factor = make_factor(upper.indptr, upper.indices)
        if not self._factor.factor(upper.data):
            raise SolveError("the continuity matrix is singular: is some tissue held nowhere?")

    def _bone_maps(self, moved: Ints) -> tuple[Floats, Floats, Floats]:
        """(h, k), (f, 3, k), (f, k): how bone coordinates move vertices, gradients and centres."""
        if not self.bones:
            return np.zeros((0, 0)), np.zeros((0, 3, 0)), np.zeros((0, 0))
        k = self.chart.size // 3
        push = self.chart.push(moved).reshape(len(moved), 3, k, 3)
        strain = self.chart.strain().reshape(self.bones, 3, 3, k, 3)
        shift = self.chart.shift().reshape(self.bones, 3, k, 3)
        # All axes have the same weights: the first is enough.
        maps = push[:, 0, :, 0], strain[:, 0, :, :, 0], shift[:, 0, :, 0]
        weight_of, strain_of, shift_of = (np.ascontiguousarray(each) for each in maps)
        return weight_of, strain_of, shift_of

    def _operator(self) -> csr_matrix:
        """(3 elements, n_y) the scalar gradient operator D."""
        mesh, soft = self.problem.model.mesh, self.problem.model.soft
        tissue = mesh.D[(3 * soft[:, None] + np.arange(3)).ravel()].tocsc()
        carried = tissue[:, self.carried] @ csr_matrix(self.weight_of)
        bones = csr_matrix(self.strain_of.reshape(3 * self.bones, self.k))
        return csr_matrix(bmat([[carried, tissue[:, self.free]], [bones, None]]))

    @cached_property
    def chart(self) -> Chart:
        """The affine coordinates that the joints leave the free bones."""
        rest = np.tile(np.eye(3, 4), (len(self.problem.model.bones), 1, 1))
        return Affine().chart(self.problem.skeleton, rest)

    @property
    def size(self) -> int:
        """The number n_y of scalar unknowns of the mesh."""
        return self.k + len(self.free)

    @cached_property
    def length(self) -> Floats:
        """(elements,) [m] a length of each element: energies over it are forces."""
        gradients = (self.problem.elastic.B**2).sum(axis=(1, 2))
        skeleton = self.problem.skeleton
        return np.concatenate([gradients**-0.5, skeleton.size[skeleton.free]])

    @cached_property
    def noise(self) -> float:
        """The forces [N] that are only round-off of the bones' gradients."""
        return float((self.bone_elastic.noise / self.length[self.soft :]).sum())

    @cached_property
    def weight_noise(self) -> float:
        """The same for the discontinuity, at alpha 1."""
        return 1e-15 * float(np.linalg.norm(self.w / self.length))

    def weight(self, external: Floats) -> tuple[Floats, Floats]:
        """(n_y, 3) external forces (n, 3) [N] on the unknowns of the mesh, and the same over L.

        The latter is how a mesh of stiffness W would give way.
        """
        if self._weight is None or self._weight[0] is not external:
            force = self.pull(external)
            self._weight = (external, (force, self.solve(force)))
        return self._weight[1]

    @cached_property
    def response(self) -> Floats:
        """(n_y, k) the columns of the inverse of L that belong to bone coordinates."""
        return self.solve(np.eye(self.size, self.k)) if self.k else np.zeros((self.size, 0))

    @cached_property
    def digest(self) -> str:
        """A hash of L but for its round-off: all that modes depend on."""
        scale = float(np.abs(self.L.data).max())
        return digest((self.L.indptr, self.L.indices, np.round(self.L.data / scale, 12), scale))

    def solve(self, b: Floats) -> Floats:
        """The inverse of L times b (n_y, any)."""
        return np.ascontiguousarray(self._factor.solve(b))

    def vertices(self, y: Floats) -> Floats:
        """(n, 3) P y: how coordinates y (n_y, 3) move the vertices."""
        x = np.zeros((self.problem.model.mesh.n_vertices, 3))
        x[self.free] = y[self.k :]
        x[self.carried] = self.weight_of @ y[: self.k]
        return x

    def pull(self, force: Floats) -> Floats:
        """(n_y, 3) Pᵀ f of forces f (n, 3)."""
        return np.concatenate([self.weight_of.T @ force[self.carried], force[self.free]])

    def gradients(self, y: Floats) -> Floats:
        """(elements, 3, 3) D y of coordinates y (n_y, 3)."""
        bones = np.einsum("fck,kr->frc", self.strain_of, y[: self.k])
        return np.concatenate([self.problem.elastic.deformation(self.vertices(y)), bones])

    def bone_gradients(self, z: Floats) -> Floats:
        """(elements, 3, 3) D y where y is only the bone coordinates z (k, 3)."""
        rows = np.asarray(self._bone_columns @ z)
        return np.swapaxes(rows.reshape(-1, 3, 3), 1, 2)

    @cached_property
    def _bone_columns(self) -> csr_matrix:
        return self.D[:, : self.k].tocsr()

    def adjoint(self, S: Floats) -> Floats:
        """(n_y, 3) Dᵀ S of element tensors S (elements, 3, 3)."""
        tissue, bones = S[: self.soft], S[self.soft :]
        y = self.pull(self.problem.scatter.forces(tissue, self.problem.elastic.B))
        y[: self.k] += np.einsum("fck,frc->kr", self.strain_of, bones)
        return y

    def nearest(self, F: Floats) -> Floats:
        """(n_y, 3) the coordinates whose gradients are nearest to F (elements, 3, 3)."""
        return self.solve(self.adjoint(self.w[:, None, None] * F))

    def origin(self, q: Configuration) -> tuple[Floats, Floats]:
        """q0 (n, 3) and F0 (elements, 3, 3): the placement q without its free vertices."""
        x = q.x.copy()
        x[self.free] = 0.0
        bones = q.poses[self.problem.skeleton.free, :, :3]
        return x, np.concatenate([self.problem.elastic.deformation(x), bones])

    def poses(self, start: Floats, z: Floats) -> Floats:
        """(bones, 3, 4) the poses that bone coordinates z (k, 3) make of `start`."""
        out, skeleton = start.copy(), self.problem.skeleton
        change = self.chart.lift(z.ravel()).reshape(-1, 4, 3) if self.bones else ()
        for bone, U in zip(skeleton.free, change, strict=True):
            A = U[:3].T / skeleton.size[bone]
            out[bone, :, :3] += A
            out[bone, :, 3] += U[3] - A @ skeleton.centre[bone]
        return out

    def coordinates(self, start: Floats, poses: Floats) -> Floats:
        """(k, 3) the bone coordinates that make `poses`, with closed joints, of `start`."""
        skeleton = self.problem.skeleton
        change = (poses - start)[skeleton.free]
        U = np.zeros((self.bones, 4, 3))
        U[:, :3] = np.swapaxes(change[:, :, :3], 1, 2) * skeleton.size[skeleton.free, None, None]
        U[:, 3] = np.einsum("fij,fj->fi", change[:, :, :3], skeleton.centre[skeleton.free])
        U[:, 3] += change[:, :, 3]
        return self.chart.lower(U.ravel()).reshape(-1, 3) if self.bones else np.zeros((0, 3))


def refuse_partial_pins(model: Model) -> None:
    """Refuse pins that hold some axes only: the scalar operators have one for all three."""
    partial: Bools = np.isin(model.held.sum(axis=1), (1, 2))
    for pin in model.pins:
        if partial[pin.vertices].any():
            raise ModelError(
                f"pin '{pin.name}' holds only some axes, which deformation space cannot express; "
                "hold all three, or solve with Newton"
            )


def refuse_coupling(problem: Problem) -> None:
    """Refuse energies that couple tets or bones: every element must have an energy of its own.

    That bellies and patches of tets couple theirs by few numbers, directions know; contact is one
    of the nearest mesh.
    """
    for energy in problem.energies:
        known = energy in (problem.bellies, problem.volume, *problem.contact)
        if not energy.local and energy.always and not known:
            raise ModelError(
                f"{energy.label} couples tets, which deformation space cannot express; "
                "solve with Newton or QuasiNewton, or leave it out"
            )


def refuse_joint_inputs(inputs: Inputs) -> None:
    """Refuse what acts in joints."""
    other = "solve with Newton or QuasiNewton"
    if inputs.torques is not None and inputs.torques.any():
        raise ModelError(f"EMU takes no torques in joints; {other}")
    if inputs.drives_joints:
        raise ModelError(f"EMU cannot drive joints; {other}")


def refuse_resistance(q: Configuration) -> None:
    """Refuse a state that springs or limits of joints would change: EMU knows neither."""
    model = q.problem.model
    for energy in q.problem.energies:
        if isinstance(energy, JointResistance | BallLimits):
            for index, how_much in energy.resisting(q):
                raise ModelError(
                    f"joint '{model.joints[index].name}' resists with {how_much} by its own "
                    "spring or limit, which EMU cannot express; solve with Newton or QuasiNewton"
                )


def _young(model: Model, bones: int) -> Floats:
    """(elements,) the stiffness [Pa] that weights each element: that of muscle for bones.

    It is Young's modulus, about three times the shear modulus, plus the active stress, which may be
    the larger. With it alpha has no unit. A bone weighted by its own would lock its joints.
    """
    region = 3.0 * np.array([sum(law.stiffness() for law in r.laws) for r in model.regions])
    of_tet, v = region[model.region] + model.strength, model.mesh.volumes
    muscle = np.flatnonzero(model.is_tissue(Tissue.MUSCLE))
    some = muscle if len(muscle) else model.soft
    typical = float(np.average(of_tet[some], weights=v[some])) if len(some) else 1.0
    return np.append(of_tet[model.soft], np.full(bones, typical))


PROBES = 16


@dataclass(frozen=True, eq=False)
class Modes:
    """Scalar modes `shapes` (n_y, k) with rising eigenvalues `values` (k,) [J/m^2].

    `share` is the part of the squared norm of the inverse of L, the sum of 1/value^2, that they
    cover; what they leave is estimated with random vectors.
    """

    values: Floats
    shapes: Floats
    share: float


def lowest_modes(space: Space, count: int, store: Store | None = None) -> Modes:
    """`count` modes, or as many as there are; kept in the `store`, the user's cache unless said."""
    store = store or Store(cache_root() / "modes", ("numerics", "solvers"))
    return store.kept(_computed, space, min(count, space.size))[0]


def enough_modes(space: Space, share: float = 0.9, most: int = 64) -> int:
    """How many scalar modes cover `share` of the spectrum, as the papers ask, up to `most`."""
    modes = lowest_modes(space, most)
    squares = modes.values**-2.0
    covered = np.cumsum(squares) * modes.share / squares.sum()
    return min(int(np.searchsorted(covered, share)) + 1, len(covered))


def _computed(space: Space, count: int) -> Modes:
    if 2 * count >= space.size:
        values, shapes = np.linalg.eigh(space.L.toarray())
        values, shapes = values[:count], shapes[:, :count]
    else:
        inverse = LinearOperator(space.L.shape, matvec=space.solve, dtype=float)
        start = np.random.default_rng(0).standard_normal(space.size)
        values, shapes = eigsh(space.L, count, sigma=0.0, OPinv=inverse, v0=start)
        order = np.argsort(values)
        values, shapes = values[order], shapes[:, order]
    covered = float((values**-2.0).sum())
    share = covered / (covered + _remainder(space, shapes))
    return Modes(values, np.ascontiguousarray(shapes), share)


def _remainder(space: Space, shapes: Floats) -> float:
    """The sum of 1/value^2 over all other modes, by Hutchinson's estimate."""
    signs = np.random.default_rng(1).choice([-1.0, 1.0], (space.size, PROBES))
    signs -= shapes @ (shapes.T @ signs)
    return float((space.solve(signs) ** 2).sum()) / PROBES
