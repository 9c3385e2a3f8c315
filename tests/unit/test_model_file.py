"""A model survives its file, and a bad file is refused in one sentence."""

from __future__ import annotations

import json
from dataclasses import replace
from math import inf
from pathlib import Path

import numpy as np
import pytest

from builders import made
from vastus.description import description
from vastus.errors import FileError
from vastus.files.model_file import load_model, save_model
from vastus.materials import LAWS
from vastus.model import Model, Muscle
from vastus.parts import Load, Pin
from vastus.skeleton.joints import JOINTS, Joint
from vastus.skeleton.passive import Passive


@pytest.fixture
def rich_model(bar_model: Model) -> Model:
    """The bar with a pin, a load and an unlimited muscle."""
    half = np.array([0.5, 0.5])
    return bar_model.with_(
        muscles=(Muscle.raw("belly"),),
        pins=(Pin("stop", np.array([40, 41]), (True, False, True), (0.0, 0.1, 1 / 3)),),
        loads=(Load("hand", np.array([70, 71]), half, np.array([0.0, 0.1, -1 / 3])),),
        gravity=np.array([0.0, -9.81, 0.0]),
    )


def joint_of(kind: str) -> Joint:
    joint = replace(made(kind), name=kind, bones=("base", "tip"))
    half = Passive((-inf, 1 / 3), stiffness=0.1, neutral=1 / 7, damping=0.7)
    return replace(joint, passive=(half,) * joint.coordinates)


def test_everything_but_joints_and_laws_survives(rich_model: Model, tmp_path: Path) -> None:
    save_model(tmp_path / "m.npz", rich_model)
    back = load_model(tmp_path / "m.npz")
    for name in ("region", "fibre", "gravity"):
        np.testing.assert_array_equal(getattr(back, name), getattr(rich_model, name))
    np.testing.assert_array_equal(back.mesh.X, rich_model.mesh.X)
    np.testing.assert_array_equal(back.mesh.T, rich_model.mesh.T)
    np.testing.assert_array_equal(back.loads[0].force, rich_model.loads[0].force)
    np.testing.assert_array_equal(back.pins[0].vertices, [40, 41])
    assert back.pins[0].axes == (True, False, True)
    assert back.regions == rich_model.regions
    assert back.muscles == rich_model.muscles
    assert [b.drive for b in back.bones] == [b.drive for b in rich_model.bones]
    assert back.digest == rich_model.digest


@pytest.mark.parametrize("kind", JOINTS)
def test_every_joint_survives(kind: str, bar_model: Model, tmp_path: Path) -> None:
    model = bar_model.with_(joints=(joint_of(kind),))
    save_model(tmp_path / "m.npz", model)
    back = load_model(tmp_path / "m.npz").joints[0]
    assert (type(back), back.name, back.bones) == (JOINTS[kind], kind, ("base", "tip"))
    np.testing.assert_array_equal(back.points(0.1), model.joints[0].points(0.1))
    np.testing.assert_array_equal(back.planes(0.1), model.joints[0].planes(0.1))
    assert back.passive == model.joints[0].passive


def test_a_joint_that_does_not_resist_is_written_as_it_always_was(bar_model: Model) -> None:
    joint = replace(joint_of("hinge"), passive=())
    said = description(bar_model.with_(joints=(joint,)))["joints"][0]
    assert set(said) == {"name", "bones", "centre", "axis", "joint"}


@pytest.mark.parametrize("name", LAWS)
def test_every_law_survives(name: str, bar_model: Model, tmp_path: Path) -> None:
    regions = list(bar_model.regions)
    regions[2] = type(regions[2])("belly", regions[2].tissue, (LAWS[name](),), muscle="belly")
    model = bar_model.with_(regions=tuple(regions))
    save_model(tmp_path / "m.npz", model)
    assert load_model(tmp_path / "m.npz").regions == model.regions


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"there is no file '.*none\.npz'"):
        load_model(tmp_path / "none.npz")


@pytest.mark.parametrize("keep", [0, 10, 2000])
def test_a_truncated_file_is_refused(keep: int, bar_model: Model, tmp_path: Path) -> None:
    path = tmp_path / "m.npz"
    save_model(path, bar_model)
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(FileError, match=r"m\.npz' is not a complete \.npz file"):
        load_model(path)


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "m.npz", a=np.zeros(3))
    with pytest.raises(FileError, match="is not a model file"):
        load_model(tmp_path / "m.npz")


def edited(path: Path, model: Model, old: str, new: str) -> Path:
    """A saved model whose JSON text was changed."""
    save_model(path, model)
    with np.load(path) as file:
        arrays = dict(file)
    arrays["json"] = np.array(str(arrays["json"]).replace(old, new))
    np.savez(path, **arrays)
    return path


def test_another_format_is_refused(bar_model: Model, tmp_path: Path) -> None:
    path = edited(tmp_path / "m.npz", bar_model, '"format": 1', '"format": 99')
    with pytest.raises(FileError, match="is a model of format 99; this vastus reads 1"):
        load_model(path)


def test_an_unknown_law_lists_the_known_ones(bar_model: Model, tmp_path: Path) -> None:
    path = edited(tmp_path / "m.npz", bar_model, "stable_neo_hookean", "jelly")
    with pytest.raises(FileError, match=r"no law 'jelly'; laws: .*stable_neo_hookean"):
        load_model(path)


def test_a_damaged_description_is_refused(bar_model: Model, tmp_path: Path) -> None:
    path = edited(tmp_path / "m.npz", bar_model, '"tissue"', '"issue"')
    with pytest.raises(FileError, match="is damaged"):
        load_model(path)


def test_the_description_is_readable_json(bar_model: Model, tmp_path: Path) -> None:
    save_model(tmp_path / "m.npz", bar_model)
    with np.load(tmp_path / "m.npz", allow_pickle=False) as file:
        text = json.loads(str(file["json"]))
    assert text["model"]["bones"][0] == {"name": "base", "regions": ["base"], "drive": "pinned"}


def test_a_failed_write_leaves_the_old_file(bar_model: Model, tmp_path: Path) -> None:
    (tmp_path / "m.npz").mkdir()
    with pytest.raises(FileError, match=r"cannot write '.*m\.npz'"):
        save_model(tmp_path / "m.npz", bar_model)
    assert [p.name for p in tmp_path.iterdir()] == ["m.npz"]
