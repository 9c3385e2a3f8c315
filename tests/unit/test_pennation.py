"""Fibres turned towards an aponeurosis."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from vastus.errors import ModelError, VastusError
from vastus.files.meshes import write_mesh, write_surface
from vastus.geometry.surface import Surface
from vastus.model import Model
from vastus.modelling.build import build
from vastus.modelling.fibres.authored import pennate
from vastus.modelling.shapes.simple import bipennate, box
from vastus.numerics.types import Floats
from vastus.scene.fibres import End
from vastus.scene.read import read

ANGLE = np.radians(20)
C, S = np.cos(ANGLE), np.sin(ANGLE)
BLOCK = box((8, 4, 4), (0.2, 0.1, 0.1))
POINTS = BLOCK.centroids
ALONG = np.tile([1.0, 0, 0], (len(POINTS), 1))


def sheet(y: float, slope: float = 0.0, start: float = 0.0) -> Surface:
    """A rectangle along x and z at height y, falling by `slope`, from x = `start` to 0.2."""
    corners = [[start, -0.1], [0.2, -0.1], [0.2, 0.2], [start, 0.2]]
    X = np.array([[x, y - slope * x, z] for x, z in corners])
    return Surface(X, np.array([[0, 1, 2], [0, 2, 3]]))


def test_towards_a_flat_sheet_on_one_side_the_angle_is_exact() -> None:
    """d = cos(angle) e + sin(angle) n, with n from the fibre to the sheet."""
    found = pennate(ALONG, POINTS, sheet(0.05), ANGLE, End.INSERTION)
    assert np.abs(found - [C, S, 0]).max() < 1e-12


def test_from_a_sheet_of_the_origin_fibres_run_away() -> None:
    found = pennate(ALONG, POINTS, sheet(0.05), ANGLE, End.ORIGIN)
    assert np.abs(found - [C, -S, 0]).max() < 1e-12


def test_a_sheet_in_the_middle_makes_a_feather() -> None:
    middle = POINTS[:, 1].mean()
    found = pennate(ALONG, POINTS, sheet(middle), ANGLE, End.INSERTION)
    side = np.sign(middle - POINTS[:, 1])
    expected = np.column_stack([np.full(len(side), C), S * side, 0 * side])
    assert np.abs(found - expected).max() < 1e-12


def test_a_slanting_sheet_does_not_change_the_angle() -> None:
    slanted = pennate(ALONG, POINTS, sheet(0.11, slope=0.3, start=-0.1), ANGLE, End.INSERTION)
    assert slanted[:, 0] == pytest.approx(C)


def test_beyond_the_rim_the_angle_fades_to_nothing() -> None:
    half = sheet(0.05, start=0.1)
    line = np.column_stack([np.full(50, 0.05), np.linspace(0.05, 0.15, 50), np.full(50, 0.02)])
    points = np.vstack([line, [0.15, 0.06, 0.02]])
    found = pennate(np.tile([1.0, 0, 0], (51, 1)), points, half, ANGLE, End.INSERTION)
    angle = np.arccos(found[:, 0].clip(-1, 1))
    assert angle[0] == pytest.approx(0, abs=1e-7)
    assert (np.diff(angle[:50]) > -1e-12).all()
    assert angle[49:] == pytest.approx(ANGLE)


def test_on_the_sheet_fibres_keep_their_direction() -> None:
    found = pennate(
        ALONG[:2], np.array([[0.1, 0.1, 0], [0.1, 0.0, 0]]), sheet(0.1), ANGLE, End.ORIGIN
    )
    assert np.abs(found - [[1, 0, 0], [C, -S, 0]]).max() < 1e-12


@pytest.mark.parametrize("factor", [1e-3, 1e3])
def test_a_sheet_in_other_units_is_refused(factor: float) -> None:
    wrong = Surface(sheet(0.1).X * factor, sheet(0.1).faces)
    with pytest.raises(ModelError, match="check its 'units'"):
        pennate(ALONG, POINTS, wrong, ANGLE, End.INSERTION)


SCENE = """\
vastus: 1
mesh: {file: block.vtu, labels: part, units: cm}
regions:
  base: {label: 1, tissue: bone}
  belly: {label: 2, tissue: muscle}
  flat: {label: 3, tissue: tendon, muscle: belly}
  tip: {label: 4, tissue: bone}
muscles:
  belly:
    fibres:
      direction: [1, 0, 0]
      pennation: {angle: 20, aponeurosis: SHEET}
bones: {base: {regions: [base], drive: pinned}, tip: {regions: [tip]}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A block in cm: bones at its ends, and a sheet of tendon above the muscle."""
    x, y, _ = BLOCK.centroids.T
    part = np.select([x < 0.025, x > 0.175, y > 0.025], [1, 4, 3], 2)
    block = type(BLOCK)(100 * BLOCK.X, BLOCK.T)
    write_mesh(tmp_path / "block.vtu", block, cell_data={"part": part})
    write_surface(tmp_path / "sheet.obj", Surface(100 * sheet(0.025).X, sheet(0.025).faces))
    write_surface(tmp_path / "metres.vtp", sheet(0.025))
    return tmp_path


def built(folder: Path, aponeurosis: str) -> Model:
    (folder / "scene.yaml").write_text(SCENE.replace("SHEET", aponeurosis))
    return build(read(folder / "scene.yaml"))


def turned(model: Model) -> Floats:
    return model.fibre[model.tets_of(["belly"])]


@pytest.mark.parametrize(
    "aponeurosis",
    [
        "sheet.obj",
        "{file: metres.vtp, units: m}",
        "{box: [[-1, 0.02, -1], [1, 0.03, 1]]}",
    ],
)
def test_an_author_may_give_it_as_a_file_or_by_place(aponeurosis: str, folder: Path) -> None:
    model = built(folder, aponeurosis)
    # Written in single precision at worst.
    assert np.abs(turned(model) - [C, S, 0]).max() < 1e-6
    assert np.abs(model.fibre[model.tets_of(["flat"])] - [1, 0, 0]).max() < 1e-12


@pytest.mark.parametrize("aponeurosis", ["flat", "{region: flat}"])
def test_a_region_turns_the_muscle_below_it(aponeurosis: str, folder: Path) -> None:
    assert np.abs(turned(built(folder, aponeurosis)) - [C, S, 0]).max() < 1e-12


def test_a_bone_may_serve(folder: Path) -> None:
    """Fibres that meet it head on are not turned: it is straight ahead of them."""
    assert np.abs(turned(built(folder, "tip")) - [1, 0, 0]).max() < 1e-12


@pytest.mark.parametrize(
    ("aponeurosis", "words"),
    [
        ("flt", "did you mean 'flat'?"),
        ("none.obj", "there is no file"),
        ("{box: [[5, 5, 5], [6, 6, 6]]}", "no vertex lies there"),
        ("{sphere: {centre: [0.1, 0.05, 0.05], radius: 0.001}}", "no face of the muscle"),
        ("{file: sheet.obj, units: m}", "does not fit the muscle"),
        ("{}", "give exactly one of box, sphere, plane, region"),
    ],
)
def test_what_cannot_be_a_sheet_is_refused(aponeurosis: str, words: str, folder: Path) -> None:
    with pytest.raises(VastusError) as error:
        built(folder, aponeurosis)
    assert words in str(error.value)
    assert "line 12" in str(error.value)


def test_a_right_angle_is_refused(folder: Path) -> None:
    (folder / "scene.yaml").write_text(SCENE.replace("20", "90").replace("SHEET", "flat"))
    with pytest.raises(VastusError, match=r"line 12 .*pennation.angle.*90 was given"):
        read(folder / "scene.yaml")


@pytest.mark.parametrize(
    ("aponeurosis", "end"), [("lower tendon", "insertion"), ("upper tendon", "origin")]
)
def test_both_sheets_of_a_feathered_muscle_give_its_fibres(
    aponeurosis: str, end: str, tmp_path: Path
) -> None:
    """The shape's own fibres come from another potential: their angle is right in the mean."""
    (tmp_path / "scene.yaml").write_text(
        "vastus: 1\nmodel: {shape: bipennate, tets: 8000}\n"
        "muscles: {belly: {fibres: {from: upper, to: lower, pennation: "
        f"{{angle: 20, aponeurosis: {aponeurosis}, end: {end}}}}}}}}}\n"
    )
    shape, model = bipennate(8000, pennation=20), build(read(tmp_path / "scene.yaml"))
    belly = model.tets_of(["belly"])
    middle = belly[abs(model.mesh.centroids[belly, 2] - 0.075) < 0.03]
    weight = model.mesh.volumes[middle]
    angle = np.degrees(np.arccos(-model.fibre[middle, 2]))
    assert np.average(angle, weights=weight) == pytest.approx(20, abs=1)
    cosine = np.einsum("mi,mi->m", model.fibre[middle], shape.fibre[middle])
    assert np.average(np.degrees(np.arccos(cosine.clip(-1, 1))), weights=weight) < 10
