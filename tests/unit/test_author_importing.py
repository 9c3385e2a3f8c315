"""Surface files of the folder, and what a browser sends."""

from __future__ import annotations

from pathlib import Path

import pytest

from authored import tetrahedron, write_limb
from vastus.app.author import importing
from vastus.app.author.document import empty
from vastus.app.author.edits.parts import add_part, remove_part
from vastus.app.author.importing import LONGEST, loose_files, receive, safe_name
from vastus.app.author.scene_file import opened
from vastus.errors import FileError
from vastus.files.meshes import read_surface, write_surface

OBJ = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_loose_files_are_surfaces_that_no_part_has(tmp_path: Path) -> None:
    for name in ("b.obj", "a.STL", ".hidden.obj", "notes.txt", "scene.yaml.orig"):
        (tmp_path / name).write_bytes(OBJ)
    (tmp_path / "folder.obj").mkdir()
    document = empty(tmp_path)
    assert loose_files(document) == [Path("a.STL"), Path("b.obj")]
    document = add_part(document, "b.obj")
    assert loose_files(document) == [Path("a.STL")]


def test_the_folder_of_the_surfaces_is_looked_into_if_it_is_inside(tmp_path: Path) -> None:
    (tmp_path / "in" / "meshes").mkdir(parents=True)
    for name in ("in/meshes/ulna.obj", "in/radius.obj", "outside.obj"):
        (tmp_path / name).write_bytes(OBJ)
    scene = "vastus: 1\nsurfaces: {{folder: {}, parts: {{}}}}\n"
    (tmp_path / "in" / "scene.yaml").write_text(scene.format("meshes"))
    document, _ = opened(tmp_path / "in")
    assert loose_files(document) == [Path("meshes/ulna.obj"), Path("radius.obj")]
    for file in loose_files(document):
        document = add_part(document, file)
    assert loose_files(document) == []
    assert loose_files(remove_part(document, "ulna")) == [Path("meshes/ulna.obj")]
    for elsewhere in ("..", "nowhere"):
        (tmp_path / "in" / "scene.yaml").write_text(scene.format(elsewhere))
        assert loose_files(opened(tmp_path / "in")[0]) == [Path("radius.obj")]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("ulna.obj", "ulna.obj"),
        ("../../etc/ulna.obj", "ulna.obj"),
        ("/etc/ulna.obj", "ulna.obj"),
        ("..\\..\\ulna.obj", "ulna.obj"),
        ("C:\\ulna.obj", "ulna.obj"),
        ("C:ulna.obj", "C_ulna.obj"),
        ("...ulna.obj", "ulna.obj"),
        (".ulna.obj", "ulna.obj"),
        ("ul\x00na\n.obj", "ulna.obj"),
        ("\u202eulna.OBJ", "ulna.OBJ"),
        ("con.stl", "_con.stl"),
        ("nul.x.stl", "_nul.x.stl"),
        ("上腕.ply", "上腕.ply"),
        ("e\u0301.glb", "é.glb"),
        ("a?b*.vtp", "a_b_.vtp"),
    ],
)
def test_names_of_uploads_are_made_safe(given: str, kept: str) -> None:
    assert safe_name(given) == kept


@pytest.mark.parametrize(
    "given",
    [
        "",
        ".",
        "..",
        "/",
        "  . .obj",
        "\x00.obj",
        "ulna",
        "scene.yaml",
        "x.obj/",
        "x.obj\\",
        ".obj",
        "x.py",
        "x.obj.exe",
    ],
)
def test_what_is_no_surface_by_its_name_is_refused(given: str) -> None:
    with pytest.raises(FileError, match=r"is no surface file; supported are \.obj"):
        safe_name(given)


def test_long_names_are_cut_without_breaking_a_letter() -> None:
    name = safe_name("肱" * 300 + ".gltf")
    assert len(name.encode()) <= LONGEST
    assert set(name.removesuffix(".gltf")) == {"肱"}


@pytest.mark.parametrize("suffix", [".obj", ".stl", ".ply", ".vtp", ".glb", ".gltf"])
def test_an_upload_of_every_format_is_kept_as_it_came(tmp_path: Path, suffix: str) -> None:
    write_surface(tmp_path / f"mine{suffix}", tetrahedron())
    contents = (tmp_path / f"mine{suffix}").read_bytes()
    folder = tmp_path / "folder"
    folder.mkdir()
    assert receive(folder, f"../x{suffix}", contents) == Path(f"x{suffix}")
    assert (folder / f"x{suffix}").read_bytes() == contents
    assert len(read_surface(folder / f"x{suffix}").faces) == 4
    assert files(folder) == [f"x{suffix}"]


@pytest.mark.parametrize("contents", [b"", b"v 0 0", b"\x00" * 99, b"hello", OBJ[:30]])
def test_an_upload_that_is_no_surface_leaves_nothing(tmp_path: Path, contents: bytes) -> None:
    for name in ("x.obj", "x.stl", "x.ply", "x.glb", "x.gltf", "x.vtp"):
        with pytest.raises(FileError, match=f"'{name}'") as error:
            receive(tmp_path, name, contents)
        assert str(tmp_path) not in str(error.value)
    assert files(tmp_path) == []


def test_an_upload_replaces_a_file_only_if_told(tmp_path: Path) -> None:
    receive(tmp_path, "x.obj", OBJ)
    assert receive(tmp_path, "x.obj", OBJ) == Path("x.obj")
    other = OBJ.replace(b"v 1", b"v 2")
    with pytest.raises(FileError, match=r"there is a file 'x\.obj' already"):
        receive(tmp_path, "x.obj", other)
    assert (tmp_path / "x.obj").read_bytes() == OBJ
    receive(tmp_path, "x.obj", other, replace=True)
    assert (tmp_path / "x.obj").read_bytes() == other


def test_a_link_to_elsewhere_is_never_written_through(tmp_path: Path) -> None:
    folder, outside = tmp_path / "folder", tmp_path / "outside.obj"
    folder.mkdir()
    (folder / "x.obj").symlink_to(outside)
    with pytest.raises(FileError, match="already"):
        receive(folder, "x.obj", OBJ)
    receive(folder, "x.obj", OBJ, replace=True)
    assert not outside.exists()


def test_too_large_an_upload_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "LARGEST", 10)
    with pytest.raises(FileError, match="are taken"):
        receive(tmp_path, "x.obj", OBJ)


def test_an_upload_reads_no_file_outside_the_folder(tmp_path: Path) -> None:
    (tmp_path / "buffer.bin").write_bytes(b"\0" * 1000)
    folder = tmp_path / "folder"
    folder.mkdir()
    write_surface(tmp_path / "x.gltf", tetrahedron())
    text = (tmp_path / "x.gltf").read_text()
    start = text.index("data:application")
    stolen = text[:start] + "../buffer.bin" + text[text.index('"', start) :]
    with pytest.raises(FileError):
        receive(folder, "x.gltf", stolen.encode())
    assert files(folder) == []


def test_the_parts_of_a_scene_are_no_loose_files(tmp_path: Path) -> None:
    document, _ = opened(write_limb(tmp_path))
    assert loose_files(document) == []
