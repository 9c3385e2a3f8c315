"""The reduced problem that every solver shares (theory, eq. 24): unknowns, energies, placements.

Unknowns are the coordinates z of the free bones, first, and the free scalars of the vertices.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial, reduce

import numpy as np

from vastus.contact.floor import FloorContact
from vastus.contact.prepare import contact_energies, frictions
from vastus.energies.actuators.cable_friction import CableFriction
from vastus.energies.actuators.cables import Cables
from vastus.energies.actuators.cavities import Cavities
from vastus.energies.ball_limits import BallLimits, ball_limits
from vastus.energies.belly import BellyForce
from vastus.energies.collapse import Collapse
from vastus.energies.elastic import Elastic, TissueEnergy
from vastus.energies.energy import Energy, Forces, Stiffness
from vastus.energies.guides import Guides
from vastus.energies.joints import JointResistance, resists
from vastus.energies.loads import Loads, Torques
from vastus.energies.loops import restress
from vastus.energies.skeletal import BoneElastic, TiedJoints
from vastus.energies.volume import AveragedVolume
from vastus.errors import ModelError, SolveError
from vastus.inputs import Inputs, as_in
from vastus.model import Model
from vastus.numerics.minimise import largest_part
from vastus.numerics.sparse import Scatter
from vastus.numerics.types import Floats
from vastus.parts import Drive
from vastus.skeleton.bones import BoneLoads, BoneModel, Chart, Skeleton
from vastus.skeleton.coordinates import Coordinates, numbered, of_joint
from vastus.skeleton.freedoms import Freedom
from vastus.skeleton.rigid import Rigid
from vastus.solvers.driving import carried_along, driven_skeleton
from vastus.solvers.geometric import second_stress
from vastus.solvers.ties import make_skeleton, refuse_planes
from vastus.solvers.unknowns import Unknowns
from vastus.state import State


def _coordinates(
    model: Model, skeleton: Skeleton, given: Sequence[tuple[int, Freedom]]
) -> Coordinates:
    pairs = [(model.bone(j.bones[0]), model.bone(j.bones[1])) for j in model.joints]
    return Coordinates(given, pairs, skeleton.free, skeleton.centre)


@dataclass(frozen=True)
class Reduction:
    """How bones and joints are described: `joint_stiffness` [N/m] ties instead of eliminating."""

    bones: BoneModel = Rigid()  # noqa: RUF009  (a frozen value)
    joint_stiffness: float | None = None


class Problem:
    """A model, reduced: what stays the same while inputs change."""

    def __init__(self, model: Model, reduction: Reduction) -> None:
        self.model, self.usual = model, as_in(model)
        self.bones = reduction.bones
        self.elastic = Elastic(model)
        if reduction.joint_stiffness is not None or reduction.bones.young:
            refuse_planes(model, "affine bones, and joints that springs tie,")
        if reduction.bones.young and model.contact is not None:
            raise ModelError("contact needs rigid bones; solve with those, or without contact")
        self.skeleton = make_skeleton(model, tied=reduction.joint_stiffness is not None)
        self.coordinates = _coordinates(model, self.skeleton, numbered(model.joints))
        self.unknowns = Unknowns.of(model, self.skeleton)
        free, centres = self.skeleton.free.tolist(), self.skeleton.centre
        self.contact = tuple(contact_energies(model, free, centres))
        floor = (FloorContact(model, model.floor),) if model.floor else ()
        self.cables = Cables(model)
        cavities = (Cavities(model),) if model.cavities else ()
        drawn = (*cavities, *((self.cables,) if model.cables else ()))
        further = (*self._skeletal(reduction), *self.contact, *floor, *drawn, *model.energies)
        self.volume = AveragedVolume(model) if model.volume.averaged else None
        self.volumes = (self.volume, Collapse(model)) if self.volume else ()
        self.loads = Loads(model)
        self.bellies = BellyForce.of(model)
        bellies = (self.bellies,) if self.bellies.heads else ()
        cliques = self.volume.cliques if self.volume else None
        self.scatter = Scatter.of(self.elastic.T, model.mesh.n_vertices, cliques)
        tissue = TissueEnergy(self.elastic, self.scatter)
        self.energies: tuple[Energy, ...] = (tissue, *bellies, *self.volumes, self.loads, *further)
        self.force_noise = sum(energy.force_noise for energy in self.energies)  # [N] round-off

    def _skeletal(self, reduction: Reduction) -> Iterator[Energy]:
        """The energies of bones and joints."""
        skeleton, young = self.skeleton, reduction.bones.young
        if young and len(skeleton.free):
            yield BoneElastic(self.model, skeleton.free, young, float(skeleton.size.min()))
        tied = len(skeleton.X) - len(self.unknowns.carried)
        if tied and reduction.joint_stiffness is not None:
            reach = float(np.abs(skeleton.X).max())
            yield TiedJoints(reduction.joint_stiffness, tied // 2, reach)
        if resists(self.model):
            yield JointResistance(self.model)
        if limits := ball_limits(self.model):
            given = [(limit.joint, limit.freedom) for limit in limits]
            yield BallLimits(self.model, limits, _coordinates(self.model, skeleton, given))
        if self.model.guides:
            pairs = [(self.model.bone(guide.bone), guide) for guide in self.model.guides]
            yield Guides(pairs, skeleton.free.tolist(), skeleton.centre)
        if any(joint.direction is not None for joint in self.model.joints):
            yield Torques(self.model)

    def place(self, x: Floats, poses: Floats, skeleton: Skeleton | None = None) -> Configuration:
        """A configuration with these bone poses, joints closed, and the free scalars of x."""
        return self.configure(x, self.bones.close(skeleton or self.skeleton, poses), skeleton)

    def configure(
        self, x: Floats, poses: Floats, skeleton: Skeleton | None = None
    ) -> Configuration:
        """A configuration whose carried vertices follow the poses.

        `skeleton` is that of the moment, where joints are driven.
        """
        x = x.copy()
        x[self.unknowns.carried] = self.carried_positions(poses)[: len(self.unknowns.carried)]
        return Configuration(self, x, poses, skeleton=skeleton)

    def carried_positions(self, poses: Floats) -> Floats:
        """(h, 3) the carried vertices, then the joint points that springs tie."""
        return self.skeleton.positions(poses)

    def no_forces(self, q: Configuration) -> Forces:
        """Room for forces, all zero."""
        free = len(self.skeleton.free)
        return Forces(
            nodes=np.zeros_like(q.x),
            tied=np.zeros((len(self.skeleton.X) - len(self.unknowns.carried), 3)),
            turns=np.zeros((free, 3, 3)),
            shifts=np.zeros((free, 3)),
            joints=np.zeros(len(self.coordinates)),
        )

    def before(self, state: State) -> Inputs:
        """The inputs that a state answers to, every joint held where it is."""
        inputs = Inputs.of(state)
        if not len(self.coordinates):
            return inputs
        found = self.coordinates.values(state.poses)
        known = np.full(len(found), np.nan) if inputs.joints is None else inputs.joints
        return replace(inputs, joints=np.where(np.isnan(known), found, known))

    def objection(self, state: State) -> str:
        """Why nothing can start from a state; empty if it can."""
        here = Configuration(self, state.x, state.poses)
        return next(filter(None, (energy.objection(here) for energy in self.energies)), "")

    def during(self, state: State) -> tuple[Energy, ...]:
        """The energies of a step that begins at a state: friction, where there is any."""
        here = Configuration(self, state.x, state.poses)
        cables = CableFriction(self.cables.at(Inputs.of(state)), state.x)
        return (*frictions(self.model, self.contact, here), *((cables,) if cables.acts else ()))

    def driven(self, state: State, inputs: Inputs) -> Configuration:
        """A state with its pins, and its pinned and scripted bones, where the inputs want them."""
        driven = [b.drive is not Drive.FREE for b in self.model.bones]
        poses = np.where(np.array(driven, bool)[:, None, None], inputs.poses, state.poses)
        x = state.x.copy()
        for number, pin in enumerate(self.model.pins):
            shift = pin.shift if inputs.shifts is None else inputs.shifts[number]
            place = self.model.mesh.X[pin.vertices] + np.asarray(shift)
            x[pin.vertices] = np.where(pin.axes, place, x[pin.vertices])
        if inputs.joints is None or not inputs.drives_joints:
            return self.place(x, poses)
        skeleton = driven_skeleton(self.model, self.skeleton, inputs.joints)
        poses = carried_along(self.model, self.skeleton, poses, inputs.joints)
        return self.place(x, poses, skeleton)


@dataclass(eq=False)
class Configuration:
    """A placement of every vertex and bone; derived quantities are computed once."""

    problem: Problem
    x: Floats
    poses: Floats
    memory: Mapping[str, Floats] = field(default_factory=dict)  # for the method that made it
    skeleton: Skeleton | None = None  # with the joints that are driven; None: none is
    foreseen: bool = False  # whether the states before it led there

    @cached_property
    def coordinates(self) -> Floats:
        """(c,) the coordinates of all joints in order [rad or m]."""
        return self.problem.coordinates.values(self.poses)

    @property
    def model(self) -> Model:
        """The model that is placed."""
        return self.problem.model

    @cached_property
    def tied(self) -> Floats:
        """(t, 3) the joint points that springs tie."""
        return self.problem.carried_positions(self.poses)[len(self.problem.unknowns.carried) :]

    @cached_property
    def F(self) -> Floats:
        """(s, 3, 3) deformation gradients of the soft tets."""
        return self.problem.elastic.deformation(self.x)

    @cached_property
    def chart(self) -> Chart:
        """Coordinates of the free bones around here."""
        return self.problem.bones.chart(self.skeleton or self.problem.skeleton, self.poses)

    def tet_name(self, soft: int) -> str:
        """A soft tet by its number in the mesh and its region."""
        tet = self.model.soft[soft]
        return f"tet {tet} of '{self.model.regions[self.model.region[tet]].name}'"

    def state(self, inputs: Inputs, objective: Equilibrium | None = None) -> State:
        """The configuration as a state of the model, at which nothing moves.

        `objective` has what acts in it, if that is more than the inputs tell of.
        """
        memory = {**self.memory, **inputs.outside}
        if inputs.joints is not None and inputs.drives_joints:
            balance = objective or Equilibrium(self.problem, inputs)
            memory["reactions"] = balance.reactions(self, inputs.joints)
        return State.still(inputs.time, self.x, self.poses, inputs.excitation, memory)


class Equilibrium:
    """The energies of a problem under fixed inputs, as an objective for a minimiser.

    `further` energies, such as inertia, are of the moment.
    """

    majorant = False  # whether its stiffness is to bound energies from above
    foreseen: Floats | None = None  # (s, 3, 3) second Piola stress that tangents are taken at [Pa]

    def __init__(self, problem: Problem, inputs: Inputs, further: Sequence[Energy] = ()) -> None:
        self.problem = problem
        self.energies = tuple(energy.at(inputs) for energy in (*problem.energies, *further))
        self._watchful = [e for e in self.energies if type(e).longest is not Energy.longest]
        self.noise = 0.0  # [J] round-off of the last value
        self.load = 0.0  # [N] size of the forces that balance in the last gradient
        noise = sum(energy.force_noise for energy in further)
        self.floor = problem.force_noise + noise  # [N] round-off of any gradient
        self._seen: tuple[Configuration, Forces] | None = None

    def value(self, q: Configuration) -> float:
        """The total potential energy [J]."""
        total = sum(energy.value(q) for energy in self.energies)
        self.noise = sum(energy.noise for energy in self.energies)
        return float(total)

    def gradient(self, q: Configuration) -> Floats:
        """(k + f,) derivative by bone coordinates and free scalars [N]."""
        p, forces, loads = self.problem, self.forces(q), self.bone_loads(q)
        bones = q.chart.pull(self.carried_forces(q))
        if loads.turns.any():
            bones = bones + q.chart.strain().T @ loads.turns.ravel()
        if loads.shifts.any():
            bones = bones + q.chart.shift().T @ loads.shifts.ravel()
        return np.concatenate([bones, forces.nodes.reshape(-1)[p.unknowns.free]])

    def forces(self, q: Configuration) -> Forces:
        """What all energies add; computed once for each configuration."""
        if self._seen is None or self._seen[0] is not q:
            forces = self.problem.no_forces(q)
            sizes = [energy.add_forces(q, forces) for energy in self.energies]
            self.load = float(reduce(np.hypot, sizes, 0.0))
            self._seen = (q, forces)
        return self._seen[1]

    def carried_forces(self, q: Configuration) -> Floats:
        """(h, 3) derivative by the places of carried vertices and tied joint points [N]."""
        forces = self.forces(q)
        return np.concatenate([forces.nodes[self.problem.unknowns.carried], forces.tied])

    def bone_loads(self, q: Configuration) -> BoneLoads:
        """Derivatives by the free bones' linear parts and by the places of their centres."""
        forces = self.forces(q)
        through = self.problem.coordinates.loads(q.poses, forces.joints)
        return BoneLoads(forces.turns + through.turns, forces.shifts + through.shifts)

    def reactions(self, q: Configuration, driven: Floats) -> Floats:
        """(c,) derivatives of the energy by driven coordinates [N m or N]; nan for the others."""
        found = np.full(len(driven), np.nan)
        skeleton, joints = q.skeleton or self.problem.skeleton, self.problem.model.joints
        pulls = q.chart.reactions(self.carried_forces(q), self.bone_loads(q))
        for tie, force in zip(skeleton.ties, pulls, strict=True):
            own = of_joint(joints, tie.joint)
            if tie.seats is not None:
                A, joint = q.poses[tie.a, :, :3], joints[tie.joint]
                arms = tie.seats - np.asarray(joint.centre, float)
                ways = [np.cross(w, arms) + v for w, v in joint.screws(driven[own])]
                found[own] = [float((force * (way @ A.T)).sum()) for way in ways]
        return found

    def stress(self, F: Floats) -> Floats:
        """(s, 3, 3) the first Piola stress of the soft tets at gradients F (s, 3, 3) [Pa]."""
        P = np.zeros_like(F)
        for energy in self.energies:
            energy.add_stress(F, P)
        return P

    def stiffness(self, q: Configuration, tangents: Floats, *, definite: bool) -> Stiffness:
        """What all energies add; `tangents` (s, 9, 9) is room for those of the tets."""
        stiffness = Stiffness(tangents, definite, self.majorant)
        for energy in self.energies:
            energy.add_stiffness(q, stiffness)
        if self.foreseen is not None:
            restress(q.F, self.foreseen - second_stress(self, q.F), tangents)
        return stiffness

    def longest(self, q: Configuration, step: Floats) -> float:
        """The largest part of a step (k + f,), at most 1, that every energy allows."""
        if not self._watchful:
            return 1.0
        # A subclass may count the points that its own method tries.
        moved = partial(Equilibrium.retract, self, q)
        return largest_part(lambda part: self.allowed(q, moved(part * step).x - q.x))

    def allowed(self, q: Configuration, shift: Floats) -> float:
        """The largest part of a shift (n, 3) [m] of the vertices, at most 1, that is allowed."""
        return min((energy.longest(q, shift) for energy in self._watchful), default=1.0)

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
        return p.configure(x, poses, q.skeleton)
