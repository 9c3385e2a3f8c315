"""Surface files as other programs write them: polygons, placed meshes, and what is broken."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from vastus.errors import FileError, MissingExtra
from vastus.files.meshes import read_surface, write_surface
from vastus.geometry.surface import Surface

trimesh = pytest.importorskip("trimesh")

CORNERS = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)]) / 3
QUADS = np.array(
    [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
)
CUBE = Surface(CORNERS, QUADS[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3))


def obj(X: np.ndarray, faces: np.ndarray) -> str:
    lines = [f"v {x} {y} {z}" for x, y, z in X]
    return "\n".join([*lines, *("f " + " ".join(map(str, face + 1)) for face in faces), ""])


def placed(path: Path, *places: np.ndarray) -> Path:
    """The cube written once for each transform (4, 4)."""
    scene = trimesh.Scene()
    for place in places:
        cube = trimesh.Trimesh(CUBE.X, CUBE.faces, process=False)
        scene.add_geometry(cube, transform=place)
    scene.export(path)
    return path


def shift(x: float, y: float, z: float) -> np.ndarray:
    return trimesh.transformations.translation_matrix([x, y, z])


def refusal(path: Path) -> str:
    with pytest.raises(FileError) as caught:
        read_surface(path)
    return str(caught.value)


def test_a_vtp_is_read_back_exactly(tmp_path: Path) -> None:
    write_surface(tmp_path / "a.vtp", CUBE)
    back = read_surface(tmp_path / "a.vtp")
    assert (back.X == CUBE.X).all()
    assert (back.faces == CUBE.faces).all()


def test_the_quads_of_a_vtp_are_cut_into_triangles(tmp_path: Path) -> None:
    pyvista = pytest.importorskip("pyvista")
    pyvista.PolyData(CORNERS, np.insert(QUADS, 0, 4, axis=1).ravel()).save(tmp_path / "a.vtp")
    back = read_surface(tmp_path / "a.vtp")
    assert back.n_faces == 12
    assert back.closed
    assert back.volume == pytest.approx(1 / 27)


def test_the_lines_of_a_vtp_are_left_out(tmp_path: Path) -> None:
    pyvista = pytest.importorskip("pyvista")
    faces = np.insert(CUBE.faces, 0, 3, axis=1).ravel()
    pyvista.PolyData(CORNERS, faces, lines=[2, 0, 7]).save(tmp_path / "a.vtp")
    assert read_surface(tmp_path / "a.vtp").n_faces == 12


def test_a_vtp_of_lines_only_has_no_triangles(tmp_path: Path) -> None:
    pyvista = pytest.importorskip("pyvista")
    pyvista.PolyData(CORNERS, lines=[2, 0, 7]).save(tmp_path / "a.vtp")
    assert refusal(tmp_path / "a.vtp").endswith("has no triangles that can be read")


def test_without_vtk_a_vtp_is_read_but_to_write_it_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_surface(tmp_path / "a.vtp", CUBE)
    monkeypatch.setitem(sys.modules, "vtkmodules.vtkIOXML", None)
    assert read_surface(tmp_path / "a.vtp").n_faces == CUBE.n_faces
    with pytest.raises(MissingExtra, match=r"pip install 'vastus\[viz\]'"):
        write_surface(tmp_path / "b.vtp", CUBE)


@pytest.mark.parametrize("suffix", [".glb", ".gltf"])
def test_a_gltf_is_read_back_to_single_precision(tmp_path: Path, suffix: str) -> None:
    write_surface(tmp_path / f"a{suffix}", CUBE)
    back = read_surface(tmp_path / f"a{suffix}")
    assert np.abs(back.X - CUBE.X).max() < 1e-7
    assert (back.faces == CUBE.faces).all()


def test_the_meshes_of_a_glb_are_joined_where_their_nodes_put_them(tmp_path: Path) -> None:
    back = read_surface(placed(tmp_path / "a.glb", shift(0, 0, 0), shift(2, 0, 0)))
    assert back.n_faces == 24
    assert back.X.min(axis=0) == pytest.approx([0, 0, 0])
    assert back.X.max(axis=0) == pytest.approx([7 / 3, 1 / 3, 1 / 3])


def test_a_node_turns_and_scales_its_mesh(tmp_path: Path) -> None:
    turn = trimesh.transformations.rotation_matrix(np.pi / 2, [0, 0, 1])
    back = read_surface(placed(tmp_path / "a.glb", shift(1, 2, 3) @ turn @ np.diag([3, 6, 9, 1])))
    assert back.X.min(axis=0) == pytest.approx([1 - 2, 2, 3], abs=1e-6)
    assert back.X.max(axis=0) == pytest.approx([1, 3, 6], abs=1e-6)


def test_nodes_within_nodes_add_up(tmp_path: Path) -> None:
    path = placed(tmp_path / "a.gltf.glb", shift(1, 0, 0))
    scene = trimesh.load_scene(path)
    scene.graph.update("far", matrix=shift(0, 5, 0))
    name = scene.graph.nodes_geometry[0]
    scene.graph.update(name, frame_from="far", matrix=shift(1, 0, 0), geometry=scene.graph[name][1])
    scene.export(tmp_path / "a.glb")
    assert read_surface(tmp_path / "a.glb").X.min(axis=0) == pytest.approx([1, 5, 0])


def test_a_mirrored_mesh_is_not_inside_out(tmp_path: Path) -> None:
    back = read_surface(placed(tmp_path / "a.glb", np.diag([-1.0, 1, 1, 1])))
    assert back.volume == pytest.approx(1 / 27)


def test_a_gltf_without_its_buffer_names_it(tmp_path: Path) -> None:
    write_surface(tmp_path / "a.gltf", CUBE)
    said = json.loads((tmp_path / "a.gltf").read_text())
    said["buffers"][0]["uri"] = "cube.bin"
    (tmp_path / "a.gltf").write_text(json.dumps(said))
    assert refusal(tmp_path / "a.gltf").endswith("needs the file 'cube.bin' beside it")


@pytest.mark.parametrize("suffix", [".vtp", ".glb", ".gltf", ".stl", ".ply"])
@pytest.mark.parametrize("part", [0.2, 0.5, 0.9])
def test_a_truncated_surface_is_one_sentence_and_no_print(
    tmp_path: Path, suffix: str, part: float, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"a{suffix}"
    write_surface(path, CUBE)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(part * len(whole))])
    assert refusal(path).startswith(f"'{path}' ")
    assert capfd.readouterr() == ("", "")


def test_the_quads_of_an_obj_are_cut_into_triangles(tmp_path: Path) -> None:
    (tmp_path / "a.obj").write_text(obj(CORNERS, QUADS))
    back = read_surface(tmp_path / "a.obj")
    assert back.n_faces == 12
    assert back.closed
    assert back.volume == pytest.approx(1 / 27)


def test_triangles_and_polygons_mix_in_an_obj(tmp_path: Path) -> None:
    text = obj(CORNERS, QUADS[1:]) + "f 1 2 4\nf 1 4 3\n"
    (tmp_path / "a.obj").write_text(text)
    assert read_surface(tmp_path / "a.obj").closed


def test_a_coordinate_that_is_no_number_is_named(tmp_path: Path) -> None:
    broken = CORNERS.copy()
    broken[5, 1] = np.nan
    (tmp_path / "a.obj").write_text(obj(broken, QUADS))
    sentence = refusal(tmp_path / "a.obj")
    assert sentence.endswith("cannot be used: vertex 5 has a coordinate that is not finite")


def test_an_obj_without_faces_has_no_triangles(tmp_path: Path) -> None:
    (tmp_path / "a.obj").write_text(obj(CORNERS, QUADS[:0]))
    assert refusal(tmp_path / "a.obj").endswith("has no triangles that can be read")


def test_an_obj_whose_face_names_a_missing_vertex_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.obj").write_text(obj(CORNERS, QUADS) + "f 1 2 99\n")
    assert refusal(tmp_path / "a.obj").startswith(f"'{tmp_path / 'a.obj'}' ")


@pytest.mark.parametrize("end", ["f 1 2", "f 1//1 2/", "f 3\n", "v 0.1 0.", "f"])
def test_an_obj_that_breaks_off_names_the_line(tmp_path: Path, end: str) -> None:
    (tmp_path / "a.obj").write_text(obj(CORNERS, QUADS) + end)
    assert "', line 15 has only " in refusal(tmp_path / "a.obj")


def test_a_face_over_two_lines_is_whole(tmp_path: Path) -> None:
    text = obj(CORNERS, QUADS[1:]) + "f 1 2 \\\n4 3\n"
    (tmp_path / "a.obj").write_text(text)
    assert read_surface(tmp_path / "a.obj").closed
