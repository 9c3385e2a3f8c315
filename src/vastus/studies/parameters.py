"""What a study varies: named parameters, each with the values or the spread that it takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, log
from typing import Any

import numpy as np

from vastus.errors import ModelError
from vastus.materials.base import require

MOST_VALUES = 100_000


@dataclass(frozen=True)
class Values:
    """A list of values, one after the other; also words, such as names of laws."""

    values: tuple[Any, ...]

    def __post_init__(self) -> None:
        require(len(self.values) > 0, "it has no values")

    def at(self, share: float) -> Any:
        """The value in which a share (0 to 1) of the list ends."""
        return self.values[min(int(share * len(self.values)), len(self.values) - 1)]

    def grid(self) -> tuple[Any, ...]:
        """The values of a grid."""
        return self.values

    def ends(self) -> tuple[Any, ...]:
        """What a one-at-a-time design takes beside the middle."""
        return tuple(v for v in self.values if v != self.at(0.5))


@dataclass(frozen=True)
class Between:
    """Any number between two ends, evenly spread, or evenly in its logarithm."""

    low: float
    high: float
    steps: int | None = None
    scale: str = "linear"

    def __post_init__(self) -> None:
        require(self.low < self.high, f"it goes from {self.low:g} to {self.high:g}; it must rise")
        even = self.scale != "log" or self.low > 0
        require(even, f"it starts at {self.low:g}; a logarithm needs numbers above 0")

    def at(self, share: float) -> float:
        """The number below which this share (0 to 1) of all lies."""
        if self.scale == "log":
            return float(exp(log(self.low) + share * (log(self.high) - log(self.low))))
        return float(self.low + share * (self.high - self.low))

    def grid(self) -> tuple[float, ...]:
        """As many numbers as are asked for."""
        require(self.steps is not None, "a grid needs 'values', or 'steps' between 'from' and 'to'")
        assert self.steps is not None
        shares = np.linspace(0.0, 1.0, self.steps)
        return (self.low, *(self.at(float(s)) for s in shares[1:-1]), self.high)[: self.steps]

    def ends(self) -> tuple[float, ...]:
        """Both ends."""
        return self.low, self.high


@dataclass(frozen=True)
class Distributed:
    """A distribution of `scipy.stats` with its numbers, such as normal with mean and deviation."""

    name: str
    numbers: tuple[float, ...]

    def __post_init__(self) -> None:
        finite = np.isfinite([self.at(0.05), self.at(0.95)]).all()
        require(bool(finite), f"{self.name} has no values for {list(self.numbers)}")

    def at(self, share: float) -> float:
        """The number below which this share (0 to 1) of all lies."""
        from scipy import stats

        try:
            return float(getattr(stats, DISTRIBUTIONS[self.name]).ppf(share, *self.numbers))
        except TypeError:
            raise ModelError(
                f"{self.name} does not take {len(self.numbers)} numbers: {list(self.numbers)}"
            ) from None

    def grid(self) -> tuple[float, ...]:
        """A distribution has no grid."""
        raise ModelError("a grid needs 'values', or 'steps' between 'from' and 'to'")

    def ends(self) -> tuple[float, ...]:
        """The numbers between which nine of ten lie."""
        return self.at(0.05), self.at(0.95)


Spread = Values | Between | Distributed
DISTRIBUTIONS = {  # keys of a parameter, and their names in scipy.stats
    "normal": "norm",
    "lognormal": "lognorm",
    "truncated_normal": "truncnorm",
    "triangular": "triang",
    "beta": "beta",
    "gamma": "gamma",
}


@dataclass(frozen=True)
class Parameter:
    """A column of the table, the paths into the scene that take it, and how it is spread.

    With `times`, its numbers are factors of what the scene or its model has at each path.
    """

    name: str
    paths: tuple[str, ...]
    spread: Spread
    times: bool = False

    @property
    def numeric(self) -> bool:
        """Whether all it takes are numbers."""
        return not isinstance(self.spread, Values) or all(map(is_number, self.spread.values))


def is_number(value: object) -> bool:
    """Whether a value is a number, and no truth."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def parameter(name: str, given: Any) -> Parameter:
    """The parameter that an author gives as a list of values, a pair of ends, or by its keys."""
    if isinstance(given, Mapping):
        return _keyed(name, dict(given))
    if isinstance(given, tuple) and len(given) == 2 and all(map(is_number, given)):
        return Parameter(name, (name,), Between(float(given[0]), float(given[1])))
    if isinstance(given, Sequence | np.ndarray) and not isinstance(given, str):
        return Parameter(name, (name,), Values(tuple(map(_plain, given))))
    raise ModelError(
        f"parameter '{name}' is {given!r}; give a list of values, a pair (from, to), or its keys"
    )


@dataclass(frozen=True)
class _Way:
    """How keys of a parameter become a spread."""

    keys: tuple[str, ...]
    made: Callable[[Mapping[str, Any]], Spread]
    further: tuple[str, ...] = field(default=())


def _distribution(name: str) -> Callable[[Mapping[str, Any]], Spread]:
    return lambda keys: Distributed(name, tuple(map(float, keys[name])))


_WAYS = (
    _Way(("values",), lambda k: Values(tuple(map(_plain, k["values"])))),
    _Way(("times",), lambda k: Values(tuple(map(_plain, k["times"])))),
    _Way(
        ("from", "to"),
        lambda k: Between(
            float(k["from"]), float(k["to"]), k.get("steps"), str(k.get("scale", "linear"))
        ),
        ("steps", "scale"),
    ),
    *(_Way((name,), _distribution(name)) for name in DISTRIBUTIONS),
)


def _keyed(name: str, keys: dict[str, Any]) -> Parameter:
    """The parameter of its keys: `path` or `paths`, one way to say its values, and `factor`."""
    paths = keys.pop("paths", None) or [keys.pop("path", name)]
    factor = bool(keys.pop("factor", False)) or "times" in keys
    for way in _WAYS:
        if all(key in keys for key in way.keys) and set(keys) <= {*way.keys, *way.further}:
            try:
                return Parameter(name, tuple(map(str, paths)), way.made(keys), factor)
            except ModelError as error:
                raise ModelError(f"parameter '{name}': {error}") from None
            except (TypeError, ValueError):
                raise ModelError(
                    f"parameter '{name}': {keys!r} was given, but numbers are needed"
                ) from None
    raise ModelError(
        f"parameter '{name}' has {', '.join(keys) or 'nothing'}; give it one of: values, times, "
        f"from and to (with steps or scale), {', '.join(DISTRIBUTIONS)}"
    )


def _plain(value: Any) -> Any:
    """A value as JSON has it."""
    return value.item() if isinstance(value, np.generic) else value
