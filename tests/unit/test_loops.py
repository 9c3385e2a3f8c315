"""Several laws at one point as one."""

from __future__ import annotations

import numpy as np
import pytest

from vastus.energies.loops import respond_of, sum_of
from vastus.materials import ActiveFibre, MooneyRivlin, StableNeoHookean, TendonTissue

LAWS = (StableNeoHookean(8e4, 0.45), ActiveFibre(), TendonTissue(), MooneyRivlin())
F = np.eye(3) + 0.1 * np.random.default_rng(1).standard_normal((3, 3))
d, T0 = np.array([0.6, 0.0, 0.8]), 2e5


def test_a_sum_of_laws_reads_each_law_s_own_parameters() -> None:
    law = sum_of(tuple((type(part).point, len(part.parameters())) for part in LAWS))
    p = np.concatenate([part.parameters() for part in LAWS])
    P, H, summed_P, summed_H = (
        np.zeros((3, 3)),
        np.zeros((9, 9)),
        np.zeros((3, 3)),
        np.zeros((9, 9)),
    )
    energy = 0.0
    for part in LAWS:
        own = np.array(part.parameters())
        energy += type(part).point.energy(F, d, T0, own)
        type(part).point.stress(F, d, T0, own, P)
        type(part).point.tangent(F, d, T0, own, H)
    law.stress(F, d, T0, p, summed_P)
    law.tangent(F, d, T0, p, summed_H)
    assert law.energy(F, d, T0, p) == pytest.approx(energy)
    np.testing.assert_allclose(summed_P, P)
    np.testing.assert_allclose(summed_H, H)
    both = np.zeros((3, 3))
    assert respond_of(law)(F, d, T0, p, both) == pytest.approx(energy)
    np.testing.assert_allclose(both, P)
