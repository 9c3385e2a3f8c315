"""Every listed format gives back what was written, and leaves nothing of an export that ends."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bent_bar import hinged, oddly_named, write_bent
from vastus.errors import MissingExtra
from vastus.export.export import export
from vastus.export.formats import FORMATS, Format, Holds
from vastus.export.regions import Copy
from vastus.export.tables import columns
from vastus.model import Model
from vastus.pictures.skin import Skin, region_skins
from vastus.results.playback import Playback, Snapshot
from vastus.results.result import read_playback

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
