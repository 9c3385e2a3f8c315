"""Mesh and surface files: what is written is read back, and what is wrong is one sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from vastus.errors import FileError
from vastus.files.meshes import (
    MESH_FORMATS,
    SURFACE_FORMATS,
    read_mesh,
    read_surface,
    write_mesh,
    write_surface,
)
from vastus.geometry.surface import Surface, boundary_surface
from vastus.geometry.tetmesh import TetMesh

# Thirds have no short decimal form, so only an exact format gives them back.
X = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]) / 3
MESH = TetMesh(X, np.array([[0, 1, 2, 3], [4, 1, 3, 2]])).oriented()
REGION = np.array([7, 3])
SURFACE = boundary_surface(MESH)[0]

HEADER = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
GMSH_TWO_VOLUMES = f"""{HEADER}$Entities
0 0 0 2
1 0 0 0 1 1 1 1 20 0
2 0 0 0 1 1 1 1 10 0
$EndEntities
$Nodes
1 5 1 5
3 1 0 5
1
2
3
4
5
0 0 0
1 0 0
0 1 0
0 0 1
1 1 1
$EndNodes
$Elements
2 2 1 2
3 1 4 1
1 1 2 3 4
3 2 4 1
2 5 2 4 3
$EndElements
"""

MEDIT_TRIANGLE = """MeshVersionFormatted 2
Dimension 3
Vertices
3
0 0 0 1
1 0 0 1
0 1 0 1
Triangles
1
1 2 3 1
End
"""

OBJ_SEAM = """o left
v 0 0 0
v 1 0 0
v 0 1 0
v 1 1 0
vt 0 0
vt 1 0
vt 0 1
f 1/1 2/2 3/3
o right
f 2/1 4/2 3/3
"""

formats = pytest.mark.parametrize("suffix", list(MESH_FORMATS))
surface_formats = pytest.mark.parametrize("suffix", list(SURFACE_FORMATS))


def refusal(path: Path) -> str:
    read = read_mesh if path.suffix in MESH_FORMATS else read_surface
    with pytest.raises(FileError) as caught:
        read(path)
    return str(caught.value)


@formats
def test_a_mesh_is_read_back_as_written(tmp_path: Path, suffix: str) -> None:
    write_mesh(tmp_path / f"a{suffix}", MESH)
    back = read_mesh(tmp_path / f"a{suffix}").mesh
    assert (back.X == MESH.X).all()
    assert (back.T == MESH.T).all()


@formats
def test_regions_are_read_back_as_written(tmp_path: Path, suffix: str) -> None:
    write_mesh(tmp_path / f"a{suffix}", MESH, cell_data={"region": REGION})
    back = read_mesh(tmp_path / f"a{suffix}").cell_data
    assert list(back) == ["region"]
    assert back["region"].dtype == np.int64
    assert (back["region"] == REGION).all()


@pytest.mark.parametrize("suffix", [s for s, f in MESH_FORMATS.items() if not f.only_labels])
def test_data_are_read_back_as_written(tmp_path: Path, suffix: str) -> None:
    fibre, u = np.arange(6).reshape(2, 3) / 7, X * 5
    write_mesh(tmp_path / f"a{suffix}", MESH, cell_data={"fibre": fibre}, point_data={"u": u})
    back = read_mesh(tmp_path / f"a{suffix}")
    assert (back.cell_data["fibre"] == fibre).all()
    assert (back.point_data["u"] == u).all()


def test_tensors_and_truths_are_written_as_numbers(tmp_path: Path) -> None:
    data = {"F": np.ones((2, 3, 3)), "held": np.array([True, False])}
    write_mesh(tmp_path / "a.vtu", MESH, cell_data=data)
    back = read_mesh(tmp_path / "a.vtu").cell_data
    assert back["F"].shape == (2, 9)
    assert back["held"].tolist() == [1, 0]


def test_the_physical_groups_of_gmsh_are_regions(tmp_path: Path) -> None:
    (tmp_path / "a.msh").write_text(GMSH_TWO_VOLUMES)
    back = read_mesh(tmp_path / "a.msh")
    assert back.cell_data["region"].tolist() == [20, 10]
    assert not back.point_data


def test_a_suffix_in_capitals_is_understood(tmp_path: Path) -> None:
    write_mesh(tmp_path / "A.VTU", MESH)
    assert read_mesh(tmp_path / "A.VTU").mesh.n_tets == 2


@surface_formats
def test_a_surface_is_read_back_closed_and_as_large(tmp_path: Path, suffix: str) -> None:
    write_surface(tmp_path / f"a{suffix}", SURFACE)
    back = read_surface(tmp_path / f"a{suffix}")
    assert back.closed
    assert back.n_vertices == SURFACE.n_vertices
    assert back.volume == pytest.approx(SURFACE.volume, rel=1e-6)


def test_an_obj_is_read_back_exactly(tmp_path: Path) -> None:
    write_surface(tmp_path / "a.obj", SURFACE)
    back = read_surface(tmp_path / "a.obj")
    assert (back.X == SURFACE.X).all()
    assert (back.faces == SURFACE.faces).all()


def test_the_parts_of_an_obj_are_joined_where_they_meet(tmp_path: Path) -> None:
    (tmp_path / "a.obj").write_text(OBJ_SEAM)
    back = read_surface(tmp_path / "a.obj")
    assert back.n_vertices == 4
    assert len(back.boundary_edges) == 4


@formats
def test_a_missing_mesh_is_named(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    assert refusal(path) == f"there is no file '{path}'"


def test_a_folder_is_not_a_mesh(tmp_path: Path) -> None:
    (tmp_path / "a.vtu").mkdir()
    assert refusal(tmp_path / "a.vtu").endswith("is a folder, not a file")


def test_an_unknown_suffix_lists_the_known_ones(tmp_path: Path) -> None:
    (tmp_path / "a.foo").touch()
    with pytest.raises(FileError, match=r"'\.foo'; supported are \.vtu, \.msh, \.mesh$"):
        read_mesh(tmp_path / "a.foo")


def test_an_unknown_surface_suffix_lists_the_known_ones(tmp_path: Path) -> None:
    known = r"no suffix; supported are \.obj, \.stl, \.ply, \.vtp, \.glb, \.gltf$"
    with pytest.raises(FileError, match=known):
        write_surface(tmp_path / "a", SURFACE)


@formats
@pytest.mark.parametrize("part", [0.3, 0.6, 0.9])
def test_a_truncated_mesh_is_one_sentence_and_no_print(
    tmp_path: Path, suffix: str, part: float, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"a{suffix}"
    write_mesh(path, MESH)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(part * len(whole))])
    assert refusal(path).startswith(f"'{path}' ")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("suffix", [*MESH_FORMATS, *SURFACE_FORMATS])
@pytest.mark.parametrize("content", [b"", b"not a mesh\n", b"\x00\xff\x80 7"])
def test_a_file_of_something_else_is_one_sentence_and_no_print(
    tmp_path: Path, suffix: str, content: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"a{suffix}"
    path.write_bytes(content)
    assert refusal(path).startswith(f"'{path}' ")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("suffix", [".stl", ".ply"])
def test_a_truncated_surface_is_one_sentence(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    write_surface(path, SURFACE)
    path.write_bytes(path.read_bytes()[:-9])
    assert refusal(path).startswith(f"'{path}' ")


def test_a_mesh_of_triangles_only_says_what_it_has(tmp_path: Path) -> None:
    (tmp_path / "a.mesh").write_text(MEDIT_TRIANGLE)
    assert refusal(tmp_path / "a.mesh").endswith("has no tets; it has triangle")


def test_a_mesh_with_a_wrong_vertex_names_file_and_tet(tmp_path: Path) -> None:
    text = MEDIT_TRIANGLE.replace("Triangles\n1\n1 2 3 1", "Tetrahedra\n1\n1 2 3 9 1")
    (tmp_path / "a.mesh").write_text(text)
    sentence = refusal(tmp_path / "a.mesh")
    assert sentence.endswith(
        "a.mesh' cannot be used: tet 0 names vertex 8, but there are 3 vertices"
    )


def test_a_word_among_the_coordinates_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.mesh").write_text(MEDIT_TRIANGLE.replace("1 0 0 1", "1 zero 0 1"))
    assert refusal(tmp_path / "a.mesh").endswith("is truncated or not a .mesh file")


def test_data_of_the_wrong_length_are_refused_before_writing(tmp_path: Path) -> None:
    expected = r"cell data 'fibre' has shape \(5, 3\), but there are 2 tets"
    with pytest.raises(FileError, match=expected):
        write_mesh(tmp_path / "a.vtu", MESH, cell_data={"fibre": X})
    assert not list(tmp_path.iterdir())


def test_medit_refuses_data_that_it_cannot_hold(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"cannot write 'u' to .*: \.mesh holds only regions"):
        write_mesh(tmp_path / "a.mesh", MESH, point_data={"u": X})


def test_regions_must_be_whole_numbers(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="each region must be one whole number"):
        write_mesh(tmp_path / "a.msh", MESH, cell_data={"region": REGION / 2})


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    write_mesh(tmp_path / "a.msh", MESH)
    before = (tmp_path / "a.msh").read_bytes()
    with pytest.raises(FileError, match=r"cannot write .*components"):
        write_mesh(tmp_path / "a.msh", MESH, cell_data={"pair": np.ones((2, 2))})
    assert [p.name for p in tmp_path.iterdir()] == ["a.msh"]
    assert (tmp_path / "a.msh").read_bytes() == before


def test_writing_into_a_missing_folder_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"cannot write .*no such file or directory"):
        write_surface(tmp_path / "none" / "a.stl", Surface(X, SURFACE.faces))
