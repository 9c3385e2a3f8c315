"""Bellies against Hill's curves, against finite differences and against projective dynamics."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from scipy.optimize import brentq, least_squares

from vastus.bellies.belly import FREE, Belly
from vastus.bellies.condensed import Condensed
from vastus.bellies.hill import hill
from vastus.bellies.law import MotorUnit, MuscleLaw
from vastus.bellies.line import LineLaw
from vastus.bellies.projective import Projective, shortfall
from vastus.bellies.shapes import Loft, diamond, tube
from vastus.bellies.volumes import Bellies, Newton
from vastus.numerics.types import Floats

pytestmark = pytest.mark.slow  # its loops take a minute to compile

FORCE, LENGTH, STRENGTH = 400.0, 0.24, 3e5  # [N], [m], [Pa]
UNIT = MotorUnit("biceps", FORCE, LENGTH)
ACROSS = 2 * np.sqrt(FORCE / STRENGTH / np.pi)  # [m]
SHAPES: dict[str, Callable[[], Belly]] = {
    "diamond": lambda: diamond(UNIT, width=float(np.sqrt(FORCE / STRENGTH))),
    "96": lambda: tube(UNIT, width=ACROSS, loft=Loft(slabs=4)),
    "192": lambda: tube(UNIT, width=ACROSS, loft=Loft(slabs=8)),
    "336": lambda: tube(UNIT, width=ACROSS, loft=Loft(slabs=14)),
}
LAWS: dict[str, Callable[[], MuscleLaw]] = {
    "line": lambda: LineLaw([UNIT]),
    "condensed": lambda: Condensed([shape("diamond")]),
    "diamond": lambda: Bellies([shape("diamond")], newton=Newton(tolerance=1e-9)),
    "tube": lambda: Bellies([shape("192")], newton=Newton(tolerance=1e-9)),
}


@cache
def shape(name: str) -> Belly:
    return SHAPES[name]()


def state(stretch: float, activation: float, speed: float = 0.0) -> tuple[Floats, Floats, Floats]:
    return np.array([stretch * LENGTH]), np.array([speed]), np.array([activation])


@pytest.mark.parametrize("name", SHAPES)
def test_bellies_pull_by_hills_curves_and_always_find_equilibrium(name: str) -> None:
    """F(1, 1) is the greatest force; |F - force (a f_l + f_p)| < 0.02 force from 0.7 to 1.4."""
    bellies, line = Bellies([shape(name)]), LineLaw([UNIT])
    assert bellies.forces(*state(1.0, 1.0)).force[0] == pytest.approx(FORCE, rel=1e-9)
    worst, steps = 0.0, []
    for activation in (0.0, 0.05, 0.3, 1.0):
        for stretch in np.linspace(0.62, 1.48, 69):
            at = state(float(stretch), activation)
            force = bellies.forces(*at).force
            steps.append(bellies.iterations[0])
            if 0.7 <= stretch <= 1.4 and activation:
                worst = max(worst, abs(force - line.forces(*at).force)[0] / FORCE)
    assert worst < 0.02
    assert np.mean(steps) < 1.5


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize(("stretch", "activation", "speed"),
                         [(0.8, 0.3, -0.5), (1.2, 0.7, 0.2), (0.95, 0.01, 0.1)])  # fmt: skip
def test_derivatives_are_those_of_finite_differences(
    name: str, stretch: float, activation: float, speed: float
) -> None:
    law, at, h = LAWS[name](), state(stretch, activation, speed), 1e-5
    pull = law.forces(*at)
    for i, exact in enumerate((pull.by_length, pull.by_speed, pull.by_activation)):
        step = [h * LENGTH if i == k == 0 else h * (i == k) for k in range(3)]
        ends = [
            law.forces(*(x + s * d for x, d in zip(at, step, strict=True))).force for s in (-1, 1)
        ]
        found = (ends[1] - ends[0]) / (2 * sum(step))
        scale = FORCE / LENGTH if i == 0 else FORCE
        assert exact == pytest.approx(found, rel=1e-6, abs=1e-7 * scale)


def test_units_of_one_volume_act_on_each_other_by_a_symmetric_stiffness() -> None:
    """dF_j/dl_k = dF_k/dl_j, for both are of one energy; each alone pulls with its own force."""
    units = (MotorUnit("long", 250.0, LENGTH), MotorUnit("short", 150.0, 0.95 * LENGTH))
    belly = tube(units, width=ACROSS, loft=Loft(around=16))
    bellies = Bellies([belly], newton=Newton(tolerance=1e-9))
    rest = np.array([unit.optimal for unit in units])
    assert bellies.solve(rest, np.array([1.0, 0.02])).force == pytest.approx([250, 3], rel=1e-6)
    length, speed, a = 1.05 * rest, np.array([0.1, -0.2]), np.array([0.6, 0.3])
    by_activation, by_length, _ = bellies.coupled(length, speed, a)
    gain = bellies.curves.gains(
        length, speed, np.array([[u.optimal, 10 * u.optimal] for u in units])
    )
    direct = by_length - by_activation / gain[:, 0] * a * gain[:, 1]
    assert direct[0, 1] == pytest.approx(direct[1, 0], rel=1e-6)
    assert abs(direct[0, 1]) > 1.0, "one would not feel the other"
    for k, h in ((0, 1e-5), (1, 1e-5)):
        d = h * np.eye(2)[k]
        for by, step in ((by_activation, (0.0, d)), (by_length, (d * LENGTH, 0.0))):
            ends = [bellies.forces(length + s * step[0], speed, a + s * step[1]).force
                    for s in (-1, 1)]  # fmt: skip
            found = (ends[1] - ends[0]) / (2 * np.sum(step[0] + step[1]))
            assert by[:, k] == pytest.approx(found, rel=2e-6, abs=1e-6 * FORCE)


def test_the_fixed_point_of_projective_dynamics_is_an_equilibrium() -> None:
    """Its stress is mu (F - R) + nu (F - P) + f n e^T: Newton's method ends at the same force."""
    belly = shape("diamond")
    law = Projective([belly])
    stretch, w = 1.1, 0.7
    at = np.array([stretch * LENGTH]), np.array([w])
    force = law.iterated(*at, 3000)[0, 0]
    reference = equilibrium_of_projections(belly, stretch, w, law.vertices(0))
    assert force == pytest.approx(reference, rel=1e-6)
    short = shortfall(Projective([belly]), *at, counts=(1, 10))
    assert short.error[0] > short.error[1] > 1e-6
    assert "after 10" in str(short)


def equilibrium_of_projections(belly: Belly, stretch: float, w: float, near: Floats) -> float:
    """The tension where the forces of projections vanish, by numpy and another solver."""
    mesh, free = belly.mesh, belly.held == FREE
    passive, matrix = hill().passive, belly.matrix

    def nodal(x: Floats) -> Floats:
        out = np.zeros_like(x)
        for F, B, V, s, corners in zip(mesh.deformation(x), mesh.gradients, mesh.volumes,
                                       belly.strength, mesh.T, strict=True):  # fmt: skip
            U, sizes, Vt = np.linalg.svd(F)
            n, l = F[:, 0] / np.linalg.norm(F[:, 0]), float(np.linalg.norm(F[:, 0]))
            P = matrix.shear * (F - U @ Vt) + 3 * matrix.bulk * (
                F - U @ (unit_volume(sizes) * Vt.T).T
            )
            P[:, 0] += s * (w + passive.force(l)) * n
            np.add.at(out, corners, V * B @ P.T)
        return out

    x = near.copy()
    rng = np.random.default_rng(0)

    def residual(y: Floats) -> Floats:
        x[free] = y.reshape(-1, 3)
        return nodal(x)[free].ravel()

    start = (near[free] + 1e-4 * rng.standard_normal((int(free.sum()), 3))).ravel()
    found = least_squares(residual, start, x_scale=1e-2, xtol=1e-14, ftol=1e-14, gtol=1e-14)
    assert np.abs(residual(found.x)).max() < 1e-6
    return float(nodal(x)[belly.held == 1, 0].sum())


def unit_volume(sizes: Floats) -> Floats:
    """The singular values nearest to these with the product 1: s^2 - sizes s = y."""

    def made(y: float) -> Floats:
        return 0.5 * (sizes + np.sqrt(sizes**2 + 4 * y))

    low = -0.249 * float(sizes.min()) ** 2
    return made(brentq(lambda y: made(y).prod() - 1, low, 5.0, xtol=1e-15))


def test_ten_projective_iterations_follow_a_slow_motion() -> None:
    law, bellies = Projective([shape("diamond")]), Bellies([shape("diamond")])
    off = []
    for t in np.arange(0, 0.2, 0.005):
        at = state(1 + 0.1 * np.sin(6 * t), 0.5 + 0.3 * np.sin(9 * t))
        off.append(abs(law.forces(*at).force - bellies.forces(*at).force)[0] / FORCE)
    assert max(off[5:]) < 0.02


@pytest.mark.parametrize("name", ["diamond", "96"])
def test_condensed_bellies_pull_as_the_bellies_do(name: str) -> None:
    condensed, bellies = Condensed([shape(name)]), Bellies([shape(name)])
    rng = np.random.default_rng(1)
    states = [state(rng.uniform(0.65, 1.45), rng.uniform(0, 1), rng.uniform(-1, 1))
              for _ in range(100)]  # fmt: skip
    assert condensed.compare(bellies, states).most < 2e-3


def test_paralysis_depends_on_where_it_is() -> None:
    """Parallel to the fibres force is lost with the cells; in series others stretch and bear it."""
    belly, healthy = shape("192"), state(1.0, 1.0)
    tets = np.arange(belly.mesh.n_tets)
    slab, sector = tets // 24, tets % 24 // 3
    expected = {1: (0.87, 0.99), 2: (0.74, 0.97), 4: (0.53, 0.82)}
    for eighths, (parallel, series) in expected.items():
        middle = np.abs(slab - (3 if eighths == 1 else 3.5)) < eighths / 2
        for mask, wanted in ((sector < eighths, parallel), (middle, series)):
            assert mask.mean() == eighths / 8
            found = Bellies([belly.paralysed(mask)]).forces(*healthy).force[0] / FORCE
            assert found == pytest.approx(wanted, abs=0.05)


def test_motion_at_200_hz_needs_at_most_one_step() -> None:
    bellies, steps = Bellies([shape("diamond"), shape("96")]), []
    for t in np.arange(0, 0.5, 0.005):
        stretch = 1 + 0.1 * np.sin(2 * np.pi * t)
        speed = 0.2 * np.pi * np.cos(2 * np.pi * t) * LENGTH
        both = [np.repeat(x, 2) for x in state(stretch, 0.5 + 0.45 * np.sin(9 * t), speed)]
        bellies.forces(*both)
        steps.append(bellies.iterations)
    assert np.mean(steps) <= 1.0
