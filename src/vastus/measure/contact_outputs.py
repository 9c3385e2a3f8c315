"""What bodies in contact do to each other: force, largest pressure, area and smallest gap."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import NamedTuple

import numpy as np

from vastus.contact.barrier import BarrierContact, Push
from vastus.contact.bodies import soft_bodies
from vastus.contact.distance import DistanceContact, Touch
from vastus.contact.friction import BoneFriction
from vastus.contact.prepare import as_firm, barrier, bone_contact
from vastus.measure.moments import Turning, bones_beyond, joint_place
from vastus.measure.muscle_outputs import Row
from vastus.model import Model
from vastus.numerics.types import Bools, Floats, Ints
from vastus.parts import Drive
from vastus.solvers.motion.dynamic import BEFORE
from vastus.state import State

OnBone = tuple[int, Floats, Floats]  # a bone, points (k, 3) [m] and forces (k, 3) on it there [N]
CARRIES = 1e-2  # of the largest force on a point, from which on friction there is judged
BESIDE = 0.05  # of the model's length, within which bodies lie side by side at rest


class ContactOutputs:
    """The contact of bodies with each other, in any state of one model."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._bones, self._soft = BoneContactOutputs(model), BarrierOutputs(model)
        self._loose = [LooseOutputs(model, bone) for bone in loose_bones(model)]
        touched = self._bones.energy is not None or self._soft.energy is not None
        joints = [joint for joint in model.joints if isinstance(joint, Turning)] if touched else []
        self._joints = [(joint, bones_beyond(model, joint)) for joint in joints]

    def with_laws(self, model: Model) -> ContactOutputs:
        """The same for a model with other laws and strengths, in the same shape."""
        other, bones, soft = copy(self), copy(self._bones), copy(self._soft)
        bones.energy, soft.energy = as_firm(model, bones.energy, soft.energy)
        soft.forget()
        other._model, other._bones, other._soft = model, bones, soft
        return other

    def of(self, state: State) -> Row:
        """The outputs by name: of each pair that may touch, the force [N] and so on."""
        found = self._bones.of(state) | self._soft.of(state) | self._moments(state)
        for loose in self._loose:
            found |= loose.of(state, self._bones.energy)
        return found

    def _moments(self, state: State) -> Row:
        """The moments [N m] about joints of what soft bodies push on the bones beyond."""
        if not self._joints:
            return {}
        pushes, row = [*self._bones.on_bones(state), *self._soft.on_bones(state)], {}
        for joint, beyond in self._joints:
            pose = state.poses[self._model.bone(joint.bones[0])]
            centre, axes = joint_place(joint, pose)
            moments = [np.cross(p - centre, f).sum(axis=0) for b, p, f in pushes if b in beyond]
            total = np.sum(moments, axis=0) if moments else np.zeros(3)
            for name, axis in axes.items():
                row[f"{joint.name}_contact_moment{name}_Nm"] = float(total @ axis)
        return row


class BoneContactOutputs:
    """The contact of every soft body with every bone, by distance."""

    def __init__(self, model: Model) -> None:
        self._names = [body.name for body in soft_bodies(model)]
        self._bones = [bone.name for bone in model.bones]
        self._model, self.energy = model, bone_contact(model)

    def on_bones(self, state: State) -> Iterator[OnBone]:
        """What each bone gets from all soft bodies."""
        energy = self.energy
        if energy is None:
            return
        for obstacle, touch in zip(energy.obstacles, energy.touches(state), strict=True):
            points = obstacle.faces.points(state.x, touch.rows)
            push = touch.first[:, None] * touch.n
            yield obstacle.bone, points, push
            # What is pushed may hang on another bone by some of its vertices.
            vertices, shares = obstacle.faces.of(touch.rows)
            back = -shares[:, :, None] * push[:, None]
            yield from _carried(self._model, state.x, vertices.ravel(), back.reshape(-1, 3))

    def of(self, state: State) -> Row:
        """The outputs by name: of each pair that may touch, the force [N] and so on."""
        if self.energy is None:
            return {}
        found: dict[tuple[int, int], list[Felt]] = {}
        for obstacle, touch in zip(self.energy.obstacles, self.energy.touches(state), strict=True):
            of = obstacle.faces.body_of(touch.rows)
            held = self._model.bone_of_vertex == obstacle.bone
            rim = held[obstacle.faces.of(touch.rows)[0]].any(axis=1)
            for body in np.unique(obstacle.faces.body):
                rows = np.flatnonzero(of == body)
                felt = Felt(obstacle.faces.weights[touch.rows[rows]], touch, rows, ~rim[rows])
                found.setdefault((int(body), obstacle.bone), []).append(felt)
        row: Row = {}
        for (body, bone), parts in found.items():
            row |= self._row((self._names[body], self._bones[bone]), parts, self.energy.gap)
        return row

    def _row(self, names: tuple[str, str], parts: list[Felt], gap: float) -> Row:
        push = np.sum([part.push for part in parts], axis=0)
        return columns(
            names,
            float(np.linalg.norm(push)),
            max(part.pressure for part in parts),
            sum(float(part.areas.sum()) for part in parts),
            min(float(p.touch.phi[p.rows[p.clear]].min(initial=gap)) for p in parts),
        )


def loose_bones(model: Model) -> list[int]:
    """The bones that nothing but contact and gravity acts on."""
    jointed = {name for joint in model.joints for name in joint.bones}
    tissue = np.unique(model.bone_of_vertex[np.unique(model.mesh.T[model.soft])])
    return [
        number
        for number, bone in enumerate(model.bones)
        if bone.drive is Drive.FREE and bone.name not in jointed and number not in tissue
    ]


class LooseOutputs:
    """A bone that lies or is held by contact alone: how it moves, and what holds it."""

    def __init__(self, model: Model, bone: int) -> None:
        self._model, self._bone = model, bone
        tets = model.tets_of(model.bones[bone].regions)
        densities = np.array([region.density for region in model.regions])
        masses = densities[model.region[tets]] * model.mesh.volumes[tets]
        self._centre = masses @ model.mesh.centroids[tets] / masses.sum()
        self._mass = float(masses.sum())

    def of(self, state: State, contact: DistanceContact | None) -> Row:
        """Speed, the way up since rest, weight, what soft bodies do to it, and friction's share."""
        name, pose = self._model.bones[self._bone].name, state.poses[self._bone]
        gravity = np.asarray(state.memory.get("gravity", self._model.gravity), float)
        size = float(np.linalg.norm(gravity))
        way = pose[:, :3] @ self._centre + pose[:, 3] - self._centre
        row = {
            f"{name}_speed_m_s": float(np.linalg.norm(state.twists[self._bone, 3:])),
            f"{name}_lift_m": float(-way @ gravity / size) if size else 0.0,
            f"{name}_weight_N": self._mass * size,
        }
        if contact is not None:
            force, share = self._grasp(state, contact)
            row |= {f"{name}_held_{axis}_N": float(f) for axis, f in zip("xyz", force, strict=True)}
            row[f"{name}_friction_used"] = share
        return row

    def _grasp(self, state: State, contact: DistanceContact) -> tuple[Floats, float]:
        """The force (3,) [N] of all that touches, and the largest part of friction that is used.

        Friction is known only where the step before the state is remembered.
        """
        own = [k for k, o in enumerate(contact.obstacles) if o.bone == self._bone]
        touches = [contact.touches(state)[k] for k in own]
        force = np.sum([t.first @ t.n for t in touches], axis=0) if own else np.zeros(3)
        coefficient = self._model.contact.friction if self._model.contact else 0.0
        if not coefficient:
            return force, 0.0
        if BEFORE not in state.memory:
            return np.full(3, np.nan), np.nan
        friction = BoneFriction(contact, _before(state), coefficient)
        pressed = {id(contact.obstacles[k]): t for k, t in zip(own, touches, strict=True)}
        used = 0.0
        for grip in friction.grips:
            if id(grip.obstacle) not in pressed:
                continue
            drag, now = grip.drag(state, friction.onset), pressed[id(grip.obstacle)]
            force = force + drag.sum(axis=0)
            normal = np.zeros(len(grip.obstacle.start))
            normal[now.rows] = -now.first * np.linalg.norm(now.n, axis=1)
            N = normal[grip.touch.rows]
            bears = CARRIES * N.max(initial=0.0) < N
            shares = np.linalg.norm(drag[bears], axis=1) / (coefficient * N[bears])
            used = max(used, float(shares.max(initial=0.0)))
        return force, used


class _Placing(NamedTuple):
    x: Floats
    poses: Floats


def _before(state: State) -> _Placing:
    """Where everything was when the last step began."""
    u, size = state.memory[BEFORE], state.x.size
    return _Placing(u[:size].reshape(-1, 3), u[size:].reshape(-1, 3, 4))


class Felt(NamedTuple):
    """Points of a soft body that a piece of a bone pushes."""

    areas: Floats  # (k,) [m^2]
    touch: Touch
    rows: Ints  # (k,) where they are in what is touched
    clear: Bools  # (k,) whether they are no part of a face that hangs on the bone

    @property
    def push(self) -> Floats:
        """(3,) the resultant on the bone [N]."""
        return np.asarray((self.touch.first[self.rows, None] * self.touch.n[self.rows]).sum(axis=0))

    @property
    def pressure(self) -> float:
        """The largest [Pa], but for the rim of an attachment, where it grows without bound."""
        pressures = -self.touch.first[self.rows] / self.areas
        return float(pressures[self.clear].max(initial=0.0))


def _carried(model: Model, x: Floats, vertices: Ints, forces: Floats) -> Iterator[OnBone]:
    """Forces (k, 3) [N] on vertices (k,), as far as bones carry these."""
    owner = model.bone_of_vertex[vertices]
    for bone in np.unique(owner[owner >= 0]):
        own = owner == bone
        yield int(bone), x[vertices[own]], forces[own]


def columns(
    names: tuple[str, str], force: float, pressure: float, area: float, distance: float
) -> Row:
    """The outputs of a pair: [N], [Pa], [m^2] and [m]."""
    name = f"{names[0]}_{names[1]}_contact"
    return {
        f"{name}_N": force,
        f"{name}_Pa": pressure,
        f"{name}_m2": area,
        f"{name}_distance_m": distance,
    }


class BarrierOutputs:
    """The contact of every two bodies that a barrier keeps apart and that lie side by side."""

    def __init__(self, model: Model) -> None:
        self.energy = barrier(model)
        self._pairs: list[tuple[int, int]] = []
        if self.energy:
            reach = BESIDE * float(np.ptp(model.mesh.X, axis=0).max())
            surfaces = self.energy.detector.surfaces
            bony = [model.bony(name) for name in surfaces.names]
            near = surfaces.near_pairs(reach, model.mesh.X)
            self._pairs = [(i, j) for i, j in near if not (bony[i] and bony[j])]
        self._model = model
        self.forget()

    def forget(self) -> None:
        """Forget what was found for the last state."""
        self._seen: tuple[State, list[Push]] | None = None

    def on_bones(self, state: State) -> Iterator[OnBone]:
        """What each bone gets from all pushes, on itself or on what it carries."""
        if self.energy is None:
            return
        surfaces = self.energy.detector.surfaces
        for push in self._pushes(self.energy, state):
            yield from _carried(self._model, state.x, surfaces.vertex[push.vertices], push.forces)

    def of(self, state: State) -> Row:
        """The outputs by name."""
        if self.energy is None:
            return {}
        found: dict[tuple[int, int], list[Push]] = {pair: [] for pair in self._pairs}
        body = self.energy.detector.surfaces.body
        for push in self._pushes(self.energy, state):
            of = body[push.vertices]
            found.get((int(of.min()), int(of.max())), []).append(push)
        row: Row = {}
        for pair, pushes in found.items():
            row |= self._row(self.energy, pair, pushes)
        return row

    def _pushes(self, energy: BarrierContact, state: State) -> list[Push]:
        """What every near pair does; found once for each state."""
        if self._seen is None or self._seen[0] is not state:
            self._seen = state, list(energy.pushes(state))
        return self._seen[1]

    def _row(self, energy: BarrierContact, pair: tuple[int, int], pushes: list[Push]) -> Row:
        surfaces, areas = energy.detector.surfaces, energy.detector.mesh.vertex_areas
        forces = np.zeros((len(surfaces.vertex), 3))
        for push in pushes:
            np.add.at(forces, push.vertices, push.forces)
        sizes = np.linalg.norm(forces, axis=1)
        one = (surfaces.body == pair[0]) & (sizes > 0)
        # As by distance, a bone is named last.
        first, last = sorted(pair, key=lambda k: self._model.bony(surfaces.names[k]))
        return columns(
            (surfaces.names[first], surfaces.names[last]),
            float(np.linalg.norm(forces[one].sum(axis=0))),
            float((sizes[one] / areas[one]).max(initial=0.0)),
            float(areas[one].sum()),
            min((push.distance for push in pushes), default=energy.gap),
        )
