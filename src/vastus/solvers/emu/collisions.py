"""EMU's own contact: collision forces among the loads (section 3.5 and Algorithm 1 of the paper).

A vertex that is inside another body is pushed out by k times its depth (Heidelberger et al. 2004),
and the tet that holds it gets the same force back. In each iteration these forces are sought that
fit the mesh to which they themselves lead, by EMU's Hessian, and are then loads like any other.
They are no derivative of an energy: no function falls from one iteration to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import permutations

import numpy as np

from vastus.contact.bodies import bodies
from vastus.contact.prepare import pressure_of
from vastus.errors import ModelError
from vastus.geometry.consistent_depth import Intrusion, intrusion
from vastus.geometry.penetration import Presence
from vastus.model import Model
from vastus.numerics.iterative import Apply, non_negative
from vastus.numerics.minimise import Moment, Outcome, Rule, Watch, search
from vastus.numerics.types import Floats, Ints
from vastus.parts import ContactKind
from vastus.solvers.emu.directions import Corrected
from vastus.solvers.emu.pieces import Pieces, PiecesEnergy, final_mesh

SEARCHES = 3  # for what is inside what, in one iteration
STEPS = 40  # towards the forces of one search
EXACT = 1e-2  # of the largest depth: how well forces fit depths
_NO_STEP = "no step decreased the energy after {} iterations"
Answer = Apply  # how vertices move (n, 3) [m] under forces (n, 3) [N]


def resolve(
    energy_under: Callable[[Floats], PiecesEnergy],
    start: Start,
    collisions: Collisions,
    rule: Rule,
    watch: Watch | None = None,
) -> tuple[PiecesEnergy, Outcome[Pieces]]:
    """Where EMU's energy is least under the collision forces that belong there.

    `energy_under` is the energy under forces (n, 3) [N] besides the loads. In each iteration it
    falls with these held. It has come to rest when neither they nor the gradients change. Returned
    is also the last of the energies.
    """
    pushes = start.pushes
    energy = energy_under(pushes.force)
    q = energy.at(start.F)
    value, g = energy.value(q), energy.gradient(q)
    history: list[float] = []
    change, target = np.inf, float("nan")

    def outcome(converged: bool, told: str, *, stopped: bool = False) -> Outcome[Pieces]:
        reached = tuple(history)
        return Outcome(q, value, g, energy.load, target, reached, converged, told, stopped)

    for iteration in range(rule.max_iterations + 1):
        residual, target = rule.gauge(energy, q, g)
        history.append(residual)
        place = partial(final_mesh, energy, q)
        if watch and watch(Moment(iteration, residual, target, place)) is True:
            return energy, outcome(False, "stopped when its watch had enough", stopped=True)
        if residual <= target and change <= rule.tolerance * energy.load:
            return energy, outcome(True, f"converged, {collisions.told(place().x)}")
        if iteration == rule.max_iterations:
            break
        linear = _Linear(energy, start.hessian.response(energy, q))
        new = collisions.forces(place().x + linear.ahead(g), pushes, linear.answer)
        change, pushes = float(np.linalg.norm(new.force - pushes.force)), new
        energy = energy_under(pushes.force)
        value, g = energy.value(q), energy.gradient(q)
        found = search(energy, q, value, g, linear.step(g))
        if found is not None:
            q, value, g = found
        elif rule.gauge(energy, q, g)[0] > target:
            return energy, outcome(False, _NO_STEP.format(iteration))
    return energy, outcome(False, f"{rule.max_iterations} iterations were not enough")


@dataclass(frozen=True, eq=False)
class Start:
    """Gradients (elements, 3, 3) and pushes to start from, and EMU's Hessian."""

    F: Floats
    pushes: Pushes
    hessian: Corrected


class _Linear:
    """The energy at a point as EMU's Hessian has it."""

    def __init__(self, energy: PiecesEnergy, inverse: Apply) -> None:
        self._energy, self._inverse = energy, inverse
        self._length = energy.space.length[:, None, None]

    def _downhill(self, g: Floats) -> Floats:
        return -self._inverse(g.reshape(-1, 3, 3) * self._length)

    def step(self, g: Floats) -> Floats:
        """The step (9 elements,) that would end a gradient g (9 elements,)."""
        return np.asarray((self._downhill(g) * self._length).ravel())

    def ahead(self, g: Floats) -> Floats:
        """(n, 3) how the vertices move with it [m]."""
        space = self._energy.space
        return space.vertices(space.nearest(self._downhill(g)))

    def answer(self, force: Floats) -> Floats:
        """(n, 3) how the vertices of the final mesh answer to forces (n, 3) [N]."""
        energy, space = self._energy, self._energy.space
        sag = space.solve(space.pull(force))
        moved = space.nearest(self._inverse(energy.through_mesh(sag)))
        return space.vertices(moved + sag / energy.alpha)


class Collisions:
    """The bodies of a model that may run into each other, and how stiffly they part."""

    def __init__(self, model: Model) -> None:
        assert model.contact is not None
        if model.contact.folds:
            raise ModelError("collision forces do not see the folds of one body")
        self._bodies = list(bodies(model))
        self._pairs = [
            (i, j)
            for i, j in permutations(range(len(self._bodies)), 2)
            if _kept_apart(model, self._bodies[i].name, self._bodies[j].name)
        ]
        X, faces = model.mesh.X, np.concatenate([body.faces for body in self._bodies])
        a, b, c = X[faces].transpose(1, 0, 2)
        share = np.zeros(len(X))  # [m^2]
        np.add.at(share, faces, np.linalg.norm(np.cross(b - a, c - a), axis=1)[:, None] / 6)
        # One edge deep, as it were, bodies press with ten times their modulus. Where it is ten
        # times as much, iterations go in circles from one coarse face to the next.
        edge = float(np.median(np.linalg.norm(b - a, axis=1)))
        self.stiffness = pressure_of(model) / edge * share  # (n,) [N/m]
        self.least = 1e-6 * edge  # [m] a depth that is as good as none
        self.none = Pushes(np.zeros((len(self._bodies), len(X))), np.zeros_like(X))

    def at(self, x: Floats, sizes: Floats) -> Touching:
        """What is inside what where vertices are at x (n, 3), or is pushed by `sizes` (bodies, n).

        All of it stays in the places and directions that it has there.
        """
        here = [Presence(body, x) for body in self._bodies]
        found: list[tuple[int, Intrusion]] = []
        for i, j in self._pairs:
            pushed = sizes[j] > 0
            if here[i].meets(here[j]) or pushed[here[i].body.outer].any():
                found.append((j, intrusion(here[i], here[j], pushed)))
        return Touching.of(found, self.stiffness)

    def present(self, x: Floats) -> Pushes:
        """Those of the depths where vertices are at x (n, 3) [m]."""
        touching = self.at(x, self.none.sizes)
        return touching.pushes(touching.depth / touching.compliance, self.none)

    def told(self, x: Floats) -> str:
        """How deep vertices are left in other bodies at x (n, 3) [m]."""
        depth = self.at(x, self.none.sizes).depth.max(initial=0.0)
        return f"bodies left {1e3 * depth:.2g} mm deep in each other"

    def forces(self, x: Floats, old: Pushes, answer: Answer) -> Pushes:
        """The pushes that fit a mesh at x (n, 3) [m] once it has answered to them.

        The mesh at x is that under the `old` ones.
        """
        pushes = old
        for _ in range(SEARCHES):
            touching = self.at(x, pushes.sizes)
            sizes = touching.balanced(pushes, answer, self.least)
            new = touching.pushes(sizes, self.none)
            change = new.force - pushes.force
            if np.linalg.norm(change) <= EXACT * np.linalg.norm(new.force):
                return new
            pushes, x = new, x + answer(change)
        return pushes


@dataclass(frozen=True, eq=False)
class Pushes:
    """How hard each body pushes each vertex out, and the forces on all vertices."""

    sizes: Floats  # (bodies, n) [N]
    force: Floats  # (n, 3) [N]


@dataclass(frozen=True, eq=False)
class Touching:
    """Vertices in or beside other bodies, in fixed directions from fixed places of these."""

    body: Ints  # (c,) that pushes
    vertices: Ints  # (c,) that are pushed
    depth: Floats  # (c,) [m]
    out: Floats  # (c, 3)
    hosts: Ints  # (c, 4) vertices that are pushed back
    shares: Floats  # (c, 4)
    compliance: Floats  # (c,) [m/N]
    count: int  # n

    @classmethod
    def of(cls, found: Sequence[tuple[int, Intrusion]], stiffness: Floats) -> Touching:
        """Intrusions into bodies by their numbers; the vertices have a `stiffness` (n,) [N/m]."""
        empty = np.zeros((0, 4))
        each = [i for _, i in found]
        vertices = np.concatenate([np.zeros(0, np.int64), *(i.vertices for i in each)])
        return cls(
            np.repeat([j for j, _ in found], [len(i.vertices) for i in each]).astype(np.int64),
            vertices,
            np.concatenate([np.zeros(0), *(i.depth for i in each)]),
            np.concatenate([np.zeros((0, 3)), *(i.out for i in each)]),
            np.concatenate([empty.astype(np.int64), *(i.hosts for i in each)]),
            np.concatenate([empty, *(i.shares for i in each)]),
            1.0 / stiffness[vertices],
            len(stiffness),
        )

    def force(self, sizes: Floats) -> Floats:
        """(n, 3) the forces of pushes (c,), and of what pushes back, on all vertices [N]."""
        push = sizes[:, None] * self.out
        force = np.zeros((self.count, 3))
        np.add.at(force, self.vertices, push)
        np.add.at(force, self.hosts, -self.shares[:, :, None] * push[:, None])
        return force

    def pushes(self, sizes: Floats, none: Pushes) -> Pushes:
        """Pushes (c,) [N] here, and none elsewhere."""
        every = none.sizes.copy()
        every[self.body, self.vertices] = sizes
        return Pushes(every, self.force(sizes))

    def opening(self, shift: Floats) -> Floats:
        """(c,) by how much vertices leave their places when all shift by (n, 3) [m]."""
        away = shift[self.vertices] - np.einsum("ca,cai->ci", self.shares, shift[self.hosts])
        return np.einsum("ci,ci->c", away, self.out)

    def balanced(self, old: Pushes, answer: Answer, least: float) -> Floats:
        """(c,) pushes [N], none negative, that are as large as the depths they leave ask for.

        Depths are as good as that when they are wrong by `least` [m], or by little of the largest.
        """
        start = old.sizes[self.body, self.vertices]
        gap = self.opening(answer(self.force(start) - old.force)) - self.depth
        gap += self.compliance * start

        def matrix(sizes: Floats) -> Floats:
            return self.opening(answer(self.force(sizes))) + self.compliance * sizes

        def enough(sizes: Floats, gap: Floats) -> bool:
            wrong = np.where(sizes > 0, np.abs(gap), -gap).max(initial=0.0)
            return bool(wrong <= least + EXACT * (self.compliance * sizes).max(initial=0.0))

        return non_negative(matrix, start, gap, enough, STEPS)


def _kept_apart(model: Model, one: str, other: str) -> bool:
    contact = model.contact
    if contact is None or contact.excludes(one, other):
        return False
    return contact.kind(model.bony(one), model.bony(other)) is not ContactKind.NONE
