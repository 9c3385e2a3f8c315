"""Layers of a body: read from an exercise and from flesh, drawn, and exported."""

from __future__ import annotations

import signal
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from layered import BODIES, TIMES, levels, poses, shape, write_exercise, write_flesh
from vastus.bodies.upper.dumbbells import BAR, IRON
from vastus.errors import FileError
from vastus.export.export import export
from vastus.files.npz import read_npz, write_npz
from vastus.flesh.layers import BodyLayers, Layer, is_layered, read_layers
from vastus.pictures.bodies.layer_pictures import (
    FRONT,
    LayerRenderer,
    layer_sheet,
    movie_rows,
    spread,
)
from vastus.pictures.bodies.line_tubes import AROUND, LineTubes, radii
from vastus.pictures.colours import BRIGHT, DARK, line_colour

HEIGHT = 120


@pytest.fixture(scope="module")
def exercise(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_exercise(tmp_path_factory.mktemp("layers") / "bend")


@pytest.fixture(scope="module")
def flesh(exercise: Path) -> Path:
    """Flesh within the folder of its exercise."""
    return write_flesh(exercise / "flesh")


def test_an_exercise_has_bones_and_lines_where_poses_carry_them(exercise: Path) -> None:
    layers, made = read_layers(exercise), shape()
    assert is_layered(exercise)
    assert layers.present == (Layer.BONES, Layer.LINES)
    assert list(layers.angles) == ["elbow"], "a joint that slides has no angle"
    assert layers.angles["elbow"][-1] == pytest.approx(np.degrees(0.3))
    assert layers.lines is not None
    X = layers.lines.paths.at(layers.poses[-1])
    R = poses()[-1, 2, :, :3]
    assert X[2] == pytest.approx(R @ made.paths.points[2], abs=1e-15)
    assert X[[0, 1, 3, 4]] == pytest.approx(made.paths.points[[0, 1, 3, 4]])
    assert layers.lines.paths.segments.tolist() == [[0, 1], [1, 2], [3, 4]]
    assert layers.lines.paths.line_of_segment.tolist() == [0, 0, 1]


def test_tubes_keep_their_radius_around_every_line(exercise: Path) -> None:
    paths = shape().paths
    tubes = LineTubes(paths)
    X, N = tubes.at(paths.points)
    assert len(X) == AROUND * len(paths.points)
    assert np.linalg.norm(N, axis=1) == pytest.approx(1.0)
    ends = X[tubes.line_of_point == 1].reshape(2, AROUND, 3)
    off = np.linalg.norm(ends - paths.points[3:, None], axis=2)
    assert off == pytest.approx(radii(paths.areas)[1])
    assert tubes.faces.max() == len(X) - 1


def test_lines_brighten_with_activation_and_no_further() -> None:
    colours = line_colour(np.array([[0.0], [0.5], [1.0], [2.8]]))
    assert colours[0] == pytest.approx(DARK)
    assert colours[2] == pytest.approx(BRIGHT)
    assert colours[3] == pytest.approx(BRIGHT)
    assert (np.diff(colours[:3, 0]) > 0).all()


def test_a_motion_of_another_body_is_refused(tmp_path: Path) -> None:
    folder = write_exercise(tmp_path / "bend")
    arrays = read_npz(folder / "motion.npz")
    write_npz(folder / "motion.npz", arrays | {"bodies": np.array(["a", "b", "c"])})
    with pytest.raises(FileError, match="moves another body than"):
        read_layers(folder)
    write_npz(folder / "motion.npz", arrays | {"q": arrays["q"][:3]})
    with pytest.raises(FileError, match="do not fit the body"):
        read_layers(folder)
    (folder / "shape.npz").write_bytes(b"no shape")
    with pytest.raises(FileError, match=r"shape.npz"):
        read_layers(folder)
    with pytest.raises(FileError, match="neither an exercise"):
        read_layers(tmp_path)


def test_frames_of_a_movie_are_the_nearest_ones() -> None:
    times = np.arange(31) / 30.0
    assert movie_rows(times, 15.0).tolist() == list(range(0, 31, 2))
    assert movie_rows(times[:1], 15.0).tolist() == [0]
    assert spread(7, 3).tolist() == [0, 3, 6]
    assert spread(2, 5).tolist() == [0, 1]


def test_bones_and_lines_are_drawn_alike_whatever_was_drawn_before(exercise: Path) -> None:
    pytest.importorskip("pyvista", reason="the extra 'viz' is absent")
    layers = read_layers(exercise)
    with LayerRenderer(layers, HEIGHT) as renderer:
        last = renderer.picture(len(layers) - 1).astype(int)
        first = renderer.picture(0).astype(int)
        again = renderer.picture(len(layers) - 1).astype(int)
    assert np.abs(last - again).max() <= 2
    assert np.abs(last - first).max() > 60
    red = (last[..., 0] > 150) & (last[..., 1] < 90)
    dark = (first[..., 0] < 130) & (first[..., 1] < 90)
    assert red.any(), "the flexor is bright when it is active"
    assert dark.any(), "the flexor is dark at rest"
    background = np.median(last, axis=1, keepdims=True)
    inked = np.abs(last - background).max(axis=2) > 40
    edges = np.concatenate([inked[0], inked[-1], inked[:, 0], inked[:, -1]])
    assert not edges.any(), "all of it is in the picture"


def test_what_moves_towards_the_camera_is_not_cut_off(exercise: Path) -> None:
    pytest.importorskip("pyvista", reason="the extra 'viz' is absent")
    layers = read_layers(exercise)
    poses = layers.poses.copy()
    poses[-1, 1, :, 3] = 0.0, -0.3, 0.0  # the upper rod comes near
    near = replace(layers, poses=poses, lines=None)
    with LayerRenderer(near, HEIGHT, view=FRONT) as renderer:
        renderer.picture(0)
        renderer.picture(len(near) - 1)
        camera = renderer._plotter.camera
        depth = near.places(np.array([len(near) - 1]), 1)[:, 1] - camera.position[1]
        first, last = camera.clipping_range
    assert first < depth.min()
    assert depth.max() < last


def test_dumbbells_are_as_large_as_their_masses_and_follow_the_hand(tmp_path: Path) -> None:
    folder = write_exercise(tmp_path / "loaded")
    arrays = dict(read_npz(folder / "motion.npz"))
    point, masses = np.array([[0.0, 0.0, -0.08]]), np.linspace(0.0, 4.0, len(TIMES))[:, None]
    arrays |= {"load_bodies": np.array(["lower"]), "load_points": point, "load_masses": masses}
    write_npz(folder / "motion.npz", arrays)
    layers = read_layers(folder)
    assert layers.present[-1] is Layer.LOADS
    assert layers.loads is not None
    last, middle = (layers.loads.at(k, layers.poses[k]) for k in (len(TIMES) - 1, 3))
    bar = np.pi * BAR[1] ** 2 * 2 * BAR[0]
    assert last.volume - bar == pytest.approx(4.0 / IRON, rel=0.01)  # of polygons, not circles
    assert middle.volume - bar == pytest.approx(2.0 / IRON, rel=0.01)
    assert last.X.mean(axis=0) == pytest.approx(poses()[-1, 2, :, :3] @ point[0], abs=1e-12)
    assert np.ptp(layers.loads.at(0, layers.poses[0]).X, axis=0).max() == 0.0, "nothing is carried"


def test_ctrl_c_within_a_picture_of_layers_is_heard(
    exercise: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyvista", reason="the extra 'viz' is absent")

    def swallows(*_: object, **__: object) -> None:
        with suppress(KeyboardInterrupt):  # as the pipeline of VTK does
            signal.raise_signal(signal.SIGINT)

    with LayerRenderer(read_layers(exercise), HEIGHT) as renderer:
        monkeypatch.setattr(renderer._plotter, "render", swallows)
        with pytest.raises(KeyboardInterrupt):
            renderer.picture(0)


def test_a_sheet_has_moments_from_two_sides(exercise: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyvista", reason="the extra 'viz' is absent")
    from PIL import Image

    layer_sheet(read_layers(exercise), tmp_path / "sheet.png", count=2, height=HEIGHT)
    with Image.open(tmp_path / "sheet.png") as sheet:
        assert sheet.size[1] > 2 * HEIGHT


def test_an_exercise_becomes_usd_with_transforms_and_curves(exercise: Path, tmp_path: Path) -> None:
    pxr = pytest.importorskip("pxr", reason="the extra 'usd' is absent")
    from pxr import Usd, UsdGeom

    assert pxr
    export(exercise, tmp_path / "bend.usda", to="usd")
    stage = Usd.Stage.Open(str(tmp_path / "bend.usda"))
    assert UsdGeom.GetStageMetersPerUnit(stage) == 1.0
    assert UsdGeom.GetStageUpAxis(stage) == "Z"
    assert stage.GetTimeCodesPerSecond() == 30.0
    lower = UsdGeom.Xformable(stage.GetPrimAtPath("/Model/Bones/lower"))
    (turned,) = lower.GetOrderedXformOps()
    assert turned.GetAttr().GetNumTimeSamples() == len(TIMES)
    M = np.array(lower.ComputeLocalToWorldTransform(float(len(TIMES) - 1)))
    assert pytest.approx(poses()[-1, 2, :, :3], abs=1e-15) == M[:3, :3].T
    curves = UsdGeom.BasisCurves(stage.GetPrimAtPath("/Model/Lines/flexor_lines"))
    assert curves.GetPointsAttr().GetNumTimeSamples() == len(TIMES)
    x = shape().paths.at(poses()[3])[:3]
    assert np.array(curves.GetPointsAttr().Get(3.0)) == pytest.approx(x, abs=1e-7)
    told = UsdGeom.PrimvarsAPI(curves).GetPrimvar("activation").Get(6.0)
    assert list(told) == pytest.approx([levels()[-1, 0]])
    assert not stage.GetPrimAtPath("/Model/Skin")


def test_a_layer_that_is_not_there_and_a_format_that_cannot_are_sentences(
    exercise: Path, tmp_path: Path
) -> None:
    with pytest.raises(FileError, match="has no layer 'skin'; it has bones, lines"):
        export(exercise, tmp_path / "a.usda", to="usd", layers=[Layer.SKIN])
    with pytest.raises(FileError, match="is not written as obj; formats: usd"):
        export(exercise, tmp_path / "a", to="obj")


def _moved(layers: BodyLayers, index: int) -> np.ndarray:
    assert layers.flesh is not None
    return layers.flesh.skin(index)


@pytest.mark.slow
def test_flesh_has_skin_and_volumes_and_finds_the_lines_of_its_exercise(
    flesh: Path, tmp_path: Path
) -> None:
    layers = read_layers(flesh)
    assert layers.present == tuple(layer for layer in Layer if layer is not Layer.LOADS)
    assert layers.times == pytest.approx(TIMES[::2])
    assert layers.bodies == BODIES
    assert layers.lines is not None
    assert layers.flesh is not None
    assert layers.lines.activations == pytest.approx(levels()[::2])
    stored = np.load(flesh / "frames" / "frame_00003.npz")["skin"]
    assert np.array_equal(_moved(layers, 3), stored)
    assert layers.flesh.volumes(3).shape == (len(layers.flesh.muscle_of_point), 3)
    chosen = layers.at([3, 0])
    assert np.array_equal(_moved(chosen, 0), stored)
    assert np.array_equal(_moved(chosen, 1), _moved(layers, 0))
    (tmp_path / "alone").mkdir()
    for name in ("flesh.npz", "motion.npz", "frames"):
        (tmp_path / "alone" / name).symlink_to(flesh / name)
    alone = read_layers(tmp_path / "alone")
    assert alone.present == (Layer.BONES, Layer.MUSCLES, Layer.SKIN)
    assert alone.poses[3, 1] == pytest.approx(layers.poses[3, 2])


@pytest.mark.slow
def test_flesh_becomes_usd_with_the_skin_of_each_frame(flesh: Path, tmp_path: Path) -> None:
    pytest.importorskip("pxr", reason="the extra 'usd' is absent")
    from pxr import Usd, UsdGeom

    export(flesh, tmp_path / "a.usdc", to="usd")
    stage = Usd.Stage.Open(str(tmp_path / "a.usdc"))
    skin = UsdGeom.Mesh(stage.GetPrimAtPath("/Model/Skin"))
    codes = skin.GetPointsAttr().GetTimeSamples()
    assert len(codes) == len(TIMES[::2])
    for index, code in enumerate(codes):
        stored = np.load(flesh / "frames" / f"frame_{index:05d}.npz")["skin"]
        assert np.array_equal(np.array(skin.GetPointsAttr().Get(code)), stored)
    assert not stage.GetPrimAtPath("/Model/Muscles")
    export(flesh, tmp_path / "b.usdc", to="usd", layers=[Layer.MUSCLES])
    stage = Usd.Stage.Open(str(tmp_path / "b.usdc"))
    assert stage.GetPrimAtPath("/Model/Muscles/belly_volume")
    assert not stage.GetPrimAtPath("/Model/Skin")
