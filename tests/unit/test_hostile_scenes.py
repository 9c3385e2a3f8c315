"""Scenes and the files that they name, made to harm: each is one sentence, soon."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zlib
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import meshio
import numpy as np
import pytest

from hostile import damaged, outcome
from vastus.files.meshes import read_mesh, read_surface, write_surface
from vastus.files.npz import write_npz
from vastus.files.safe import MIB, SCENE
from vastus.files.tet_sets import read_tets
from vastus.geometry.surface import Surface
from vastus.modelling.lines.mjcf import read_mjcf
from vastus.scene.named_files import read_samples
from vastus.scene.read import read

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs alarms and pipes of POSIX")

X = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
SUFFIXES = (".obj", ".stl", ".ply", ".vtp", ".glb", ".gltf")
SCENE_TEXT = """vastus: 1
surfaces:
  units: mm
  parts:
    belly: {file: NAME, tissue: muscle}
muscles:
  belly: {strength: 3e5}
"""


def laughs(item: str, line: str) -> str:
    levels = [line.format(i, ", ".join([f"*a{i - 1}"] * 10)) for i in range(1, 40)]
    return "\n".join([item, *levels])


def said(path: Path, contents: str | bytes) -> str:
    path.write_bytes(contents.encode() if isinstance(contents, str) else contents)
    sentence = outcome(lambda: read(path))
    assert sentence, "it was read"
    assert "\n" not in sentence
    return sentence


@pytest.mark.parametrize(
    ("contents", "words"),
    [
        (laughs("a0: &a0 [x, x]", "a{0}: &a{0} [{1}]"), "stands for more"),
        (laughs("a0: &a0 {x: 1}", "a{0}: &a{0} {{<<: [{1}]}}"), "stands for more"),
        ("a: &a [*a]", "stands for more"),
        ("a: &a {b: *a}", "stands for more"),
        ("a: [" + "1," * 60_000 + "]", "stands for more"),
        ("[" * 20_000, "nested too deeply"),
        ("- " * 20_000, "nested too deeply"),
        ("#" * (SCENE + 1), "at most 1 are read"),
        ("!!python/object/apply:os.system ['touch trapped']", "constructor"),
        ("!!python/name:os.system", "constructor"),
        ("a: !!bool maybe", "not valid YAML"),
        ("a: !!timestamp 2000-99-99", "not valid YAML"),
        ("vastus: " + "9" * 5000, "not valid YAML"),
        ("vastus: 1" + "0" * 400, "exceeded"),
        ("? [a, b]\n: 1", "unhashable"),
        ("\x00", "not valid YAML"),
        (b"\xff\xfe\x00", "UTF-8"),
        ("a\n---\nb", "another document"),
        ("*nothing", "undefined alias"),
        ("5", "a scene is a mapping"),
        ("", "empty"),
        ("{[]: 1}", "unhashable"),
    ],
)
def test_a_hostile_scene_is_one_sentence(
    tmp_path: Path, contents: str | bytes, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert words in said(tmp_path / "s.yaml", contents)
    assert not Path("trapped").exists()


@pytest.mark.parametrize(
    "name",
    ["/dev/zero", "/dev/stdin", "fifo.obj", "..", "/", '"a\\0.obj"', "a" * 300, '"\\uD800.obj"'],
)
def test_a_surface_that_is_no_file_is_one_sentence(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "fifo.obj")
    said(tmp_path / "s.yaml", SCENE_TEXT.replace("NAME", name))


@pytest.mark.parametrize("kind", ["mesh", "model", "activation", "fibres"])
@pytest.mark.parametrize("name", ["/dev/zero", "fifo", "huge"])
def test_no_other_key_opens_devices_pipes_or_enormous_files(
    tmp_path: Path, kind: str, name: str
) -> None:
    os.mkfifo(tmp_path / "fifo")
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(2**40)
    keys = {
        "mesh": f"mesh: {{file: {name}}}",
        "model": f"model: {{file: {name}}}",
        "activation": f"model: {{shape: bar}}\ninputs: {{activation_file: {name}}}",
        "fibres": f"model: {{shape: bar}}\nmuscles: {{a: {{fibres: {{file: {name}, data: v}}}}}}",
    }
    said(tmp_path / "s.yaml", f"vastus: 1\n{keys[kind]}\n")


def glb(said: dict[str, Any], data: bytes = bytes(64)) -> bytes:
    text = json.dumps(said).encode()
    text += b" " * (-len(text) % 4)
    chunks = len(text).to_bytes(4, "little") + b"JSON" + text
    chunks += len(data).to_bytes(4, "little") + b"BIN\0" + data
    return b"glTF" + (2).to_bytes(4, "little") + (12 + len(chunks)).to_bytes(4, "little") + chunks


def gltf(count: int = 3, **more: Any) -> dict[str, Any]:
    """One triangle; `count` is what its accessor announces."""
    accessor = {"componentType": 5126, "type": "VEC3", "count": count, "bufferView": 0}
    return {
        "asset": {"version": "2.0"},
        "buffers": [{"byteLength": 64}],
        "bufferViews": [{"buffer": 0, "byteLength": 64}],
        "accessors": [accessor],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "nodes": [{"mesh": 0}],
        "scenes": [{"nodes": [0]}],
        **more,
    }


def without_view(count: int) -> dict[str, Any]:
    return gltf(accessors=[{"componentType": 5126, "type": "VEC3", "count": count}])


def doubling(levels: int) -> list[dict[str, Any]]:
    return [{"children": [i + 1, i + 1]} for i in range(levels)] + [{"mesh": 0}]


PLY = "ply\nformat {} 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
FACE = "element face {}\nproperty list {} int vertex_indices\nend_header\n"
VTP = '<VTKFile type="PolyData" version="1.0"><PolyData><Piece NumberOfPoints="{0}" NumberOfPolys='
VTP += '"{0}"><Points/><Polys/></Piece></PolyData></VTKFile>'
ENTITY = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><VTKFile>&b;'
OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\n"

SURFACES: list[tuple[str, str | bytes]] = [
    (".ply", PLY.format("ascii") + FACE.format(10**12, "uchar")),
    (".ply", PLY.format("binary_little_endian") + FACE.format(10**12, "uchar")),
    (".ply", PLY.format("binary_little_endian").replace("3", "9" * 30) + FACE.format(1, "int")),
    (".ply", (PLY.format("binary_little_endian") + FACE.format(1, "uint")).encode() + b"\xff" * 60),
    (".ply", "ply\n" + "comment x\n" * 1000),
    (".stl", b"x" * 80 + b"\xff\xff\xff\xff" + bytes(50)),
    (".stl", "solid a\n" + "facet normal 0 0 1\n" * 1000),
    (".obj", OBJ + "f 1 2 1000000000000\n"),
    (".obj", OBJ + "f -5 -6 -7\n"),
    (".obj", "v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"),
    (".obj", "v inf 0 0\nv 1e999 0 0\nv 0 1 0\nf 1 2 3\n"),
    (".glb", glb(gltf(10**12))),
    (".glb", glb(without_view(10**9))),
    (".glb", glb(gltf(-5))),
    (".glb", glb(gltf(nodes=doubling(60)))),
    (".glb", glb(gltf(nodes=[{"mesh": 10**9}]))),
    (".glb", glb(gltf(buffers=[{"uri": "fifo", "byteLength": 64}]))),
    (".glb", glb(gltf(buffers=[{"uri": "/dev/zero", "byteLength": 64}]))),
    (".glb", glb({"asset": []})),
    (".glb", glb(gltf())[:40]),
    (".gltf", json.dumps(gltf(buffers=[{"uri": "fifo"}]))),
    (".gltf", json.dumps(gltf(buffers=[{"uri": "../../../../etc/passwd"}]))),
    (".gltf", "[" * 100_000),
    (".gltf", "[]"),
    (".vtp", VTP.format(10**12)),
    (".vtp", VTP.format(-1)),
    (".vtp", ENTITY),
    (".vtp", ENTITY.encode("utf-16")),
    (".dae", "<COLLADA/>"),
]


@pytest.mark.parametrize(("suffix", "contents"), SURFACES)
def test_a_hostile_surface_is_one_sentence(
    tmp_path: Path, suffix: str, contents: str | bytes
) -> None:
    os.mkfifo(tmp_path / "fifo")
    path = tmp_path / f"s{suffix}"
    path.write_bytes(contents.encode() if isinstance(contents, str) else contents)
    assert outcome(lambda: read_surface(path))


@pytest.mark.parametrize("name", ["fifo", "/dev/zero"])
def test_materials_of_surfaces_are_not_opened(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "fifo")
    path = tmp_path / "s.obj"
    path.write_text(f"mtllib {name}\n{OBJ}usemtl a\nf 1 2 3\n")
    assert outcome(lambda: read_surface(path)) == ""


def packed_bomb() -> bytes:
    """An array of VTK's that announces a kilobyte and unpacks to a hundred megabytes."""
    packer = zlib.compressobj(1)
    block = b"".join([*(packer.compress(bytes(MIB)) for _ in range(100)), packer.flush()])
    head = np.array([1, 1024, 0, len(block)], "<u8").tobytes()
    array = (b64encode(head) + b64encode(block)).decode()
    data = f'<DataArray type="Float64" NumberOfComponents="3" format="binary">{array}</DataArray>'
    return (
        '<VTKFile type="UnstructuredGrid" version="0.1" byte_order="LittleEndian"'
        ' header_type="UInt64" compressor="vtkZLibDataCompressor"><UnstructuredGrid>'
        f'<Piece NumberOfPoints="4" NumberOfCells="1"><Points>{data}</Points>'
        "<Cells/></Piece></UnstructuredGrid></VTKFile>"
    ).encode()


def far_tag(folder: Path) -> bytes:
    """A Gmsh file whose last node is called 2^40."""
    path = folder / "small.msh"
    mesh = meshio.Mesh(X, [("tetra", np.array([[0, 1, 2, 3]]))])
    meshio.gmsh.write(path, mesh, fmt_version="4.1", binary=False)
    return path.read_bytes().replace(b"\n4\n", f"\n{2**40}\n".encode(), 1)


MSH2 = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
MESHES: list[tuple[str, Callable[[Path], bytes]]] = [
    (".vtu", lambda _: packed_bomb()),
    (".vtu", lambda _: ENTITY.encode()),
    (".vtu", lambda _: VTP.format(10**12).encode()),
    (".msh", far_tag),
    (".msh", lambda _: (MSH2 + f"$Nodes\n{10**12}\n1 0 0 0\n$EndNodes\n").encode()),
    (".msh", lambda _: (MSH2 + f"$PhysicalNames\n{10**12}\n").encode()),
    (".msh", lambda _: (MSH2 + f"$NodeData\n0\n{10**12}\n").encode()),
    (".mesh", lambda _: f"MeshVersionFormatted 2\nDimension 3\nVertices\n{10**12}\n".encode()),
]


@pytest.mark.parametrize(("suffix", "contents"), MESHES)
def test_a_hostile_mesh_is_one_sentence(
    tmp_path: Path, suffix: str, contents: Callable[[Path], bytes]
) -> None:
    path = tmp_path / f"m{suffix}"
    path.write_bytes(contents(tmp_path))
    assert outcome(lambda: read_mesh(path))


@pytest.mark.parametrize(
    "contents",
    ["3 1000000000000\n1\n", "-1 -1\n", "0 0\n3 99999999999\n", "x", "3 4\nnan\n", ""],
)
def test_a_hostile_matrix_is_one_sentence(tmp_path: Path, contents: str) -> None:
    (tmp_path / "a_V.dmat").write_text(contents)
    (tmp_path / "a_T.dmat").write_text("4 1\n0\n1\n2\n3\n")
    assert outcome(lambda: read_tets(tmp_path))


MJCF = "<mujoco>{}</mujoco>"
ASSET = '<asset><mesh name="m" file="{}"/></asset>'


@pytest.mark.parametrize(
    "contents",
    [
        '<!DOCTYPE x [<!ENTITY a "a">]>' + MJCF.format("&a;"),
        MJCF.format(ASSET.format("fifo.stl")),
        MJCF.format(ASSET.format("/dev/zero")),
        MJCF.format('<include file="fifo.stl"/>'),
        MJCF.format('<include file="m.xml"/>'),
        MJCF.format('<worldbody><replicate count="1000000000"><body/></replicate></worldbody>'),
        MJCF.format('<size memory="900000G"/>'),
        MJCF.format(""),
        "<mujoco>",
        "",
    ],
)
def test_a_hostile_mjcf_is_one_sentence(tmp_path: Path, contents: str) -> None:
    pytest.importorskip("mujoco", reason="reading MJCF needs mujoco")
    os.mkfifo(tmp_path / "fifo.stl")
    (tmp_path / "m.xml").write_text(contents)
    assert outcome(lambda: read_mjcf(tmp_path / "m.xml"))


MEASURE = """
import resource, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from hostile import outcome
from vastus.files.meshes import read_mesh, read_surface
from vastus.files.npz import read_npz
import meshio.vtu, meshio.gmsh, trimesh
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
readers = {".vtu": read_mesh, ".msh": read_mesh, ".npz": read_npz}
files = sorted(Path(sys.argv[1]).glob("bomb*"))
outcome(lambda: read_surface("nothing.obj"))
before = peak()
for file in files:
    assert outcome(lambda: readers.get(file.suffix, read_surface)(file)), file
print(len(files), peak() - before)
"""


def test_bombs_take_little_memory(tmp_path: Path) -> None:
    """The peak of a process that reads them all grows by less than 300 MiB."""
    for i, (suffix, contents) in enumerate(SURFACES):
        if suffix in SUFFIXES:
            data = contents.encode() if isinstance(contents, str) else contents
            (tmp_path / f"bomb{i}{suffix}").write_bytes(data)
    for i, (suffix, make) in enumerate(MESHES):
        if suffix != ".mesh":
            (tmp_path / f"bomb_m{i}{suffix}").write_bytes(make(tmp_path))
    np.savez_compressed(tmp_path / "bomb.npz", a=np.zeros(2**25))
    tests = str(Path(__file__).parent.parent)
    command = [sys.executable, "-W", "ignore", "-c", MEASURE, str(tmp_path), tests]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    count, grown = map(int, done.stdout.split())
    assert count > 30
    assert grown < 300


def files(folder: Path) -> dict[Path, Callable[[Path], object]]:
    """A small file of each format, and what reads it."""
    found: dict[Path, Callable[[Path], object]] = {}
    for suffix in SUFFIXES:
        write_surface(folder / f"a{suffix}", Surface(X, FACES))
        found[folder / f"a{suffix}"] = read_surface
    mesh = meshio.Mesh(X, [("tetra", np.array([[0, 1, 2, 3]]))], cell_data={"v": [np.eye(3)[:1]]})
    for name, module in (("a.vtu", meshio.vtu), ("a.msh", meshio.gmsh), ("a.mesh", meshio.medit)):
        module.write(folder / name, mesh)
        found[folder / name] = read_mesh
    meshio.vtu.write(folder / "v.vtu", mesh, compression="lzma")
    found[folder / "v.vtu"] = lambda path: read_samples(path, "v")
    write_npz(folder / "t.npz", {"V": X, "T": np.array([[0, 1, 2, 3]]), "idx_a": np.zeros(1, int)})
    found[folder / "t.npz"] = read_tets
    (folder / "s.yaml").write_text(SCENE_TEXT.replace("NAME", "a.obj"))
    found[folder / "s.yaml"] = read
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(6))
def test_random_damage_to_any_format_is_read_or_refused(tmp_path: Path, seed: int) -> None:
    pytest.importorskip("vtkmodules", reason="VTP files need vtk")
    rng = np.random.default_rng(seed)
    for path, reader in files(tmp_path).items():
        assert outcome(lambda: reader(path)) == ""  # noqa: B023
        contents = path.read_bytes()
        for _ in range(5):
            path.write_bytes(damaged(contents, rng))
            outcome(lambda: reader(path))  # noqa: B023
        path.write_bytes(contents)
