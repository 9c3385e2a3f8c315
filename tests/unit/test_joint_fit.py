"""Joints fitted to heads in cups and spools in notches, and to the bones of an arm."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from vastus.errors import ModelError
from vastus.geometry.surface import Surface
from vastus.modelling.joints.joint_fit import (
    BallFit,
    HingeFit,
    Sign,
    fit_ball,
    fit_hinge,
)
from vastus.numerics.rotation import exp_map
from vastus.numerics.types import Floats

ARM = Path(__file__).parents[3] / "shared/data/arm_bp3d"
TURN = exp_map(np.array([0.7, -0.4, 0.9]))
SHIFT = np.array([0.3, -1.2, 0.8])
AXIS = np.array([1.0, 0.0, 0.0])


def swept(profile: Floats, start: float, end: float, steps: int = 48) -> Surface:
    """A closed profile (m, 2) of (x, radius) swept about the x axis, with ends if not full."""
    angle = np.linspace(start, end, steps + 1)
    m = len(profile)
    x, r = np.tile(profile, (steps + 1, 1)).T
    a = np.repeat(angle, m)
    X = np.column_stack([x, r * np.cos(a), r * np.sin(a)])
    i, j = (g.ravel() for g in np.meshgrid(np.arange(m), np.arange(steps)))
    k, full = (i + 1) % m, end - start > 2 * np.pi - 1e-9
    a, b, c, d = (np.stack([p + m * q for p, q in ((i, j), (k, j), (k, j + 1), (i, j + 1))])) % (
        m * steps if full else len(X)
    )
    faces = [np.column_stack([a, b, c]), np.column_stack([a, c, d])]
    if full:
        return oriented(X[: m * steps], np.vstack(faces))
    ring = np.column_stack([np.arange(m), np.roll(np.arange(m), -1)])
    first, last = np.full((m, 1), len(X)), np.full((m, 1), len(X) + 1)
    ends = [np.hstack([ring[:, ::-1], first]), np.hstack([ring + m * steps, last])]
    middles = [X[:m].mean(axis=0), X[m * steps :].mean(axis=0)]
    return oriented(np.vstack([X, middles]), np.vstack(faces + ends))


def oriented(X: Floats, faces: np.ndarray) -> Surface:
    surface = Surface(X, faces)
    return surface if surface.volume > 0 else Surface(X, faces[:, ::-1])


def head(radius: float = 0.02) -> Surface:
    a = np.linspace(0.02, np.pi - 0.02, 40)
    return swept(radius * np.column_stack([-np.cos(a), np.sin(a)]), 0, 2 * np.pi)


def cup(radius: float = 0.02, gap: float = 0.001) -> Surface:
    a = np.linspace(0.02, 1.1, 16)
    inner = (radius + gap) * np.column_stack([-np.cos(a), np.sin(a)])
    outer = 1.3 * radius * np.column_stack([-np.cos(a), np.sin(a)])
    return swept(np.vstack([inner, outer[::-1]]), 0, 2 * np.pi)


def flank(gap: float) -> Floats:
    """(x, radius) of a spool with a groove in its middle."""
    x = np.linspace(-0.012, 0.012, 15)
    return np.column_stack([x, 0.01 + 20 * x**2 + gap])


def spool() -> Surface:
    return swept(np.vstack([flank(0), [[0.012, 1e-4], [-0.012, 1e-4]]]), 0, 2 * np.pi)


def notch(start: float = -np.pi, end: float = 0.0) -> Surface:
    """Around the lower half (negative z) unless told."""
    return swept(np.vstack([flank(0.001), [[0.012, 0.02], [-0.012, 0.02]]]), start, end)


def moved(surface: Surface, by: list[float]) -> Surface:
    return Surface(surface.X + np.array(by), surface.faces)


def rod(along: list[float]) -> Surface:
    """A box from beside a spool to its end, 0.2 m away."""
    e = np.linalg.svd(np.array(along)[None])[2][1:]
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * 0.004 @ e
    X = np.vstack([corners + np.array(along) * t for t in (0.0105, 0.2)])
    sides = [[i, (i + 1) % 4, 4 + (i + 1) % 4, 4 + i] for i in range(4)]
    quads = np.array([*sides, [3, 2, 1, 0], [4, 5, 6, 7]])
    return oriented(X, quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3))


def placed(surface: Surface, scale: float = 1.0, noise: float = 0.0) -> Surface:
    random = np.random.default_rng(len(surface.X))
    X = surface.X + noise * random.normal(size=surface.X.shape)
    return Surface(scale * X @ TURN.T + SHIFT, surface.faces)


def off(fit: HingeFit) -> float:
    """The distance [m] of the centre from the axis of a placed spool."""
    return float(np.linalg.norm(np.cross(fit.centre - SHIFT, TURN @ AXIS)))


@pytest.mark.parametrize("scale", [0.01, 50.0])
def test_a_head_in_a_cup_is_a_ball_whatever_its_size(scale: float) -> None:
    fit = fit_ball(placed(head(), scale), placed(cup(), scale), names=("arm", "trunk"))
    assert np.linalg.norm(fit.centre - SHIFT) < 1e-6 * scale
    assert fit.radius == pytest.approx(0.02 * scale, rel=1e-4)
    assert fit.bone == "arm"


def test_the_convex_bone_is_found_in_either_order() -> None:
    fit = fit_ball(placed(cup()), placed(head()), names=("trunk", "arm"))
    assert fit.bone == "arm"
    assert np.linalg.norm(fit.centre - SHIFT) < 1e-6


def test_a_rough_head_has_its_centre_within_a_tenth_of_a_millimetre_and_its_residual() -> None:
    fit = fit_ball(placed(head(), noise=1e-4), placed(cup(), noise=1e-4))
    assert np.linalg.norm(fit.centre - SHIFT) < 1e-4
    assert fit.residual == pytest.approx(1e-4, rel=0.3)


def test_a_ball_is_told_in_a_sentence() -> None:
    fit = BallFit(np.zeros(3), 0.0234, 0.0003, 412, 0.9, "humerus")
    assert fit.sentence == "sphere of 23.4 mm on humerus, rms 0.30 mm, 412 points"


@pytest.mark.parametrize("scale", [0.01, 50.0])
def test_a_spool_in_a_notch_is_a_hinge_whatever_its_size(scale: float) -> None:
    fit = fit_hinge(placed(spool(), scale), placed(notch(), scale), names=("humerus", "ulna"))
    assert abs(fit.axis @ TURN @ AXIS) > np.cos(np.radians(0.5))
    assert off(fit) < 1e-4 * scale
    assert fit.bone == "humerus"


def test_a_rough_spool_has_its_axis_within_two_degrees() -> None:
    fit = fit_hinge(placed(notch(), noise=1e-4), placed(spool(), noise=1e-4))
    assert abs(fit.axis @ TURN @ AXIS) > np.cos(np.radians(2))
    assert off(fit) < 3e-4


def test_a_head_beside_the_spool_adds_to_the_axis() -> None:
    turned = exp_map(np.array([0, np.pi / 2, 0]))
    ball = moved(head(0.01), [0.03, 0, 0])
    socket = moved(Surface(cup(0.01, 0.002).X @ turned.T, cup().faces), [0.03, 0, 0])
    both = Surface(
        np.vstack([spool().X, ball.X]), np.vstack([spool().faces, ball.faces + spool().n_vertices])
    )
    alone = fit_hinge(placed(both), placed(notch()))
    fit = fit_hinge(placed(both), [placed(notch()), placed(socket)])
    assert (alone.spheres, fit.spheres) == (0, 1)
    assert fit.inliers > alone.inliers
    assert abs(fit.axis @ TURN @ AXIS) > np.cos(np.radians(0.5))
    assert fit.centre == pytest.approx(alone.centre, abs=1e-4)


def test_flexion_is_the_way_that_is_free() -> None:
    """The long lip of the notch, on the side of negative y, would run into the first rod."""
    one, two = [spool(), rod([0, 0, 1.0])], [notch(-1.2 * np.pi, -0.3 * np.pi), rod([0, 0, -1.0])]
    fit = fit_hinge(one, two)
    assert fit.sign is Sign.ROOM
    assert np.cross(fit.axis, [0, 0, -1]) @ [0, 1, 0] > 0.9  # where the second rod goes
    assert fit_hinge(two, one).axis == pytest.approx(-fit.axis)


def test_flexion_bends_further_what_is_bent() -> None:
    bent = [0, 0.4, -0.917]
    fit = fit_hinge([spool(), rod([0, 0, 1.0])], [notch(-0.75 * np.pi, -0.25 * np.pi), rod(bent)])
    assert fit.sign is Sign.BEND
    assert np.cross(fit.axis, [0, 0, -1]) @ [0, 1, 0] > 0.9


def test_without_a_sign_of_flexion_the_axis_is_positive() -> None:
    notched = notch(-0.75 * np.pi, -0.25 * np.pi)
    fit = fit_hinge([spool(), rod([0, 0, 1.0])], [notched, rod([0, 0, -1.0])])
    assert fit.sign is Sign.NONE
    assert fit.axis[0] > 0.99
    assert "not seen" in fit.sentence


def test_bones_far_apart_are_no_joint() -> None:
    with pytest.raises(ModelError, match=r"^no ball fits a and b: they are \d+ mm apart; give its"):
        fit_ball(head(), moved(cup(), [0, 0, 0.2]), names=("a", "b"))


def test_two_hollows_are_no_joint() -> None:
    other = Surface(cup().X * [-1, 1, 1], cup().faces[:, ::-1])
    with pytest.raises(ModelError, match="give its 'centre' and 'axis'"):
        fit_hinge(cup(), other)


def test_a_spool_is_no_ball_and_the_sentence_says_what_was_found() -> None:
    with pytest.raises(ModelError, match=r"no ball fits .*; give its 'centre'$") as refused:
        fit_ball(spool(), notch(), names=("humerus", "ulna"))
    assert "humerus and ulna" in str(refused.value)
    assert "points" in str(refused.value)


def test_flat_bones_are_no_joint() -> None:
    with pytest.raises(ModelError, match="too few points of a convex surface face the other bone"):
        fit_ball(rod([0, 0, 1.0]), moved(rod([0, 0, -1.0]), [0, 0, 0.025]))


def bone(name: str) -> Surface:
    """A bone of the arm, in metres."""
    lines = next(ARM.glob(f"*right_{name}.obj")).read_text().splitlines()
    rows = [line.split() for line in lines]
    X = np.array([row[1:4] for row in rows if row[:1] == ["v"]], float)
    faces = np.array([[i.split("/")[0] for i in r[1:4]] for r in rows if r[:1] == ["f"]], int)
    return Surface(1e-3 * X, faces - 1)


@pytest.mark.skipif(not ARM.exists(), reason="needs the arm's surfaces, ../shared/data/arm_bp3d")
class TestArm:
    """The right arm of BodyParts3D: -x is lateral, -y is forward, z is up."""

    def test_the_head_of_the_humerus_is_a_sphere_to_a_third_of_a_millimetre(self) -> None:
        fit = fit_ball(bone("humerus"), bone("scapula"), names=("humerus", "scapula"))
        assert fit.bone == "humerus"
        assert fit.residual < 3e-4
        assert 0.021 < fit.radius < 0.024

    def test_the_elbow_flexes_forward_about_a_line_across_the_humerus(self) -> None:
        humerus, forearm = bone("humerus"), [bone("ulna"), bone("radius")]
        fit = fit_hinge(humerus, forearm, names=("humerus", "forearm"))
        shoulder = fit_ball(humerus, bone("scapula")).centre
        upward = (shoulder - fit.centre) / np.linalg.norm(shoulder - fit.centre)
        assert (fit.bone, fit.spheres, fit.sign) == ("humerus", 1, Sign.ROOM)
        assert abs(fit.axis @ upward) < np.sin(np.radians(8))
        assert np.cross(fit.axis, -upward)[1] < -0.9
