"""Designs: which values the parameters of a study take together; a registry by name."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from vastus.errors import FileError, MissingExtra, ModelError, known
from vastus.files.safe import read_text
from vastus.materials.base import require
from vastus.numerics.types import Floats
from vastus.studies.parameters import Parameter

MOST_ROWS = 1_000_000
Row = dict[str, Any]  # values by the name of their parameter


@dataclass(frozen=True)
class Design:
    """Which rows of values: the kind, and for those that draw them their number and a seed.

    A `list` reads them from a CSV file, whose columns are called after the parameters.
    """

    kind: str = "grid"
    n: int | None = None
    seed: int = 0
    file: Path | None = None

    def rows(self, parameters: Sequence[Parameter]) -> list[Row]:
        """The values of every row, in the order of the design."""
        if self.kind not in DESIGNS:
            raise known("design", self.kind, DESIGNS)
        rows = DESIGNS[self.kind](self, parameters)
        require(len(rows) > 0, f"the design '{self.kind}' has no rows")
        return rows

    @property
    def count(self) -> int:
        """How many rows are drawn."""
        require(self.n is not None, f"the design '{self.kind}' needs 'n', how many rows to draw")
        assert self.n is not None
        require(1 <= self.n <= MOST_ROWS, f"n is {self.n}; it must be from 1 to {MOST_ROWS}")
        return self.n


def grid(design: Design, parameters: Sequence[Parameter]) -> list[Row]:
    """Every value of each parameter with every value of all others; the last changes fastest."""
    given = {}
    for one in parameters:
        try:
            given[one.name] = one.spread.grid()
        except ModelError as error:
            raise ModelError(f"parameter '{one.name}': {error}") from None
    count = prod(len(values) for values in given.values())
    require(count <= MOST_ROWS, f"the grid has {count} rows; {MOST_ROWS} are the most")
    return [dict(zip(given, values, strict=True)) for values in product(*given.values())]


def listed(design: Design, parameters: Sequence[Parameter]) -> list[Row]:
    """The rows of a CSV file, or the values of all parameters side by side."""
    if design.file is not None:
        return _from_file(design.file, parameters)
    given = {one.name: one.spread.grid() for one in parameters}
    counts = {name: len(values) for name, values in given.items()}
    if len(set(counts.values())) > 1:
        told = ", ".join(f"{name} {count}" for name, count in counts.items())
        raise ModelError(f"a list takes values side by side, but their numbers differ: {told}")
    return [dict(zip(given, values, strict=True)) for values in zip(*given.values(), strict=True)]


def lhs(design: Design, parameters: Sequence[Parameter]) -> list[Row]:
    """A Latin hypercube: each parameter has one value in each of n equal parts of its spread."""
    from scipy.stats import qmc

    draw = qmc.LatinHypercube(len(parameters), rng=np.random.default_rng(design.seed))
    return _spread(draw.random(design.count), parameters)


def sobol(design: Design, parameters: Sequence[Parameter]) -> list[Row]:
    """A scrambled Sobol sequence, which fills the space of all parameters evenly."""
    from scipy.stats import qmc

    _require_power(design)
    draw = qmc.Sobol(len(parameters), rng=np.random.default_rng(design.seed))
    return _spread(draw.random(design.count), parameters)


def saltelli(design: Design, parameters: Sequence[Parameter]) -> list[Row]:
    """Saltelli's blocks of d + 2 rows each, n of them, from which Sobol's indices are computed."""
    _require_power(design)
    draw = salib("sample.sobol").sample(
        cube([one.name for one in parameters]),
        design.count,
        calc_second_order=False,
        seed=design.seed,
    )
    return _spread(np.asarray(draw), parameters)


def one_at_a_time(design: Design, parameters: Sequence[Parameter]) -> list[Row]:
    """All parameters in their middle, then each of them by itself at its ends or other values."""
    middle = {one.name: one.spread.at(0.5) for one in parameters}
    away = [middle | {one.name: value} for one in parameters for value in one.spread.ends()]
    return [middle, *away]


DESIGNS: dict[str, Callable[[Design, Sequence[Parameter]], list[Row]]] = {
    "grid": grid,
    "list": listed,
    "lhs": lhs,
    "sobol": sobol,
    "saltelli": saltelli,
    "one_at_a_time": one_at_a_time,
}


def block_size(parameters: int) -> int:
    """How many rows belong together in a Saltelli design."""
    return parameters + 2


def cube(names: Sequence[str]) -> dict[str, Any]:
    """The problem of SALib whose parameters all go from 0 to 1."""
    return {"num_vars": len(names), "names": list(names), "bounds": [[0.0, 1.0]] * len(names)}


def salib(module: str) -> Any:
    """A module of SALib."""
    from importlib import import_module

    try:
        return import_module(f"SALib.{module}")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("SALib"):
            raise MissingExtra("SALib", "studies") from None
        raise


def _spread(shares: Floats, parameters: Sequence[Parameter]) -> list[Row]:
    """Rows of values from shares (rows, parameters) between 0 and 1."""
    return [
        {one.name: one.spread.at(float(u)) for one, u in zip(parameters, row, strict=True)}
        for row in shares
    ]


def _require_power(design: Design) -> None:
    """Refuse a number of which Sobol's sequence is not balanced."""
    count = design.count
    low = 1 << (count.bit_length() - 1)
    require(
        count == low,
        f"n is {count}; a Sobol sequence is even only for powers of two, as {low} or {2 * low}",
    )


def _from_file(path: Path, parameters: Sequence[Parameter]) -> list[Row]:
    head, *rows = list(csv.reader(io.StringIO(read_text(path)))) or [[]]
    head = [name.strip() for name in head]
    for one in parameters:
        if one.name not in head:
            raise known(f"column of '{path.name}'", one.name, head)
    places = {one.name: head.index(one.name) for one in parameters}
    whole = [row for row in rows if any(cell.strip() for cell in row)]
    for number, row in enumerate(whole, start=2):
        if len(row) != len(head):
            raise FileError(f"'{path}', line {number}: {len(row)} cells, but {len(head)} columns")
    return [{name: value_of(row[place]) for name, place in places.items()} for row in whole]


def value_of(text: str) -> Any:
    """What a word stands for in YAML: a number, a truth, a list, or the word itself."""
    from vastus.scene.yaml import parse

    return parse(text.strip(), f"'{text}'")[0]
