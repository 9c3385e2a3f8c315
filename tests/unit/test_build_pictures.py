"""Pictures of a build show its parts, mesh, attachments, tendons, fibres and joints."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from builders import box
from vastus.cache import Log
from vastus.errors import FileError, MissingExtra
from vastus.geometry.surface import boundary_surface
from vastus.geometry.tetmesh import TetMesh
from vastus.model import Model, Muscle
from vastus.modelling.joints.joint_fit import BallFit
from vastus.modelling.surfaces.anatomy import Anatomy, Guess
from vastus.modelling.surfaces.body_parts import Ends, Part
from vastus.modelling.surfaces.ends import Attachment, Way
from vastus.modelling.surfaces.pipeline import Flesh, Joined
from vastus.modelling.surfaces.repair import Repaired
from vastus.modelling.surfaces.separation import Separated
from vastus.modelling.surfaces.surface_model import Body
from vastus.modelling.tissues import bone_region, usual_laws
from vastus.parts import Bone, Region, Tissue
from vastus.pictures.build_pictures import draw_build, draw_model, joints_sheet
from vastus.pictures.build_sheets import attachments_sheet, parts_sheet, tendons_sheet
from vastus.pictures.colours import part_colours
from vastus.pictures.panels import (
    Panel,
    axis_name,
    four_views,
    render_panels,
    surface_shape,
    upward,
    view_toward,
    window_around,
)
from vastus.pictures.sheets import WIDTH, Entry, Sheet, annotated
from vastus.scene.fibres import End
from vastus.scene.schema import Unit
from vastus.skeleton.joints import Ball, Hinge

pytest.importorskip("pyvista", reason="needs the viz extra")

UP = np.array([0.0, 0.0, 1.0])
BONES, NAMES = (2, 0), ("shin", "calf", "thigh")
STEPS = ["1_parts", "2_mesh", "3_attachments", "4_tendons", "5_fibres", "6_joints"]


@pytest.fixture(scope="module")
def body() -> Body:
    """A column of 12 cm along z: a bone, a muscle of 6 cm whose upper third is tendon, a bone."""
    mesh = box((2, 2, 12), (0.02, 0.02, 0.12))
    z = mesh.centroids[:, 2]
    labels = np.searchsorted([0.03, 0.09], z)
    parts = tuple(_part(mesh, labels == i, i) for i in range(3))
    s = np.where(
        np.isin(np.arange(mesh.n_vertices), mesh.T[labels == 1]), 1.5 - mesh.X[:, 2] / 0.06, np.nan
    )
    attachments = (
        Attachment(1, End.ORIGIN, 2, cap=0.15, distance=0.0, given=True),
        Attachment(1, End.INSERTION, 0, cap=0.15, distance=0.0, given=False),
    )
    whole = Separated(mesh, np.arange(mesh.n_tets), np.arange(mesh.n_vertices))
    tendon = (labels == 1) & (z > 0.07)
    fibre = np.where((labels == 1)[:, None], -UP, 0.0)
    return Body(
        _model(mesh, labels, tendon, fibre),
        parts,
        Joined(whole, labels, labels, mesh.volumes, {1: Way(s, 0.06)}, attachments),
        Flesh(tendon, {1: (1 / 3, 0.0)}, fibre),
    )


def _part(mesh: TetMesh, mine: np.ndarray, i: int) -> Part:
    surface, _ = boundary_surface(mesh.submesh(np.flatnonzero(mine))[0])
    if i in BONES:
        return Part(NAMES[i], surface, Tissue.BONE)
    return Part(NAMES[i], surface, Tissue.MUSCLE, NAMES[i], Ends(tendons=(1 / 3, 0.0)))


def _model(mesh: TetMesh, labels: np.ndarray, tendon: np.ndarray, fibre: np.ndarray) -> Model:
    soft = [
        Region(n, t, usual_laws(t), muscle="calf")
        for n, t in (("calf", Tissue.MUSCLE), ("calf tendon", Tissue.TENDON))
    ]
    regions = (bone_region("shin"), soft[0], bone_region("thigh"), soft[1])
    bones = (Bone("shin", ("shin",)), Bone("thigh", ("thigh",)))
    region = np.where(tendon, 3, labels)
    return Model(mesh, region, regions, fibre, (Muscle("calf"),), bones, name="leg")


@pytest.fixture(scope="module")
def model(body: Body) -> Model:
    pair = ("thigh", "shin")
    joints = (
        Ball("hip", pair, np.array([0.01, 0.01, 0.1])),
        Hinge("knee", pair, np.array([0.01, 0.01, 0.02]), np.array([1.0, 0.0, 0.0])),
    )
    return body.model.with_(joints=joints)


@pytest.fixture(scope="module")
def anatomy(body: Body) -> Anatomy:
    fit = BallFit(np.array([0.01, 0.01, 0.1]), 0.008, 2.5e-4, 70, 0.8, "thigh")
    repaired = {part.name: Repaired(part.surface, ("filled 1 hole",)) for part in body.parts}
    unit = Guess(120.0, Unit.MM)
    return Anatomy(body, Log(None, lambda _: None), unit, repaired, {"hip": fit})


def pixels(path: Path) -> np.ndarray:
    from PIL import Image

    with Image.open(path) as image:
        return np.asarray(image.convert("RGB"), float)


def first_view(sheet: Sheet, tmp_path: Path) -> np.ndarray:
    """The pixels of a sheet with its first panel only."""
    replace(sheet, panels=sheet.panels[:1], entries=()).save(tmp_path / "view.png")
    return pixels(tmp_path / "view.png")


def bluish(image: np.ndarray) -> int:
    return int((image[..., 2] - image[..., 0] > 80).sum())


def orange(image: np.ndarray) -> int:
    return int((image[..., 0] - image[..., 2] > 110).sum())


def reddish(image: np.ndarray) -> int:
    return int((image[..., 0] - image[..., 1:].max(axis=-1) > 60).sum())


def test_each_step_has_a_sheet(
    anatomy: Anatomy, model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved: list[tuple[str, int]] = []
    monkeypatch.setattr(
        Sheet, "save", lambda self, path: saved.append((path.stem, len(self.panels)))
    )
    draw_build(anatomy, model, tmp_path)
    assert [name for name, _ in saved] == STEPS
    assert all(panels for _, panels in saved)


@pytest.mark.slow  # what parts, attachments, tendons and joints look like is quick
def test_each_step_has_a_picture(
    anatomy: Anatomy, model: Model, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    paths = draw_build(anatomy, model, tmp_path / "new" / "pictures")
    assert [path.stem for path in paths] == STEPS
    for path in paths:
        image = pixels(path)
        assert image.shape[1] == WIDTH
        assert image.std() > 15
    assert capfd.readouterr() == ("", "")


def test_pixels_know_what_they_show() -> None:
    cubes = [box((1, 1, 1), (1.0, 1.0, 1.0)) for _ in range(2)]
    lower, upper = (cube.X + 1.5 * i * UP for i, cube in enumerate(cubes))
    things = [
        surface_shape(lower, cubes[0].boundary, np.array([1.0, 0.0, 0.0]), 1),
        surface_shape(upper, cubes[1].boundary, np.array([0.0, 0.0, 1.0]), 300),
        surface_shape(upper * [1, 1, 2] - [0, 2, 0], cubes[1].boundary, np.ones(3), 7, opacity=0.1),
    ]
    window = window_around(np.vstack([lower, upper]), four_views(UP)[0])
    (painted,) = render_panels([Panel(things, window)], 200)
    assert set(np.unique(painted.numbers)) == {0, 1, 300}
    rows = [np.flatnonzero((painted.numbers == n).any(axis=1)) for n in (300, 1)]
    assert rows[0].max() < rows[1].min()
    assert (painted.numbers == 1).sum() == pytest.approx(painted.scale**2, rel=0.05)
    middle = painted.image[rows[1].mean().astype(int), painted.image.shape[1] // 2]
    assert middle[0] > 150 > 100 > middle[2]


def test_badges_are_where_their_things_are() -> None:
    cube = box((1, 1, 1), (1.0, 1.0, 1.0))
    shape = surface_shape(cube.X, cube.boundary, np.full(3, 0.8), 4)
    side = four_views(UP)[0]
    (painted,) = render_panels([Panel([shape], window_around(cube.X, side))], 200)
    green = np.array([0.0, 1.0, 0.0])
    images = [
        annotated(painted, side, "cube", entries).astype(float)
        for entries in ({}, {4: Entry(4, green, "cube")}, {5: Entry(5, green, "none")})
    ]
    changed = np.abs(images[1] - images[0]).max(axis=2) > 0
    assert np.argwhere(changed).mean(axis=0) == pytest.approx([26 + 100, 100], abs=3)
    assert np.array_equal(images[0], images[2])


def test_parts_have_their_colours_and_repairs(anatomy: Anatomy, tmp_path: Path) -> None:
    sheet = parts_sheet(anatomy, UP)
    assert [entry.text for entry in sheet.entries][1] == "calf (muscle): filled 1 hole"
    assert len(sheet.panels) == 4
    image = first_view(sheet, tmp_path)
    assert reddish(image) > 5000
    assert len(np.unique(part_colours(anatomy.body.parts), axis=0)) == 3


def test_attachments_are_blue_and_orange(body: Body, tmp_path: Path) -> None:
    sheet = attachments_sheet(body, UP)
    assert [entry.hollow for entry in sheet.entries] == [False, True]
    assert sheet.entries[0].text == (
        "calf -> thigh: origin, given, tip 0.0 mm away, 9 vertices within 15% of the length"
    )
    assert "calf -> shin: insertion, proposed" in sheet.entries[1].text
    above = replace(sheet, panels=[_from_above(panel) for panel in sheet.panels])
    image = first_view(above, tmp_path)
    assert bluish(image) > 1000


def _from_above(panel: Panel) -> Panel:
    """The patches alone, which are flat and seen from above."""
    patches = [shape for shape in panel.shapes if shape.number]
    points = np.concatenate([np.array(shape.data.points) for shape in patches])
    return Panel(patches, window_around(points, view_toward(UP, UP)))


def test_an_attachment_that_holds_nothing_is_told(body: Body) -> None:
    loose = replace(body.made.attachments[1], to=2)
    made = replace(body.made, attachments=(loose,))
    sheet = attachments_sheet(replace(body, made=made), UP)
    assert sheet.entries[0].text.endswith("NO VERTEX")


def test_tendons_are_silver_and_bellies_red(body: Body, tmp_path: Path) -> None:
    sheet = tendons_sheet(body, UP)
    assert "tendon 33% at the origin, 0% at the insertion, given" in sheet.entries[0].text
    bare = replace(body, flesh=replace(body.flesh, tendon=np.zeros_like(body.flesh.tendon)))
    with_tendon, without = (
        reddish(first_view(s, tmp_path)) for s in (sheet, tendons_sheet(bare, UP))
    )
    assert with_tendon / without == pytest.approx(2 / 3, abs=0.05)


def test_joints_are_told_with_their_residuals(body: Body, model: Model, anatomy: Anatomy) -> None:
    sheet = joints_sheet(body, model, anatomy.fits, UP)
    assert sheet is not None
    assert [entry.hollow for entry in sheet.entries] == [True, False]
    assert "hip of thigh and shin: ball, sphere of 8.0 mm" in sheet.entries[0].text
    assert "rms 0.25 mm" in sheet.entries[0].text
    assert sheet.entries[1].text.endswith("hinge, given by the author")
    assert joints_sheet(body, body.model, {}, UP) is None


@pytest.mark.parametrize("up", [[0, 0, 1], [0, 1, 0], [1, 0, 0], [0, 0, -1], [0, 0.6, 0.8]])
def test_sides_are_upright_and_all_around(up: list[float]) -> None:
    sides = four_views(np.array(up, float))
    for side in sides:
        frame = np.array([side.right, side.up, side.toward])
        assert frame @ frame.T == pytest.approx(np.eye(3), abs=1e-12)
        assert np.linalg.det(frame) == pytest.approx(1.0)
        assert side.up == pytest.approx(np.array(up, float))
    assert sum(side.toward for side in sides) == pytest.approx(np.zeros(3))


def test_sides_have_names() -> None:
    assert [side.name for side in four_views(UP)] == ["from -y", "from -x", "from +y", "from +x"]
    assert four_views(np.array([0.0, 1.0, 0.0]))[0].name == "from +z"
    assert axis_name(np.array([0.6, 0.8, 0.0])) == "[0.60, 0.80, 0.00]"


def test_up_is_against_gravity() -> None:
    assert upward(np.array([0.0, -9.81, 0.0])) == pytest.approx([0.0, 1.0, 0.0])
    assert upward(np.zeros(3)) == pytest.approx([0.0, 0.0, 1.0])


def test_any_model_is_drawn_from_four_sides(bar_model: Model, tmp_path: Path) -> None:
    draw_model(bar_model, tmp_path / "bar.png")
    image = pixels(tmp_path / "bar.png")
    assert image.shape[1] == WIDTH
    assert reddish(image) == 0
    assert image.std() > 15


def test_drawing_without_pyvista_names_the_extra(
    anatomy: Anatomy, model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyvista", None)
    tries: list[Callable[[], object]] = [
        lambda: draw_build(anatomy, model, tmp_path / "no"),
        lambda: draw_model(model, tmp_path / "no.png"),
    ]
    for draw in tries:
        with pytest.raises(MissingExtra, match="viz"):
            draw()
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_is_told(anatomy: Anatomy, model: Model, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="is not a folder"):
        draw_build(anatomy, model, tmp_path / "file" / "pictures")
