"""How the best values of parameters are sought; listing a method here makes it known.

Each takes residuals, the start and bounds (p,), and how many evaluations it may make.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from vastus.calibration.residuals import Residuals
from vastus.errors import MissingExtra
from vastus.numerics.types import Floats

SEED = 0  # of draws, so that a search that is made again is the same


@dataclass(frozen=True, eq=False)
class Ended:
    """Where a search ended, whether by itself, and in words: `converged after` its evaluations."""

    values: Floats
    converged: bool
    how: str


@dataclass(frozen=True)
class Method:
    """A search, and whether it needs the Jacobian."""

    sought: Callable[[Residuals, Floats, Floats, Floats, int], Ended]
    exact: bool


def least_squares(
    work: Residuals, low: Floats, start: Floats, high: Floats, evaluations: int
) -> Ended:
    """A trust-region method with the exact Jacobian, which ends at the nearest minimum."""
    from scipy import optimize

    size = np.where(start != 0.0, np.abs(start), high - low)
    found = optimize.least_squares(
        lambda u: work.residuals(u * size),
        start / size,
        jac=lambda u: work.jacobian(u * size) * size,
        bounds=(low / size, high / size),
        method="trf",
        x_scale="jac",
        ftol=1e-12, xtol=1e-10, gtol=1e-14,
        max_nfev=evaluations,
    )  # fmt: skip
    done = found.status > 0
    how = "converged after" if done else "ended before it converged after"
    return Ended(found.x * size, done, how)


def optuna(work: Residuals, low: Floats, start: Floats, high: Floats, evaluations: int) -> Ended:
    """Optuna's tree of estimators, from the start on: no derivative, and all between the bounds.

    It makes all of its evaluations, and does not say that there is nothing better.
    """
    package = _optuna()
    package.logging.set_verbosity(package.logging.ERROR)
    names = [parameter.path for parameter in work.parameters]
    sampler = package.samplers.TPESampler(seed=SEED, multivariate=True)
    study = package.create_study(sampler=sampler)
    study.enqueue_trial(dict(zip(names, start.tolist(), strict=True)))

    def misfit(trial: Any) -> float:
        ends = zip(names, low.tolist(), high.tolist(), strict=True)
        values = np.array([trial.suggest_float(name, least, most) for name, least, most in ends])
        found = work.residuals(values)
        return float(found @ found)

    study.optimize(misfit, n_trials=evaluations)
    best = np.array([study.best_params[name] for name in names])
    return Ended(best, converged=False, how="the best of")


METHODS: Mapping[str, Method] = {
    "least_squares": Method(least_squares, exact=True),
    "optuna": Method(optuna, exact=False),
}


def _optuna() -> Any:
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what is experimental in it
            return import_module("optuna")
    except ModuleNotFoundError:
        raise MissingExtra("optuna", "optimise") from None
