"""How much each parameter matters: variance-based indices by SALib, and swings about the middle."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.errors import ModelError, known
from vastus.materials.base import require
from vastus.numerics.types import Floats
from vastus.studies.designs import block_size, cube, salib
from vastus.studies.folder import StudyFolder

FEWEST = 20  # rows a parameter, below which indices of drawn rows are chance
SEED = 1  # of the errors; SALib takes 0 for none
ENOUGH = 64  # rows a parameter, below which indices are hardly more than their error


@dataclass(frozen=True)
class Index:
    """The share of an output's variance that a parameter explains, with its 95 % error.

    `first` is by itself, `total` with all that it does together with others, where that is known.
    """

    parameter: str
    first: float
    first_error: float
    total: float | None = None
    total_error: float | None = None


@dataclass(frozen=True)
class Indices:
    """The indices of an output, how they were found, and what is doubtful about them."""

    output: str
    method: str
    label: str
    rows: int
    indices: tuple[Index, ...]
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Swing:
    """An output at the low and the high end of one parameter, all others in their middle."""

    parameter: str
    low: tuple[float, float]  # the parameter's value, and the output
    high: tuple[float, float]

    @property
    def width(self) -> float:
        """How far the output goes."""
        return abs(self.high[1] - self.low[1])


def indices(study: StudyFolder, output: str, method: str | None = None) -> Indices:
    """The indices of an output; by the method that suits the design unless one is given."""
    method = method or USUAL.get(study.design, "rbd_fast")
    if method not in METHODS:
        raise known("method", method, METHODS)
    return METHODS[method](study, output)


def _sobol(study: StudyFolder, output: str) -> Indices:
    """Sobol's indices; the block of a variant without a result is left out whole."""
    if study.design != "saltelli":
        raise ModelError(
            f"Sobol's indices need a saltelli design, and this one is {study.design}; take rbd_fast"
        )
    names, size = list(study.parameters), block_size(len(study.parameters))
    values = _by_row(study, output).reshape(-1, size)
    whole = np.isfinite(values).all(axis=1)
    require(int(whole.sum()) >= 2, f"only {int(whole.sum())} blocks of {size} rows are complete")
    found = _quiet(
        salib("analyze.sobol").analyze,
        cube(names),
        values[whole].ravel(),
        calc_second_order=False,
        seed=SEED,
    )
    numbers = zip(names, found["S1"], found["S1_conf"], found["ST"], found["ST_conf"], strict=True)
    made = tuple(Index(name, *map(float, four)) for name, *four in numbers)
    lost = int((~whole).sum())
    doubts = [f"{lost} of {len(values)} blocks of {size} rows are left out"] * bool(lost)
    rows = int(whole.sum()) * size
    return Indices(output, "sobol", "Sobol", rows, made, _doubts(study, rows, doubts))


def _means(study: StudyFolder, output: str) -> Indices:
    """First-order indices of a grid, which are exact: the variance of means over all else."""
    if study.design != "grid":
        raise ModelError(f"means need a grid, and this design is {study.design}; take rbd_fast")
    names, X, Y = _numbers(study, output)
    require(float(np.var(Y)) > 0, f"'{output}' is the same in all rows")
    made = []
    for name, x in zip(names, X.T, strict=True):
        _, group = np.unique(x, return_inverse=True)
        means = np.bincount(group, Y) / np.bincount(group)
        made.append(Index(name, float(np.var(means[group]) / np.var(Y)), 0.0))
    lost = len(study.rows) - len(study.done)
    doubts = (f"{lost} of {len(study.rows)} variants have no result",) * bool(lost)
    return Indices(output, "means", "means over a grid", len(Y), tuple(made), doubts)


def _rbd_fast(study: StudyFolder, output: str) -> Indices:
    """First-order indices of rows that were drawn, by RBD-FAST."""
    if study.design in USUAL:
        raise ModelError(
            f"RBD-FAST needs rows that were drawn, and this design is {study.design}; "
            f"take {USUAL[study.design]}"
        )
    names, X, Y = _numbers(study, output, least=FEWEST)
    found = _quiet(salib("analyze.rbd_fast").analyze, _problem(names, X), X, Y, seed=SEED)
    made = tuple(
        Index(name, float(s), float(e))
        for name, s, e in zip(names, found["S1"], found["S1_conf"], strict=True)
    )
    return Indices(output, "rbd_fast", "RBD-FAST", len(Y), made, _doubts(study, len(Y), []))


def _delta(study: StudyFolder, output: str) -> Indices:
    """Borgonovo's delta, which counts the whole distribution and not its variance only."""
    names, X, Y = _numbers(study, output, least=FEWEST)
    found = _quiet(salib("analyze.delta").analyze, _problem(names, X), X, Y, seed=SEED)
    made = tuple(
        Index(name, float(s), float(e))
        for name, s, e in zip(names, found["delta"], found["delta_conf"], strict=True)
    )
    return Indices(output, "delta", "Borgonovo's delta", len(Y), made, _doubts(study, len(Y), []))


USUAL = {"saltelli": "sobol", "grid": "means"}  # methods of designs; of others rbd_fast
METHODS: dict[str, Callable[[StudyFolder, str], Indices]] = {
    "means": _means,
    "sobol": _sobol,
    "rbd_fast": _rbd_fast,
    "delta": _delta,
}


def swings(study: StudyFolder, output: str) -> tuple[float, list[Swing]]:
    """The output in the middle, and at the ends of each parameter, the widest first.

    The rows are those of a one-at-a-time design.
    """
    if study.design != "one_at_a_time":
        raise ModelError(
            f"a tornado needs a one_at_a_time design, and this one is {study.design}; "
            "'indices' works for any"
        )
    values, middle = _by_row(study, output), study.rows[0]
    require(bool(np.isfinite(values[0])), "the variant in the middle has no result")
    found = []
    for name in study.numeric:
        mine = [k for k, row in enumerate(study.rows) if row[name] != middle[name]]
        pairs = sorted((float(study.rows[k][name]), float(values[k])) for k in [0, *mine])
        known_ones = [pair for pair in pairs if np.isfinite(pair[1])]
        found.append(Swing(name, known_ones[0], known_ones[-1]))
    return float(values[0]), sorted(found, key=lambda swing: -swing.width)


def _by_row(study: StudyFolder, output: str) -> Floats:
    """(rows,) an output in every row, NaN where there is no result."""
    values = np.full(len(study.rows), np.nan)
    values[study.done] = study.numbers(output)
    return values


def _numbers(
    study: StudyFolder, output: str, *, least: int = 2
) -> tuple[list[str], Floats, Floats]:
    """The parameters that are numbers, their values (rows, parameters), and the output."""
    names, Y = study.numeric, study.numbers(output)
    require(len(names) > 0, "no parameter is a number that varies")
    X = np.column_stack([study.numbers(name) for name in names])
    known_ones = np.isfinite(Y)
    rows, needed = int(known_ones.sum()), least * max(len(names), 2)
    require(rows >= needed, f"{rows} rows are too few for indices; {needed} are needed at least")
    return names, X[known_ones], Y[known_ones]


def _problem(names: list[str], X: Floats) -> dict[str, Any]:
    bounds = np.column_stack([X.min(axis=0), X.max(axis=0)]).tolist()
    return {"num_vars": len(names), "names": names, "bounds": bounds}


def _doubts(study: StudyFolder, rows: int, doubts: list[str]) -> tuple[str, ...]:
    """What there is to say against indices of so many rows."""
    least = ENOUGH * len(study.numeric)
    if rows < least:
        doubts = [*doubts, f"{rows} rows are few: {least} or more would be {ENOUGH} a parameter"]
    lost = len(study.rows) - len(study.done)
    if lost and study.design != "saltelli":
        doubts = [*doubts, f"{lost} of {len(study.rows)} variants have no result"]
    return tuple(doubts)


def _quiet(analyze: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """A result of SALib without what it says on the way."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return analyze(*args, print_to_console=False, **options)
