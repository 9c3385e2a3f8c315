"""What a model's energy is a sum of: the interface of one term, and where terms put their forces.

A problem is a list of energies; inertia, contact, springs or a user's own are further members.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np
from scipy.sparse import coo_matrix, csr_matrix

from vastus.numerics.types import Floats, Ints

if TYPE_CHECKING:
    from vastus.inputs import Inputs
    from vastus.model import Model


class Placement(Protocol):
    """Where everything is."""

    x: Floats  # (n, 3) vertices, those of bones included [m]
    poses: Floats  # (bones, 3, 4) x = A X + t

    @property
    def model(self) -> Model:
        """The model that is placed."""

    @property
    def F(self) -> Floats:
        """(s, 3, 3) deformation gradients of the soft tets."""

    @property
    def tied(self) -> Floats:
        """(t, 3) the joint points that springs tie, carried by the bones [m]."""

    @property
    def coordinates(self) -> Floats:
        """(c,) the coordinates of all joints in order [rad or m], zero at rest."""


@dataclass(eq=False)
class Forces:
    """Derivatives of energies; each energy adds its own."""

    nodes: Floats  # (n, 3) by the places of the vertices [N]
    tied: Floats  # (t, 3) by those of tied joint points [N]
    turns: Floats  # (f, 3, 3) by the linear parts of the free bones' poses [J]
    shifts: Floats  # (f, 3) by the places of the free bones' centres [N]
    joints: Floats  # (c,) by the coordinates of joints [N m or N]


@dataclass(eq=False)
class Stiffness:
    """Second derivatives of energies; each energy adds its own.

    Where `definite` is set, only what is positive semi-definite is wanted, except in `tangents`,
    which are made so when all have been added. Where `majorant` is set, what resists motion less
    as it moves gives a matrix whose parabola bounds its energy from above.
    """

    tangents: Floats  # (s, 9, 9) by the gradients of the soft tets, over their volume [Pa]
    definite: bool = False
    majorant: bool = False
    turns: Floats | None = None  # (9 f, 9 f) by the linear parts of the free bones' poses [J]
    joints: Floats | None = None  # (c,) by the coordinates of joints [N m/rad or N/m]
    springs: list[tuple[Ints, Ints, float]] = field(default_factory=list)  # of tied points [N/m]
    outers: tuple[Floats, Floats] | None = None  # g and c g of matrices c g g^T over cliques
    columns: list[tuple[Floats, float]] = field(default_factory=list)  # u (n, 3), c of c u u^T
    _posed: list[tuple[coo_matrix, Floats]] = field(default_factory=list)
    _blocks: list[tuple[Ints, Ints, Floats]] = field(default_factory=list)

    def add(self, rows: Ints, columns: Ints, blocks: Floats) -> None:
        """Add blocks (k, 3, 3) [N/m] between vertices (k,) and (k,); their mirrors follow."""
        self._blocks.append(
            (np.asarray(rows, np.int64), np.asarray(columns, np.int64), np.asarray(blocks, float))
        )

    def add_between(self, a: Ints, b: Ints, blocks: Floats) -> None:
        """Add what an energy of the differences x_a - x_b has: blocks (k, 3, 3) [N/m]."""
        self.add(a, a, blocks)
        self.add(b, b, blocks)
        self.add(a, b, -np.asarray(blocks))

    def add_posed(self, between: coo_matrix, within: Floats) -> None:
        """Add derivatives by the poses of the free bones, and between those and the vertices.

        Columns and rows of `within` (12 f, 12 f) and columns of `between` (3 n, 12 f) are the
        linear parts of all free bones, then the places of their centres.
        """
        self._posed.append((between, within))

    def posed(self) -> tuple[csr_matrix, Floats] | None:
        """The sums of what was added by the poses of the free bones; None if nothing was."""
        if not self._posed:
            return None
        parts = [between for between, _ in self._posed]
        data, row, col = (
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("data", "row", "col")
        )
        between = csr_matrix((data, (row, col)), shape=parts[0].shape)
        return between, np.sum([within for _, within in self._posed], axis=0)

    def matrix(self, size: int) -> csr_matrix | None:
        """(size, size) what was added between vertices, over all scalars; None if nothing was."""
        entries = list(self.entries())
        if not entries:
            return None
        i, j, values = (np.concatenate(part) for part in zip(*entries, strict=True))
        return csr_matrix((values, (i, j)), shape=(size, size))

    def entries(self) -> Iterator[tuple[Ints, Ints, Floats]]:
        """Rows (e,), columns (e,) and values (e,) of scalars, mirrors included, from each call."""
        r, s = np.divmod(np.arange(9), 3)
        for rows, columns, blocks in self._blocks:
            i = (3 * rows[:, None] + r).ravel()
            j = (3 * columns[:, None] + s).ravel()
            values = blocks.reshape(-1)
            yield i, j, values
            mirrored = np.repeat(rows != columns, 9)
            yield j[mirrored], i[mirrored], values[mirrored]


class Energy(ABC):
    """One term of the energy; a model's own `energies` are added to those of tissue and loads."""

    label: str = "an energy of the model's own"
    local: bool = False  # whether each tet, bone or vertex has its own part, as EMU needs
    noise: float = 0.0  # [J] round-off of the last value
    force_noise: float = 0.0  # [N] round-off of any force
    always: bool = True  # whether it acts whatever drives the model

    def abrupt(self, x: Floats) -> bool:
        """Whether its forces may set in at any step from x (n, 3) [m], as a barrier's do."""
        return False

    def objection(self, q: Placement) -> str:
        """Why nothing can start from a placement; empty if it can."""
        return ""

    def at(self, inputs: Inputs) -> Energy:
        """The energy while these inputs drive the model."""
        return self

    @abstractmethod
    def value(self, q: Placement) -> float:
        """The energy [J]; infinite or NaN where it is not defined."""

    @abstractmethod
    def add_forces(self, q: Placement, forces: Forces) -> float:
        """Add its derivative; returns the size [N] of the forces that may cancel in it."""

    def add_stress(self, F: Floats, P: Floats) -> None:  # noqa: B027
        """Add what it has of the first Piola stress of the soft tets to P (s, 3, 3) [Pa]."""

    def add_stiffness(self, q: Placement, stiffness: Stiffness) -> None:  # noqa: B027
        """Add its second derivative; without it, Newton's method converges slowly."""

    def longest(self, q: Placement, shift: Floats) -> float:
        """The largest part, at most 1, of a shift (n, 3) [m] of the vertices that is allowed."""
        return 1.0
