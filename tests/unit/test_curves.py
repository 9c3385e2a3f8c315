"""Published curves: values, slopes and works agree, and with what was published."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from vastus.cli import main
from vastus.errors import ModelError
from vastus.materials.fibres.published import Kind, active_curve, published

CURVES = [(kind, name) for kind in Kind for name in published(kind)]


@pytest.mark.parametrize(("kind", "name"), CURVES)
def test_force_is_the_slope_of_the_work_and_slope_that_of_the_force(kind: Kind, name: str) -> None:
    curve, h = published(kind)[name].curve, 1e-6
    low, high = {Kind.TENDON: (0.99, 1.06), Kind.VELOCITY: (-1.2, 1.2)}.get(kind, (0.45, 1.75))
    for x in np.linspace(low, high, 37).tolist():
        work = (curve.work(x + h) - curve.work(x - h)) / (2 * h)
        force = (curve.force(x + h) - curve.force(x - h)) / (2 * h)
        assert work == pytest.approx(curve.force(x), abs=1e-6)
        assert force == pytest.approx(curve.slope(x), abs=1e-4)


def test_the_curves_have_their_published_values() -> None:
    """Blemker 2005 eq. 18; Thelen 2003, gamma 0.45; Millard 2013, whose force is 1 at 1.7 passive
    and at a tendon strain of 0.049, with the stiffness 1.375/0.049 there."""
    active, passive, tendon, _ = (published(kind) for kind in Kind)
    assert active["blemker"].curve.force(1.3) == pytest.approx(0.64)
    assert active["thelen"].curve.force(1.3) == pytest.approx(np.exp(-0.2))
    assert active["millard"].curve.force(0.4441) == 0.0
    assert all(one.curve.force(1.0) == pytest.approx(1.0) for one in active.values())
    assert passive["millard"].curve.force(1.7) == pytest.approx(1.0)
    assert passive["thelen"].curve.force(1.6) == pytest.approx(1.0)
    assert tendon["millard"].curve.force(1.049) == pytest.approx(1.0)
    assert tendon["millard"].curve.slope(1.049) == pytest.approx(1.375 / 0.049)


def test_force_follows_velocity_as_published() -> None:
    """Hill's hyperbola; Millard 2013 as OpenSim 4.6 computes it; neither ever falls."""
    hill, millard = (published(Kind.VELOCITY)[name].curve for name in ("hill", "millard"))
    assert hill.force(-0.5) == pytest.approx(0.5 / 3.0)
    assert hill.slope(-1e-9) == pytest.approx(hill.slope(1e-9)) == pytest.approx(5.0)
    opensim = {
        -0.7: 0.06651872702,
        -0.4: 0.2333142218,
        -0.1: 0.6252142843,
        0.1: 1.225153838,
        0.7: 1.362381846,
    }
    for velocity, force in opensim.items():
        assert millard.force(velocity) == pytest.approx(force, abs=1e-9)
    for curve in (hill, millard):
        assert curve.force(0.0) == pytest.approx(1.0)
        assert curve.force(-1.1) == 0.0
        assert min(curve.slope(x) for x in np.linspace(-1.2, 1.2, 97).tolist()) >= 0.0


def test_a_tendon_has_no_step_where_its_toe_ends() -> None:
    """Energy twice, tension once continuously differentiable at lam_max."""
    curve = published(Kind.TENDON)["blemker"].curve
    assert curve.slope(1.03 - 1e-9) == pytest.approx(curve.slope(1.03 + 1e-9), rel=1e-6)
    assert curve.force(1.03 - 1e-12) == pytest.approx(curve.force(1.03 + 1e-12), rel=1e-9)


def test_rows_are_a_curve_too_and_an_unknown_name_is_told() -> None:
    curve = active_curve(((0.5, 0.0), (1.0, 1.0), (1.5, 0.0)))
    assert [curve.force(x) for x in (0.2, 0.5, 1.0, 1.7)] == [0.0, 0.0, 1.0, 0.0]
    assert curve.work(1.5) > 0 > curve.work(0.5)
    with pytest.raises(ModelError, match="no curve 'hill'; curves: blemker, thelen"):
        active_curve("hill")
    with pytest.raises(ModelError, match="neither a name nor rows"):
        active_curve((1.0, 2.0))  # type: ignore[arg-type]


def test_laws_and_curves_are_listed_and_drawn(tmp_path: Path) -> None:
    pytest.importorskip("pyvista", reason="pictures are optional")
    picture = tmp_path / "curves.png"
    done = CliRunner().invoke(main, ["laws", "--plot", str(picture)])
    assert done.exit_code == 0, done.output
    assert "millard   Millard, Uchida, Seth and Delp 2013" in done.output
    assert "stable_neo_hookean" in done.output
    assert picture.read_bytes()[:4] == b"\x89PNG"
