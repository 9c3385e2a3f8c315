"""The unit of surface files that do not say it, from the size that a body can have."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from vastus.errors import ModelError
from vastus.scene.units import Unit

SMALLEST, LARGEST = 0.05, 2.5  # [m] extent of a limb or a body
# Scanners and the programs behind them count in millimetres.
_LIKELIEST_FIRST = (Unit.MM, Unit.M, Unit.CM)


@dataclass(frozen=True)
class Guess:
    """The likeliest unit for parts of an `extent` in file units, and `others` that fit too."""

    extent: float
    unit: Unit
    others: tuple[Unit, ...] = ()

    @property
    def sure(self) -> bool:
        """Whether no other unit fits."""
        return not self.others

    def __str__(self) -> str:
        if self.sure:
            return f"the files are in {self.unit.value}: the parts are {self._size(self.unit)}"
        doubts = " or ".join(f"in {u.value} ({self._size(u)})" for u in (self.unit, *self.others))
        return f"the files may be {doubts}; {self.unit.value} is taken unless 'units' says it"

    def _size(self, unit: Unit) -> str:
        return f"{self.extent * unit.metres:.3g} m across"


def likely_unit(extent: float) -> Guess:
    """The unit in which all parts together, of an `extent` in file units, are as large as a body.

    The extent is the longest side of the box around them.
    """
    fitting = [unit for unit in _LIKELIEST_FIRST if _fits(extent, unit)]
    if not fitting:
        sizes = ", ".join(f"{extent * u.metres:.3g} m if in {u.value}" for u in Unit)
        given = f"{extent:.3g} file units across ({sizes})" if isfinite(extent) else "endless"
        raise ModelError(
            f"the parts together are {given}, but a limb or body is {SMALLEST:g} to {LARGEST:g} m: "
            "give 'units', or check that all files are of one body"
        )
    return Guess(extent, fitting[0], tuple(fitting[1:]))


def _fits(extent: float, unit: Unit) -> bool:
    return SMALLEST <= extent * unit.metres <= LARGEST
