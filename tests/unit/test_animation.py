"""Pictures show the model, all of its motion, and which muscle works."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.ndimage import binary_erosion

from vastus.errors import FileError, MissingExtra
from vastus.export.export import write
from vastus.files.safe import read_bytes
from vastus.materials import StableNeoHookean
from vastus.model import Model
from vastus.modelling import gallery
from vastus.modelling.shapes import torus
from vastus.parts import Floor, Tissue
from vastus.pictures.animation import (
    Animation,
    animation_of,
    captions,
    contact_sheet,
    movie,
    sheet_and_movie,
    stored_animation,
)
from vastus.pictures.picture import plot_state, render
from vastus.pictures.renderer import VIEW_ANGLE, fitted, view_direction
from vastus.pictures.skin import skins
from vastus.pictures.table_curves import limits, plot_table
from vastus.results import frame_file
from vastus.results.result import read_playback
from vastus.schedules import ramp
from vastus.skeleton.joints import Hinge, Slider
from vastus.state import Frame, Report, State, rest

pytest.importorskip("pyvista", reason="needs the viz extra")


def active(model: Model, level: float) -> State:
    still = rest(model)
    return replace(still, activation=np.array([level]))


def frames(model: Model, count: int = 4) -> list[Frame]:
    made = []
    for i, inputs in enumerate(ramp(model, belly=1.0, seconds=1.0, fps=count - 1)):
        x = model.mesh.X * [1.0 - 0.3 * inputs.time, 1.0, 1.0]
        outputs = {"belly_activation": inputs.excitation[0], "belly_force_N": 2.0 * i}
        state = State.still(inputs.time, x, inputs.poses, inputs.excitation)
        made.append(Frame(i, state, Report(True, 1, 0, 0, 0), outputs))
    return made


def pixels(path: Path) -> np.ndarray:
    from PIL import Image

    with Image.open(path) as image:
        return np.asarray(image.convert("RGB"), float)


def redness(image: np.ndarray) -> float:
    """How many pixels are clearly red."""
    return float((image[..., 0] - image[..., 1:].max(axis=-1) > 80).sum())


def drawn_columns(image: np.ndarray) -> int:
    """How many columns differ from the background, which is that of the first column."""
    return int((np.abs(image - image[:, :1]).max(axis=2) > 20).any(axis=0).sum())


def test_a_picture_is_not_blank_and_muscles_redden(bar_model: Model, tmp_path: Path) -> None:
    images = []
    for level in (0.0, 0.5, 1.0):
        render(bar_model, active(bar_model, level), tmp_path / "a.png", height=200)
        images.append(pixels(tmp_path / "a.png"))
    assert images[0].shape[0] == 200
    assert images[0].std() > 15
    assert redness(images[0]) == 0
    mean_green = [image[..., 1].mean() for image in images]
    assert mean_green[0] > mean_green[1] > mean_green[2]
    assert redness(images[2]) > 0.1 * images[2][..., 0].size


def test_drawing_says_nothing(
    bar_model: Model, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    render(bar_model, rest(bar_model), tmp_path / "a.png", height=100)
    assert capfd.readouterr() == ("", "")


def test_only_what_moves_changes_between_pictures(bar_model: Model, tmp_path: Path) -> None:
    contact_sheet(
        animation_of(bar_model, frames(bar_model)), tmp_path / "s.png", count=2, columns=2
    )
    sheet = pixels(tmp_path / "s.png")
    left, right = np.split(sheet[:, 4:-4], 2, axis=1)
    wide = [drawn_columns(half[20:500, 10:-10]) for half in (left, right)]
    assert wide[1] == pytest.approx(0.7 * wide[0], rel=0.05)


def test_a_sheet_has_rows_and_columns(bar_model: Model, tmp_path: Path) -> None:
    motion = animation_of(bar_model, frames(bar_model))
    contact_sheet(motion, tmp_path / "wide.png", columns=4, height=100)
    contact_sheet(motion, tmp_path / "tall.png", columns=1, height=100)
    wide, tall = (pixels(tmp_path / f"{name}.png").shape for name in ("wide", "tall"))
    assert wide[1] > 3.7 * tall[1]
    assert tall[0] > 3.7 * wide[0]


def test_captions_name_time_active_muscles_and_angles(bar_model: Model) -> None:
    hinge = Hinge("knee", ("base", "tip"), np.zeros(3), np.array([0.0, 1.0, 0.0]))
    model = bar_model.with_(joints=(hinge,))
    made = [replace(f, outputs={**f.outputs, "knee_angle_deg": -0.2}) for f in frames(model)]
    assert animation_of(model, made).captions[1] == "0.33 s,  belly 0.33,  knee 0° from rest"


def test_captions_say_that_angles_are_from_rest(bar_model: Model) -> None:
    axis = np.array([0.0, 1.0, 0.0])
    joints = tuple(Hinge(n, ("base", "tip"), np.zeros(3), axis) for n in ("elbow", "wrist"))
    row = {"time_s": 0.0, "elbow_angle_deg": 76.6, "wrist_angle_deg": -14.2}
    (text,) = captions(bar_model.with_(joints=joints), [row])
    assert text == "0.00 s,  elbow +77°, wrist -14° from rest"


def test_captions_tell_of_sliders_in_millimetres(bar_model: Model) -> None:
    slider = Slider("reach", ("base", "tip"), np.zeros(3), np.array([0.0, 0.0, 1.0]))
    row = {"time_s": 0.0, "reach_shift_m": -0.06, "reach_angle_deg": 0.0}
    (text,) = captions(bar_model.with_(joints=(slider,)), [row])
    assert text == "0.00 s,  reach -60 mm from rest"


def test_captions_tell_of_pressures_where_there_are_no_muscles() -> None:
    model = gallery.gripper(tets=9_000)
    row = {"time_s": 1.0, **{f"{c.name}_pressure_Pa": 2.7e4 for c in model.cavities}}
    assert captions(model, [row]) == ["1.00 s,  each 27 kPa"]
    row["back_pressure_Pa"] = 0.0
    assert captions(model, [row]) == ["1.00 s,  left 27 kPa,  right 27 kPa,  back 0 kPa"]


def test_evenly_chosen_frames_include_the_ends(bar_model: Model) -> None:
    motion = animation_of(bar_model, frames(bar_model, 11))
    assert [text[:4] for text in motion.sample(3).captions] == ["0.00", "0.50", "1.00"]
    assert len(motion.sample(50).snapshots) == 11
    assert motion.fps == pytest.approx(10.0)


def test_a_stored_animation_equals_the_live_one(bar_model: Model, tmp_path: Path) -> None:
    live = animation_of(bar_model, frames(bar_model))
    write(tmp_path, bar_model, frames(bar_model))
    stored = stored_animation(read_playback(tmp_path))
    assert stored.captions == live.captions
    for a, b in zip(live.snapshots, stored.snapshots, strict=True):
        np.testing.assert_array_equal(a.x, b.x)
        np.testing.assert_array_equal(a.activation, b.activation)


def test_frames_are_read_once_and_only_if_they_are_drawn(
    bar_model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("imageio_ffmpeg", reason="needs the viz extra")
    write(tmp_path, bar_model, frames(bar_model, 11))
    read: list[Path] = []
    monkeypatch.setattr(
        frame_file, "read_bytes", lambda path: (read.append(path), read_bytes(path))[1]
    )
    stored = stored_animation(read_playback(tmp_path))
    contact_sheet(stored, tmp_path / "s.png", count=3, columns=3, height=64)
    assert [path.stem[-2:] for path in read] == ["00", "05", "10"]
    read.clear()
    movie(stored, tmp_path / "m.mp4", height=64)
    assert len(read) == len(set(read)) == 11


def test_a_movie_can_be_read_back(bar_model: Model, tmp_path: Path) -> None:
    ffmpeg = pytest.importorskip("imageio_ffmpeg", reason="needs the viz extra")
    movie(animation_of(bar_model, frames(bar_model)), tmp_path / "m.mp4", fps=3.0, height=101)
    command = [ffmpeg.get_ffmpeg_exe(), "-i", str(tmp_path / "m.mp4"), "-f", "rawvideo"]
    read = subprocess.run([*command, "-pix_fmt", "rgb24", "-"], capture_output=True, check=True)
    facts = re.search(r"Video: h264.* yuv420p.* (\d+)x(\d+).* 30 fps", read.stderr.decode())
    assert facts
    width, height = (int(side) for side in facts.groups())
    assert width % 2 == height % 2 == 0
    shown = np.frombuffer(read.stdout, np.uint8).reshape(-1, height, width, 3).astype(float)
    assert len(shown) == pytest.approx(4 / 3 * 30 + 21, abs=2)
    assert np.abs(shown[0] - shown[-1]).mean() > 3
    assert [p.name for p in tmp_path.iterdir()] == ["m.mp4"]


def test_a_sheet_and_a_movie_at_once_are_as_each_alone(bar_model: Model, tmp_path: Path) -> None:
    pytest.importorskip("imageio_ffmpeg", reason="needs the viz extra")
    motion = animation_of(bar_model, frames(bar_model, 8))
    sheet_and_movie(motion, tmp_path / "both.png", tmp_path / "both.mp4")
    contact_sheet(motion, tmp_path / "alone.png")
    movie(motion, tmp_path / "alone.mp4")
    both, alone = (pixels(tmp_path / f"{name}.png") for name in ("both", "alone"))
    assert both.shape == alone.shape
    assert np.abs(both - alone).mean() < 0.5
    assert np.abs(both - both.mean(axis=(0, 1))).mean() > 5
    assert read_bytes(tmp_path / "both.mp4") == read_bytes(tmp_path / "alone.mp4")


def test_write_chooses_by_suffix(bar_model: Model, tmp_path: Path) -> None:
    write(tmp_path / "sheet.png", bar_model, frames(bar_model))
    assert pixels(tmp_path / "sheet.png").std() > 15


def test_a_plot_of_a_result_has_curves(bar_model: Model, tmp_path: Path) -> None:
    write(tmp_path, bar_model, frames(bar_model))
    assert plot_table(tmp_path, tmp_path / "plot.png")
    assert pixels(tmp_path / "plot.png").std() > 5


def test_a_table_without_curves_has_no_plot(tmp_path: Path) -> None:
    """Passive tissue in explicit motion has neither joints nor muscles nor an account."""
    table = {"time_s": np.arange(3.0), "energy_J": np.arange(3.0)}
    assert not plot_table(table, tmp_path / "plot.png")
    assert not list(tmp_path.iterdir())


def test_passive_tissue_alone_is_not_glass_and_stands_on_its_floor() -> None:
    """A torus hides the floor behind it, which shows all along the lower edge."""
    model = torus(1000, height=0.06)
    both = (model, model.with_(floor=Floor()))
    plain, floored = (plot_state(one, height=120).pixels for one in both)
    changed = (plain != floored).any(axis=2)
    assert changed[-1].all()
    tissue = plain[..., 0].astype(int) - plain[..., 2] > 40  # the background is as blue as red
    assert tissue.mean() > 0.3
    # Pixels of the rim are blends with what is behind them.
    assert not changed[binary_erosion(tissue)].any()


def test_round_off_is_not_drawn_as_a_curve() -> None:
    noise = 5.4290894 + 1e-8 * np.sin(np.arange(50.0))
    low, high = limits(noise, span=0.01)
    assert high - low > 0.1
    assert low < noise.min() < noise.max() < high


def test_the_axis_of_a_curve_fits_it() -> None:
    assert limits(np.array([0.0, 80.0, np.nan]), span=1.0) == pytest.approx((-4.0, 84.0))
    assert limits(np.zeros(3), span=0.1) == pytest.approx((-0.05, 0.05))
    assert limits(np.zeros(0), span=0.1) == pytest.approx((-0.05, 0.05))


def test_the_view_is_along_the_hinge_or_broadside(bar_model: Model) -> None:
    axis = np.array([1.0, 0.0, 0.0])
    hinged = bar_model.with_(joints=(Hinge("knee", ("base", "tip"), np.zeros(3), 2 * axis),))
    assert view_direction(hinged) @ axis > 0.9
    assert view_direction(bar_model) @ [0.0, -1.0, 0.0] > 0.9


def test_the_camera_sees_every_point() -> None:
    points = np.random.default_rng(1).normal(size=(200, 3)) * [1.0, 3.0, 0.5]
    direction = np.array([0.6, 0.0, 0.8])
    camera = fitted(points, direction, aspect=1.5)
    right = np.cross(camera.up, direction)
    away = points - camera.position
    distance = -(away @ direction)
    tangent = np.tan(np.radians(VIEW_ANGLE / 2))
    assert (np.abs(away @ camera.up) <= distance * tangent).all()
    assert (np.abs(away @ right) <= distance * tangent * 1.5).all()


def test_passive_tissue_does_not_hide_what_it_covers(bar_model: Model) -> None:
    regions = list(bar_model.regions)
    regions[3] = replace(regions[3], tissue=Tissue.PASSIVE, laws=(StableNeoHookean(),), muscle=None)
    wrapped = bar_model.with_(regions=tuple(regions))
    kinds = {skin.tissue: skin for skin in skins(wrapped)}
    assert set(kinds) == {Tissue.BONE, Tissue.MUSCLE, Tissue.PASSIVE}
    faces = sum(len(skin.faces) for skin in kinds.values())
    assert faces == len(wrapped.mesh.boundary) + 2 * 8


def test_sharp_edges_keep_two_normals(bar_model: Model) -> None:
    skin = next(s for s in skins(bar_model) if s.tissue is Tissue.MUSCLE)
    normals = skin.normals(bar_model.mesh.X)
    np.testing.assert_allclose(np.abs(normals).max(axis=1), 1.0)


def test_without_frames_there_is_no_picture(bar_model: Model) -> None:
    with pytest.raises(FileError, match="no finished frame"):
        Animation(bar_model, (), ())


def test_a_missing_package_names_its_extra(
    bar_model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyvista", None)
    with pytest.raises(MissingExtra, match=r"'pyvista': pip install 'vastus\[viz\]'"):
        render(bar_model, rest(bar_model), tmp_path / "a.png")
    assert not list(tmp_path.iterdir())
