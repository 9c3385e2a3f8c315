"""A fit: least squares with bounds and the exact Jacobian, errors and correlations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vastus.cache import digest
from vastus.calibration.journal import Journal
from vastus.calibration.methods import METHODS, Ended
from vastus.calibration.multistable import multistable
from vastus.calibration.residuals import Effort, Residuals
from vastus.calibration.target import Target
from vastus.errors import ModelError, known
from vastus.model import Model, overview
from vastus.numerics.types import Floats
from vastus.studies.tasks import code

if TYPE_CHECKING:
    from pathlib import Path

Bounds = tuple[float, float, float]  # the least value, the start, and the largest value
TIED = 0.95  # a correlation that is told
IDLE = 1e-7  # of the largest column of the Jacobian: a parameter that changes nothing


@dataclass(frozen=True)
class Fitted:
    """A parameter that was fitted, with its standard error in its own unit."""

    path: str
    value: float
    error: float
    start: float
    low: float
    high: float
    unit: str = ""

    @property
    def at_bound(self) -> bool:
        """Whether it ended at one of its bounds."""
        near = 1e-6 * (self.high - self.low)
        return self.value - self.low <= near or self.high - self.value <= near


@dataclass(frozen=True, eq=False)
class Fit:
    """What a fit found; `correlation` (p, p) is that of the parameters' errors."""

    parameters: tuple[Fitted, ...]
    correlation: Floats
    targets: tuple[Target, ...]
    fitted: tuple[Floats, ...]  # of each target, what the model has there
    model: Model  # with the values that were found
    effort: Effort
    converged: bool
    sentence: str
    warnings: tuple[str, ...]

    def __getitem__(self, path: str) -> float:
        """The value of a parameter."""
        return {p.path: p.value for p in self.parameters}[path]

    @property
    def misfit(self) -> float:
        """The root mean square of the residuals, over their scales."""
        parts = [(f - t.values) / t.scale for f, t in zip(self.fitted, self.targets, strict=True)]
        return float(np.sqrt(np.mean(np.concatenate(parts) ** 2)))

    def __repr__(self) -> str:
        """The parameters with their errors."""
        told = {p.path: f"{p.value:.6g} ± {p.error:.2g} {p.unit}".strip() for p in self.parameters}
        return overview(f"Fit: {self.sentence}", told)


def calibrate(
    model: Model | str | Path,
    parameters: Mapping[str, Bounds] | None = None,
    targets: Sequence[Target] = (),
    *,
    method: str = "least_squares",
    tolerance: float = 1e-10,
    evaluations: int = 100,
    journal: Path | None = None,
    watch: Callable[[Effort], object] | None = None,
) -> Fit:
    """The values of parameters with which a model's outputs come closest to measured ones.

    `parameters` are paths, each with its least value, start and largest value. The `method` is
    least_squares, with the exact Jacobian (`vastus.derivatives`), or optuna, with none: it makes
    all its evaluations, for jumps and many minima. What a `journal` has of this fit is not computed
    again. Solves go to `tolerance` of the load, since an optimiser that asks
    for less than they resolve sees a staircase. A fit file (.yaml) may stand for model, parameters
    and targets.
    """
    if not isinstance(model, Model):
        from vastus.calibration.fit_file import read_fit

        asked = read_fit(model)
        return calibrate(
            asked.model, asked.parameters, asked.targets,
            method=asked.method, tolerance=asked.tolerance, evaluations=asked.evaluations,
            journal=journal, watch=watch,
        )  # fmt: skip
    bounds = dict(parameters or {})
    _require(bounds, targets)
    if method not in METHODS:
        raise known("method", method, METHODS)
    exact = METHODS[method].exact
    book = Journal(journal, _key(model, bounds, targets, tolerance, exact)) if journal else None
    work = Residuals(
        model, list(bounds), targets, tolerance=tolerance, exact=exact, journal=book, watch=watch
    )
    low, start, high = (np.array(column, float) for column in zip(*bounds.values(), strict=True))
    for path, (least, _, most) in bounds.items():
        _require_exists(work, list(bounds).index(path), start, (least, most))
    warnings = _warnings(work, start)
    ended = METHODS[method].sought(work, low, start, high, evaluations)
    return _fit(work, bounds, ended, warnings)


def _key(
    model: Model, bounds: dict[str, Bounds], targets: Sequence[Target], tolerance: float,
    exact: bool,
) -> str:  # fmt: skip
    """A hash of all that an evaluation depends on but the values."""
    asked = [(t.output, len(t.values), list(t.inputs)) for t in targets]
    return digest((model.digest, list(bounds), asked, tolerance, exact, code()))


def _fit(work: Residuals, bounds: dict[str, Bounds], ended: Ended, warnings: list[str]) -> Fit:
    values, p = ended.values, len(bounds)
    if work.exact:
        errors, correlation = errors_of(work.jacobian(values), work.residuals(values), values)
    else:  # no derivatives tell them
        errors, correlation = np.full(p, np.nan), np.full((p, p), np.nan)
    fitted = tuple(
        Fitted(p.path, float(v), float(e), bounds[p.path][1], bounds[p.path][0], bounds[p.path][2],
               p.unit)
        for p, v, e in zip(work.parameters, values, errors, strict=True)
    )  # fmt: skip
    warnings = list(dict.fromkeys([*warnings, *_warnings(work, values)]))
    warnings += [f"'{p.path}' ended at its bound {p.value:g}" for p in fitted if p.at_bound]
    paths = [p.path for p in fitted]
    warnings += [
        f"the data hardly tell '{a}' from '{b}': their errors have the correlation "
        f"{correlation[i, j]:.3f}"
        for i, a in enumerate(paths)
        for j, b in enumerate(paths)
        if i < j and abs(correlation[i, j]) > TIED
    ]
    if work.effort.failures:
        count = len(work.effort.failures)
        warnings.append(f"{count} trial values had no equilibrium: {work.effort.failures[0]}")
    ends = np.cumsum([len(t.values) for t in work.targets])[:-1]
    outputs = np.split(work.at(values).outputs, ends)
    effort = work.effort
    cost = f"{effort.evaluations} evaluations, {effort.equilibria} equilibria"
    return Fit(
        fitted, correlation, work.targets, tuple(outputs), work.model_at(values), effort,
        ended.converged, f"{ended.how} {cost}", tuple(warnings),
    )  # fmt: skip


def errors_of(J: Floats, residuals: Floats, values: Floats) -> tuple[Floats, Floats]:
    """(p,) standard errors and (p, p) correlations, from s^2 (J^T J)^-1 (theory, eq. 109).

    s^2 is the sum of squares over the number of residuals less that of parameters; where none is
    left over, errors are not known.
    """
    n, p = J.shape
    size = np.where(values != 0.0, np.abs(values), 1.0)
    scaled = J * size
    covariance = np.linalg.pinv(scaled.T @ scaled)
    free = n - p
    variance = float(residuals @ residuals) / free if free > 0 else np.nan
    spread = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    safe = np.where(spread > 0, spread, 1.0)
    return np.sqrt(variance) * spread * size, covariance / np.outer(safe, safe)


def _warnings(work: Residuals, values: Floats) -> list[str]:
    """What is doubtful about these values: multistable laws, parameters that do nothing."""
    model = work.model_at(values)
    levels = [inputs.excitation for target in work.targets for inputs in target.inputs]
    work.at(values)  # visits the stretches, and says what has no equilibrium
    told = list(multistable(model, np.max(levels, axis=0), work.visited))
    if not work.exact:
        return told
    columns = np.linalg.norm(work.jacobian(values) * np.abs(values), axis=0)
    idle = columns <= IDLE * columns.max(initial=0.0)
    names = [p.path for p, none in zip(work.parameters, idle, strict=True) if none]
    return told + [f"'{name}' changes none of the targets" for name in names]


def _require(bounds: Mapping[str, Bounds], targets: Sequence[Target]) -> None:
    if not bounds:
        raise ModelError("a fit needs one parameter at least")
    if not targets:
        raise ModelError("a fit needs one target at least")
    for path, given in bounds.items():
        low, start, high = given
        if not low < high or not low <= start <= high:
            raise ModelError(
                f"'{path}' starts at {start:g} between {low:g} and {high:g}; "
                "give min <= start <= max, and min below max"
            )
    count = sum(len(target.values) for target in targets)
    if count < len(bounds):
        raise ModelError(f"{count} measured values cannot tell {len(bounds)} parameters")


def _require_exists(work: Residuals, place: int, start: Floats, ends: tuple[float, float]) -> None:
    """Refuse bounds at which the law does not exist, rather than amid a fit."""
    for end in ends:
        values = start.copy()
        values[place] = end
        try:
            work.model_at(values)
        except ModelError as error:
            raise ModelError(f"the bounds of a fit: {error}") from None
