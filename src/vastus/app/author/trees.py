"""Plain data that are changed by making new ones: mappings in mappings, as a scene file has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from vastus.numerics.types import Floats

Data = Mapping[str, Any]
Path = tuple[str, ...]
Numbers = Sequence[float] | Floats

DECIMALS = 6  # of a place [m]: a thousandth of a millimetre
DIGITS = 6  # of any other number


def at(data: Data, path: Path) -> Any:
    """What stands at a path; None if there is nothing."""
    for key in path:
        if not isinstance(data, Mapping) or key not in data:
            return None
        data = data[key]
    return data


def put(data: Data, path: Path, value: Any) -> dict[str, Any]:
    """The data with another value at a path; None takes it away, and what is empty without it."""
    key, *below = path
    if below:
        inner = data.get(key)
        value = put(inner if isinstance(inner, Mapping) else {}, tuple(below), value) or None
    if value is None:
        return {k: v for k, v in data.items() if k != key}
    return {**data, key: value}


def places(values: Numbers) -> list[float]:
    """A place [m] as it is written."""
    return [metres(value) for value in np.asarray(values, float).tolist()]


def metres(value: float) -> float:
    """A length [m] as it is written."""
    return round(float(value), DECIMALS)


def short(value: float) -> float:
    """A number as it is written."""
    return float(f"{float(value):.{DIGITS}g}")


def shorts(values: Numbers) -> list[float]:
    """Numbers as they are written."""
    return [short(value) for value in values]
