"""Several laws at one point as one."""

from __future__ import annotations

import numpy as np

from vastus.energies.loops import Loops, loops
from vastus.materials import ActiveFibre, MooneyRivlin, StableNeoHookean, TendonTissue
from vastus.numerics.types import Floats

LAWS = (StableNeoHookean(8e4, 0.45), ActiveFibre(), TendonTissue(), MooneyRivlin())
F = np.eye(3) + 0.1 * np.random.default_rng(1).standard_normal((5, 3, 3))
d, T0 = np.tile([0.6, 0.0, 0.8], (5, 1)), np.full(5, 2e5)


def evaluated(made: Loops, p: Floats) -> list[Floats]:
    """Energies, stresses and tangents in tets 1, 3 and 4 of five."""
    tets, row = np.array([1, 3, 4]), np.array([0, 1, 0])
    out = [np.full((5, *shape), 7.0) for shape in ((), (3, 3), (9, 9))]
    for loop, into in zip((made.energy, made.stress, made.tangent), out, strict=True):
        loop(tets, F, d, T0, row, p, into)
    return out


def test_a_sum_of_laws_reads_each_law_s_own_parameters() -> None:
    numbers = [np.outer([1.0, 1.5], part.parameters()) for part in LAWS]
    summed = evaluated(loops(*((part.point, part.slots) for part in LAWS)), np.hstack(numbers))
    for e, row in ((1, 0), (3, 1), (4, 0)):
        energy, P, H = 0.0, np.zeros((3, 3)), np.zeros((9, 9))
        for part, p in zip(LAWS, numbers, strict=True):
            energy += type(part).point.energy(F[e], d[e], T0[e], p[row])
            type(part).point.stress(F[e], d[e], T0[e], p[row], P)
            type(part).point.tangent(F[e], d[e], T0[e], p[row], H)
        for found, wanted in zip(summed, (energy, P, H), strict=True):
            size = np.abs(wanted).max()
            np.testing.assert_allclose(found[e], wanted, rtol=1e-9, atol=1e-9 * size)


def test_only_the_tets_that_are_visited_are_written() -> None:
    law = LAWS[0]
    for found in evaluated(loops((law.point, law.slots)), np.tile(law.parameters(), (2, 1))):
        assert (found[[0, 2]] == 7.0).all()


def test_a_new_sum_of_laws_compiles_nothing() -> None:
    first, second = ((law.point, law.slots) for law in LAWS[:2])
    one, other = loops(first, second), loops(second, first)
    assert set(one._respond[:, 0]) == set(other._respond[:, 0])
