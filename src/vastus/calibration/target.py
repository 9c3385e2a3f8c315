"""What a fit is held against: measured values of an output, in the frames of a schedule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vastus.errors import ModelError
from vastus.inputs import Inputs, Schedule
from vastus.numerics.types import Floats


@dataclass(frozen=True, eq=False)
class Target:
    """Values (k,) that an output is to have under the last k of some inputs.

    Each is solved on from the one before, from rest. `error` is the standard deviation of a value,
    in its unit, by which a difference counts; unless given, it is the largest of the values, so
    that targets of several units count alike.
    """

    output: str
    inputs: Sequence[Inputs]
    values: Floats
    error: float | None = None
    name: str = ""

    def __post_init__(self) -> None:
        values = np.atleast_1d(np.asarray(self.values, float))
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "inputs", Schedule(self.inputs))
        if not len(values) or not np.isfinite(values).all():
            raise ModelError(f"the values of '{self.output}' are not finite numbers, one at least")
        if len(values) > len(self.inputs):
            raise ModelError(
                f"'{self.output}' has {len(values)} values for {len(self.inputs)} inputs"
            )
        if self.error is not None and not self.error > 0:
            raise ModelError(f"'{self.output}' has the error {self.error:g}; it must be above 0")

    @property
    def scale(self) -> float:
        """The difference that counts as one."""
        return self.error or float(np.abs(self.values).max()) or 1.0

    @property
    def called(self) -> str:
        """What tables and plots call it."""
        return self.name or self.output
