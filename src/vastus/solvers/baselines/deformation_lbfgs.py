"""L-BFGS on EMU's energy: what the EMU paper shows locking at joints (its Fig. 3)."""

from __future__ import annotations

from dataclasses import dataclass

from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.solvers.emu import Emu, EmuStepper
from vastus.solvers.emu_directions import Blocks, Remembered
from vastus.solvers.emu_energy import Direction, Pieces, PiecesEnergy
from vastus.solvers.emu_space import Space
from vastus.solvers.stepping import Effort


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
