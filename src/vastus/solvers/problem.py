"""From a model to the bodies and unknowns that the solvers move.

The reduced problem that every quasi-static solver shares (theory, eq. 24).

Unknowns are the coordinates z of the free bones, first, and the free scalars of the vertices.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from vastus.energies.bones import BoneElastic, Springs
from vastus.energies.elastic import Elastic
from vastus.energies.loads import external_force
from vastus.errors import SolveError
from vastus.inputs import Inputs
from vastus.model import Drive, Model
from vastus.numerics.sparse import Scatter
from vastus.numerics.types import Floats, Ints
from vastus.skeleton.bones import BoneModel, Chart, Skeleton, Tie, turning_centres
from vastus.skeleton.rigid import Rigid
from vastus.state import State


@dataclass(frozen=True, eq=False)
class Unknowns:
    """Which scalars of x (n, 3) are free, carried by bones, or fixed."""

    free: Ints  # (f,) free scalars, as positions in x.ravel()
    carried: Ints  # (v,) vertices that bones carry
    touching: Ints  # (t,) positions in `carried` of those that soft tets share with a free bone
    free_index: Ints  # (3 n,) position in `free`, or -1
    touching_index: Ints  # (3 n,) position in the scalars of `touching`, or -1

    @classmethod
    def of(cls, model: Model, skeleton: Skeleton) -> Unknowns:
        """The unknowns of a model."""
        owner = model.bone_of_vertex
        soft = np.zeros(model.mesh.n_vertices, bool)
        soft[np.unique(model.mesh.T[model.soft])] = True
        free = np.flatnonzero((soft & (owner < 0))[:, None] & ~model.held)
        carried = np.flatnonzero(owner >= 0)
        touching = np.flatnonzero(soft[carried] & np.isin(owner[carried], skeleton.free))
        scalars = 3 * np.repeat(carried[touching], 3) + np.tile(np.arange(3), len(touching))
        size = 3 * model.mesh.n_vertices
        return cls(free, carried, touching, _inverse(free, size), _inverse(scalars, size))


def make_skeleton(model: Model, joint_stiffness: float | None) -> tuple[Skeleton, Springs | None]:
    """The bones of a model; joints are eliminated, or springs if a stiffness [N/m] is given."""
    owner = model.bone_of_vertex
    carried = owner >= 0
    free = np.array([i for i, b in enumerate(model.bones) if b.drive is Drive.FREE], np.int64)
    X, owner = model.mesh.X[carried], owner[carried]
    ties = tuple(tie for tie in _ties(model, X, owner) if {tie.a, tie.b} & set(free.tolist()))
    centre = turning_centres(X, owner, len(model.bones), ties)
    skeleton = Skeleton(X, owner, free, len(model.bones), centre, ties)
    if joint_stiffness is None or not ties:
        return skeleton, None
    points = np.concatenate([t.points for t in ties])
    sides = [np.repeat([getattr(t, s) for t in ties], [len(t.points) for t in ties]) for s in "ab"]
    first = np.arange(len(points)) + len(X)
    loose = Skeleton(
        np.concatenate([X, points, points]),
        np.concatenate([owner, *sides]),
        free,
        skeleton.count,
        centre,
    )
    return loose, Springs(joint_stiffness, first, first + len(points))


def _ties(model: Model, X: Floats, owner: Ints) -> list[Tie]:
    ties = []
    for joint in model.joints:
        a, b = (model.bone(name) for name in joint.bones)
        around = X[(owner == a) | (owner == b)]
        # Shared points this far apart make a hinge's equations well conditioned.
        span = 0.2 * float(np.ptp(around, axis=0).max()) if len(around) else 0.1
        ties.append(Tie(a, b, joint.points(span)))
    return ties


def _inverse(positions: Ints, size: int) -> Ints:
    index = np.full(size, -1)
    index[positions] = np.arange(len(positions))
    return index


@dataclass(frozen=True)
class Reduction:
    """How bones and joints are described: `joint_stiffness` [N/m] ties instead of eliminating."""

    bones: BoneModel = Rigid()  # noqa: RUF009  (a frozen value)
    joint_stiffness: float | None = None


@dataclass(frozen=True, eq=False)
class Internal:
    """What the tissue does in a configuration.

    `load` is the size of the unassembled forces: what cancels in equilibrium, whatever drives it.
    """

    energy: float  # [J]
    magnitude: float  # [J] the sum of the tets' energies without their signs
    forces: Floats  # (n, 3) [N] derivative of the energy
    load: float  # [N]


class Problem:
    """A model, reduced: what stays the same while inputs change."""

    def __init__(self, model: Model, reduction: Reduction) -> None:
        self.model = model
        self.bones = reduction.bones
        self.elastic = Elastic(model)
        self.external = external_force(model)
        cliques = self.elastic.averaged.cliques if self.elastic.averaged else None
        self.scatter = Scatter.of(self.elastic.T, model.mesh.n_vertices, cliques)
        self.skeleton, self.springs = make_skeleton(model, reduction.joint_stiffness)
        self.unknowns = Unknowns.of(model, self.skeleton)
        young, free = reduction.bones.young, self.skeleton.free
        self.bone_elastic = BoneElastic(model, free, young) if young and len(free) else None
        self.noise = self.elastic.noise + (self.bone_elastic.noise if self.bone_elastic else 0.0)

    @cached_property
    def force_noise(self) -> float:
        """The size of forces [N] that are only round-off."""
        noise = self.elastic.force_noise
        if self.bone_elastic:
            noise += self.bone_elastic.noise / float(self.skeleton.size.min())
        if self.springs:
            reach = float(np.abs(self.skeleton.X).max())
            noise += 1e-16 * reach * self.springs.stiffness * len(self.springs.a)
        return noise

    def internal(self, x: Floats, tension: Floats) -> Internal:
        """The tissue's energy and forces for vertices x (n, 3) and active stresses (s,) [Pa]."""
        response = self.elastic.respond(x, tension)
        return Internal(
            energy=float(response.energies.sum()),
            magnitude=float(np.abs(response.energies).sum()),
            forces=self.scatter.gather(response.forces),
            load=float(np.linalg.norm(response.forces)),
        )

    def stiffness(self, F: Floats, H: Floats) -> Floats:
        """(blocks, 3, 3) the tissue's stiffness, for gradients F and their tangents H [Pa]."""
        elastic, scatter = self.elastic, self.scatter
        blocks = scatter.blocks(H, elastic.B, elastic.volumes)
        if elastic.averaged and scatter.couplings:
            outers = elastic.averaged.outers(F)
            scatter.couplings.add_outers(outers.g, outers.cg, blocks)
        return blocks

    def place(self, x: Floats, poses: Floats) -> Configuration:
        """A configuration with these bone poses, joints closed, and the free scalars of x."""
        return self.configure(x, self.bones.close(self.skeleton, poses))

    def configure(self, x: Floats, poses: Floats) -> Configuration:
        """A configuration whose carried vertices follow the poses."""
        x = x.copy()
        x[self.unknowns.carried] = self.carried_positions(poses)[: len(self.unknowns.carried)]
        return Configuration(self, x, poses)

    def carried_positions(self, poses: Floats) -> Floats:
        """(h, 3) the carried vertices, then the joint points that springs tie."""
        return self.skeleton.positions(poses)

    def driven(self, state: State, inputs: Inputs) -> Configuration:
        """A state with its pins, and its pinned and scripted bones, where the inputs want them."""
        driven = [b.drive is not Drive.FREE for b in self.model.bones]
        poses = np.where(np.array(driven, bool)[:, None, None], inputs.poses, state.poses)
        x = state.x.copy()
        for pin in self.model.pins:
            place = self.model.mesh.X[pin.vertices] + np.asarray(pin.shift)
            x[pin.vertices] = np.where(pin.axes, place, x[pin.vertices])
        return self.place(x, poses)


@dataclass(eq=False)
class Configuration:
    """A placement of every vertex and bone; derived quantities are computed once."""

    problem: Problem
    x: Floats
    poses: Floats
    memory: Mapping[str, Floats] = field(default_factory=dict)  # for the method that made it

    @cached_property
    def F(self) -> Floats:
        """(s, 3, 3) deformation gradients of the soft tets."""
        return self.problem.elastic.deformation(self.x)

    @cached_property
    def chart(self) -> Chart:
        """Coordinates of the free bones around here."""
        return self.problem.bones.chart(self.problem.skeleton, self.poses)

    def state(self, inputs: Inputs) -> State:
        """The configuration as a state of the model, at which nothing moves."""
        driven = {"torques": inputs.torques, "loads": inputs.loads}
        known = {name: values for name, values in driven.items() if values is not None}
        memory = {**self.memory, **known}
        return State.still(inputs.time, self.x, self.poses, inputs.excitation, memory)


class Equilibrium:
    """The energy of a problem under fixed inputs, as an objective for a minimiser."""

    def __init__(self, problem: Problem, inputs: Inputs) -> None:
        self.problem = problem
        self.tension = problem.elastic.tension(inputs.excitation)
        self.noise = 0.0  # [J] round-off of the last value
        self.load = 0.0  # [N] size of the forces that balance in the last gradient
        self.floor = problem.force_noise  # [N] round-off of any gradient
        self._internal: tuple[Configuration, Internal] | None = None

    def value(self, q: Configuration) -> float:
        """The total potential energy [J]."""
        p = self.problem
        internal = self.internal(q)
        work = p.external * (q.x - p.model.mesh.X)
        total = internal.energy - float(work.sum())
        if p.bone_elastic:
            total += float(p.bone_elastic.energy(q.poses).sum())
        if p.springs:
            total += p.springs.energy(p.carried_positions(q.poses))
        self.noise = p.noise + 1e-15 * (internal.magnitude + float(np.abs(work).sum()))
        return total

    def gradient(self, q: Configuration) -> Floats:
        """(k + f,) derivative by bone coordinates and free scalars [N]."""
        p = self.problem
        self.load = float(np.hypot(self.internal(q).load, np.linalg.norm(p.external)))
        bones = q.chart.pull(self.carried_forces(q))
        if p.bone_elastic:
            bones = bones + q.chart.strain().T @ p.bone_elastic.gradient(q.poses)
        return np.concatenate([bones, self.nodal(q).reshape(-1)[p.unknowns.free]])

    def internal(self, q: Configuration) -> Internal:
        """The tissue's energy and forces; computed once for each configuration."""
        if self._internal is None or self._internal[0] is not q:
            self._internal = (q, self.problem.internal(q.x, self.tension))
        return self._internal[1]

    def nodal(self, q: Configuration) -> Floats:
        """(n, 3) derivative by the places of the vertices [N]."""
        return self.internal(q).forces - self.problem.external

    def carried_forces(self, q: Configuration) -> Floats:
        """(h, 3) derivative by the places of carried vertices and tied joint points [N]."""
        p = self.problem
        g = np.zeros((len(p.skeleton.X), 3))
        g[: len(p.unknowns.carried)] = self.nodal(q)[p.unknowns.carried]
        if p.springs:
            p.springs.add_gradient(p.carried_positions(q.poses), g)
        return g

    def longest(self, q: Configuration, step: Floats) -> float:
        """The whole step may be tried."""
        return 1.0

    def retract(self, q: Configuration, step: Floats) -> Configuration:
        """The configuration a step (k + f,) away; not a number where the joints cannot close."""
        p = self.problem
        k = q.chart.size
        x = q.x.copy()
        x.reshape(-1)[p.unknowns.free] += step[k:]
        try:
            poses = q.chart.move(step[:k]) if k else q.poses
        except SolveError:
            poses = np.full_like(q.poses, np.nan)
        return p.configure(x, poses)
