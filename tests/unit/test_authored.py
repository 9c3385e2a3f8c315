"""Fibres that an author gives: between bones, as data of a mesh, or turned to an aponeurosis."""

from __future__ import annotations

from pathlib import Path

import meshio
import numpy as np
import pytest

from vastus.errors import ModelError, VastusError
from vastus.files.meshes import write_mesh, write_surface
from vastus.geometry.signs import aligned
from vastus.geometry.surface import Surface
from vastus.geometry.tetmesh import TetMesh
from vastus.model import Model
from vastus.modelling.build import build
from vastus.modelling.fibres.authored import pennate
from vastus.modelling.fibres.laplace import laplace_fibres, mean_line
from vastus.modelling.shapes.simple import bipennate, box
from vastus.numerics.types import Floats
from vastus.scene.fibres import End
from vastus.scene.read import read

SCENE = """\
vastus: 1
mesh: {file: bar.vtu, labels: part, units: mm, ignore: [9]}
regions:
  base: {label: 1, tissue: bone}
  belly: {label: 2, tissue: muscle}
  upper: {label: 3, tissue: bone}
  lower: {label: 4, tissue: bone}
muscles:
  belly:
    fibres: FIBRES
bones:
  base: {regions: [base], drive: pinned}
  upper: {regions: [upper]}
  lower: {regions: [lower]}
"""


def bar() -> TetMesh:
    """20 cm along x, in millimetres."""
    return box((10, 2, 4), (200.0, 40.0, 40.0))


def waving(X: Floats) -> Floats:
    """(n, 3) directions that turn along x, by half a turn in 40 cm."""
    angle = np.pi * X[:, 0] / 400
    return np.column_stack([np.cos(angle), np.sin(angle), np.zeros(len(X))])


def scattered(vectors: Floats) -> Floats:
    """The vectors with random signs and lengths."""
    rng = np.random.default_rng(1)
    return vectors * (rng.choice([-1, 1], len(vectors)) * rng.uniform(1, 3, len(vectors)))[:, None]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bone, a muscle, and two bones one above the other; the rest is to be ignored."""
    mesh = bar()
    x, _, z = mesh.centroids.T
    part = np.select([x < 20, x < 40, x < 160, z > 10, z < -10], [9, 1, 2, 3, 4], 9)
    write_mesh(
        tmp_path / "bar.vtu",
        mesh,
        cell_data={
            "part": part,
            "signs": scattered(waving(mesh.centroids)),
            "nil": 0 * mesh.T[:, :3],
        },
        point_data={"corner": scattered(waving(mesh.X)), "heat": mesh.X[:, 0]},
    )
    return tmp_path


def built(folder: Path, fibres: str) -> Model:
    (folder / "scene.yaml").write_text(SCENE.replace("FIBRES", fibres))
    return build(read(folder / "scene.yaml"))


def refused(folder: Path, fibres: str) -> str:
    with pytest.raises(VastusError) as error:
        built(folder, fibres)
    return str(error.value)


def belly(model: Model) -> tuple[Floats, Floats]:
    """The fibres of the belly, and what they should be if they wave."""
    tets = model.tets_of(["belly"])
    return model.fibre[tets], waving(1000 * model.mesh.centroids[tets])


def test_fibres_may_run_to_several_bones(folder: Path) -> None:
    model = built(folder, "{from: [base], to: [upper, lower]}")
    ends = [model.bone_of_vertex == 0, model.bone_of_vertex > 0]
    tets = model.tets_of(["belly"])
    expected = laplace_fibres(model.mesh, tets, *(np.flatnonzero(end) for end in ends))
    assert np.abs(model.fibre[tets] - expected).max() < 1e-12


def test_one_bone_of_several_pulls_the_fibres_to_its_side(folder: Path) -> None:
    one, _ = belly(built(folder, "{from: base, to: upper}"))
    both, _ = belly(built(folder, "{from: base, to: [upper, lower]}"))
    assert one[:, 2].mean() > 0.05 > 5 * abs(both[:, 2].mean())


def test_vectors_on_tets_get_signs_that_agree(folder: Path) -> None:
    fibre, true = belly(built(folder, "{data: signs}"))
    cosine = np.einsum("mi,mi->m", fibre, true)
    assert np.abs(cosine).min() == pytest.approx(1)
    assert abs(np.sign(cosine).sum()) == len(cosine)


def test_vectors_on_vertices_are_averaged_as_lines(folder: Path) -> None:
    """Four directions no more than one cell apart: the mean is within that of the middle's."""
    fibre, true = belly(built(folder, "{data: corner}"))
    cosine = np.einsum("mi,mi->m", fibre, true)
    assert np.degrees(np.arccos(np.abs(cosine).min())) < 180 * 20 / 400 / 2
    assert abs(np.sign(cosine).sum()) == len(cosine)


def test_vectors_of_another_mesh_are_taken_from_the_nearest(folder: Path) -> None:
    other = box((40, 3, 3), (0.21, 0.042, 0.042))
    vectors = scattered(waving(1000 * other.centroids))
    vectors[other.centroids[:, 0] > 0.17] = 0  # as a result has them in bone
    write_mesh(folder / "other.vtu", other, cell_data={"way": vectors})
    fibre, true = belly(built(folder, "{file: other.vtu, data: way, units: m}"))
    cosine = np.einsum("mi,mi->m", fibre, true)
    assert np.degrees(np.arccos(np.abs(cosine).min())) < 5
    assert abs(np.sign(cosine).sum()) == len(cosine)


def test_a_cloud_of_points_will_do(folder: Path) -> None:
    X = bar().X
    cloud = meshio.Mesh(
        X, [("vertex", np.arange(len(X))[:, None])], point_data={"way": scattered(waving(X))}
    )
    cloud.write(folder / "cloud.vtu")
    fibre, true = belly(built(folder, "{file: cloud.vtu, data: way}"))
    assert np.degrees(np.arccos(np.abs(np.einsum("mi,mi->m", fibre, true)).min())) < 10


def test_a_muscle_of_any_model_may_get_fibres(tmp_path: Path) -> None:
    path = tmp_path / "scene.yaml"
    shape = "vastus: 1\nmodel: {shape: fusiform, tets: 1500}\n"
    path.write_text(shape + "muscles: {belly: {fibres: {direction: [0, 3, 4]}}}\n")
    model = build(read(path))
    fibre = model.fibre[model.muscle_of_tet == 0]
    assert np.abs(fibre - [0, 0.6, 0.8]).max() < 1e-12
    path.write_text(shape + "muscles: {belly: {fibres: {data: way}}}\n")
    with pytest.raises(VastusError, match=r"line 3 .*there is no mesh: give a 'file'"):
        build(read(path))


def test_muscles_of_a_model_keep_their_fibres_unless_given(tmp_path: Path) -> None:
    path = tmp_path / "scene.yaml"
    path.write_text("vastus: 1\nmodel: {shape: fusiform, tets: 1500}\n")
    before = build(read(path)).fibre
    path.write_text(path.read_text() + "muscles: {belly: {strength: 1e5}}\n")
    assert np.array_equal(build(read(path)).fibre, before)


def test_an_unknown_name_lists_what_exists(folder: Path) -> None:
    sentence = refused(folder, "{data: sings}")
    assert "line 10" in sentence
    assert "did you mean 'signs'? (allowed: signs, nil, corner)" in sentence
    assert "did you mean 'upper'?" in refused(folder, "{from: base, to: [uper, lower]}")


def test_both_ends_cannot_be_the_same(folder: Path) -> None:
    assert "both from and to 'base'" in refused(folder, "{from: base, to: [upper, base]}")


def test_vectors_of_no_length_are_counted(folder: Path) -> None:
    assert "288 of 288 tets of the muscle have no fibre" in refused(folder, "{data: nil}")


def test_a_file_of_fibres_must_exist_and_have_them(folder: Path) -> None:
    assert "there is no file" in refused(folder, "{file: none.vtu, data: way}")
    assert "unknown vectors 'way'" in refused(folder, "{file: bar.vtu, data: way}")
    assert "'nil' of" in refused(folder, "{file: bar.vtu, data: nil}")
    assert "supported are .vtu, .msh" in refused(folder, "{file: scene.yaml, data: way}")
    assert "needs 'data'" in refused(folder, "{direction: [1, 0, 0], file: bar.vtu}")
    assert "no 'file' is given" in refused(folder, "{data: signs, units: mm}")


def test_a_file_elsewhere_is_refused(folder: Path) -> None:
    sentence = refused(folder, "{file: bar.vtu, data: signs, units: m}")
    assert "span [5, -15, -17.5] to" in sentence
    assert "check the file's 'units'" in sentence


def test_the_digest_covers_files_of_fibres(folder: Path) -> None:
    (folder / "other.vtu").write_bytes((folder / "bar.vtu").read_bytes())
    path = folder / "scene.yaml"
    path.write_text(SCENE.replace("FIBRES", "{file: other.vtu, data: signs}"))
    before = read(path).digest
    (folder / "other.vtu").write_bytes((folder / "bar.vtu").read_bytes() + b"\n")
    assert read(path).digest != before


def test_the_mean_of_lines_knows_no_sign() -> None:
    vectors = np.array([[[1, 1, 0], [-2, 2, 0.0]], [[3, 0, 0], [-1, 0, 0]], [[0, 0, 0], [0, 0, 0]]])
    found = np.abs(mean_line(vectors + 0.0))
    assert found[1] == pytest.approx([1, 0, 0])
    assert found[2] == pytest.approx([0, 0, 0])
    near = mean_line(np.array([[[1, 0.1, 0], [-1, 0.1, 0.0]]]))
    assert np.abs(near[0]) == pytest.approx([1, 0, 0])


def test_aligned_fields_keep_the_sign_of_most_of_their_volume() -> None:
    mesh = bar()
    field = np.tile([0.0, 0, -1], (mesh.n_tets, 1))
    field[::3] *= -1
    assert np.array_equal(aligned(mesh, field), np.tile([0.0, 0, -1], (mesh.n_tets, 1)))


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


PENNATE = """\
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
def sheets(tmp_path: Path) -> Path:
    """A block in cm: bones at its ends, and a sheet of tendon above the muscle."""
    x, y, _ = BLOCK.centroids.T
    part = np.select([x < 0.025, x > 0.175, y > 0.025], [1, 4, 3], 2)
    block = type(BLOCK)(100 * BLOCK.X, BLOCK.T)
    write_mesh(tmp_path / "block.vtu", block, cell_data={"part": part})
    write_surface(tmp_path / "sheet.obj", Surface(100 * sheet(0.025).X, sheet(0.025).faces))
    write_surface(tmp_path / "metres.vtp", sheet(0.025))
    return tmp_path


def turned_by(sheets: Path, aponeurosis: str) -> Model:
    (sheets / "scene.yaml").write_text(PENNATE.replace("SHEET", aponeurosis))
    return build(read(sheets / "scene.yaml"))


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
def test_an_author_may_give_it_as_a_file_or_by_place(aponeurosis: str, sheets: Path) -> None:
    model = turned_by(sheets, aponeurosis)
    # Written in single precision at worst.
    assert np.abs(turned(model) - [C, S, 0]).max() < 1e-6
    assert np.abs(model.fibre[model.tets_of(["flat"])] - [1, 0, 0]).max() < 1e-12


@pytest.mark.parametrize("aponeurosis", ["flat", "{region: flat}"])
def test_a_region_turns_the_muscle_below_it(aponeurosis: str, sheets: Path) -> None:
    assert np.abs(turned(turned_by(sheets, aponeurosis)) - [C, S, 0]).max() < 1e-12


def test_a_bone_may_serve(sheets: Path) -> None:
    """Fibres that meet it head on are not turned: it is straight ahead of them."""
    assert np.abs(turned(turned_by(sheets, "tip")) - [1, 0, 0]).max() < 1e-12


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
def test_what_cannot_be_a_sheet_is_refused(aponeurosis: str, words: str, sheets: Path) -> None:
    with pytest.raises(VastusError) as error:
        turned_by(sheets, aponeurosis)
    assert words in str(error.value)
    assert "line 12" in str(error.value)


def test_a_right_angle_is_refused(sheets: Path) -> None:
    (sheets / "scene.yaml").write_text(PENNATE.replace("20", "90").replace("SHEET", "flat"))
    with pytest.raises(VastusError, match=r"line 12 .*pennation.angle.*90 was given"):
        read(sheets / "scene.yaml")


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
