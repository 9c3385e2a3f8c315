"""Bellies as data: strengths, disorders, wires, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from vastus.bellies.belly import FREE, Matrix
from vastus.bellies.condensed import Condensed, Grid
from vastus.bellies.hill import Hill, hill
from vastus.bellies.law import MotorUnit
from vastus.bellies.line import LineLaw
from vastus.bellies.projective import Iteration, Projective
from vastus.bellies.sampled import PIECES
from vastus.bellies.shapes import Loft, diamond, tube
from vastus.bellies.sweep import swept
from vastus.bellies.volumes import Bellies, Newton
from vastus.errors import ModelError, SolveError
from vastus.materials.fibres.curves import Bell
from vastus.materials.fibres.published import velocity_curve

UNIT = MotorUnit("biceps", 400.0, 0.24)
TWO = (MotorUnit("long", 250.0, 0.24), MotorUnit("short", 150.0, 0.22))


@pytest.mark.parametrize(
    "make",
    [lambda: diamond(UNIT, width=0.036), lambda: tube(UNIT, width=0.04),
     lambda: tube(TWO, width=0.04, loft=Loft(around=16)),
     lambda: tube(UNIT, width=0.04, loft=Loft(slabs=14, rings=2))],
    ids=["9", "192", "two", "1008"],
)  # fmt: skip
def test_strengths_give_one_tension_from_end_to_end(make) -> None:
    belly = make()
    mesh = belly.mesh
    assert (belly.strength >= 0).all()
    for k, unit in enumerate(belly.units):
        pull = np.where(belly.unit == k, belly.strength, 0.0) * mesh.volumes
        nodal = np.zeros(mesh.n_vertices)
        np.add.at(nodal, mesh.T, pull[:, None] * mesh.gradients[:, :, 0])
        assert nodal[belly.held == k + 1].sum() == pytest.approx(unit.force, rel=1e-9)
        assert np.abs(nodal[belly.held == FREE]).max() < 1e-8 * unit.force


def test_a_diamond_bears_its_force_in_the_middle_and_the_tips() -> None:
    strength = diamond(UNIT, width=0.036).strength / (400 / 0.036**2)
    assert strength == pytest.approx([0, 0, 0, 0, 3, 3, 3, 3, 3], abs=1e-6)


@pytest.mark.slow
def test_disorders_change_force_or_length_and_keep_the_strength_of_tets() -> None:
    belly = tube(UNIT, width=0.04, loft=Loft(slabs=4))
    one = np.ones(1)
    at = lambda b, stretch=1.0: Bellies([b]).forces(stretch * 0.24 * one, 0 * one, one).force[0]  # noqa: E731
    assert at(belly.thickened(0.5)) == pytest.approx(200)
    assert at(belly.weakened(0.3)) == pytest.approx(120)
    assert at(belly.lengthened(0.8), 0.8) == pytest.approx(400)
    paralysed = belly.paralysed(np.arange(20))
    assert (paralysed.strength == belly.strength).all()
    assert paralysed.contractile.sum() == belly.mesh.n_tets - 20
    with pytest.raises(ModelError, match="area scale is -1; it must be above 0"):
        belly.thickened(-1)


def test_curves_are_followed_as_they_are_published() -> None:
    curves = hill("thelen", "lee", "hill", taut=1.2)
    x = 0.63 + 0.7 / PIECES
    rows = curves.gains(np.array([x]), np.array([-0.3]), np.array([[1.0, 1.0]]))[0]
    assert rows[0] == pytest.approx(
        Bell(0.45).force(x) * velocity_curve("hill").force(-0.3), rel=1e-8
    )
    line = LineLaw([MotorUnit("m", 1.0, 1.0)], curves)
    zero = np.zeros(1)
    assert line.forces(np.array([1.2 - 1 / PIECES]), zero, zero).force[0] == 0
    assert line.forces(np.array([1.8]), zero, zero).force[0] == pytest.approx(1.0, rel=1e-4)
    assert velocity_curve("hill").force(1e9) == pytest.approx(1.4)
    with pytest.raises(ModelError, match="no passive curve 'hill'; passive curves: blemker"):
        hill(passive="hill")
    with pytest.raises(ModelError, match=r"taut from 3 on; it must be 0.5 to 2"):
        Hill(curves.active, curves.passive, curves.velocity, taut=3.0)


@pytest.mark.slow
def test_a_copy_has_shapes_of_its_own() -> None:
    one = np.ones(1)
    for law in (Bellies([diamond(UNIT, width=0.036)]), Projective([diamond(UNIT, width=0.036)])):
        law.forces(0.25 * one, 0 * one, one)
        before = law.vertices(0)
        other = law.copy()
        other.forces(0.2 * one, 0 * one, 0.5 * one)
        assert (law.vertices(0) == before).all()
        assert not (other.vertices(0) == before).all()


def test_a_belly_on_a_straight_wire_keeps_its_shape_and_on_a_bent_one_its_width() -> None:
    X = tube(UNIT, width=0.04).mesh.X
    laid = swept(X, np.array([[0.1, 0, 0], [0.1, 0, 0.5]]), begin=0.1)
    assert np.linalg.norm(laid[0] - [0.1, 0, 0.1]) < 1e-12
    distance = lambda x: np.linalg.norm(x[:, None] - x[None], axis=2)  # noqa: E731
    assert distance(laid) == pytest.approx(distance(X), abs=1e-12)
    angle = np.linspace(0, np.pi / 2, 30)
    bent = swept(X, 0.2 * np.stack([np.sin(angle), 1 - np.cos(angle), 0 * angle], axis=1))
    axis = np.flatnonzero((X[:, 1] == 0) & (X[:, 2] == 0))
    radius = np.linalg.norm(bent - bent[axis[np.searchsorted(X[axis, 0], X[:, 0] - 1e-9)]], axis=1)
    assert radius == pytest.approx(np.hypot(X[:, 1], X[:, 2]), rel=0.02)


def test_what_cannot_be_is_refused_in_a_sentence() -> None:
    belly, one = diamond(UNIT, width=0.036), np.ones(1)
    two = tube(TWO, width=0.04, loft=Loft(around=16))
    refused = [
        (lambda: MotorUnit("m", -1.0, 0.2), "unit 'm' has force -1; it must be above zero"),
        (lambda: Matrix(shear=0), "a matrix has shear 0 Pa"),
        (lambda: diamond(UNIT, width=0), "belly 'biceps': its width is 0 m"),
        (lambda: diamond(UNIT, width=0.1, core=1), "its core is 1"),
        (lambda: Loft(slabs=1), "a loft has 1 slabs; it needs 2"),
        (lambda: Loft(taper=0), "a loft has the taper 0"),
        (lambda: tube((UNIT, MotorUnit("m", 4.0, 0.2)), width=0.04), "give the loft more `around`"),
        (lambda: Bellies([]), "there are no bellies"),
        (lambda: Newton(tone=1), "the tone is 1"),
        (lambda: Iteration(iterations=0), "there are 0 iterations"),
        (lambda: Grid(low=0.1), "a grid goes from 0.1"),
        (lambda: Condensed([two]), "belly 'long\\+short' has 2 units; a table is of one"),
        (lambda: Projective([two]), "has 2 units; this method is for one"),
        (lambda: replace(belly, unit=np.zeros(3, int)), "unit has 3 rows; it needs 9"),
        (lambda: replace(belly, held=0 * belly.held), "nothing is held at its end 1"),
        (lambda: LineLaw([UNIT]).forces(one, one, np.ones(2)), "activation has the shape"),
        (lambda: LineLaw([UNIT]).forces(-one, one, one), "length of unit 'biceps' is -1"),
        (lambda: swept(belly.mesh.X, np.zeros((3, 3))), "a wire has one point"),
    ]  # fmt: skip
    for ask, sentence in refused:
        with pytest.raises(ModelError, match=sentence):
            ask()


@pytest.mark.slow
def test_a_belly_pressed_together_says_so() -> None:
    one = np.ones(1)
    with pytest.raises(SolveError, match=r"belly 'biceps' found no equilibrium at stretch 0.02"):
        Bellies([diamond(UNIT, width=0.036)]).forces(0.0048 * one, 0 * one, one)
