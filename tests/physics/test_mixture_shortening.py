"""A bar of the mixture of flesh, shortened by its own active fibres, against its closed form."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq, minimize

from vastus.energies.flesh.mixture import Mixture, Shares, Tissue

ALONG = np.array([[0.0, 0.0, 1.0]])


def bar(tissue: Tissue, density: float = 1.0) -> Mixture:
    one = np.zeros(1, np.int64)
    return Mixture(tissue, Shares(one, one, np.ones(1), ALONG, np.array([density])), 1)


def active_curve(x: float) -> float:
    u = abs(x - 1)
    return 1 - 4 * u**2 if u <= 0.4 else 9 * max(0.6 - u, 0.0) ** 2


def free_stretch(tissue: Tissue, level: float) -> float:
    """Where active fibres and an incompressible Mooney-Rivlin matrix balance in a free bar.

    2 (mu10 + mu01/lam)(lam - lam^-2) + a stress/optimal f(lam/optimal) = 0; slack fibres pull not.
    """

    def tension(lam: float) -> float:
        matrix = 2 * (tissue.mu10 + tissue.mu01 / lam) * (lam - lam**-2)
        pull = level * tissue.stress / tissue.optimal * active_curve(lam / tissue.optimal)
        return matrix + pull

    return float(brentq(tension, 0.3, 1.0, xtol=1e-12))


@pytest.mark.parametrize("level", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("tissue", [Tissue(), Tissue.paper()], ids=["usual", "paper"])
def test_a_free_bar_shortens_as_its_closed_form_says(tissue: Tissue, level: float) -> None:
    mixture, a = bar(tissue), np.array([level])

    def energy(stretches: np.ndarray) -> float:
        across, along = np.exp(stretches)
        return float(mixture.energy(np.diag([across, across, along])[None], a)[0])

    found = minimize(energy, np.zeros(2), method="Nelder-Mead",
                     options={"xatol": 1e-10, "fatol": 1e-12, "maxiter": 4000})  # fmt: skip
    across, along = np.exp(found.x)
    # The stress of isochoric fibres has no mean: the free bar keeps its volume exactly.
    assert along == pytest.approx(free_stretch(tissue, level), abs=1e-6)
    assert across**2 * along == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("stretch", [0.8, 1.0, 1.3])
@pytest.mark.parametrize("level", [0.0, 0.6])
def test_twice_as_many_fibres_pull_twice_as_much(stretch: float, level: float) -> None:
    F, a = np.diag([stretch**-0.5, stretch**-0.5, stretch])[None], np.array([level])
    matrix = Mixture(Tissue(), Shares.none(), 1).stress(F, a)
    one, two = (bar(Tissue(), density).stress(F, a) - matrix for density in (1.0, 2.0))
    assert np.abs(one).max() > 0 or level == 0.0
    assert two == pytest.approx(2 * one, rel=1e-12, abs=1e-9)


def test_soft_tissue_shortens_far_and_that_of_the_paper_does_not() -> None:
    assert free_stretch(Tissue(), 1.0) < 0.55
    assert free_stretch(Tissue.paper(), 1.0) > 0.7


@pytest.mark.parametrize("level", [0.5, 0.7])
def test_stretched_active_fibres_do_not_give_way(level: float) -> None:
    """Tension rises with stretch beyond the optimal length, though its active part falls.

    Otherwise a muscle would localise: some of its tets stretched at the cost of the others.
    """
    mixture, a = bar(Tissue()), np.array([level])
    lam = np.linspace(1.0, 1.5, 101)
    F = [np.diag([x**-0.5, x**-0.5, x]) for x in lam]
    energy = np.array([mixture.energy(f[None], a)[0] for f in F])
    tension = np.diff(energy) / np.diff(lam)
    assert (np.diff(tension) > 0).all()
