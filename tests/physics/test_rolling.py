"""A wheel that rolls, driven and free, against closed forms."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from builders import inputs_of
from vastus.errors import ModelError
from vastus.files.model_file import load_model, save_model
from vastus.geometry.tetmesh import TetMesh, together
from vastus.model import Model
from vastus.modelling.build import build
from vastus.modelling.gallery.labelled_body import annulus, grid, solid_block
from vastus.modelling.tissues import bone_region
from vastus.numerics.types import Floats
from vastus.parts import Bone, Drive
from vastus.scene.read import read
from vastus.scene.schema import SceneError
from vastus.schedules import keyframes
from vastus.skeleton.joints import Hinge, Rolling, Slider
from vastus.skeleton.passive import Passive
from vastus.solvers.motion.dynamic import Dynamic
from vastus.solvers.newton import Newton
from vastus.state import rest
from vastus.timeloop import simulate

R, G = 0.05, 9.81
X, Y, Z = np.eye(3)
CENTRE = np.array([0.0, 0.0, R])


def wheels(count: int = 1, **fields: object) -> Model:
    """Wheels of the radius R on a pinned `ground`, which roll along x; with two, a cart on them."""
    places = [CENTRE + 0.2 * k * X for k in range(count)]
    ring = grid((16, 1, 1), annulus(0.02, lambda a: np.full_like(a, R), 0.02), "w", closed=True)
    parts = [grid((2, 1, 1), solid_block((0, 0, -0.1), (0.1, 0.05, 0.02)), "g").mesh]
    parts += [TetMesh(ring.mesh.X + place, ring.mesh.T) for place in places]
    names = ["ground", *(f"wheel {k}" for k in range(count))]
    joints = [
        Rolling(f"roll {k}", ("ground", f"wheel {k}"), at, Y, at - R * Z)
        for k, at in enumerate(places)
    ]
    if count == 2:
        parts.append(grid((2, 1, 1), solid_block((0.1, 0, 0.2), (0.1, 0.02, 0.02)), "c").mesh)
        names.append("cart")
        joints += [Hinge(f"axle {k}", ("cart", f"wheel {k}"), at, Y) for k, at in enumerate(places)]
    mesh = together(*parts)
    return Model(
        mesh=mesh,
        region=np.repeat(np.arange(len(parts)), [part.n_tets for part in parts]),
        regions=tuple(bone_region(name) for name in names),
        fibre=np.zeros((mesh.n_tets, 3)),
        muscles=(),
        bones=tuple(Bone(n, (n,), Drive.PINNED if n == "ground" else Drive.FREE) for n in names),
        joints=tuple(joints),
    ).with_(**fields)


def inertia_about_axle(model: Model) -> tuple[float, float]:
    """The mass [kg] of the wheel, and its inertia about its axle [kg m^2]."""
    tets = model.tets_of(["wheel 0"])
    mass = model.mesh.volumes[tets] * model.regions[1].density
    p = model.mesh.X[model.mesh.T[tets]] - CENTRE
    # Of a tet, the mean of a square is that of its corners and of its middle, one to four.
    square = p[..., 0] ** 2 + p[..., 2] ** 2
    middle = p.mean(axis=1)
    mean = 0.2 * square.mean(axis=1) + 0.8 * (middle[:, 0] ** 2 + middle[:, 2] ** 2)
    return float(mass.sum()), float(mass @ mean)


def turn_of(pose: Floats) -> float:
    """The angle [rad] of a pose about y."""
    return float(np.arctan2(pose[0, 2], pose[0, 0]))


def test_a_driven_wheel_turns_as_far_as_it_goes() -> None:
    """The angle is s / R, over several turns; the reaction on the flat is nothing."""
    model = wheels()
    far = 5.5 * np.pi * R  # two whole turns and three quarters
    keys = keyframes(model, joints={"roll 0": [(0, 0), (1, far)]}, seconds=1, fps=8)
    for frame in simulate(model, Newton(1e-12), keys):
        s = far * frame.time
        pose = frame.state.poses[1]
        np.testing.assert_allclose(pose[:, :3] @ CENTRE + pose[:, 3], CENTRE + s * X, atol=1e-12)
        assert np.exp(1j * turn_of(pose)) == pytest.approx(np.exp(1j * s / R), abs=1e-10)
        assert frame.outputs["roll 0_shift_m"] == pytest.approx(s, abs=1e-12)
        assert frame.outputs["roll 0_reaction_N"] == pytest.approx(0.0, abs=1e-9)


def test_a_driven_wheel_on_a_slope_is_held_by_its_weight_along_it() -> None:
    slope = np.radians(20.0)
    model = wheels(gravity=G * np.array([np.sin(slope), 0.0, -np.cos(slope)]))
    mass, _ = inertia_about_axle(model)
    inputs = replace(inputs_of(model), joints=np.array([0.07]))
    state, _ = Newton(1e-12).prepare(model).step(rest(model), inputs)
    assert state.memory["reactions"][0] == pytest.approx(-mass * G * np.sin(slope), rel=1e-9)


def test_a_wheel_rolls_down_a_slope_slower_than_it_would_slide() -> None:
    """a = g sin / (1 + I / (m R^2)), and half a t^2 is the way."""
    slope = np.radians(10.0)
    model = wheels(gravity=G * np.array([np.sin(slope), 0.0, -np.cos(slope)]))
    mass, inertia = inertia_about_axle(model)
    rate = G * np.sin(slope) / (1 + inertia / (mass * R**2))
    solver = Dynamic(step=0.005, viscosity=0.0, scheme="bdf2")
    *_, last = simulate(model, solver, keyframes(model, seconds=0.3, fps=10))
    way = last.outputs["roll 0_shift_m"]
    assert way == pytest.approx(0.5 * rate * 0.3**2, rel=0.01)
    turned = turn_of(last.state.poses[1])
    assert turned == pytest.approx(way / R, abs=1e-9)


def test_a_wheel_on_a_spring_stands_where_its_weight_does() -> None:
    """k s = m g sin: statics with the wheel free, which needs the second derivative of the slip."""
    slope, k = np.radians(30.0), 400.0
    model = wheels(gravity=G * np.array([np.sin(slope), 0.0, -np.cos(slope)]))
    (roll,) = model.joints
    model = model.with_(joints=(replace(roll, passive=(Passive(stiffness=k),)),))
    mass, _ = inertia_about_axle(model)
    state, report = Newton(1e-11).prepare(model).step(rest(model), inputs_of(model))
    way = state.poses[1, 0] @ np.append(CENTRE, 1.0)
    assert way == pytest.approx(mass * G * np.sin(slope) / k, rel=1e-8)
    assert turn_of(state.poses[1]) == pytest.approx(way / R, abs=1e-10)
    assert report.iterations < 8


def test_a_cart_takes_its_wheels_along() -> None:
    """A ring of bones: driven along a rail, both wheels turn, by s / R."""
    model = wheels(2)
    rail = Slider("rail", ("ground", "cart"), np.array([0.1, 0.0, 0.2]), X)
    model = model.with_(joints=(rail, *model.joints))
    keys = keyframes(model, joints={"rail": [(0, 0), (1, 0.4)]}, seconds=1, fps=4)
    for frame in simulate(model, Newton(1e-12), keys):
        s = 0.4 * frame.time
        for wheel in (1, 2):
            assert np.exp(1j * turn_of(frame.state.poses[wheel])) == pytest.approx(
                np.exp(1j * s / R), abs=1e-9
            )
        assert frame.state.poses[3, 0, 3] == pytest.approx(s, abs=1e-12)


def test_a_wheel_that_touches_on_its_axis_is_refused() -> None:
    (roll,) = wheels().joints
    with pytest.raises(ModelError, match="'roll 0' touches the ground on its own axis"):
        wheels(joints=(replace(roll, touch=CENTRE + 0.1 * Y),))


def test_a_scene_has_wheels_and_a_model_keeps_them(tmp_path: Path) -> None:
    save_model(tmp_path / "wheel.npz", wheels(joints=()))
    text = (
        "vastus: 1\nmodel: {file: wheel.npz}\njoints:\n"
        "  roll: {kind: rolling, bones: [ground, wheel 0], centre: [0, 0, 0.05], axis: [0, 1, 0]"
    )
    (tmp_path / "a.yaml").write_text(text + "}\n")
    with pytest.raises(SceneError, match="a joint of kind 'rolling' needs 'touch' as well"):
        read(tmp_path / "a.yaml")
    (tmp_path / "a.yaml").write_text(text + ", touch: [0, 0, 0]}\n")
    model = build(read(tmp_path / "a.yaml"))
    save_model(tmp_path / "b.npz", model)
    (kept,) = load_model(tmp_path / "b.npz").joints
    assert isinstance(kept, Rolling)
    assert kept.radius == pytest.approx(R)
    np.testing.assert_allclose(kept.way, X, atol=1e-15)
