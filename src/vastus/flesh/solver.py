"""Frames of flesh: its equilibrium for poses of bones and activations of muscles, by name."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property

import numpy as np
from scipy import sparse
from scipy.spatial import KDTree

from vastus.energies.flesh.elements import Elements
from vastus.energies.flesh.mixture import Mixture
from vastus.energies.flesh.springs import BoneSprings
from vastus.errors import ModelError, SolveError, known
from vastus.flesh.build import Flesh
from vastus.numerics.minimise import Outcome, Rule, Watch
from vastus.numerics.rotation import interpolate_poses, is_rotation, log_map
from vastus.numerics.types import Floats
from vastus.solvers.flesh.balance import Balance, Effort, FleshProblem

STRIDE = np.radians(12.0)  # [rad] the largest turn of a bone in one step
HALVINGS = 4  # of a step whose first guess is worse than none
NEIGHBOURS = 12  # samples of bones that a node is carried by in a first guess
BLEND = 0.35  # of a spacing over which skin follows several tets
STILL = np.hstack([np.eye(3), np.zeros((3, 1))])


@dataclass(frozen=True)
class FleshReport:
    """How a frame was solved, and what the flesh looks like in it."""

    converged: bool
    sentence: str
    residual: float  # [N]
    load: float  # [N] the size of the forces that balance
    newton: int
    linear: int  # iterations of conjugate gradients
    projected: int
    steps: int  # in which the bones were moved
    seconds: float  # [s] of the processor
    least_volume: float  # the least ratio of a tet's volume to that at rest
    greatest_volume: float
    volume: float  # that of all flesh
    inverted: int
    stretch: float  # [m] the mean distance of samples from their bones
    greatest_stretch: float  # [m]

    def as_row(self) -> dict[str, float]:
        """The numbers by name."""
        return {k: float(v) for k, v in asdict(self).items() if not isinstance(v, str)}


@dataclass(frozen=True, eq=False)
class FleshFrame:
    """Flesh in equilibrium: free nodes (free, 3), poses (bodies, 3, 4) and activations."""

    y: Floats
    poses: Floats
    activation: Floats
    report: FleshReport | None = None


class FleshSolver:
    """Solves frames of one flesh; what does not change between them is prepared once."""

    def __init__(self, flesh: Flesh, *, tolerance: float = 1e-4, iterations: int = 60) -> None:
        self.flesh, self.rule = flesh, Rule(tolerance, iterations)
        elements = Elements(flesh.mesh, flesh.P)
        springs = BoneSprings(
            flesh.sample_places.matrix(flesh.mesh.T, flesh.P),
            flesh.settings.hold * flesh.sample_area,
        )
        mixture = Mixture(flesh.settings.tissue, flesh.shares, flesh.mesh.n_tets)
        mass = elements.lumped(flesh.settings.tissue.density)
        weight = mass[:, None] * np.array(flesh.settings.gravity)
        self.problem = FleshProblem(elements, mixture, springs, weight)

    @property
    def start(self) -> FleshFrame:
        """The flesh at rest."""
        poses = np.tile(STILL, (len(self.flesh.bodies), 1, 1))
        return FleshFrame(self.flesh.rest, poses, np.zeros(len(self.flesh.muscle_names)))

    def frame(
        self,
        poses: Mapping[str, Floats] | Floats,
        activations: Mapping[str, float] | Floats | None = None,
        *,
        start: FleshFrame | None = None,
        watch: Watch | None = None,
    ) -> FleshFrame:
        """The equilibrium for poses (3, 4) of bodies, x = R X + t, and activations of muscles.

        Bodies that are not named stay at rest, muscles that are not named are relaxed. Bones that
        turn far from those of `start` are moved in several steps, and so are bones and activations
        from where no step of Newton's method leads on.
        """
        begun = time.process_time()
        goal, activation = self._poses(poses), self._activation(activations)
        last = start or self.start
        turn = goal[:, :, :3] @ np.swapaxes(last.poses[:, :, :3], 1, 2)
        far = float(np.linalg.norm(log_map(turn), axis=1).max(initial=0.0))
        y, before, effort = last.y, last.poses, Effort()
        share = 0.0
        stride, steps = 1.0 / max(1, int(np.ceil(far / STRIDE))), 0
        longest, shortest = stride, stride / 2**HALVINGS
        while share < 1.0:
            ahead = share + stride if share + stride < 1.0 - 1e-9 else 1.0
            now = interpolate_poses(last.poses, goal, ahead) if ahead < 1.0 else goal
            level = (1 - ahead) * last.activation + ahead * activation
            balance = Balance(self.problem, level, self.targets(now))
            guess = self._guess(balance, y, before, now)
            if guess is None and stride > shortest:
                # Tets in a fold would invert: Newton's steps from afar would be tiny as well.
                stride /= 2
                continue
            rule = self.rule if ahead == 1.0 else Rule(20 * self.rule.tolerance, 2)
            outcome = balance.minimised(y if guess is None else guess, rule, watch)
            effort = effort.plus(balance.effort)
            if outcome.stalled or not np.isfinite(outcome.value):
                if stride <= shortest:
                    raise SolveError(_lost(outcome))
                stride /= 2
                continue
            y, before, share, steps = outcome.point, now, ahead, steps + 1
            stride = min(2 * stride, longest)
        report = self._report(outcome, effort, steps, time.process_time() - begun, goal)
        return FleshFrame(y, goal, activation, report)

    def targets(self, poses: Floats) -> Floats:
        """(s, 3) where bones at poses (bodies, 3, 4) carry their samples [m]."""
        own = poses[self.flesh.sample_body]
        moved = np.einsum("sij,sj->si", own[:, :, :3], self.flesh.samples)
        return np.asarray(moved + own[:, :, 3])

    def skin(self, frame: FleshFrame) -> Floats:
        """(v, 3) the vertices of the skin [m]."""
        return np.asarray(self._skin @ frame.y)

    def muscles(self, frame: FleshFrame) -> dict[str, Floats]:
        """The vertices (v, 3) of the surfaces of muscles by name [m]."""
        names = self.flesh.muscle_names
        return {name: np.asarray(E @ frame.y) for name, E in zip(names, self._bellies, strict=True)}

    @cached_property
    def _skin(self) -> sparse.csr_array:
        reach = BLEND * self.flesh.settings.spacing
        return self.flesh.skin.blended(self.flesh.mesh, self.flesh.P, reach)

    @cached_property
    def _bellies(self) -> list[sparse.csr_array]:
        T, P = self.flesh.mesh.T, self.flesh.P
        return [muscle.places.matrix(T, P) for muscle in self.flesh.muscles]

    @cached_property
    def _carriers(self) -> tuple[np.ndarray, Floats]:
        """The bodies (free, 12) that carry each free node in a first guess, and their weights."""
        count = min(NEIGHBOURS, len(self.flesh.samples))
        gap, near = KDTree(self.flesh.samples).query(self.flesh.rest, k=count)
        gap, near = gap.reshape(-1, count), near.reshape(-1, count)
        weights = 1.0 / (gap**2 + self.flesh.settings.spacing**2) ** 2
        return self.flesh.sample_body[near], weights / weights.sum(axis=1, keepdims=True)

    def _guess(self, balance: Balance, y: Floats, before: Floats, now: Floats) -> Floats | None:
        """Free nodes carried along by the bones beside them; None if that costs more energy."""
        if np.array_equal(before, now):
            return y
        R = now[:, :, :3] @ np.swapaxes(before[:, :, :3], 1, 2)
        t = now[:, :, 3] - np.einsum("bij,bj->bi", R, before[:, :, 3])
        body, weight = self._carriers
        moved = np.zeros_like(y)
        for k in range(body.shape[1]):
            own = np.einsum("nij,nj->ni", R[body[:, k]], y) + t[body[:, k]]
            moved += weight[:, k : k + 1] * own
        return moved if balance.value(moved) < balance.value(y) else None

    def _poses(self, poses: Mapping[str, Floats] | Floats) -> Floats:
        bodies = self.flesh.bodies
        if isinstance(poses, Mapping):
            found = np.tile(STILL, (len(bodies), 1, 1))
            for name, pose in poses.items():
                if name not in bodies:
                    raise known("body", name, bodies)
                found[bodies.index(name)] = pose
        else:
            found = np.asarray(poses, float)
        if found.shape != (len(bodies), 3, 4) or not np.isfinite(found).all():
            raise ModelError(
                f"poses have the shape {found.shape} or are not finite; flesh of {len(bodies)} "
                f"bodies needs ({len(bodies)}, 3, 4)"
            )
        wrong = [b for b, pose in zip(bodies, found, strict=True) if not is_rotation(pose[:, :3])]
        if wrong:
            raise ModelError(f"the pose of '{wrong[0]}' is not a rotation and a shift")
        return found

    def _activation(self, activations: Mapping[str, float] | Floats | None) -> Floats:
        names = self.flesh.muscle_names
        found = np.zeros(len(names))
        if isinstance(activations, Mapping):
            for name, level in activations.items():
                if name not in names:
                    raise known("muscle", name, names)
                found[names.index(name)] = level
        elif activations is not None:
            found = np.asarray(activations, float)
        if found.shape != (len(names),) or not np.isfinite(found).all() or (found < 0).any():
            raise ModelError(
                f"activations must be {len(names)} numbers of 0 or more, one for each muscle"
            )
        return found

    def _report(
        self, outcome: Outcome[Floats], effort: Effort, steps: int, seconds: float, poses: Floats
    ) -> FleshReport:
        J = np.linalg.det(self.problem.elements.deformation(outcome.point))
        volumes = self.problem.elements.volumes
        stretch = self.problem.springs.stretch(outcome.point, self.targets(poses))
        return FleshReport(
            converged=outcome.converged,
            sentence=outcome.sentence,
            residual=float(np.linalg.norm(outcome.gradient)),
            load=outcome.load,
            newton=effort.newton,
            linear=effort.linear,
            projected=effort.projected,
            steps=steps,
            seconds=seconds,
            least_volume=float(J.min()),
            greatest_volume=float(J.max()),
            volume=float(volumes @ J / volumes.sum()),
            inverted=int((J <= 0).sum()),
            stretch=float(stretch.mean()),
            greatest_stretch=float(stretch.max()),
        )


def _lost(outcome: Outcome[Floats]) -> str:
    residual = float(np.linalg.norm(outcome.gradient))
    return (
        f"flesh found no equilibrium: {outcome.sentence}, and {residual:.2g} N are out of balance "
        f"where {outcome.target:.2g} N may be; go there in smaller steps, or take a stiffer tissue"
    )
