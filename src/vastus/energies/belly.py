"""Active fibres whose force follows the length of their whole belly (theory, eq. 47).

Force that falls with the length of each tet makes tets in series unstable: some give way and others
shorten. A head of a muscle pulls instead by the mean stretch of its fibres,

    E = A W o Psi(L/o) + c/2 A sum w (l - L)^2,   L = sum w l / W,   w = V s,   W = sum w

with the active stress A, the optimal stretch o, Psi' the force-length curve, l = |F d| and the
density s of fibres. The second term has no resultant; it keeps the stretch of active fibres even,
as their cross-bridges do. Each tet then has the fibre stress A s (Psi' + c (l - L)), and the
stiffness of a head is that of its tets and one matrix of rank one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from vastus.energies.energy import Energy, Forces, Placement, Stiffness
from vastus.inputs import Inputs
from vastus.materials.fibres.curves import Constant, Curve
from vastus.materials.fibres.published import active_curve, velocity_curve
from vastus.model import Model
from vastus.muscle import ForceLength
from vastus.numerics.jit import kernel, prange
from vastus.numerics.types import Floats, Ints

EVEN = 1.0  # c: how far fibres of one head keep the same stretch


@dataclass(frozen=True, eq=False)
class Head:
    """One contractile region of a muscle, whose fibres share one length."""

    muscle: int
    region: int
    tets: Ints  # (k,) positions among the soft tets
    corners: Ints  # (k, 4) their vertices
    d: Floats  # (k, 3) directions at rest
    slope: Floats  # (k, 4) d . grad N of the corners [1/m]
    volumes: Floats  # (k,) [m^3]
    weights: Floats  # (k,) volume times density of fibres [m^3]
    stress: float  # active stress per rest area at activation 1 [Pa]
    curve: Curve
    optimal: float
    velocity: Curve | None = None  # relative force over the velocity in greatest ones
    max_velocity: float = 10.0  # optimal lengths a second

    def with_laws(self, model: Model) -> Head:
        """The same tets, as a model of the same shape says of its muscle."""
        said = model.muscles[self.muscle]
        return replace(
            self,
            stress=float(model.stress[self.muscle]),
            curve=_curve(model, self.muscle),
            optimal=float(model.optimal[self.muscle]),
            velocity=velocity_curve(said.force_velocity) if said.force_velocity else None,
            max_velocity=said.max_velocity,
        )

    @cached_property
    def size(self) -> float:
        """The sum of the weights [m^3]."""
        return float(self.weights.sum())

    def pull(self, F: Floats, activation: float, changing: Floats | None = None) -> Pull:
        """What it does at gradients F (k, 3, 3) of its tets, `changing` (k, 3, 3) [1/s] if any."""
        y = np.einsum("kij,kj->ki", F, self.d)
        # The tiny number keeps directions finite for a fibre crushed to nothing.
        lam = np.sqrt(np.einsum("ki,ki->k", y, y) + 1e-30)
        pull = Pull(self, activation * self.stress, lam, y / lam[:, None])
        if self.velocity is None or changing is None:
            return pull
        return replace(pull, rate=pull.rate_of(changing))

    def gather(self, along: Floats, out: Floats) -> None:
        """Add the forces of fibres that pull by `along` (k, 3) [J] to those of vertices (n, 3)."""
        vertices = self.corners.ravel()
        for i in range(3):
            pull = (along[:, i, None] * self.slope).ravel()
            out[:, i] += np.bincount(vertices, pull, minlength=len(out))


def _curve(model: Model, muscle: int) -> Curve:
    if model.force_length(muscle) is ForceLength.NONE:
        return Constant()
    return active_curve(model.muscles[muscle].curve)


def heads_of(model: Model, muscle: int | None = None) -> Iterator[Head]:
    """The heads of the muscles, or of one, whose force follows their belly's length, or none."""
    for index, said in enumerate(model.muscles):
        if muscle not in (None, index) or model.force_length(index) is ForceLength.LOCAL:
            continue
        mine = model.contractile & (model.muscle_of_tet == index)
        for region in np.unique(model.region[mine]):
            tets = np.flatnonzero(mine & (model.region == region))
            d, volumes = np.ascontiguousarray(model.fibre[tets]), model.mesh.volumes[tets]
            yield Head(
                muscle=index,
                region=int(region),
                tets=np.searchsorted(model.soft, tets),
                corners=model.mesh.T[tets],
                d=d,
                slope=np.einsum("kai,ki->ka", model.mesh.gradients[tets], d),
                volumes=volumes,
                weights=volumes * model.density[tets],
                stress=float(model.stress[index]),
                curve=_curve(model, index),
                optimal=float(model.optimal[index]),
                velocity=velocity_curve(said.force_velocity) if said.force_velocity else None,
                max_velocity=said.max_velocity,
            )


@dataclass(frozen=True, eq=False)
class Pull:
    """What a head does at some gradients.

    `lam` (k,) are the stretches of its tets and `n` (k, 3) the directions of their fibres.
    """

    head: Head
    active: float  # A: activation times stress [Pa]
    lam: Floats
    n: Floats
    rate: float = 0.0  # [1/s] of the mean stretch, where it counts

    def rate_of(self, changing: Floats) -> float:
        """How fast the mean stretch changes [1/s] with gradients (k, 3, 3) [1/s]."""
        return float(np.einsum("ki,kij,kj->", self.share, changing, self.head.d))

    @cached_property
    def stretch(self) -> float:
        """The mean stretch L of the fibres, by their number."""
        return float(self.head.weights @ self.lam) / self.head.size

    @cached_property
    def force(self) -> float:
        """The relative force at that length, and at the velocity that it changes with."""
        force = self.head.curve.force(self.stretch / self.head.optimal)
        if self.head.velocity is None or not self.rate:
            return force
        fastest = self.head.optimal * self.head.max_velocity
        return force * self.head.velocity.force(self.rate / fastest)

    @cached_property
    def relative(self) -> Floats:
        """(k,) the relative force of each tet's fibres."""
        return self.force + EVEN * (self.lam - self.stretch)

    @cached_property
    def tension(self) -> Floats:
        """(k,) the stress of the fibres per rest area [Pa]."""
        return self.active * self.relative * (self.head.weights / self.head.volumes)

    @cached_property
    def energy(self) -> float:
        """The energy [J], zero at rest."""
        o, curve = self.head.optimal, self.head.curve
        rise = o * (curve.work(self.stretch / o) - curve.work(1.0 / o))
        uneven = 0.5 * EVEN * float(self.head.weights @ (self.lam - self.stretch) ** 2)
        return self.active * (self.head.size * rise + uneven)

    @cached_property
    def curvature(self) -> float:
        """c [J] of c u u^T, with u = dL/dF, which the stiffness has besides that of the tets."""
        o = self.head.optimal
        slope = self.head.curve.slope(self.stretch / o) / o
        return self.active * self.head.size * (slope - EVEN)

    @cached_property
    def share(self) -> Floats:
        """(k, 3) by how much a pull on each tet's fibre stretches the belly."""
        return (self.head.weights / self.head.size)[:, None] * self.n


class BellyForce(Energy):
    """The active fibres of all heads, at activations (muscles,).

    The gradients F (s, 3, 3) are those of the soft tets. Where they are `changing` (s, 3, 3)
    [1/s], forces follow that too, which then have no energy.
    """

    label = "force that follows the length of bellies"

    def __init__(
        self,
        heads: tuple[Head, ...],
        activation: Floats | None = None,
        changing: Floats | None = None,
    ) -> None:
        self.heads, self._activation, self._changing = heads, activation, changing
        self._seen: tuple[Floats, list[Pull]] | None = None

    @classmethod
    def of(cls, model: Model) -> BellyForce:
        """The heads of a model, idle."""
        return cls(tuple(heads_of(model)))

    def at(self, inputs: Inputs) -> BellyForce:
        """The same at the inputs' excitation, which in statics muscles have at once."""
        return BellyForce(self.heads, inputs.excitation)

    def pulls(self, F: Floats) -> list[Pull]:
        """What each head does, an idle one included."""
        if self._seen is None or self._seen[0] is not F:
            self._seen = (F, [self._pull(head, F) for head in self.heads])
        return self._seen[1]

    def _pull(self, head: Head, F: Floats) -> Pull:
        level = 0.0 if self._activation is None else float(self._activation[head.muscle])
        changing = None if self._changing is None else self._changing[head.tets]
        return head.pull(F[head.tets], level, changing)

    def _active(self, F: Floats) -> list[Pull]:
        return [pull for pull in self.pulls(F) if pull.active]

    def energies(self, F: Floats) -> Floats:
        """(s,) the energy [J], that of a head shared among its tets by their weights."""
        out = np.zeros(len(F))
        for pull in self._active(F):
            out[pull.head.tets] = pull.energy * pull.head.weights / pull.head.size
        return out

    def add_stress(self, F: Floats, P: Floats) -> None:
        """Add the first Piola stress to P (s, 3, 3) [Pa]."""
        for pull in self._active(F):
            along = pull.tension[:, None] * pull.n
            P[pull.head.tets] += np.einsum("ki,kj->kij", along, pull.head.d)

    def add_tangents(self, F: Floats, H: Floats) -> None:
        """Add what each tet's stress owes to its own gradient, L held, to H (s, 9, 9) [Pa]."""
        for pull in self._active(F):
            scale = pull.active * pull.head.weights / pull.head.volumes
            across, along = pull.tension / pull.lam, scale * EVEN
            _add_tangents(pull.head.tets, across, along, pull.n, pull.head.d, H)

    def columns(self, F: Floats) -> list[tuple[Floats, float]]:
        """u = dL/dF (s, 3, 3) and c [J] of the matrix c u u^T that couples each head's tets."""
        found = []
        for pull in self._active(F):
            u = np.zeros_like(F)
            u[pull.head.tets] = np.einsum("ki,kj->kij", pull.share, pull.head.d)
            found.append((u, pull.curvature))
        return found

    def value(self, q: Placement) -> float:
        """The energy [J]."""
        pulls = self._active(q.F)
        self.noise = 1e-15 * sum(pull.active * pull.head.size for pull in pulls)
        return float(sum(pull.energy for pull in pulls))

    def add_forces(self, q: Placement, forces: Forces) -> float:
        """Add the fibres' pulls on the corners of their tets."""
        squares = 0.0
        for pull in self._active(q.F):
            along = (pull.tension * pull.head.volumes)[:, None] * pull.n
            pull.head.gather(along, forces.nodes)
            squares += float(np.sum((along**2).sum(axis=1) * (pull.head.slope**2).sum(axis=1)))
        return float(np.sqrt(squares))

    def add_stiffness(self, q: Placement, stiffness: Stiffness) -> None:
        """Add the part of the tets, and one column for each head."""
        self.add_tangents(q.F, stiffness.tangents)
        for pull in self._active(q.F):
            column = np.zeros_like(q.x)
            pull.head.gather(pull.share, column)
            stiffness.columns.append((column, pull.curvature))


@kernel
def _add_tangents(tets, across, along, n, d, H):  # type: ignore[no-untyped-def]
    for k in prange(len(tets)):
        e = tets[k]
        for i in range(3):
            for j in range(3):
                block = (along[k] - across[k]) * n[k, i] * n[k, j]
                if i == j:
                    block += across[k]
                for a in range(3):
                    for b in range(3):
                        H[e, 3 * i + a, 3 * j + b] += block * d[k, a] * d[k, b]
