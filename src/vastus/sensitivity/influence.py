"""Fields of derivatives: what one output owes to the strength, fibre and rest place of every tet.

With H lam = y_q, an output y follows a parameter by dy/dp = y_p - lam . g_p: one solve for an
output, and no more for all parameters together. Spread over the vertices, lam is a field Lambda
that says what a force at each place does to the output; L is its gradient in a tet
(theory, eq. 107).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from vastus.energies.belly import EVEN, Pull
from vastus.errors import ModelError
from vastus.model import Model
from vastus.muscle import Density, ForceLength
from vastus.numerics.types import Floats, Ints
from vastus.sensitivity.equilibrium import StableEquilibrium
from vastus.sensitivity.tissue import Change


@dataclass(frozen=True, eq=False)
class Slope:
    """The derivative of an output by the placement, and by what else it depends on directly."""

    value: float
    bones: Floats  # (k,) by the coordinates of the bones
    nodes: Floats  # (n, 3) by the places of the vertices
    gradients: Floats | None = None  # (s, 3, 3) by F, where the rest shape counts so
    tension: Floats | None = None  # (s,) by the active stress [Pa] of the laws
    strength: Floats | None = None  # (s,) by the strength [Pa] of tets whose belly decides
    fibre: Floats | None = None  # (s, 3)
    rest: Callable[[], Floats] = field(default=lambda: np.zeros(1))  # (n, 3), F held


@dataclass(frozen=True, eq=False)
class Influence:
    """The adjoint of one output at an equilibrium."""

    here: StableEquilibrium
    slope: Slope
    nodes: Floats  # (n, 3) Lambda: how the output follows a force [N] on each vertex
    turns: Floats  # (f, 3) how the free bones turn in it

    @classmethod
    def of(cls, here: StableEquilibrium, slope: Slope) -> Influence:
        """The adjoint of an output with this slope."""
        y_q = here.reduced(slope.nodes)
        y_q[: here.q.chart.size] += slope.bones
        lam = here.solve(y_q)
        k, unknowns, nodes = here.q.chart.size, here.problem.unknowns, np.zeros_like(here.q.x)
        skeleton = here.problem.skeleton
        twists = here.q.chart.lift(lam[:k]).reshape(-1, 2, 3)
        nodes.reshape(-1)[unknowns.free] = lam[k:]
        if k:
            carried = np.arange(len(unknowns.carried))
            nodes[unknowns.carried] = (here.q.chart.push(carried) @ lam[:k]).reshape(-1, 3)
        return cls(here, slope, nodes, twists[:, 0] / skeleton.size[skeleton.free, None])

    @property
    def gradients(self) -> Floats:
        """(s, 3, 3) L, the gradient of Lambda in each soft tet."""
        return self.here.problem.elastic.deformation(self.nodes)

    def loads(self) -> Floats:
        """(n, 3) the derivative by a force on each vertex [1/N]."""
        return self.nodes

    def strength(self) -> Floats:
        """(m,) the derivative by the strength [1/Pa] of each tet, zero where there is no muscle."""
        model, elastic = self.here.model, self.here.problem.elastic
        L, soft, total = self.gradients, model.soft, np.zeros(model.mesh.n_tets)
        level = np.append(self.here.inputs.excitation, 0.0)[model.muscle_of_tet[soft]]
        per_tension = self.here.tissue.stress(Change(tension=np.ones(len(soft))))
        own = -elastic.volumes * np.einsum("eij,eij->e", per_tension, L)
        if self.slope.tension is not None:
            own = own + self.slope.tension
        local = [model.force_length(i) is ForceLength.LOCAL for i in range(len(model.muscles))]
        acts = np.append(local, False)[model.muscle_of_tet[soft]]
        total[soft] = np.where(acts & model.contractile[soft], level * own, 0.0)
        for pull in self._pulls():
            tets = pull.head.tets
            along = np.einsum("ki,kij,kj->k", pull.n, L[tets], pull.head.d)
            strength = model.strength[soft[tets]]
            total[soft[tets]] -= pull.head.volumes * pull.tension * along / strength
        if self.slope.strength is not None:
            total[soft] += self.slope.strength
        return total

    def fibre(self) -> Floats:
        """(m, 3) the derivative by the direction of each tet's fibre, of turns only.

        How densely fibres lie is held.
        """
        model, elastic = self.here.model, self.here.problem.elastic
        L, soft = self.gradients, model.soft
        found = np.zeros((len(soft), 3))
        for axis in range(3):
            way = np.zeros((len(soft), 3))
            way[:, axis] = np.linalg.norm(elastic.fibre, axis=1)
            P = self.here.tissue.stress(Change(fibre=way))
            found[:, axis] = -elastic.volumes * np.einsum("eij,eij->e", P, L)
        for pull in self._pulls():
            found[pull.head.tets] -= _turned(pull, self.here.q.F[pull.head.tets], L[pull.head.tets])
        if self.slope.fibre is not None:
            found += self.slope.fibre
        d = elastic.fibre
        out = np.zeros((model.mesh.n_tets, 3))
        out[soft] = found - (found * d).sum(axis=1, keepdims=True) * d
        return out

    def rest(self) -> Floats:
        """(n, 3) the derivative by the rest place of each vertex, F and all it carries following.

        Only where nothing else follows from the shape: see `require_rest`.
        """
        require_rest(self.here.model)
        model = self.here.model
        total = self._of_tets() + self._of_mass() + self.slope.rest()
        moved, owner = self._prescribed(), model.bone_of_vertex
        total += np.where(model.held & (owner < 0)[:, None], moved, 0.0)
        for bone, pose in enumerate(self.here.q.poses):
            mine = owner == bone
            total[mine] += self._carried(bone, pose, mine, moved)
        return total

    def _of_tets(self) -> Floats:
        """(n, 3) what the stresses owe to the shape of each tet, all vertices held in space."""
        elastic, F, L = self.here.problem.elastic, self.here.q.F, self.gradients
        tension = self.here.tissue.tension
        P = elastic.stress(F, tension)
        CL = _times(elastic.tangent(F, tension), L)
        M = np.einsum("eij,eij->e", P, L)[:, None, None] * np.eye(3)
        M -= np.swapaxes(F, 1, 2) @ CL + np.swapaxes(L, 1, 2) @ P
        M *= elastic.volumes[:, None, None]
        if self.slope.gradients is not None:
            M += np.swapaxes(F, 1, 2) @ self.slope.gradients
        volume = self.here.problem.volume
        if volume is not None:
            grown = volume.relieved(F, np.einsum("eij,eij->e", volume.gradients(F), L))
            M -= (elastic.volumes * grown)[:, None, None] * np.eye(3)
        corners = -np.einsum("eij,eaj->eai", M, elastic.B)
        return self.here.problem.scatter.gather(np.ascontiguousarray(corners))

    def _of_mass(self) -> Floats:
        """(n, 3) what the weight owes to the volume of each tet, bone included."""
        model, mesh = self.here.model, self.here.model.mesh
        gravity = self.here.inputs.gravity
        assert gravity is not None
        density = np.array([region.density for region in model.regions])[model.region]
        lift = self.nodes[mesh.T].mean(axis=1) @ gravity
        corners = (density * mesh.volumes * lift)[:, None, None] * mesh.gradients
        return at_vertices(model, mesh.T, corners)

    def _prescribed(self) -> Floats:
        """(n, 3) what moving each vertex in space does to the output, if that is prescribed."""
        return self.slope.nodes - self.here.forces_along(self.nodes)

    def _carried(self, bone: int, pose: Floats, mine: Floats, moved: Floats) -> Floats:
        """(v, 3) the same for vertices that a bone carries, whose levers change too."""
        total = moved[mine]
        slot = self.here.problem.skeleton.slot(bone)
        if slot >= 0:
            f = self.here.objective.forces(self.here.q).nodes[mine]
            total = total - np.cross(f, self.turns[slot])
        return np.asarray(total @ pose[:, :3])

    def _pulls(self) -> list[Pull]:
        bellies, level = self.here.problem.bellies, self.here.inputs.excitation
        return [
            head.pull(self.here.q.F[head.tets], float(level[head.muscle]))
            for head in bellies.heads
            if level[head.muscle]
        ]


def at_vertices(model: Model, T: Ints, corners: Floats) -> Floats:
    """(n, 3) the sums at the vertices of what tets T (k, 4) have at their corners (k, 4, 3)."""
    T, n = T.ravel(), model.mesh.n_vertices
    return np.column_stack([np.bincount(T, corners[:, :, i].ravel(), n) for i in range(3)])


def require_rest(model: Model) -> None:
    """Refuse models in which more than the tets' own shape follows from where vertices lie."""
    belly = any(m.force_length(i) is not ForceLength.LOCAL for m, i in _each(model))
    dense = any(muscle.density is not Density.UNIFORM for muscle in model.muscles)
    area = any(m.force is not None or m.pcsa is not None or m.volume is not None
               or m.fibre_length is not None for m in model.muscles)  # fmt: skip
    others = bool(model.cavities or model.cables or model.guides or model.energies)
    if belly or dense or area or others or model.contact or model.floor:
        raise ModelError(
            "the field over rest places is that of tissue by itself, of fibres of uniform density "
            "whose own length decides; vary single places, such as muscles.NAME.attachments.BONE.x"
        )


def _each(model: Model) -> list[tuple[Model, int]]:
    return [(model, index) for index in range(len(model.muscles))]


def _times(H: Floats, L: Floats) -> Floats:
    """(s, 3, 3) the products of tangents H (s, 9, 9) with L (s, 3, 3)."""
    return np.einsum("eab,eb->ea", H, L.reshape(-1, 9)).reshape(-1, 3, 3)


def _turned(pull: Pull, F: Floats, L: Floats) -> Floats:
    """(k, 3) the derivative of a head's forces along Lambda by its directions d."""
    head, d, n = pull.head, pull.head.d, pull.n
    Ld = np.einsum("kij,kj->ki", L, d)
    along = (n * Ld).sum(axis=1)
    per_stretch = pull.curvature * float(head.weights @ along) / head.size**2 * head.weights
    per_stretch += pull.active * EVEN * head.weights * along
    slope = pull.active * head.weights * pull.relative
    across = (Ld - along[:, None] * n) / pull.lam[:, None]
    pushed = per_stretch[:, None] * n + slope[:, None] * across
    return np.einsum("kji,kj->ki", F, pushed) + slope[:, None] * np.einsum("kji,kj->ki", L, n)
