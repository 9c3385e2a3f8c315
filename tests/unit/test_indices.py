"""Tables of indices."""

from __future__ import annotations

import numpy as np
import pytest

from vastus.geometry.indices import distinct


@pytest.mark.parametrize("count", [0, 1, 1000])
def test_values_are_found_once_in_ascending_order(count: int) -> None:
    values = np.random.default_rng(0).integers(-50, 50, (count, 2))
    assert np.array_equal(distinct(values), np.unique(values))
