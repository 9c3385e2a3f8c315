"""Where energy comes from and goes to in motion, step by step (theory, eq. 64).

Kinetic and stored energies are those of states. Works are sums over the steps: of active fibres and
loads by the mean of their forces at both ends, of what dampens by the mean rate of the step, each
of second order. What the sum then lacks, the scheme has lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from vastus.contact.friction import BarrierFriction, BoneFriction
from vastus.energies.actuators.cable_friction import CableFriction
from vastus.energies.actuators.cables import Cables
from vastus.energies.actuators.cavities import Cavities
from vastus.energies.belly import BellyForce
from vastus.energies.collapse import Collapse
from vastus.energies.elastic import TissueEnergy
from vastus.energies.energy import Energy, Forces
from vastus.energies.inertia import Masses
from vastus.energies.joints import dampers
from vastus.energies.loads import Loads, Torques
from vastus.energies.rayleigh import Rayleigh
from vastus.energies.viscosity import green
from vastus.energies.volume import AveragedVolume
from vastus.inputs import Inputs
from vastus.numerics.types import Floats
from vastus.skeleton.bones import image
from vastus.solvers.problem import Configuration, Equilibrium, Problem
from vastus.state import State

OUTSIDE = (Loads, Torques, Cavities, Cables)  # whose work is that of loads
ENERGY, HELD = "energy", "energy_held"  # in the memory of states: the account, forces that hold


@dataclass(frozen=True)
class Account:
    """Energies [J] of a state, and what was done [J] since the motion began."""

    kinetic: float = 0.0
    stored: float = 0.0  # by tissue, joints and guides, without active fibres
    contact: float = 0.0
    muscles: float = 0.0  # done by active fibres
    loads: float = 0.0  # by gravity, loads, torques, pressures and cables
    drives: float = 0.0  # by what moves pins, scripted bones and driven joints
    viscosity: float = 0.0  # lost to it
    drag: float = 0.0
    dampers: float = 0.0  # of joints
    friction: float = 0.0
    start: float = 0.0  # kinetic and stored, when it began
    largest: float = 0.0  # of what has been stored, moved and done, together

    @classmethod
    def of(cls, memory: Mapping[str, Floats]) -> Account | None:
        """The account that a state remembers, if it does."""
        values = memory.get(ENERGY)
        return None if values is None else cls(*map(float, values))

    @property
    def values(self) -> Floats:
        """(12,) all numbers, in order."""
        return np.array([getattr(self, field.name) for field in fields(self)])

    @property
    def present(self) -> float:
        """What the state has."""
        return self.kinetic + self.stored + self.contact

    @property
    def done(self) -> float:
        """What was put in from outside and by muscles."""
        return self.muscles + self.loads + self.drives

    @property
    def dissipated(self) -> float:
        """What was lost to all that slows."""
        return self.viscosity + self.drag + self.dampers + self.friction

    @property
    def lost(self) -> float:
        """What is missing: lost, or gained if negative, by the steps' being finite."""
        return self.done - self.dissipated - (self.present - self.start)

    @property
    def error(self) -> float:
        """What is missing, over the largest energies so far."""
        return abs(self.lost) / self.largest if self.largest > 0 else 0.0

    def grown(self) -> Account:
        """The same with its largest size brought up to date."""
        moved = abs(self.present - self.start) + abs(self.kinetic)
        size = moved + abs(self.muscles) + abs(self.loads) + abs(self.drives) + self.dissipated
        return replace(self, largest=max(self.largest, size))


class Bookkeeper:
    """Keeps the account of a problem's motions; `eta` (s,) [Pa s] and `drag` [1/s] slow it."""

    def __init__(self, problem: Problem, masses: Masses, eta: Floats, drag: float) -> None:
        self._problem, self._masses, self._eta, self._drag = problem, masses, eta, drag
        model, free = problem.model, problem.skeleton.free
        self._moved = np.zeros(len(model.bones), bool)
        self._moved[free] = True
        carried = np.isin(model.bone_of_vertex, np.flatnonzero(~self._moved))
        self._held = np.flatnonzero((carried[:, None] | model.held).ravel())
        self._dampers = dampers(model)
        idle = Inputs.rest(model).whole(problem.usual)
        outside = (*OUTSIDE, BellyForce)
        self._stored = [
            energy.at(idle)
            for energy in problem.energies
            if not isinstance(energy, outside) and energy not in problem.contact
        ]
        tissue = (TissueEnergy, AveragedVolume, Collapse)  # which know no poses
        posed = [energy for energy in self._stored if not isinstance(energy, tissue)]
        self._posed = (*posed, *problem.contact)

    def opened(self, state: State, rates: Floats) -> Account:
        """The account at a state whose poses have rates (bones, 3, 4)."""
        there = self._present(state, rates)
        return replace(there, start=there.present).grown()

    def _present(self, state: State, rates: Floats) -> Account:
        """What a state has."""
        q = Configuration(self._problem, state.x, state.poses)
        moving = np.where(self._moved[:, None, None], rates, 0.0)
        return Account(
            kinetic=self._masses.energy(state.v, moving),
            stored=float(sum(energy.value(q) for energy in self._stored)),
            contact=float(sum(energy.value(q) for energy in self._problem.contact)),
        )

    def after(self, way: Way) -> dict[str, Floats]:
        """What the state at the end of a step is to remember."""
        then = Account.of(way.begun.memory)
        assert then is not None
        now, holding = self._present(way.ended, way.rates), self._holding(way)
        account = replace(
            now,
            muscles=then.muscles + self._by_muscles(way),
            loads=then.loads + self._by_loads(way),
            drives=then.drives + self._by_drives(way, holding),
            viscosity=then.viscosity + self._by_viscosity(way),
            drag=then.drag + self._by_drag(way),
            dampers=then.dampers + float(self._dampers @ self._turned(way) ** 2) / way.seconds,
            friction=then.friction + self._by_friction(way),
            start=then.start,
            largest=then.largest,
        )
        return {ENERGY: account.grown().values, HELD: holding}

    def _by_muscles(self, way: Way) -> float:
        """What active fibres do, with the force that the mean velocity leaves them."""
        ends, elastic = (way.begun, way.ended), self._problem.elastic
        change = elastic.deformation(way.shift)
        idle, heads = np.zeros(len(elastic.T)), self._problem.bellies.heads
        total = np.zeros_like(change)
        for state in ends:
            F, tension = elastic.deformation(state.x), elastic.tension(state.activation)
            if tension.any():
                total += elastic.stress(F, tension) - elastic.stress(F, idle)
            BellyForce(heads, state.activation, change / way.seconds).add_stress(F, total)
        return -0.5 * float(np.einsum("s,sij,sij->", elastic.volumes, total, change))

    def _by_loads(self, way: Way) -> float:
        """What acts from outside does; that of a motion's beginning is not known."""
        begun, ended = (
            Configuration(self._problem, state.x, state.poses) for state in (way.begun, way.ended)
        )
        mean = way.inputs.whole(self._problem.usual)
        if HELD in way.begun.memory:
            mean = Inputs.of(way.begun).whole(self._problem.usual).towards(mean, 0.5)
        acting = [e.at(mean) for e in self._problem.energies if isinstance(e, OUTSIDE)]
        return float(sum(energy.value(begun) - energy.value(ended) for energy in acting))

    def _holding(self, way: Way) -> Floats:
        """The forces [N] that hold pins and scripted bones, then those between bones at joints."""
        forces, q = way.objective.forces(way.q), way.q
        parts = [forces.nodes.ravel()[self._held]]
        if len(self._problem.skeleton.ties):
            carried, loads = way.objective.carried_forces(q), way.objective.bone_loads(q)
            parts += [pull.ravel() for pull in q.chart.reactions(carried, loads)]
        return np.concatenate(parts)

    def _by_drives(self, way: Way, holding: Floats) -> float:
        """What moves pins and scripted bones does, by tissue and by joints."""
        before = way.begun.memory.get(HELD, holding)
        known = len(before) == len(holding) and way.stage == 1.0
        mean = 0.5 * (before + holding) if known else holding
        shifts = [way.shift.ravel()[self._held]]
        skeleton = way.q.skeleton or self._problem.skeleton
        for tie in skeleton.ties:
            on_a, on_b = (
                self._driven(bone)
                * (image(way.ended.poses[bone], X) - image(way.begun.poses[bone], X))
                for bone, X in ((tie.a, tie.on_a), (tie.b, tie.points))
            )
            shifts.append((on_a - on_b).ravel())
        done = float(mean @ np.concatenate(shifts))
        return done + self._by_joints(way) + self._by_pushes(way)

    def _by_pushes(self, way: Way) -> float:
        """What scripted bones do by contact, friction, guides, springs and dampers of joints.

        No force of theirs is known: it is what is stored, or lost, more than all else did for it.
        """
        still = ~self._moved
        if np.array_equal(way.ended.poses[still], way.begun.poses[still]):
            return 0.0
        ends = [Configuration(self._problem, s.x, s.poses) for s in (way.begun, way.ended)]
        stored = [sum(energy.value(q) for energy in self._posed) for q in ends]
        turned = self._turned(way)
        slowing = self._dampers * turned / way.seconds
        forces = [self._forces(self._posed, q, slowing) for q in ends]
        poses = way.ended.poses - way.begun.poses
        rest = 0.5 * sum(self._work(f, way.shift, poses) for f in forces)
        pushed = float(stored[1] - stored[0] + slowing @ turned - rest)
        return pushed + self._by_drag_along(way)

    def _by_drag_along(self, way: Way) -> float:
        """What scripted bones do by friction: what it takes more than it takes from all else."""
        own = _frictions(way)
        if not own:
            return 0.0
        forces = self._forces(own, way.q, np.zeros(len(self._dampers)))
        poses = way.q.poses - way.begun.poses
        rest = self._work(forces, way.q.x - way.begun.x, poses) / way.stage
        return self._by_friction(way) - rest

    def _forces(self, energies: Sequence[Energy], q: Configuration, efforts: Floats) -> Forces:
        """The forces of some energies, and efforts (c,) in joints, as forces on the bones."""
        forces = self._problem.no_forces(q)
        forces.joints += efforts
        for energy in energies:
            energy.add_forces(q, forces)
        if len(self._problem.coordinates):
            through = self._problem.coordinates.loads(q.poses, forces.joints)
            forces.turns += through.turns
            forces.shifts += through.shifts
        return forces

    def _work(self, forces: Forces, shift: Floats, poses: Floats) -> float:
        """What forces store [J] over shifts (n, 3) [m] and changes of poses (bones, 3, 4)."""
        skeleton = self._problem.skeleton
        own, centres = poses[skeleton.free], skeleton.centre[skeleton.free]
        moved = np.einsum("fij,fj->fi", own[:, :, :3], centres) + own[:, :, 3]
        turned = float((forces.turns * own[:, :, :3]).sum())
        return turned + float((forces.nodes * shift).sum() + (forces.shifts * moved).sum())

    def _driven(self, bone: int) -> float:
        return 0.0 if self._moved[bone] else 1.0

    def _by_joints(self, way: Way) -> float:
        """What drives joints does."""
        before, after = (s.memory.get("reactions") for s in (way.begun, way.ended))
        if after is None:
            return 0.0
        if before is None:
            before = after
        mean = 0.5 * (np.where(np.isnan(before), after, before) + after)
        return float(np.nansum(mean * self._turned(way)))

    def _turned(self, way: Way) -> Floats:
        """(c,) how far the coordinates of joints went."""
        after, before = (self._problem.coordinates.values(s.poses) for s in (way.ended, way.begun))
        return np.asarray(after - before)

    def _by_viscosity(self, way: Way) -> float:
        """What viscosity takes, and damping by the stiffness at rest if there is any."""
        elastic = self._problem.elastic
        own = [energy for energy in way.objective.energies if isinstance(energy, Rayleigh)]
        change = elastic.deformation(way.shift) if own else np.zeros(0)
        taken = sum(energy.dissipated(change, way.seconds) for energy in own)
        return taken + (self._by_strain(way) if self._eta.any() else 0.0)

    def _by_strain(self, way: Way) -> float:
        elastic = self._problem.elastic
        change = green(elastic.deformation(way.ended.x)) - green(elastic.deformation(way.begun.x))
        rates = np.einsum("sij,sij->s", change, change) / way.seconds
        return 2.0 * float((elastic.volumes * self._eta) @ rates)

    def _by_drag(self, way: Way) -> float:
        poses = np.where(self._moved[:, None, None], way.ended.poses - way.begun.poses, 0.0)
        return 2.0 * self._drag * self._masses.energy(way.shift, poses) / way.seconds

    def _by_friction(self, way: Way) -> float:
        """What friction takes, by its forces at the step's minimum."""
        return sum(energy.dissipated(way.q) for energy in _frictions(way)) / way.stage


def _frictions(way: Way) -> list[BoneFriction | BarrierFriction | CableFriction]:
    """The friction of a step."""
    energies = way.objective.energies
    return [e for e in energies if isinstance(e, BoneFriction | BarrierFriction | CableFriction)]


@dataclass(frozen=True, eq=False)
class Way:
    """A step: its states, the minimum `q` that it came to, and what was minimised.

    `inputs` are those at its end, `rates` (bones, 3, 4) [1/s] those of the poses there.
    """

    begun: State
    ended: State
    rates: Floats
    q: Configuration
    objective: Equilibrium
    inputs: Inputs
    stage: float  # where in the step the minimum lies

    @property
    def seconds(self) -> float:
        """How long it is [s]."""
        return self.ended.time - self.begun.time

    @property
    def shift(self) -> Floats:
        """(n, 3) how far vertices went [m]."""
        return self.ended.x - self.begun.x
