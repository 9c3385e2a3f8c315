"""The inverse Hessian over bones and free scalars, with matrices of low rank."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from vastus.numerics.factor import make_factor
from vastus.numerics.types import Floats
from vastus.solvers.linearisation import Linearisation

TISSUE: Floats = np.array([[4.0, 1.0, 0.0], [1.0, 5.0, 2.0], [0.0, 2.0, 6.0]])
COUPLING: Floats = np.array([[1.0, 0.0], [0.5, 1.0], [0.0, 0.2]])
BONES: Floats = np.array([[7.0, 1.0], [1.0, 8.0]])
COLUMN: Floats = np.array([[0.3], [0.1], [1.0], [0.0], [2.0]])
WEIGHT: Floats = np.array([3.0])


@pytest.fixture
def _uncollected() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


def linearisation() -> Linearisation:
    upper = csr_matrix(np.triu(TISSUE))
    factor = make_factor(upper.indptr, upper.indices)
    assert factor.factor(upper.data)
    return Linearisation(factor, cast("Any", SimpleNamespace(size=2)), COUPLING, BONES)


def test_what_it_solves_is_the_whole_matrix_with_what_was_added() -> None:
    whole = np.block([[BONES, COUPLING.T], [COUPLING, TISSUE]])
    g = np.arange(1.0, 6.0)
    inverse = linearisation()
    assert inverse.solve(g) == pytest.approx(np.linalg.solve(whole, g))
    inverse.couple(COLUMN, WEIGHT)
    added = whole + 3.0 * COLUMN @ COLUMN.T
    assert inverse.solve(g) == pytest.approx(np.linalg.solve(added, g))
    inverse.couple(COLUMN, WEIGHT)
    assert inverse.solve(g) == pytest.approx(np.linalg.solve(added + 3.0 * COLUMN @ COLUMN.T, g))


@pytest.mark.usefixtures("_uncollected")
def test_it_goes_with_its_large_arrays_when_it_is_let_go() -> None:
    inverse = linearisation()
    inverse.couple(COLUMN, WEIGHT)
    left = weakref.ref(inverse)
    del inverse
    assert left() is None
