"""Alembic files: y up by the object above the meshes, clockwise faces, and the times of frames."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bent_elbow import bent_elbow
from vastus.errors import FileError, MissingExtra
from vastus.export import alembic
from vastus.pictures.skin import region_skins
from vastus.results.playback import Playback
from vastus.results.result import read_playback

EVEN, UNEVEN = np.arange(4) / 25 + 1.0, np.array([0.0, 0.1, 0.25, 0.3])


def unwatched(done: int, count: int) -> None:
    """Say nothing."""


@pytest.fixture(scope="module", params=[EVEN, UNEVEN], ids=["even", "uneven"])
def playback(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Playback:
    return read_playback(bent_elbow(tmp_path_factory.mktemp("alembic") / "result", request.param))


def test_what_is_read_is_what_was_written(playback: Playback, tmp_path: Path) -> None:
    pytest.importorskip("alembic3d", reason="alembic3d is not installed")
    alembic.write(playback, tmp_path / "motion.abc", unwatched)
    copy = alembic.read(tmp_path / "motion.abc")
    assert np.allclose(copy.times, playback.times, rtol=0, atol=1e-12)
    for name, skin in region_skins(playback.model, split=False).items():
        mesh = copy.meshes[name]
        assert np.array_equal(mesh.faces, skin.faces)
        for moment, x in zip(playback, mesh.x, strict=True):
            assert np.abs(x - moment.x[skin.vertices]).max() < 1e-6
            for field, values in moment.fields.items():
                found = mesh.fields[field][moment.index]
                assert np.allclose(found, skin.averaged(values), rtol=1e-6, atol=1e-6)


def test_programs_that_take_y_as_up_see_the_model_upright(
    playback: Playback, tmp_path: Path
) -> None:
    """The library's own words, not ours: points times the matrix above, and clockwise faces."""
    pytest.importorskip("alembic3d", reason="alembic3d is not installed")
    from alembic3d import Abc, AbcGeom

    alembic.write(playback, tmp_path / "motion.abc", unwatched)
    archive = Abc.IArchive(str(tmp_path / "motion.abc"))
    top = AbcGeom.IXform(archive.getTop(), "Model")
    turn = np.array(top.getSchema().getValue().getMatrix())[:3, :3]
    sample = (
        AbcGeom.IPolyMesh(top.getChild("humerus"), "humerusShape")
        .getSchema()
        .getValue(Abc.ISampleSelector(0))
    )
    seen = np.array(sample.getPositions()) @ turn
    skin = region_skins(playback.model, split=False)["humerus"]
    x, y, z = playback[0].x[skin.vertices].T
    assert np.abs(seen - np.column_stack([x, z, -y])).max() < 1e-6
    a, b, c = seen[np.array(sample.getFaceIndices()).reshape(-1, 3)].transpose(1, 0, 2)
    assert np.einsum("ki,ki->", a, np.cross(b, c)) < 0  # six volumes: inside out if clockwise


def test_a_half_written_file_does_not_stay(playback: Playback, tmp_path: Path) -> None:
    pytest.importorskip("alembic3d", reason="alembic3d is not installed")

    def stop(done: int, count: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        alembic.write(playback, tmp_path / "motion.abc", stop)
    assert not list(tmp_path.iterdir())


def test_a_full_disk_is_one_sentence(
    playback: Playback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("alembic3d", reason="alembic3d is not installed")
    monkeypatch.setattr(alembic, "BYTES", 10**15)
    with pytest.raises(FileError, match=r"cannot write '.*motion\.abc': it needs \d+ MB of space"):
        alembic.write(playback, tmp_path / "motion.abc", unwatched)


def test_what_is_no_alembic_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("alembic3d", reason="alembic3d is not installed")
    (tmp_path / "motion.abc").write_text("something else")
    with pytest.raises(FileError, match=r"cannot read '.*motion\.abc' as Alembic"):
        alembic.read(tmp_path / "motion.abc")


def test_without_the_package_its_extra_is_named(
    playback: Playback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(alembic, "find_spec", lambda name: None)
    for use in (lambda p: alembic.write(playback, p, unwatched), alembic.read):
        with pytest.raises(MissingExtra, match=r"'alembic3d': pip install 'vastus\[alembic\]'"):
            use(tmp_path / "motion.abc")
