"""A volume as a tensor product of B-splines: places, derivatives and fibres (theory, eq. 72)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from vastus.errors import ModelError
from vastus.numerics.rotation import unit
from vastus.numerics.types import Floats

if TYPE_CHECKING:
    from scipy.interpolate import NdBSpline

HIGHEST = 5  # degree


@dataclass(frozen=True, eq=False)
class BSplineSolid:
    """The map from parameters (u, v, w) to space, `sum_ijk B_i(u) B_j(v) B_k(w) q_ijk`.

    `control` (i, j, k, 3) [m] are the control points q, `knots` three rising rows of numbers, each
    longer by `degree` + 1 than the control points in its direction. Fibres run along w. `points`
    (n, 3) [m] are what it was fitted to, if that is known.
    """

    control: Floats
    knots: tuple[Floats, Floats, Floats]
    degree: tuple[int, int, int]
    points: Floats | None = None

    def __post_init__(self) -> None:
        """Refuse arrays that are no solid."""
        shape = np.shape(self.control)
        if len(shape) != 4 or shape[3] != 3:
            raise ModelError(f"the control points have the shape {shape}; it must be (i, j, k, 3)")
        if not np.isfinite(self.control).all():
            raise ModelError("some control points of the solid are not finite numbers")
        for axis, (t, k) in enumerate(zip(self.knots, self.degree, strict=True)):
            _check_direction("uvw"[axis], np.asarray(t), k, shape[axis])

    @property
    def low(self) -> Floats:
        """(3,) the least parameters."""
        return np.array([t[k] for t, k in zip(self.knots, self.degree, strict=True)])

    @property
    def high(self) -> Floats:
        """(3,) the largest parameters."""
        return np.array([t[-k - 1] for t, k in zip(self.knots, self.degree, strict=True)])

    @property
    def extent(self) -> float:
        """The diagonal of the box around the control points [m]."""
        return float(np.linalg.norm(np.ptp(self.control.reshape(-1, 3), axis=0)))

    def value(self, u: Floats) -> Floats:
        """(n, 3) the places [m] of parameters (n, 3), which are put within `low` and `high`."""
        return np.asarray(self._spline(self.within(u)))

    def jacobian(self, u: Floats) -> Floats:
        """(n, 3, 3) the derivatives of the places: column c by the c-th parameter."""
        at = self.within(u)
        return np.stack([self._spline(at, nu=np.eye(3, dtype=int)[c]) for c in range(3)], axis=2)

    def directions(self, u: Floats) -> Floats:
        """(n, 3) the unit fibres at parameters (n, 3), along w."""
        return unit(np.asarray(self._spline(self.within(u), nu=(0, 0, 1))))

    def within(self, u: Floats) -> Floats:
        """(n, 3) the parameters nearest to those given where the solid is."""
        return np.clip(u, self.low, self.high)

    def grid(self, counts: Sequence[int]) -> Floats:
        """(a, b, c, 3) parameters at even steps from the least to the largest."""
        steps = [np.linspace(*ends) for ends in zip(self.low, self.high, counts, strict=True)]
        return np.stack(np.meshgrid(*steps, indexing="ij"), axis=-1)

    @cached_property
    def _spline(self) -> NdBSpline:
        from scipy.interpolate import NdBSpline  # as heavy as the rest of the package

        return NdBSpline(self.knots, self.control, self.degree, extrapolate=False)


def _check_direction(name: str, t: Floats, degree: int, count: int) -> None:
    """Refuse knots that do not fit the degree and the control points in a direction."""
    if not 1 <= degree <= HIGHEST:
        raise ModelError(f"the degree in {name} is {degree}; it must be between 1 and {HIGHEST}")
    if count <= degree:
        raise ModelError(
            f"there are {count} control points in {name}; degree {degree} needs {degree + 1}"
        )
    if t.shape != (count + degree + 1,):
        raise ModelError(
            f"there are {t.size} knots in {name}; {count} control points of degree {degree} need "
            f"{count + degree + 1}"
        )
    if not (np.isfinite(t).all() and (np.diff(t) >= 0).all() and t[degree] < t[count]):
        raise ModelError(f"the knots in {name} must be finite and rise")


def even_knots(count: int, degree: int, low: float, high: float) -> Floats:
    """(count + degree + 1,) knots at even steps, the first and last repeated `degree` times."""
    inner = np.linspace(low, high, count - degree + 1)
    return np.concatenate([np.full(degree, low), inner, np.full(degree, high)])
