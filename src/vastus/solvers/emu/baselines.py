"""What EMU is compared with: ADMM, L-BFGS on its own energy, and the finite elements of its paper.

ADMM is projective dynamics for any law, after Narain, Overby and Brown 2016, without inertia. It
alternates between the elements, each at rest with its own gradient z and a pull towards the mesh,
and the mesh nearest to all of them; u (elements, 3, 3) remembers how far they disagree.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from vastus.errors import ModelError
from vastus.inputs import Inputs
from vastus.model import Model
from vastus.numerics.minimise import Moment, Outcome, Watch
from vastus.numerics.rotation import nearest_rotations
from vastus.numerics.types import Floats
from vastus.skeleton.affine import Affine, AffineChart, moved_straight
from vastus.skeleton.bones import BoneModel, Chart, Skeleton
from vastus.skeleton.rigid import Rigid
from vastus.solvers.emu.blocks import Blocks
from vastus.solvers.emu.directions import Remembered
from vastus.solvers.emu.emu import Emu, EmuStepper
from vastus.solvers.emu.pieces import (
    Direction,
    Pieces,
    PiecesEnergy,
    placed_mesh,
)
from vastus.solvers.emu.space import Space, refuse_joint_inputs
from vastus.solvers.newton import Newton
from vastus.solvers.problem import Configuration, Equilibrium, Problem, Reduction
from vastus.solvers.stepping import Effort, QuasiStaticStepper
from vastus.state import State


@dataclass(frozen=True)
class Admm:
    """The alternating method; `weight` scales the pull, volume times Young's modulus.

    It has converged when elements and mesh agree, and have stopped moving, to forces below
    `tolerance` times those that balance.
    """

    weight: float = 3.0
    tolerance: float = 1e-3
    max_iterations: int = 1000
    local_iterations: int = 2
    bones: BoneModel = Rigid()  # noqa: RUF009  (a frozen value)

    def prepare(self, model: Model) -> AdmmStepper:
        """Factor the mesh's matrix once."""
        return AdmmStepper(self, model)


class AdmmStepper(QuasiStaticStepper):
    """The alternating method prepared for one model."""

    def __init__(self, settings: Admm, model: Model) -> None:
        self.settings = settings
        self.problem = Problem(model, Reduction(settings.bones))
        self.effort = Effort()
        if self.problem.bellies.heads:
            raise ModelError(
                f"{self.problem.bellies.label} couples tets, which the alternating method cannot "
                "express; give the muscles 'force_length: local', or use another solver"
            )
        if self.problem.volume:
            raise ModelError(
                f"{self.problem.volume.label} couples tets, which the alternating method cannot "
                "express; use 'volume: tet', or another solver"
            )
        self.space = Space(self.problem, settings.bones.young or 1e10)

    def solve(self, state: State, inputs: Inputs, watch: Watch | None) -> Outcome[Configuration]:
        """Alternate from the old state until elements and mesh agree."""
        settings, space = self.settings, self.space
        refuse_joint_inputs(inputs)
        start = self.problem.driven(state, inputs)
        energy = PiecesEnergy(space, settings.weight, inputs, start, _none)
        bones = state.poses[self.problem.skeleton.free, :, :3]
        z = np.concatenate([self.problem.elastic.deformation(state.x), bones])
        u, history, target = np.zeros_like(z), [], 0.0
        for iteration in range(settings.max_iterations + 1):
            y = space.nearest(z - u - energy.F0) + energy.sag / settings.weight
            mesh = space.gradients(y) + energy.F0
            moved = local_step(energy, z, mesh + u, settings.local_iterations)
            u += mesh - moved
            residual = _forces(energy, mesh - moved) + _forces(energy, moved - z)
            z = moved
            target = settings.tolerance * self._load(energy, z)
            history.append(residual)
            there = partial(placed_mesh, energy, z, y)
            enough = watch is not None and watch(Moment(iteration, residual, target, there)) is True
            if enough or residual <= target:
                break
            self.effort.iterations += 1
        return replace(self._outcome(energy, inputs, (z, y), (target, history)), stopped=enough)

    def _load(self, energy: PiecesEnergy, F: Floats) -> float:
        """The size of the forces that balance [N]; infinite for none, as there is then no work."""
        energy.gradient(Pieces(F, np.zeros((self.space.size, 3)), 0.0))
        return max(energy.load, energy.floor / self.settings.tolerance)

    def _outcome(
        self,
        energy: PiecesEnergy,
        inputs: Inputs,
        found: tuple[Floats, Floats],
        ended: tuple[float, list[float]],
    ) -> Outcome[Configuration]:
        q = placed_mesh(energy, *found)
        there = Equilibrium(self.problem, inputs)
        target, history = ended
        converged = history[-1] <= target
        sentence = "converged" if converged else f"{len(history) - 1} iterations were not enough"
        return Outcome(
            q,
            there.value(q),
            there.gradient(q),
            energy.load,
            target,
            tuple(history),
            converged,
            sentence,
        )


def local_step(energy: PiecesEnergy, z: Floats, goal: Floats, iterations: int) -> Floats:
    """Each element's minimum of its energy plus the pull towards `goal`, by projected Newton."""

    def value(F: Floats) -> Floats:
        apart = ((F - goal) ** 2).sum(axis=(1, 2))
        return energy.elastic(F) + 0.5 * energy.spring[:, 0, 0] * apart

    bones = slice(energy.space.soft, None)
    # A stiff bone cannot walk to a turned goal in straight steps: it starts turned.
    z = np.concatenate([z[: energy.space.soft], nearest_rotations(goal[bones])])
    for _ in range(iterations):
        g = energy.stress(z) + energy.spring * (z - goal)
        d = -Blocks(energy, z, g, projected=True).z
        slope, old = (g * d).sum(axis=(1, 2)), value(z)
        s, noise = np.ones(len(z)), 1e-14 * np.abs(old)
        for _ in range(20):
            worse = ~(value(z + s[:, None, None] * d) <= old + 1e-4 * s * slope + noise)
            if not worse.any():
                break
            s[worse] *= 0.5
        z = z + np.where(worse, 0.0, s)[:, None, None] * d
    return z


def _forces(energy: PiecesEnergy, apart: Floats) -> float:
    """The pull [N] of gradients so far apart."""
    return float(np.linalg.norm(energy.spring * apart / energy.space.length[:, None, None]))


def _none(energy: PiecesEnergy, q: Pieces, g: Floats) -> Floats:
    """No direction: the method has none."""
    return -g


@dataclass(frozen=True)
class DeformationLBFGS:
    """L-BFGS over independent gradients, from the weights alone or from the elements' Hessians.

    `blocks` preconditions with the 9x9 Hessians; neither knows how elements are coupled.
    """

    alpha: float = 100.0
    blocks: bool = False
    memory: int = 10
    tolerance: float = 1e-3
    max_iterations: int = 200

    def prepare(self, model: Model) -> EmuStepper:
        """EMU with another direction."""
        return Emu(
            self.alpha,
            Uncoupled(self.blocks, self.memory),
            tolerance=self.tolerance,
            max_iterations=self.max_iterations,
        ).prepare(model)


@dataclass(frozen=True)
class Uncoupled:
    """The choice of L-BFGS without any coupling between elements."""

    blocks: bool
    memory: int

    def prepare(self, space: Space, modes: int, effort: Effort) -> Direction:
        """The direction for a model."""
        base = BlockInverse(effort) if self.blocks else WeightInverse(effort)
        return Remembered(base, self.memory)


@dataclass(eq=False)
class WeightInverse:
    """The Hessian taken to be alpha W: the identity, but for the units."""

    effort: Effort

    def inverse(self, energy: PiecesEnergy, q: Pieces, g: Floats) -> Floats:
        """g over the weights."""
        return g / energy.spring


@dataclass(eq=False)
class BlockInverse:
    """The Hessian without the coupling of the elements by the mesh."""

    effort: Effort

    def inverse(self, energy: PiecesEnergy, q: Pieces, g: Floats) -> Floats:
        """The inverse of the blocks times g."""
        return Blocks(energy, q.F, g, projected=True).z


@dataclass(frozen=True)
class StraightAffine(Affine):
    """Affine bones whose every point moves along a straight line: stiff bones resist turning."""

    def chart(self, skeleton: Skeleton, poses: Floats) -> Chart:
        """Coordinates around these poses."""
        return StraightChart(skeleton, poses)


class StraightChart(AffineChart):
    """Coordinates of affine bones that are taken literally."""

    def move(self, z: Floats) -> Floats:
        """Poses at coordinates z; joints are linear and stay closed."""
        return moved_straight(self._skeleton, self._poses, self.lift(z).reshape(-1, 3))


def paper_fem(
    *, young: float = 1e10, tolerance: float = 1e-8, max_iterations: int = 1000
) -> Newton:
    """Newton's method with an always projected Hessian and affine bones of modulus `young` [Pa]."""
    reduction = Reduction(StraightAffine(young))
    return Newton(tolerance, max_iterations, reduction, always_project=True)
