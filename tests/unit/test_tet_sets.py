"""Tets with named sets: `.npz` files and folders of DMAT files, and scenes that use them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from vastus.errors import FileError, VastusError
from vastus.files.tet_sets import read_dmat, read_folder, read_sets, read_tets
from vastus.geometry.tetmesh import TetMesh
from vastus.model import Model
from vastus.modelling.build import build
from vastus.modelling.shapes.simple import box
from vastus.scene.read import read

DATA = Path(__file__).parents[3] / "shared" / "data" / "emu_meshes"
SCENE = """\
vastus: 1
mesh: {file: FILE, units: 0.02, ignore: [idx_extra]}
regions:
  base: {set: idx_base, tissue: bone}
  belly: {set: idx_belly, tissue: muscle}
  tip: {set: idx_tip, tissue: bone}
muscles: {belly: {fibres: {data: way}}}
bones: {base: {regions: [base], drive: pinned}, tip: {regions: [tip]}}
"""


def bar() -> TetMesh:
    """A bar of ten units along x."""
    return box((8, 1, 1), (10.0, 2.0, 2.0))


def arrays() -> dict[str, np.ndarray]:
    """The bar with three sets, one more to ignore at its end, and fibres along x in the middle."""
    mesh = bar()
    part = np.searchsorted([2.5, 7.5, 8.75], mesh.centroids[:, 0])
    sets = {f"idx_{n}": np.flatnonzero(part == i) for i, n in enumerate(NAMES)}
    way = np.where(part[:, None] == 1, [1.0, 0.0, 0.0], 0.0)
    return {"V": mesh.X, "T": mesh.T, "way": way, "note": np.array(3.0), **sets}


NAMES = ("base", "belly", "tip", "extra")


def text_dmat(path: Path, matrix: np.ndarray) -> None:
    """A DMAT file as text: columns and rows, then column by column."""
    table = np.asarray(matrix).reshape(len(matrix), -1)
    head = f"{table.shape[1]} {table.shape[0]}\n"
    path.write_text(head + "\n".join(repr(float(v)) for v in table.T.ravel()) + "\n")


def binary_dmat(path: Path, matrix: np.ndarray) -> None:
    """A DMAT file in binary: an empty size, the size, then doubles column by column."""
    table = np.asarray(matrix, "<f8").reshape(len(matrix), -1)
    head = f"0 0\n{table.shape[1]} {table.shape[0]}\n".encode()
    path.write_bytes(head + table.T.tobytes())


@pytest.mark.parametrize("write", [text_dmat, binary_dmat])
def test_a_dmat_file_is_read_column_by_column(write: object, tmp_path: Path) -> None:
    matrix = np.array([[1.0, -2.5, 3e-7], [4.0, 5.0, 6.0]])
    write(tmp_path / "m.dmat", matrix)  # type: ignore[operator]
    np.testing.assert_array_equal(read_dmat(tmp_path / "m.dmat"), matrix)


@pytest.mark.parametrize(
    "contents",
    [b"", b"2 2\n1 2 3\n", b"2 2\n1 2 3 4 5\n", b"0 0\n2 2\n" + bytes(24), b"-1 3\n", b"x y\n1\n"],
)
def test_a_broken_dmat_file_is_one_sentence(contents: bytes, tmp_path: Path) -> None:
    (tmp_path / "m.dmat").write_bytes(contents)
    with pytest.raises(FileError, match=r"m\.dmat' is truncated or not a \.dmat file"):
        read_dmat(tmp_path / "m.dmat")


def folder_of(tmp_path: Path, write: object, extra: dict[str, np.ndarray] | None = None) -> Path:
    folder = tmp_path / "generated"
    folder.mkdir()
    given = arrays() | (extra or {})
    names = {"V": "tet_mesh_V", "T": "tet_mesh_T"}
    for name, values in given.items():
        if np.ndim(values):
            write(folder / f"{names.get(name, name)}.dmat", values)  # type: ignore[operator]
    return folder


@pytest.mark.parametrize("write", [text_dmat, binary_dmat])
def test_a_folder_and_a_file_hold_the_same(write: object, tmp_path: Path) -> None:
    np.savez(tmp_path / "bar.npz", **arrays())
    one, two = read_sets(tmp_path / "bar.npz"), read_tets(folder_of(tmp_path, write))
    np.testing.assert_array_equal(one.mesh.X, two.mesh.X)
    np.testing.assert_array_equal(one.mesh.T, two.mesh.T)
    assert set(one.cell_data) == set(two.cell_data) == {"way", *(f"idx_{n}" for n in NAMES)}
    for name, values in one.cell_data.items():
        np.testing.assert_array_equal(two.cell_data[name], values)


def test_a_set_is_true_where_its_tets_are(tmp_path: Path) -> None:
    given = arrays()
    np.savez(tmp_path / "bar.npz", **given)
    mask = read_sets(tmp_path / "bar.npz").cell_data["idx_belly"]
    np.testing.assert_array_equal(np.flatnonzero(mask), given["idx_belly"])


def test_a_column_without_a_telling_name_is_a_set_by_its_length(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, text_dmat, {"bone_tets": np.array([0, 5, 7])})
    assert read_folder(folder).cell_data["bone_tets"].sum() == 3


def test_the_tet_mesh_wins_over_other_meshes_of_a_folder(tmp_path: Path) -> None:
    folder = folder_of(
        tmp_path, text_dmat, {"skin_V": np.zeros((3, 3)), "skin_T": np.zeros((1, 4))}
    )
    assert read_folder(folder).mesh.n_tets == bar().n_tets
    (folder / "tet_mesh_T.dmat").unlink()
    text_dmat(folder / "other_T.dmat", bar().T)
    with pytest.raises(FileError, match=r"one file that ends in _T\.dmat; there: other_T"):
        read_folder(folder)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"idx_belly": np.array([48])}, "names tet 48, but there are 48"),
        ({"idx_belly": np.array([0.5])}, "not a list of whole numbers"),
        ({"T": np.array([[0, 1, 2, 99]])}, "names vertex 99"),
        ({"T": np.array([[0.5, 1, 2, 3]])}, "not whole numbers"),
    ],
)
def test_a_wrong_array_is_one_sentence(
    change: dict[str, np.ndarray], says: str, tmp_path: Path
) -> None:
    np.savez(tmp_path / "bar.npz", **(arrays() | change))
    with pytest.raises(FileError, match=says):
        read_sets(tmp_path / "bar.npz")


def test_a_file_without_tets_names_what_it_has(tmp_path: Path) -> None:
    np.savez(tmp_path / "bar.npz", V=bar().X, F=bar().boundary)
    with pytest.raises(FileError, match="no array 'T'; arrays: V, F"):
        read_sets(tmp_path / "bar.npz")


def built(tmp_path: Path, file: str, old: str = "", new: str = "") -> Model:
    path = tmp_path / "scene.yaml"
    path.write_text(SCENE.replace("FILE", file).replace(old, new))
    return build(read(path))


@pytest.mark.parametrize("file", ["bar.npz", "generated"])
def test_a_scene_names_sets_and_fibres(file: str, tmp_path: Path) -> None:
    np.savez(tmp_path / "bar.npz", **arrays())
    folder_of(tmp_path, binary_dmat)
    model = built(tmp_path, file)
    assert [int((model.region == i).sum()) for i in range(3)] == [12, 24, 6]
    assert np.ptp(model.mesh.X[:, 0]) == pytest.approx(8.75 * 0.02)
    np.testing.assert_array_equal(model.fibre[model.region == 1], [[1.0, 0, 0]] * 24)
    assert not model.fibre[model.region != 1].any()


def test_the_digest_covers_a_folder(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, text_dmat)
    (tmp_path / "scene.yaml").write_text(SCENE.replace("FILE", "generated"))
    before = read(tmp_path / "scene.yaml").digest
    text_dmat(folder / "way.dmat", np.ones((48, 3)))
    assert read(tmp_path / "scene.yaml").digest != before


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("set: idx_tip", "set: idx_tp", r"line 6 \(regions.tip.set\): unknown set 'idx_tp'; did"),
        ("ignore: [idx_extra]", "ignore: [idx_xtra]", r"mesh.ignore\): unknown set 'idx_xtra'"),
        ("set: idx_tip", "set: idx_base", "region 'base' has the set 'idx_base' already"),
        ("set: idx_tip", "set: way", "unknown set 'way'"),
        ("{set: idx_tip", "{set: idx_tip, label: 2", "either a 'label' or a 'set'"),
        ("{set: idx_tip, ", "{", "the key 'label' is missing, or a 'set'"),
        (", ignore: [idx_extra]", "", "6 of 48 tets belong to no region; describe"),
        ("units: 0.02", "units: -1", "greater than 0"),
    ],
)
def test_a_wrong_set_is_one_sentence(old: str, new: str, says: str, tmp_path: Path) -> None:
    np.savez(tmp_path / "bar.npz", **arrays())
    with pytest.raises(VastusError, match=says):
        built(tmp_path, "bar.npz", old, new)


def test_broken_tets_are_counted_in_one_sentence(tmp_path: Path) -> None:
    given = arrays()
    given["T"] = given["T"].copy()
    given["T"][[3, 9]] = given["T"][[3, 9]][:, [1, 0, 2, 3]]
    given["idx_tip"] = given["idx_tip"][2:]
    given["idx_belly"] = np.append(given["idx_belly"], given["idx_base"][:3])
    np.savez(tmp_path / "bar.npz", **given)
    says = (
        r"2 of 42 tets are inverted or flat \(first tet 3\), 2 belong to no region and "
        r"3 belong to several regions; .*--fix"
    )
    with pytest.raises(VastusError, match=says):
        built(tmp_path, "bar.npz")


@pytest.mark.skipif(not DATA.is_dir(), reason="the shared reference data are not here")
def test_a_published_mesh_is_refused_with_its_counts(tmp_path: Path) -> None:
    path = tmp_path / "arm.yaml"
    bones = ("forearm", "humerus", "scapula")
    path.write_text(
        f"vastus: 1\nmesh: {{file: {DATA / 'emu_realistic_biceps.npz'}, units: 0.022}}\nregions:\n"
        "  biceps: {set: idx_biceps_muscle_indices, tissue: muscle}\n"
        + "".join(f"  {b}: {{set: idx_{b}_bone_indices, tissue: bone}}\n" for b in bones)
        + "muscles: {biceps: {fibres: {data: fibre}}}\n"
        + f"bones: {{{', '.join(f'{b}: {{regions: [{b}]}}' for b in bones)}}}\n"
    )
    says = r"3 of 40016 tets are inverted or flat \(first tet 40011\) and 7 belong to no region"
    with pytest.raises(VastusError, match=says):
        build(read(path))
