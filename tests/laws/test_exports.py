"""Every listed format gives back what was written, and leaves nothing of an export that ends."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bent_bar import hinged, oddly_named, write_bent
from hollows import hollow_box
from vastus import Cable
from vastus.errors import MissingExtra
from vastus.export.export import export
from vastus.export.formats import FORMATS, Format, Holds
from vastus.export.regions import Copy
from vastus.export.tables import columns
from vastus.measure.outputs import Outputs
from vastus.model import Model
from vastus.pictures.skin import Skin, region_skins
from vastus.results.playback import Playback, Snapshot
from vastus.results.result import read_playback
from vastus.results.writer import ResultWriter
from vastus.state import Frame, Report, State, rest

DEGREES = (0.0, 10.0, 25.0, 15.0)


@pytest.fixture(scope="module", params=["plain", "odd names"])
def folder(
    request: pytest.FixtureRequest, bar_model: Model, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    plain = hinged(bar_model)
    model = oddly_named(plain) if request.param == "odd names" else plain
    return write_bent(tmp_path_factory.mktemp("result") / "bent", model, DEGREES)


def holding(*kinds: Holds) -> list[object]:
    return [pytest.param(f, id=f.name) for f in FORMATS.values() if f.holds in kinds]


def written(folder: Path, form: Format, path: Path) -> Copy:
    """What is read back, after seeing that the watch was told of every frame."""
    told: list[tuple[int, int]] = []
    try:
        export(folder, path, to=form.name, watch=lambda *now: told.append(now))
    except MissingExtra as error:
        pytest.skip(str(error))
    assert told == [(k + 1, len(DEGREES)) for k in range(len(DEGREES))]
    assert list(path.parent.iterdir()) == [path]
    copy: Copy = form.load().read(path)
    return copy


def expected(skin: Skin, moment: Snapshot, name: str, points: bool) -> np.ndarray:
    values = moment.fields[name]
    return skin.averaged(values) if points else values[skin.tets]


@pytest.mark.parametrize("form", holding(Holds.SHAPES))
def test_shapes_are_read_back(form: Format, folder: Path, tmp_path: Path) -> None:
    playback = read_playback(folder)
    copy = written(folder, form, tmp_path / f"copy{form.suffix}")
    skins = region_skins(playback.model, split=False)
    np.testing.assert_allclose(copy.times, playback.times, atol=form.precision)
    assert set(copy.meshes) == set(skins)
    for name, skin in skins.items():
        mesh = copy.meshes[name]
        np.testing.assert_array_equal(mesh.faces, skin.faces)
        assert set(mesh.fields) == set(form.fields)
        for moment in playback:
            near = form.precision * np.abs(moment.x).max()
            x = moment.x[skin.vertices]
            np.testing.assert_allclose(mesh.x[moment.index], x, rtol=0, atol=near)
            for field, values in mesh.fields.items():
                points = values.shape[1] == len(skin.vertices)
                true = expected(skin, moment, field, points)
                near = form.precision * np.abs(moment.fields[field]).max()
                np.testing.assert_allclose(values[moment.index], true, rtol=0, atol=near)


@pytest.mark.parametrize("form", holding(Holds.TABLE))
def test_tables_are_read_back(form: Format, folder: Path, tmp_path: Path) -> None:
    playback = read_playback(folder)
    copy = written(folder, form, tmp_path / f"copy{form.suffix}")
    table = columns(playback, lambda *now: None)
    assert list(copy.table) == list(table)
    assert np.isnan(table[f"{playback.model.muscles[0].name}_knee_arm_m"]).tolist() == [
        True,
        *[False] * 3,
    ]
    for name, column in table.items():
        np.testing.assert_array_equal(copy.table[name], column)


@pytest.mark.parametrize("form", holding(Holds.SHAPES, Holds.TABLE))
def test_chosen_frames_are_those_of_the_result(form: Format, folder: Path, tmp_path: Path) -> None:
    path = tmp_path / f"copy{form.suffix}"
    try:
        export(folder, path, to=form.name, frames=lambda count: range(1, count, 2))
    except MissingExtra as error:
        pytest.skip(str(error))
    copy, playback = form.load().read(path), read_playback(folder)
    np.testing.assert_allclose(copy.times, playback.times[1::2], atol=1e-6)
    for name, skin in region_skins(playback.model, split=False).items() if copy.meshes else ():
        x = playback[3].x[skin.vertices]
        np.testing.assert_allclose(copy.meshes[name].x[1], x, atol=1e-6)


@pytest.mark.parametrize("form", holding(Holds.SHAPES, Holds.TABLE))
def test_a_single_frame_is_read_back(form: Format, folder: Path, tmp_path: Path) -> None:
    path = tmp_path / f"copy{form.suffix}"
    try:
        export(folder, path, to=form.name, frames=lambda count: [2])
    except MissingExtra as error:
        pytest.skip(str(error))
    copy, playback = form.load().read(path), read_playback(folder)
    assert copy.times == pytest.approx([0.2])
    for name, skin in region_skins(playback.model, split=False).items() if copy.meshes else ():
        np.testing.assert_allclose(copy.meshes[name].x[0], playback[2].x[skin.vertices], atol=1e-6)


@pytest.mark.parametrize("form", holding(*Holds))
def test_an_export_that_is_interrupted_leaves_nothing(
    form: Format, folder: Path, tmp_path: Path
) -> None:
    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    playback = Playback(read_playback(folder).result)
    with pytest.raises((KeyboardInterrupt, MissingExtra)):
        form.load().write(playback, tmp_path / f"copy{form.suffix}", interrupt)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def inflated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A box with a chamber and a cable along an edge of its top, larger in each of three frames."""
    box = hollow_box()
    X, top = box.mesh.X, box.mesh.X.max(axis=0)
    ends = [int(np.argmin(np.linalg.norm(X - end, axis=1))) for end in (top * [0, 1, 1], top)]
    model = box.with_(cables=(Cable("rope", ends, tension=0.5),))
    folder, outputs = tmp_path_factory.mktemp("hollow") / "box", Outputs(model)
    with ResultWriter(folder, model) as writer:
        for number in range(3):
            at = rest(model)
            state = State.still(0.1 * number, (1 + 0.1 * number) * X, at.poses, at.activation)
            writer.add(Frame(number, state, Report(True, 1, 0.0, 1.0, 0.0), outputs.of(state)))
    return folder


@pytest.mark.parametrize("form", holding(Holds.SHAPES, Holds.TABLE))
def test_a_body_with_a_chamber_and_a_cable_is_read_back(
    form: Format, inflated: Path, tmp_path: Path
) -> None:
    """Shapes have the walls of the chamber, and tables what the chamber and the cable do."""
    path = tmp_path / f"copy{form.suffix}"
    try:
        export(inflated, path, to=form.name)
    except MissingExtra as error:
        pytest.skip(str(error))
    copy, playback = form.load().read(path), read_playback(inflated)
    if form.holds is Holds.TABLE:
        volume = copy.table["chamber_volume_m3"]
        np.testing.assert_allclose(volume, 1e-6 * np.array([1.0, 1.1, 1.2]) ** 3)
        np.testing.assert_allclose(copy.table["rope_length_m"], [0.03, 0.033, 0.036])
        return
    (mesh,) = copy.meshes.values()
    for k in range(3):
        walled = playback[k].x[playback.model.cavities[0].faces]
        corners = mesh.x[k][mesh.faces].reshape(-1, 3)
        away = np.linalg.norm(walled.reshape(-1, 1, 3) - corners, axis=2).min(axis=1)
        assert away.max() < 1e-7
        inside = (
            np.einsum(
                "fi,fi->",
                mesh.x[k][mesh.faces[:, 0]],
                np.cross(mesh.x[k][mesh.faces[:, 1]], mesh.x[k][mesh.faces[:, 2]]),
            )
            / 6.0
        )
        assert inside == pytest.approx(26e-6 * (1 + 0.1 * k) ** 3, rel=1e-5)
