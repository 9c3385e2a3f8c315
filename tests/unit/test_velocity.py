"""Velocities of a motion: kept in frames, bones included, and shown as a speed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bent_bar import BELOW, Y, bent, hinged
from vastus.errors import MissingExtra, ModelError
from vastus.export.export import export
from vastus.export.formats import FORMATS, Format
from vastus.export.regions import SPEED
from vastus.measure.fields import VELOCITY
from vastus.model import Model
from vastus.pictures.colours import FIELDS
from vastus.pictures.field_values import has_field, values_of
from vastus.pictures.skin import region_skins
from vastus.results.frame_file import bones_path
from vastus.results.result import read_playback, read_result
from vastus.results.writer import ResultWriter
from vastus.state import Frame, Report, State

TURN = 3.0  # [rad/s] of the tip about the hinge
SHADE = FIELDS["speed"]


def swinging(model: Model, angle: float) -> State:
    """The bent bar while its tip turns about the hinge, and what is between follows evenly."""
    state = bent(model, angle)
    share = np.clip((model.mesh.X[:, :1] - 0.01) / 0.06, 0.0, 1.0)
    carried = (model.mesh.X - BELOW) @ state.poses[1, :, :3].T
    own, pose = model.bone_of_vertex == 1, state.poses[1]
    # To the last bit where the pose puts it, or the frame would keep it for itself.
    there = np.einsum("ij,hj->hi", pose[:, :3], model.mesh.X[own]) + pose[:, 3]
    state.x[own] = there
    twists = np.zeros((2, 6))
    twists[1, :3] = TURN * Y
    return replace(state, v=share * np.cross(TURN * Y, carried), twists=twists)


@pytest.fixture(scope="module")
def states(bar_model: Model) -> list[State]:
    model = hinged(bar_model)
    return [replace(swinging(model, 0.1 * k), time=0.1 * k) for k in range(3)]


@pytest.fixture(scope="module")
def folder(bar_model: Model, states: list[State], tmp_path_factory: pytest.TempPathFactory) -> Path:
    model, path = hinged(bar_model), tmp_path_factory.mktemp("motion") / "swing"
    with ResultWriter(path, model) as writer:
        for number, state in enumerate(states):
            writer.add(Frame(number, state, Report(True, 1, 0.0, 1.0, 0.0), model=model))
    return path


def test_velocities_are_read_back_those_of_bones_included(
    folder: Path, states: list[State]
) -> None:
    result = read_result(folder)
    inside = np.setdiff1d(
        np.flatnonzero(result.model.bone_of_vertex == 1), result.model.mesh.boundary
    )
    assert len(inside), "vertices that only an affine function tells"
    for index, state in enumerate(states):
        found = result.frame(index).point_fields[VELOCITY]
        np.testing.assert_allclose(found, state.v, atol=1e-12)
    assert np.abs(states[1].v[inside]).max() > 0.1


def test_frames_without_velocities_of_bones_are_read(
    folder: Path, states: list[State], tmp_path: Path, bar_model: Model
) -> None:
    model = hinged(bar_model)
    with ResultWriter(tmp_path, model) as writer:
        writer.add(Frame(0, states[1], Report(True, 1, 0.0, 1.0, 0.0), model=model))
    bones_path(tmp_path, 0).unlink()
    found = read_result(tmp_path).frame(0).point_fields[VELOCITY]
    soft = np.unique(model.mesh.T[model.soft])
    np.testing.assert_allclose(found[soft], states[1].v[soft])
    assert not found[np.setdiff1d(np.arange(len(found)), soft)].any()


def test_speed_is_the_size_of_the_velocity(folder: Path, states: list[State]) -> None:
    moment = read_result(folder).frame(2)
    assert has_field(moment, SHADE)
    speed = np.linalg.norm(states[2].v, axis=1)
    for skin in region_skins(moment.model, split=True).values():  # type: ignore[arg-type]
        shown = values_of(moment, SHADE).on_skin(skin)
        np.testing.assert_allclose(shown, speed[skin.vertices], atol=1e-12)


def test_a_state_at_rest_has_no_speed(bar_model: Model) -> None:
    with pytest.raises(ModelError, match="no speed; only frames of motions in time"):
        bar_model.plot(colour="speed")


MOVING = [pytest.param(f, id=f.name) for f in FORMATS.values() if VELOCITY in f.point_fields]


@pytest.mark.parametrize("form", MOVING)
def test_exports_hold_speeds_and_velocities(
    form: Format, folder: Path, states: list[State], tmp_path: Path
) -> None:
    path = tmp_path / f"copy{form.suffix}"
    try:
        export(folder, path, to=form.name)
    except MissingExtra as error:
        pytest.skip(str(error))
    copy = form.load().read(path)
    for name, skin in region_skins(read_playback(folder).model, split=False).items():
        fields = copy.meshes[name].fields
        for index, state in enumerate(states):
            v, near = state.v[skin.vertices], max(form.precision, 1e-12)
            np.testing.assert_allclose(fields[SPEED][index], np.linalg.norm(v, axis=1), atol=near)
            if VELOCITY in fields:
                np.testing.assert_allclose(fields[VELOCITY][index], v, atol=near)
    vectors = {name for name, mesh in copy.meshes.items() if VELOCITY in mesh.fields}
    assert {"origin", "belly", "insertion"} <= vectors or form.name == "alembic"
