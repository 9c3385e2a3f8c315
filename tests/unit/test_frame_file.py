"""A frame keeps what deforms; bones, which are most of many models, follow from their poses."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from vastus.errors import FileError
from vastus.export.export import export
from vastus.files.meshes import read_mesh, write_mesh
from vastus.geometry.tetmesh import TetMesh
from vastus.measure.fields import Fields
from vastus.model import Model
from vastus.parts import Drive
from vastus.results.frame_file import bones_path, frame_path, pinned_path, read_arrays
from vastus.results.playback import ALL_FIELDS
from vastus.results.result import read_playback, read_result
from vastus.results.writer import ResultWriter
from vastus.schedules import keyframes
from vastus.solvers.newton import Newton
from vastus.state import Frame, Report, State, rest
from vastus.timeloop import simulate


def turned(angle: float) -> np.ndarray:
    """(3, 4) a turn about z [rad], and a shift."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0, 0.001], [s, c, 0, -0.002], [0, 0, 1, 0.003]])


@pytest.fixture(scope="module")
def solved(bar_model: Model) -> list[Frame]:
    """The bar while an animation turns its tip."""
    base, tip = bar_model.bones
    bones = (base, type(tip)(tip.name, tip.regions, Drive.SCRIPTED, tip.attached))
    keys = {"tip": [(0.0, np.eye(3, 4)), (1.0, turned(0.3))]}
    model = bar_model.with_(bones=bones)
    inputs = keyframes(model, {"belly": [(0.0, 0.0), (1.0, 0.1)]}, poses=keys, seconds=1.0, fps=2)
    return list(simulate(model, Newton(), inputs))


def written(folder: Path, frames: list[Frame]) -> Model:
    model = frames[0].model
    assert model is not None
    with ResultWriter(folder, model) as writer:
        for frame in frames:
            writer.add(frame)
    return model


def as_written_by_version_0_1(folder: Path, model: Model, frame: Frame) -> None:
    """Put all tets into the file of a frame, and no bones beside it."""
    x, state = frame.state.x, frame.state
    write_mesh(
        frame_path(folder, frame.index),
        TetMesh(x, model.mesh.T),
        cell_data=Fields(model).of(state),
        point_data={"displacement": x - model.mesh.X},
    )
    bones_path(folder, frame.index).unlink()
    pinned_path(folder).unlink(missing_ok=True)


def test_a_frame_is_read_back_to_the_last_bit(solved: list[Frame], tmp_path: Path) -> None:
    model = written(tmp_path, solved)
    result = read_result(tmp_path)
    for index, frame in enumerate(solved):
        stored, fields = result.frame(index), Fields(model).of(frame.state)
        np.testing.assert_array_equal(stored.x, frame.state.x)
        np.testing.assert_array_equal(stored.poses, frame.state.poses)
        assert set(stored.fields) == set(ALL_FIELDS) == set(fields)
        for name, values in fields.items():
            np.testing.assert_array_equal(stored.fields[name][model.soft], values[model.soft])
            np.testing.assert_allclose(stored.fields[name], values, rtol=0, atol=1e-12)


def test_only_tets_that_deform_are_written(solved: list[Frame], tmp_path: Path) -> None:
    model = written(tmp_path, solved)
    frame = read_mesh(frame_path(tmp_path, 2))
    assert frame.mesh.n_tets == len(model.soft) < model.mesh.n_tets
    np.testing.assert_array_equal(frame.mesh.X, solved[2].state.x[frame.point_data["vertex"]])
    np.testing.assert_array_equal(frame.cell_data["region"], model.region[model.soft])


def test_bones_may_be_affine_or_not_follow_their_poses(bar_model: Model, tmp_path: Path) -> None:
    still = rest(bar_model)
    squeezed = bar_model.mesh.X * [0.7, 1.0, 1.1] + 0.001
    poses = np.tile(np.column_stack([np.diag([0.7, 1.0, 1.1]), np.full(3, 0.001)]), (2, 1, 1))
    report = Report(True, 1, 0.0, 1.0, 0.0)
    for at in (poses, still.poses):
        state = State.still(0.0, squeezed, at, still.activation)
        written(tmp_path, [Frame(0, state, report, model=bar_model)])
        np.testing.assert_array_equal(read_result(tmp_path).frame(0).x, squeezed)
    wide = read_mesh(frame_path(tmp_path, 0)).mesh.n_vertices
    assert wide == bar_model.mesh.n_vertices, "what no pose tells must be kept"


def test_paraview_shows_the_bones_where_they_are(solved: list[Frame], tmp_path: Path) -> None:
    pyvista = pytest.importorskip("pyvista", reason="needs the viz extra")
    model = written(tmp_path, solved)
    reader = pyvista.get_reader(tmp_path / "result.pvd")
    np.testing.assert_allclose(reader.time_values, [0.0, 0.5, 1.0])
    reader.set_active_time_value(1.0)
    soft, bones, pinned = reader.read()
    assert soft.n_cells == len(model.soft)
    assert set(bones.celltypes) == set(pinned.celltypes) == {pyvista.CellType.TRIANGLE}
    tip = model.mesh.T[model.tets_of(["tip"])]
    reached = solved[2].state.x[np.unique(tip)]
    assert bones.points[:, 0].max() == pytest.approx(reached[:, 0].max(), abs=1e-12)
    assert (set(pinned["region"]), set(bones["region"])) == ({0}, {4})
    both = np.vstack([bones.points, pinned.points])
    whole, used = model.mesh.submesh(np.setdiff1d(np.arange(model.mesh.n_tets), model.soft))
    np.testing.assert_array_equal(
        np.unique(both, axis=0),
        np.unique(solved[2].state.x[used[np.unique(whole.boundary)]], axis=0),
    )


def test_pinned_bones_are_written_once(solved: list[Frame], tmp_path: Path) -> None:
    model = written(tmp_path, solved[:1])
    first = pinned_path(tmp_path).stat()
    with ResultWriter(tmp_path, model, resume=True) as writer:
        for frame in solved[1:]:
            writer.add(frame)
    assert pinned_path(tmp_path).stat().st_mtime_ns == first.st_mtime_ns
    names = sorted(path.name for path in (tmp_path / "frames").glob("bones*"))
    assert names == ["bones_0000.vtu", "bones_0001.vtu", "bones_0002.vtu", "bones_pinned.vtu"]
    assert (tmp_path / "result.pvd").read_text().count("bones_pinned.vtu") == 3


def test_bones_that_are_all_pinned_are_in_one_file(bar_model: Model, tmp_path: Path) -> None:
    bones = tuple(replace(bone, drive=Drive.PINNED) for bone in bar_model.bones)
    model = bar_model.with_(bones=bones)
    report = Report(True, 1, 0.0, 1.0, 0.0)
    written(tmp_path, [Frame(i, rest(model), report, model=model) for i in range(2)])
    names = sorted(path.name for path in (tmp_path / "frames").iterdir())
    assert names == ["bones_pinned.vtu", "frame_0000.vtu", "frame_0001.vtu"]


def test_a_pinned_bone_that_was_moved_is_shown_there(bar_model: Model, tmp_path: Path) -> None:
    still, report = rest(bar_model), Report(True, 1, 0.0, 1.0, 0.0)
    moved = replace(still, x=still.x + 0.01)
    frames = [Frame(i, s, report, model=bar_model) for i, s in enumerate((still, moved, still))]
    written(tmp_path, frames)
    for resume in (False, True):
        if resume:
            ResultWriter(tmp_path, bar_model, resume=True).close()
        listed = re.findall(r"bones_pinned\w*", (tmp_path / "result.pvd").read_text())
        assert listed == ["bones_pinned", "bones_pinned_0001", "bones_pinned"]
    arrays = [read_arrays(pinned_path(tmp_path, i), ["Points"])["Points"] for i in (None, 1)]
    np.testing.assert_allclose(arrays[1] - arrays[0], 0.01, atol=1e-15)


def test_a_result_of_version_0_1_is_read_and_resumed(solved: list[Frame], tmp_path: Path) -> None:
    model = written(tmp_path, solved[:2])
    for frame in solved[:2]:
        as_written_by_version_0_1(tmp_path, model, frame)
    with ResultWriter(tmp_path, model, resume=True) as writer:
        assert writer.finished == 2
        writer.add(solved[2])
    for stored, frame in zip(read_playback(tmp_path), solved, strict=True):
        np.testing.assert_array_equal(stored.x, frame.state.x)
        fields = Fields(model).of(frame.state)
        for name, values in stored.fields.items():
            np.testing.assert_allclose(values, fields[name], rtol=0, atol=1e-12)
    listed = (tmp_path / "result.pvd").read_text()
    assert [f"bones_000{i}" in listed for i in range(3)] == [False, False, True]


def test_a_result_of_version_0_1_is_exported(solved: list[Frame], tmp_path: Path) -> None:
    usd = pytest.importorskip("pxr.Usd", reason="needs the usd extra")
    geometry = pytest.importorskip("pxr.UsdGeom", reason="needs the usd extra")
    old = tmp_path / "old"
    model = written(old, solved)
    for frame in solved:
        as_written_by_version_0_1(old, model, frame)
    (old / "inputs.jsonl").unlink()
    written(tmp_path / "new", solved)
    points = []
    for name in ("old", "new"):
        export(tmp_path / name, tmp_path / f"{name}_vtu", to="vtu")
        mesh = read_mesh(tmp_path / f"{name}_vtu" / "frame_0002.vtu").mesh
        np.testing.assert_array_equal(mesh.X, solved[2].state.x)
        export(tmp_path / name, tmp_path / f"{name}.usda", to="usd")
        stage = usd.Stage.Open(str(tmp_path / f"{name}.usda"))
        shapes = [geometry.Mesh(prim) for prim in stage.Traverse() if prim.IsA(geometry.Mesh)]
        last = stage.GetEndTimeCode()
        points.append(np.vstack([np.array(shape.GetPointsAttr().Get(last)) for shape in shapes]))
    np.testing.assert_array_equal(points[0], points[1])


def test_the_exported_frames_have_all_tets(solved: list[Frame], tmp_path: Path) -> None:
    model = written(tmp_path / "out", solved)
    export(tmp_path / "out", tmp_path / "vtu", to="vtu")
    frame = read_mesh(tmp_path / "vtu" / "frame_0002.vtu")
    np.testing.assert_array_equal(frame.mesh.T, model.mesh.T)
    np.testing.assert_array_equal(frame.mesh.X, solved[2].state.x)
    assert set(frame.cell_data) == set(ALL_FIELDS)


def test_a_shorter_run_leaves_no_bones_of_a_longer_one(solved: list[Frame], tmp_path: Path) -> None:
    written(tmp_path, solved)
    written(tmp_path, solved[:1])
    names = sorted(path.name for path in (tmp_path / "frames").iterdir())
    assert names == ["bones_0000.vtu", "bones_pinned.vtu", "frame_0000.vtu"]


def test_vertices_of_another_model_are_refused(solved: list[Frame], tmp_path: Path) -> None:
    model = written(tmp_path, solved[:1])
    path = frame_path(tmp_path, 0)
    frame = read_mesh(path)
    for vertex in (frame.point_data["vertex"][::-1], frame.point_data["vertex"] + 10**6):
        data = {"vertex": vertex.astype(np.int32)}
        write_mesh(path, frame.mesh, cell_data=frame.cell_data, point_data=data)
        with pytest.raises(FileError, match="'vertex' must be vertices of the model"):
            read_playback(tmp_path)[0]
    assert model.mesh.n_vertices < 10**6
