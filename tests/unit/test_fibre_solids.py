"""Solids fitted to muscles, as authors ask for them, in files, and the fibres that they give."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.interpolate import PchipInterpolator

import vastus
from vastus.app.author.names import revised
from vastus.cli import main
from vastus.errors import FileError, VastusError
from vastus.files.solids import load_solids, read_fascicles, save_solids, write_fascicles
from vastus.geometry.bspline.inverse import locate
from vastus.geometry.queries import locate as nearest_tet
from vastus.geometry.tetmesh import TetMesh
from vastus.model import Model
from vastus.modelling.fibres.authored_solids import solid_reports
from vastus.modelling.fibres.solids import FibreSolid, solid_along, solid_between, solid_field
from vastus.pictures.solid_pictures import draw_solids, lattice_lines, lines_within


def angles(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(m,) degrees between lines (m, 3)."""
    return np.degrees(np.arccos(np.clip(np.abs(np.einsum("mi,mi->m", a, b)), 0, 1)))


def fitted_to(model: Model, muscle: str, origin: str, insertion: str) -> tuple[FibreSolid, TetMesh]:
    tets = np.flatnonzero(model.muscle_of_tet == model.muscle(muscle))
    ends = (np.flatnonzero(model.bone_of_vertex == model.bone(n)) for n in (origin, insertion))
    return solid_between(model.mesh, tets, *ends), model.mesh.submesh(tets)[0]


@pytest.fixture(scope="module")
def spindle() -> tuple[FibreSolid, TetMesh]:
    return fitted_to(vastus.shapes.fusiform(tets=4_000), "belly", "upper", "lower")


@pytest.fixture(scope="module")
def feather() -> tuple[FibreSolid, TetMesh]:
    return fitted_to(vastus.shapes.bipennate(tets=4_000), "belly", "upper", "lower")


@pytest.fixture(scope="module")
def bent() -> tuple[FibreSolid, TetMesh]:
    """A bar bent by 1.4 rad, from end to end."""
    bar = vastus.shapes.bar(tets=4_000, length=0.2, width=0.04)
    x, y, z = bar.mesh.X.T
    angle, radius = 7 * x, 1 / 7
    X = np.column_stack([(radius + y) * np.sin(angle), (radius + y) * np.cos(angle), z])
    mesh = TetMesh(X, bar.mesh.T).oriented()
    ends = (np.flatnonzero(np.isclose(x, end)) for end in (0.0, 0.2))
    return solid_between(mesh, np.arange(mesh.n_tets), *ends), mesh


@pytest.mark.parametrize("name", ["spindle", "feather", "bent"])
def test_random_points_of_muscles_are_found(name: str, request: pytest.FixtureRequest) -> None:
    one, mesh = request.getfixturevalue(name)
    rng = np.random.default_rng(5)
    tets = rng.choice(mesh.n_tets, 10_000)
    weights = rng.dirichlet(np.ones(4), 10_000)
    x = np.einsum("na,nai->ni", weights, mesh.X[mesh.T[tets]])
    found = locate(one.solid, x)
    assert found.inside.all()
    assert np.linalg.norm(one.solid.value(found.u) - x, axis=1).max() < 1e-10


def test_fibres_of_a_spindle_follow_its_outline(spindle: tuple[FibreSolid, TetMesh]) -> None:
    """Lines of constant r/R(z), with d = (x R'/R, y R'/R, 1)."""
    one, mesh = spindle
    heights = np.round(mesh.X[:, 2], 9)
    z = np.unique(heights)
    radius = np.array([np.linalg.norm(mesh.X[heights == h, :2], axis=1).max() for h in z])
    R = PchipInterpolator(z, radius)
    c = mesh.centroids
    slope = (R.derivative()(c[:, 2]) / R(c[:, 2]))[:, None]
    d = np.column_stack([slope * c[:, :2], np.ones(len(c))])
    field = solid_field({"whole": one}, mesh, np.arange(mesh.n_tets))
    off = angles(field.directions, d / np.linalg.norm(d, axis=1)[:, None])
    assert np.percentile(off, 95) < 5
    assert np.median(off) < 1.5


def test_fibres_of_a_bent_bar_run_round_its_centre(bent: tuple[FibreSolid, TetMesh]) -> None:
    one, mesh = bent
    c = mesh.centroids
    around = np.column_stack([c[:, 1], -c[:, 0], np.zeros(len(c))])
    field = solid_field({"whole": one}, mesh, np.arange(mesh.n_tets))
    off = angles(field.directions, around / np.linalg.norm(around, axis=1)[:, None])
    assert np.percentile(off, 95) < 5


def bowed(x: np.ndarray) -> np.ndarray:
    """(n, 3) bipennate directions: towards x = 0 and down, 20 degrees steep at x = 0, and more
    further out."""
    steep = np.radians(20) + 12 * np.abs(x[:, 0])
    return np.column_stack([-np.sign(x[:, 0]) * np.sin(steep), 0 * steep, -np.cos(steep)])


def bipennate_fascicles(model: Model, count: int = 150) -> dict[str, list[np.ndarray]]:
    """Fascicles of both halves, each of a length of its own, traced from places in the belly."""
    rng = np.random.default_rng(2)
    middles = model.mesh.centroids[model.tets_of(["belly"])]
    out = {}
    for name, side in (("left", -1), ("right", 1)):
        own = middles[side * middles[:, 0] > 1e-3]
        x = own[rng.choice(len(own), count)]
        steps = rng.integers(8, 40, (2, count))
        lines = [[point] for point in x]
        for way, most in zip((-1, 1), steps, strict=True):
            at = x.copy()
            for k in range(40):
                at = at + way * 5e-4 * bowed(at)
                for i in np.flatnonzero((k < most) & (side * at[:, 0] > 0)):
                    lines[i].insert(0, at[i]) if way < 0 else lines[i].append(at[i])
                at[side * at[:, 0] <= 0, 0] = side * 1e-9
        out[name] = [np.array(line) for line in lines if len(line) > 8]
    return out


def test_fibres_of_a_bipennate_muscle_follow_its_fascicles() -> None:
    model = vastus.shapes.bipennate(tets=8_000)
    solids = {name: solid_along(c) for name, c in bipennate_fascicles(model).items()}
    belly = model.tets_of(["belly"])
    field = solid_field(solids, model.mesh, belly)
    x = model.mesh.centroids[belly]
    off = angles(field.directions, bowed(x))
    apart = np.abs(x[:, 0]) > 2e-3  # nearer to the middle, a tet may be in either half
    assert np.percentile(off[apart], 95) < 5
    assert np.median(off) < 2
    assert (np.array([-1, 1])[field.which] == np.sign(x[:, 0]))[apart].mean() > 0.98


def test_solids_are_saved_and_read(tmp_path: Path, spindle: tuple[FibreSolid, TetMesh]) -> None:
    solid = spindle[0].solid
    save_solids(tmp_path / "s.npz", {"a": solid, "b": solid})
    read = load_solids(tmp_path / "s.npz")
    assert list(read) == ["a", "b"]
    u = np.random.default_rng(0).random((20, 3))
    assert (read["b"].value(u) == solid.value(u)).all()
    np.savez(tmp_path / "other.npz", a=1)
    with pytest.raises(FileError, match="holds no solids"):
        load_solids(tmp_path / "other.npz")
    arrays = dict(np.load(tmp_path / "s.npz"))
    np.savez(tmp_path / "less.npz", **{k: v for k, v in arrays.items() if k != "knots_1_v"})
    with pytest.raises(FileError, match="has no array 'knots_1_v'"):
        load_solids(tmp_path / "less.npz")


def test_curves_are_read_from_tables_and_lines(tmp_path: Path) -> None:
    import meshio

    curves = {"0": [np.arange(9.0).reshape(3, 3)], "1": [np.eye(3), np.eye(3)[:2] + 5]}
    write_fascicles(tmp_path / "c.csv", curves)
    points = np.concatenate([c for own in curves.values() for c in own])
    # The first line is not written in the order of its points.
    links = np.array([[1, 2], [0, 1], [3, 4], [4, 5], [6, 7]])
    region = [np.array([0, 0, 1, 1, 1])]
    meshio.Mesh(points, [("line", links)], cell_data={"region": region}).write(tmp_path / "c.vtu")
    for name in ("c.csv", "c.vtu"):
        read = read_fascicles(tmp_path / name)
        assert {k: len(v) for k, v in read.items()} == {"0": 1, "1": 2}
        for k, own in curves.items():
            for a, b in zip(read[k], own, strict=True):
                assert a == pytest.approx(b) or a == pytest.approx(b[::-1])
    (tmp_path / "bad.csv").write_text("curve,x,y\n1,0,0\n")
    with pytest.raises(FileError, match="no column 'z'"):
        read_fascicles(tmp_path / "bad.csv")


SCENE = "vastus: 1\nmodel: {{shape: {}, tets: {}}}\nmuscles:\n  belly:\n    fibres: {}\n"


def written(folder: Path, fibres: str, shape: str = "fusiform", tets: int = 1500) -> Path:
    path = folder / "scene.yaml"
    path.write_text(SCENE.format(shape, tets, fibres))
    return path


def test_the_command_line_says_how_well_solids_fit_and_saves_them(tmp_path: Path) -> None:
    path = written(tmp_path, "{kind: b-spline, from: upper, to: lower, control_points: [5, 5, 12]}")
    told = CliRunner().invoke(main, ["check", str(path)], catch_exceptions=False).output
    assert "solids of 'belly': 'whole' of 5 x 5 x 12 control points, fitted to 0." in told
    assert re.search(r"; 0 of \d+ tets outside; \d\.\d degrees off the potential's", told)
    built = tmp_path / "built"
    arguments = ["build", str(path), "-o", str(built), "--no-pictures"]
    CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert list(load_solids(built / "solids_belly.npz")) == ["whole"]
    first = vastus.load(built / "model.npz")
    again = vastus.read(written(tmp_path, "{kind: b-spline, file: built/solids_belly.npz}"))
    assert angles(vastus.build(again).fibre, first.fibre)[first.muscle_of_tet >= 0].max() < 1e-5


def test_regions_have_solids_of_their_own_and_tendons_that_of_the_whole(tmp_path: Path) -> None:
    write_fascicles(tmp_path / "f.csv", bipennate_fascicles(vastus.shapes.bipennate(tets=2_000)))
    path = written(
        tmp_path, "{kind: b-spline, from: upper, to: lower, curves: f.csv}", "bipennate", 2_000
    )
    scene = vastus.read(path)
    model = vastus.build(scene)
    (report,) = solid_reports(scene, model)
    assert list(report.solids) == ["0", "1", "whole"]
    tets = np.flatnonzero(model.muscle_of_tet == 0)
    belly = np.isin(tets, model.tets_of(["belly"]))
    assert ((report.field.which == 2) == ~belly).all()
    down = model.fibre[tets] @ [0, 0, -1]
    assert np.abs(down[~belly]).min() > 0.9
    assert report.angles is not None
    assert report.angles[0] > 10


def test_halves_are_regions_by_place(tmp_path: Path) -> None:
    half = "{{within: {{plane: {{point: [0, 0, 0], normal: [{}, 0, 0]}}}}, from: upper, to: lower}}"
    halves = f"left: {half.format(-1)}, right: {half.format(1)}"
    scene = vastus.read(written(tmp_path, f"{{kind: b-spline, regions: {{{halves}}}}}", tets=2_000))
    model = vastus.build(scene)
    (report,) = solid_reports(scene, model)
    x = model.mesh.centroids[model.muscle_of_tet == 0][:, 0]
    assert ((report.field.which == 1) == (x >= 0)).all()
    assert report.angles is not None
    assert report.angles[0] < 5


@pytest.mark.parametrize(
    ("fibres", "sentence"),
    [
        ("{kind: spline, from: upper, to: lower}", "'spline' was given, but it must be 'b-spline'"),
        ("{kind: b-spline}", "give solids as 'from' and 'to', or as one of"),
        ("{kind: b-spline, from: upper}", "fibres need both ends, 'from' and 'to'"),
        ("{kind: b-spline, from: upper, to: lower, degree: 9}", "9 was given, but it must be less"),
        (
            "{kind: b-spline, from: upper, to: lower, control_points: [3, 6, 6]}",
            "there are 3 x 6 x 6 control points; degree 3 needs at least 4",
        ),
        ("{kind: b-spline, file: no.npz}", "no.npz"),
        ("{kind: b-spline, from: upper, to: lwer}", "did you mean 'lower'?"),
        (
            "{kind: b-spline, regions: {a: {within: {box: [[9, 9, 9], [10, 10, 10]]}, from: upper, "
            "to: lower}}}",
            "no tet of the muscle lies there",
        ),
    ],
)
def test_what_makes_no_solid_is_refused_with_its_line(
    tmp_path: Path, fibres: str, sentence: str
) -> None:
    with pytest.raises(VastusError) as error:
        vastus.build(vastus.read(written(tmp_path, fibres)))
    assert sentence in str(error.value)
    assert "scene.yaml, line 5 (muscles.belly.fibres" in str(error.value)


def test_a_solid_that_leaves_much_outside_is_warned_of(
    tmp_path: Path, spindle: tuple[FibreSolid, TetMesh]
) -> None:
    solid = spindle[0].solid
    thin = replace(solid, control=solid.control * [0.3, 0.3, 1.0])
    save_solids(tmp_path / "thin.npz", {"thin": thin})
    path = written(tmp_path, "{kind: b-spline, file: thin.npz}")
    told = CliRunner().invoke(main, ["check", str(path)], catch_exceptions=False).output
    assert re.search(r"warning: the solids of 'belly' leave \d\d% of its tets outside", told)
    assert "1 warning" in told


def test_lines_of_a_picture_are_along_the_fibres_and_in_the_muscle(
    spindle: tuple[FibreSolid, TetMesh],
) -> None:
    one, mesh = spindle
    lines = lines_within(one.solid, mesh, np.arange(mesh.n_tets))
    points = np.concatenate(lines)
    assert (nearest_tet(mesh, points).tets >= 0).all()
    assert len(lines) > 20
    assert np.ptp(points[:, 2]) > 0.95 * np.ptp(mesh.X[:, 2])
    i, j, k = one.solid.control.shape[:3]
    assert len(lattice_lines(one.solid)) == i * j + j * k + k * i


@pytest.mark.slow
def test_solids_are_drawn(tmp_path: Path) -> None:
    path = written(tmp_path, "{kind: b-spline, from: upper, to: lower, control_points: [4, 4, 8]}")
    scene = vastus.read(path)
    model = vastus.build(scene)
    draw_solids(solid_reports(scene, model), model, tmp_path / "solids.png")
    assert (tmp_path / "solids.png").stat().st_size > 20_000


def test_names_in_regions_change_with_what_they_name() -> None:
    region = {"within": [{"region": "head"}], "from": ["upper"], "to": ["lower"]}
    fibres = {"kind": "b-spline", "regions": {"a": region}}
    data = {"surfaces": {"parts": {}}, "muscles": {"m": {"fibres": fibres}}}
    new = {"upper": "scapula", "head": "long head"}
    after = revised(data, lambda _, name: new.get(name, name))["muscles"]["m"]["fibres"]
    assert after["regions"]["a"] == {
        "within": [{"region": "long head"}],
        "from": ["scapula"],
        "to": ["lower"],
    }
    gone = revised(data, lambda _, name: None if name == "lower" else name)
    assert "fibres" not in gone["muscles"]["m"]
