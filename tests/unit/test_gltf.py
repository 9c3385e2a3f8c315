"""The structure of exported glTF files, as the format's specification demands it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bent_bar import hinged, write_bent
from vastus.errors import FileError
from vastus.export import gltf
from vastus.export.gltf import glb as container
from vastus.export.gltf.glb import Glb, read_glb
from vastus.model import Model
from vastus.results.playback import Playback
from vastus.results.result import Result, read_playback

VERTICES, INDICES = 34962, 34963


def quiet(done: int, total: int) -> None:
    pass


@pytest.fixture(scope="module")
def playback(bar_model: Model, tmp_path_factory: pytest.TempPathFactory) -> Playback:
    folder = tmp_path_factory.mktemp("gltf") / "bent"
    return read_playback(write_bent(folder, hinged(bar_model), (0.0, 10.0, 25.0)))


@pytest.fixture(scope="module")
def path(playback: Playback, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("gltf") / "bent.glb"
    gltf.write(playback, path, quiet)
    return path


@pytest.fixture(scope="module")
def glb(path: Path) -> Glb:
    return read_glb(path)


def test_the_file_says_its_length_in_chunks_of_whole_words(path: Path) -> None:
    words = np.frombuffer(path.read_bytes()[:20], "<u4")
    assert words.tolist()[:3] == [0x46546C67, 2, path.stat().st_size]
    assert words[3] % 4 == path.stat().st_size % 4 == 0


def test_views_lie_in_the_buffer_one_after_the_other(glb: Glb) -> None:
    end = 0
    for view in glb.document["bufferViews"]:
        assert view["byteOffset"] % 4 == 0
        assert view["byteOffset"] >= end
        end = view["byteOffset"] + view["byteLength"]
    assert end <= glb.document["buffers"][0]["byteLength"] == len(glb.buffer)


def test_arrays_lie_in_their_views_and_within_their_bounds(glb: Glb) -> None:
    for number, accessor in enumerate(glb.document["accessors"]):
        view, values = glb.document["bufferViews"][accessor["bufferView"]], glb.array(number)
        assert accessor["byteOffset"] % values.dtype.itemsize == 0
        assert accessor["byteOffset"] + values.nbytes <= view["byteLength"]
        assert np.isfinite(values).all()
        rows = values.reshape(len(values), -1)
        assert accessor["min"] == rows.min(axis=0).tolist()
        assert accessor["max"] == rows.max(axis=0).tolist()


def test_meshes_use_their_arrays_as_a_graphics_card_expects(glb: Glb) -> None:
    views, accessors = glb.document["bufferViews"], glb.document["accessors"]
    for mesh in glb.document["meshes"]:
        (shape,) = mesh["primitives"]
        count = accessors[shape["attributes"]["POSITION"]]["count"]
        indices = glb.array(shape["indices"])
        assert len(indices) % 3 == 0
        assert indices.max() < count
        assert views[accessors[shape["indices"]]["bufferView"]]["target"] == INDICES
        for attributes in (shape["attributes"], *shape.get("targets", ())):
            for number in attributes.values():
                view = views[accessors[number]["bufferView"]]
                assert (view["target"], view["byteStride"]) == (VERTICES, 12)
                assert accessors[number]["count"] == count
        lengths = np.linalg.norm(glb.array(shape["attributes"]["NORMAL"]), axis=1)
        np.testing.assert_allclose(lengths, 1.0, atol=1e-6)


def test_only_what_is_soft_has_targets_one_for_each_frame_but_the_first(glb: Glb) -> None:
    for mesh, node in zip(glb.document["meshes"], glb.document["nodes"][1:], strict=True):
        (shape,) = mesh["primitives"]
        assert len(shape.get("targets", ())) == (0 if node["extras"]["tissue"] == "bone" else 2)
        assert len(mesh.get("extras", {}).get("targetNames", ())) == len(shape.get("targets", ()))


def test_the_animation_moves_each_node_at_the_times_of_the_frames(
    glb: Glb, playback: Playback
) -> None:
    (animation,) = glb.document["animations"]
    targets = [(c["target"]["node"], c["target"]["path"]) for c in animation["channels"]]
    assert len(targets) == len(set(targets)) == 3 + 2 * 2
    for channel in animation["channels"]:
        sampler = animation["samplers"][channel["sampler"]]
        np.testing.assert_allclose(glb.array(sampler["input"]), playback.times, atol=1e-6)
        values = glb.array(sampler["output"])
        if channel["target"]["path"] == "weights":
            np.testing.assert_array_equal(values.reshape(3, 2), [[0, 0], [1, 0], [0, 1]])
        elif channel["target"]["path"] == "rotation":
            np.testing.assert_allclose(np.linalg.norm(values, axis=1), 1.0, atol=1e-6)


def test_other_readers_find_the_first_frame_y_up(path: Path, playback: Playback) -> None:
    trimesh = pytest.importorskip("trimesh")
    scene = trimesh.load_scene(path)
    x, y, z = np.ptp(playback[0].x, axis=0)
    np.testing.assert_allclose(np.ptp(scene.bounds, axis=0), [x, z, y], atol=1e-6)
    assert scene.bounds[1, 1] == pytest.approx(playback[0].x[:, 2].max())


def test_the_activation_is_kept_with_the_muscle(glb: Glb) -> None:
    told = {n["name"]: n["extras"].get("activation") for n in glb.document["nodes"][1:]}
    assert told["belly"] == pytest.approx([0.0, 1 / 3, 2 / 3])
    assert told["tip"] is None


def changed(playback: Playback, **fields: object) -> Playback:
    result: Result = replace(playback.result, **fields)  # type: ignore[arg-type]
    return Playback(result)


def test_a_bone_that_is_not_rigid_gets_targets(playback: Playback, tmp_path: Path) -> None:
    poses = playback.result.poses.copy()
    poses[1, 1, :, :3] *= 1.01
    affine = changed(playback, poses=poses)
    gltf.write(affine, tmp_path / "affine.glb", quiet)
    np.testing.assert_allclose(
        gltf.read(tmp_path / "affine.glb").meshes["tip"].x,
        gltf_points(affine, "tip"),
        atol=1e-6,
    )
    assert "targets" in read_glb(tmp_path / "affine.glb").document["meshes"][4]["primitives"][0]


def gltf_points(playback: Playback, region: str) -> np.ndarray:
    used = np.unique(playback.model.mesh.T[playback.model.tets_of([region])])
    return np.array([moment.x[used] for moment in playback])


def test_a_bone_that_is_not_where_its_pose_says_is_refused(
    playback: Playback, tmp_path: Path
) -> None:
    poses = playback.result.poses.copy()
    poses[2, 1, 0, 3] += 0.001
    with pytest.raises(FileError, match="bone 'tip' is not where its pose puts it"):
        gltf.write(changed(playback, poses=poses), tmp_path / "astray.glb", quiet)
    assert list(tmp_path.iterdir()) == []


def test_times_that_do_not_rise_are_refused(playback: Playback, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"must rise from 0 or more"):
        gltf.write(changed(playback, times=np.array([0.0, 0.2, 0.2])), tmp_path / "a.glb", quiet)


def test_what_does_not_fit_into_one_file_is_refused_at_once(
    playback: Playback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(container, "LARGEST", 1000)
    with pytest.raises(FileError, match="give fewer frames by --frames"):
        gltf.write(playback, tmp_path / "large.glb", quiet)


@pytest.mark.parametrize("size", [0, 11, 19, 400, -1])
def test_a_truncated_file_is_one_sentence(path: Path, tmp_path: Path, size: int) -> None:
    (tmp_path / "cut.glb").write_bytes(path.read_bytes()[:size])
    with pytest.raises(FileError, match=r"truncated or not a \.glb file"):
        gltf.read(tmp_path / "cut.glb")
