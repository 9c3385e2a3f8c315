"""Motion in time from a scene file: explicit steps, a floor, and how bodies set off."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import vastus
from vastus.cli import main
from vastus.errors import ModelError
from vastus.job import prepare, solve
from vastus.modelling.start import Flight, set_off
from vastus.results.result import read_result

SCENE = """\
vastus: 1
name: drop
model: {shape: torus, tets: 1000, height: 0.034, tilt: 20}
floor: {point: [0, 0, 0], normal: [0, 0, 1]}
start: {velocity: [0, 0, -1], spin: [0, 0, 5]}
solver: {kind: explicit, courant: 0.9, viscosity: 0.0001}
inputs: {seconds: 0.006, fps: 500, gravity: [[0, [0, 0, 0]], [0.004, [0, 0, -9.81]]]}
output: {pictures: false, movie: false}
"""


def written(folder: Path, text: str = SCENE) -> Path:
    path = folder / "scene.yaml"
    path.write_text(text)
    return path


def test_a_scene_moves_explicitly_and_goes_on_to_the_last_bit(tmp_path: Path) -> None:
    job = prepare(vastus.read(written(tmp_path)))
    done = CliRunner().invoke(main, ["run", str(written(tmp_path)), "-o", str(tmp_path / "whole")])
    assert done.exit_code == 0, done.output
    cut = solve(job, tmp_path / "cut")
    next(cut), next(cut)
    cut.close()
    list(solve(job, tmp_path / "cut", resume=True))
    one, other = read_result(tmp_path / "whole"), read_result(tmp_path / "cut")
    assert one.state is not None
    assert other.state is not None
    np.testing.assert_array_equal(one.state.x, other.state.x)
    np.testing.assert_array_equal(one.state.v, other.state.v)
    assert 0 < one.state.x[:, 2].min() < 1e-3


def test_bodies_set_off_by_name() -> None:
    """The momentum is that of the velocity, the angular momentum that of the spin."""
    model = vastus.shapes.torus(1000, height=0.1)
    state = set_off(model, {"torus": Flight((1.0, 2.0, 3.0), (0.0, 0.0, 4.0))})
    m = np.bincount(model.mesh.T.ravel(), np.repeat(model.mesh.volumes, 4))
    assert m @ state.v / m.sum() == pytest.approx([1.0, 2.0, 3.0])
    X = model.mesh.X
    arm = np.hypot(X[:, 0], X[:, 1])
    turning = m @ np.cross(X - m @ X / m.sum(), state.v)
    assert turning[2] == pytest.approx(4 * (m @ arm**2), rel=1e-9)
    with pytest.raises(ModelError, match="no body 'ring'; bodies: torus"):
        set_off(model, {"ring": Flight()})


def test_a_bone_sets_off_with_what_it_carries() -> None:
    model = vastus.shapes.fusiform(1000)
    state = set_off(model, {"lower": Flight((0.0, 0.0, -1.0), (2.0, 0.0, 0.0))})
    carried = model.bone_of_vertex == model.bone("lower")
    assert (state.v[~carried] == 0).all()
    assert state.twists[model.bone("lower"), :3] == pytest.approx([2.0, 0.0, 0.0])
    turns = np.cross([2.0, 0.0, 0.0], model.mesh.X[carried] - model.mesh.X[carried].mean(axis=0))
    rates = state.v[carried] - state.v[carried].mean(axis=0)
    assert rates == pytest.approx(turns)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            "kind: explicit, courant: 0.9, viscosity: 0.0001",
            "kind: newton",
            "line 5 .start.: equil",
        ),
        ("start: {velocity", "start: {speed", "unknown key 'velocity'|unknown key 'speed'"),
        (
            "start: {velocity: [0, 0, -1], spin: [0, 0, 5]}",
            "start: {velocitie: [0, 0, -1]}",
            r"line 5 .start.velocitie.: unknown key 'velocitie'; did you mean 'velocity'\?",
        ),
        ("normal: [0, 0, 1]", "normal: [0, 0, 0]", "line 4 .floor.normal.: .* must not be zero"),
        ("courant: 0.9", "courant: 2", "line 6 .solver.courant.: courant is 2; it must be betw"),
        (
            "kind: explicit, courant: 0.9",
            "kind: dynamic, step: -0.01",
            "line 6 .solver.step.: step is -0.01; it must be finite and above 0",
        ),
        ("courant: 0.9", "bones: affine", "line 6 .solver.: explicit motion needs rigid bones"),
        ("point: [0, 0, 0]", "point: [0, 0, 1]", "line 4 .floor.: the model begins .* mm below"),
        ("tilt: 20", "tilt: .inf", "line 3 .model.tilt.: inf was given"),
        ("tets: 1000", "young: 0", "line 3 .model.young.: 0 was given, but it must be .* above 0"),
        ("courant: 0.9", "step: 0.01", "explicit has no 'step'"),
        ("start: {velocity: [0, 0, -1], spin: [0, 0, 5]}", "start: {ring: {}}", "bodies: torus$"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(
    old: str, new: str, sentence: str, tmp_path: Path
) -> None:
    assert old in SCENE
    with pytest.raises(ModelError, match=sentence):
        prepare(vastus.read(written(tmp_path, SCENE.replace(old, new))))


def test_a_shape_may_lie_and_stand_as_it_does_unless_told(tmp_path: Path) -> None:
    text = SCENE.replace("height: 0.034, tilt: 20", "height: 0, tilt: 0").replace(
        "floor", "# floor"
    )
    model = prepare(vastus.read(written(tmp_path, text))).model
    np.testing.assert_array_equal(model.mesh.X, vastus.shapes.torus(1000).mesh.X)


def test_check_knows_what_a_motion_refuses(tmp_path: Path) -> None:
    """A free bone, which explicit steps do not move, is found before any run."""
    text = f"""\
vastus: 1
model: {{shape: fusiform, tets: 1000}}
{SCENE.splitlines()[5]}
"""
    said = CliRunner().invoke(main, ["check", str(written(tmp_path, text))])
    assert said.exit_code == 2
    assert "line 3 (solver): bone 'lower' is free" in " ".join(said.output.split())
