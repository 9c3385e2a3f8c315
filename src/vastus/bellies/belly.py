"""A belly at rest: its tets, what is held, its motor units and the strength of each tet.

A belly lies along the x axis, as do its fibres. Its common end is at x = 0; the end of each of its
motor units lies at the unit's optimal length. Disorders are other numbers in the same data: what
they return was not made anew, so that tets keep the strength that they had in health.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from vastus.bellies.law import MotorUnit
from vastus.errors import ModelError
from vastus.geometry.tetmesh import TetMesh
from vastus.numerics.types import Bools, Floats, Ints

FREE, COMMON = -1, 0  # in `held`; the end of unit k is k + 1


@dataclass(frozen=True)
class Matrix:
    """The tissue around fibres: psi = shear/2 |F - R|^2 + bulk/2 (det F - 1)^2."""

    shear: float = 5e3  # [Pa]
    bulk: float = 5e5  # [Pa]

    def __post_init__(self) -> None:
        for word in ("shear", "bulk"):
            value = getattr(self, word)
            if not (np.isfinite(value) and value > 0):
                raise ModelError(f"a matrix has {word} {value:g} Pa; it must be above 0")


@dataclass(frozen=True, eq=False)
class Belly:
    """Tets along the x axis, held at a common end and at the end of each motor unit.

    `strength` is the stress of fibres per rest area at full activation and optimal length; passive
    fibres have it too. `contractile` is the part of it that can be activated: 1 in health.
    """

    mesh: TetMesh
    held: Ints  # (n,) FREE, COMMON, or k + 1 at the end of unit k
    unit: Ints  # (m,) the motor unit of each tet
    units: tuple[MotorUnit, ...]
    strength: Floats  # (m,) [Pa]
    contractile: Floats  # (m,)
    matrix: Matrix = Matrix()

    def __post_init__(self) -> None:
        names = ", ".join(unit.name for unit in self.units)
        m, n = self.mesh.n_tets, self.mesh.n_vertices
        for word, count in (("unit", m), ("strength", m), ("contractile", m), ("held", n)):
            size = len(getattr(self, word))
            if size != count:
                raise ModelError(f"belly '{names}': {word} has {size} rows; it needs {count}")
        wanted = {COMMON, *range(1, len(self.units) + 1)}
        missing = wanted - set(np.unique(self.held).tolist())
        if missing:
            raise ModelError(f"belly '{names}': nothing is held at its end {min(missing)}")
        if (self.mesh.volumes <= 0).any():
            tet = int(np.argmin(self.mesh.volumes))
            raise ModelError(f"belly '{names}': tet {tet} is inverted or flat at rest")

    @property
    def name(self) -> str:
        """The names of its units."""
        return "+".join(unit.name for unit in self.units)

    def paralysed(self, tets: Ints | Bools) -> Belly:
        """The belly with tets (indices, or a mask) that cannot be activated, and stretch only."""
        contractile = self.contractile.copy()
        contractile[tets] = 0.0
        return replace(self, contractile=contractile)

    def weakened(self, share: float) -> Belly:
        """The belly whose fibres, as many and as long, contract with a share of their force."""
        _positive(self.name, "weakness", share)
        return replace(self, contractile=share * self.contractile)

    def thickened(self, area: float) -> Belly:
        """The belly with its area scaled: atrophy below 1, hypertrophy above; length unchanged."""
        _positive(self.name, "area scale", area)
        scale = np.array([1.0, np.sqrt(area), np.sqrt(area)])
        units = tuple(replace(unit, force=area * unit.force) for unit in self.units)
        return replace(self, mesh=TetMesh(self.mesh.X * scale, self.mesh.T), units=units)

    def lengthened(self, length: float) -> Belly:
        """The belly with its rest length scaled: a contracture below 1; force unchanged."""
        _positive(self.name, "length scale", length)
        scale = np.array([length, 1.0, 1.0])
        units = tuple(replace(unit, optimal=length * unit.optimal) for unit in self.units)
        return replace(self, mesh=TetMesh(self.mesh.X * scale, self.mesh.T), units=units)


def _positive(name: str, word: str, value: float) -> None:
    if not (np.isfinite(value) and value > 0):
        raise ModelError(f"belly '{name}': its {word} is {value:g}; it must be above 0")
