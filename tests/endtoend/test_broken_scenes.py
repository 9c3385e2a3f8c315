"""Every kind of broken scene: one sentence that names the culprit, exit code 2, no files."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import vastus
from vastus.cli import main
from vastus.errors import VastusError
from vastus.files.meshes import write_mesh
from vastus.geometry.tetmesh import TetMesh
from vastus.modelling.shapes.simple import box

SHAPE = """\
vastus: 1
model: {shape: fusiform, tets: 1500}
inputs:
  seconds: 1
  activation: {belly: 1}
"""

MESH = """\
vastus: 1
mesh: {file: bar.vtu, units: m, labels: part}
regions:
  base: {label: 1, tissue: bone}
  belly: {label: 2, tissue: muscle}
  tip: {label: 3, tissue: bone}
muscles:
  belly: {fibres: {from: base, to: tip}}
bones:
  base: {regions: [base], drive: pinned}
  tip: {regions: [tip]}
inputs:
  activation: {belly: 1}
"""


def bar() -> TetMesh:
    """A bar of 20 cm along x."""
    return box((8, 1, 1), (0.2, 0.04, 0.04))


def labels(mesh: TetMesh) -> np.ndarray:
    """Bone 1, muscle 2, bone 3 along the bar."""
    return 1 + np.searchsorted([0.05, 0.15], mesh.centroids[:, 0])


def write_bar(folder: Path, mesh: TetMesh | None = None) -> None:
    """The mesh file that the scene names."""
    mesh = mesh or bar()
    write_mesh(folder / "bar.vtu", mesh, cell_data={"part": labels(bar())[: mesh.n_tets]})


def inverted(folder: Path) -> None:
    mesh = bar()
    T = mesh.T.copy()
    T[5] = T[5][[1, 0, 2, 3]]
    write_bar(folder, TetMesh(mesh.X, T))


def raw(folder: Path, X: np.ndarray, T: np.ndarray) -> None:
    """A mesh file with whatever it is given."""
    meshio = pytest.importorskip("meshio")
    part = [np.resize(labels(bar()), len(T))]
    meshio.Mesh(X, [("tetra", T)], cell_data={"part": part}).write(folder / "bar.vtu")


def duplicate(folder: Path) -> None:
    raw(folder, bar().X, np.vstack([bar().T, bar().T[:1]]))


def nan_vertex(folder: Path) -> None:
    X = bar().X.copy()
    X[3, 1] = np.nan
    raw(folder, X, bar().T)


def no_tets(folder: Path) -> None:
    meshio = pytest.importorskip("meshio")
    meshio.Mesh(bar().X, [("triangle", bar().boundary)]).write(folder / "bar.vtu")


def truncated(folder: Path) -> None:
    write_bar(folder)
    whole = (folder / "bar.vtu").read_bytes()
    (folder / "bar.vtu").write_bytes(whole[: len(whole) // 2])


def garbage(folder: Path) -> None:
    (folder / "bar.vtu").write_bytes(bytes(range(256)))


def apart(folder: Path) -> None:
    """The muscle with vertices of its own: it touches no bone."""
    mesh, label = bar(), labels(bar())
    X = np.vstack([mesh.X, mesh.X])
    T = np.where((label == 2)[:, None], mesh.T + mesh.n_vertices, mesh.T)
    raw(folder, X, T)


def millimetres(folder: Path) -> None:
    write_bar(folder, TetMesh(bar().X * 1000, bar().T))


def zero_fibres(folder: Path) -> None:
    cells = {"part": labels(bar()), "way": np.zeros((bar().n_tets, 3))}
    write_mesh(folder / "bar.vtu", bar(), cell_data=cells)


def touching_bones(folder: Path) -> None:
    part = np.where(labels(bar()) == 2, 1, labels(bar()))
    part[0] = 2
    write_mesh(folder / "bar.vtu", bar(), cell_data={"part": part})


def half_table(folder: Path) -> None:
    (folder / "levels.csv").write_text("time,belly\n0,0\n1,much\n")


@dataclass(frozen=True)
class Broken:
    """A scene text, some of it replaced, and what the sentence must contain."""

    text: str
    says: tuple[str, ...]
    old: str = ""
    new: str = ""
    files: Callable[[Path], None] | None = None

    def write(self, folder: Path) -> Path:
        """Write the scene and its files."""
        assert self.old in self.text
        if self.text == MESH:
            (self.files or write_bar)(folder)
        elif self.files:
            self.files(folder)
        path = folder / "scene.yaml"
        path.write_text(self.text.replace(self.old, self.new, 1) if self.old else self.text)
        return path


def shape(old: str, new: str, *says: str) -> Broken:
    return Broken(SHAPE, says, old, new)


def mesh(old: str, new: str, *says: str) -> Broken:
    return Broken(MESH, says, old, new)


def meshed(files: Callable[[Path], None], *says: str, old: str = "", new: str = "") -> Broken:
    return Broken(MESH, says, old, new, files)


PLASTIC = "materials:\n  muscle: {law: stable_neo_hookean, young: %s, poisson: %s}\ninputs:"
SCRIPT = "  activation: {belly: 1}\n  bones:\n    lower: [{time: 0}, {time: 0}]\n"
TURN = SCRIPT.replace("{time: 0}]", "{time: 1, axis: [0, 0, 2], angle_deg: %s}]")

BROKEN = {
    "empty file": Broken("", ("scene.yaml", "empty", "vastus: 1")),
    "only a comment": Broken("# nothing\n", ("scene.yaml", "empty")),
    "not a mapping": Broken("- 1\n- 2\n", ("scene.yaml", "mapping")),
    "not text": Broken("\x00", ("scene.yaml",)),
    "YAML syntax": shape("{belly: 1}", "{belly: 1", "line 6", "not valid YAML"),
    "a tab": shape("  seconds", "\tseconds", "line 4", "not valid YAML"),
    "a tag that runs code": shape(
        "seconds: 1", "seconds: !!python/object/apply:os.getcwd []", "line 4", "not valid YAML"
    ),
    "duplicate key": shape("inputs:", "inputs: {}\ninputs:", "line 4", "'inputs'", "line 3"),
    "no version": shape("vastus: 1\n", "", "'vastus' is missing"),
    "wrong version": shape("vastus: 1", "vastus: 2", "line 1", "version 2", "version 1"),
    "unknown key": shape("seconds", "secnods", "line 4", "inputs.secnods", "mean 'seconds'"),
    "unknown section": shape("inputs:", "input:", "line 3", "did you mean 'inputs'"),
    "a section of the wrong kind": shape("{belly: 1}", "1", "line 5", "activation", "mapping"),
    "model and mesh": shape("inputs:", "mesh: {file: a.vtu, units: m}\ninputs:", "model and mesh"),
    "neither model nor mesh": shape("model: {shape: fusiform, tets: 1500}\n", "", "model, mesh"),
    "unknown shape": shape("fusiform", "fusifrom", "line 2", "did you mean 'fusiform'", "elbow"),
    "unknown option of a shape": shape("tets: 1500", "tetz: 1500", "line 2", "'tetz'", "'tets'"),
    "length zero": shape("tets: 1500", "length: 0", "line 2", "model.length", "0", "above 0"),
    "negative radius": shape("tets: 1500", "radius: -0.02", "line 2", "model.radius", "-0.02"),
    "radius not a number": shape("tets: 1500", "radius: .nan", "line 2", "radius", "nan", "finite"),
    "radius infinite": shape("tets: 1500", "radius: .inf", "line 2", "model.radius", "inf"),
    "radius of an atom": shape("tets: 1500", "radius: 1e-300", "line 2", "model.radius", "1e-06"),
    "length of the world": shape("tets: 1500", "length: 1e300", "line 2", "length", "1e+06"),
    "radius yes": shape("tets: 1500", "radius: true", "line 2", "True", "number"),
    "radius as text": shape("tets: 1500", "radius: thick", "line 2", "'thick'", "number"),
    "active in words": shape("shape: fusiform", "shape: bar, active: 3", "line 2", "3", "true"),
    "too few tets": shape("1500", "10", "line 2", "model", "10 tets"),
    "too many tets": shape("1500", "1000000000", "line 2", "model.tets", "1000000000"),
    "text for a number": shape("seconds: 1", "seconds: long", "line 4", "'long'", "number"),
    "not a number": shape("seconds: 1", "seconds: .nan", "line 4", "nan", "finite"),
    "infinite": shape("seconds: 1", "seconds: .inf", "line 4", "inf"),
    "shorter than a frame": shape("seconds: 1", "seconds: 0.04", "line 3", "0.04 s", "10.0"),
    "negative seconds": shape("seconds: 1", "seconds: -1", "line 4", "inputs.seconds", "-1"),
    "misspelt muscle": shape("{belly: 1}", "{bely: 1}", "line 5", "no muscle 'bely'", "belly"),
    "activation above 1": shape("belly: 1", "belly: 1.5", "line 5", "1.5", "between 0 and 1"),
    "negative activation": shape("belly: 1", "belly: -0.5", "line 5", "-0.5", "between 0 and 1"),
    "keys not increasing": shape("belly: 1", "belly: [[0, 0], [0, 1]]", "line 5", "increasing"),
    "keys of three numbers": shape("belly: 1", "belly: [[0, 0, 1], [1, 1, 1]]", "line 5", "2"),
    "scripted bone that is free": shape(
        "  activation: {belly: 1}\n",
        "  bones: {lower: [{time: 0}, {time: 1}]}\n",
        "line 5",
        "no scripted bone 'lower'",
    ),
    "script not increasing": shape("  activation: {belly: 1}\n", SCRIPT, "line 7", "increasing"),
    "turn of three quarters": shape(
        "  activation: {belly: 1}\n", TURN % 270, "line 7", "270 degrees", "180"
    ),
    "half a turn": shape("  activation: {belly: 1}\n", TURN % -180, "line 7", "180 degrees"),
    "negative modulus": shape("inputs:", PLASTIC % ("-6e4", "0.4"), "line 4", "young", "-60000"),
    "Poisson's ratio 0.5": shape("inputs:", PLASTIC % ("6e4", "0.5"), "line 4", "poisson", "0.5"),
    "unknown law": shape(
        "inputs:", "materials: {muscle: {law: rubber}}\ninputs:", "line 3", "no law 'rubber'", "neo"
    ),
    "unknown parameter of a law": shape(
        "inputs:",
        "materials: {muscle: {law: stable_neo_hookean, yung: 1}}\ninputs:",
        "line 3",
        "did you mean 'young'",
    ),
    "parameter that is text": shape("inputs:", PLASTIC % ("soft", "0.4"), "line 4", "'soft'"),
    "material of nothing": shape(
        "inputs:", "materials: {mucle: {law: tendon}}\ninputs:", "line 3", "did you mean 'muscle'"
    ),
    "material of bone": shape(
        "inputs:", "materials: {bone: {law: tendon}}\ninputs:", "line 3", "materials.bone", "rigid"
    ),
    "material of a bone's region": shape(
        "inputs:", "materials: {upper: {law: tendon}}\ninputs:", "line 3", "upper", "rigid"
    ),
    "material of a region of bone": mesh(
        "base: {label: 1,", "base: {label: 1, material: {law: tendon},", "line 4", "rigid"
    ),
    "pins that disagree": shape(
        "inputs:",
        "pins:\n  a: {region: belly}\n  b: {region: belly, shift: [0, 0, 1]}\ninputs:",
        "line 4",
        "'a' and 'b' hold vertex",
    ),
    "drive of an unknown bone": shape(
        "inputs:", "bones: {lowr: {drive: free}}\ninputs:", "line 3", "no bone 'lowr'", "lower"
    ),
    "unknown drive": shape(
        "inputs:", "bones: {lower: {drive: fixed}}\ninputs:", "line 3", "'fixed'", "'pinned'"
    ),
    "joint on an unknown bone": shape(
        "inputs:",
        "joints:\n  knee: {kind: ball, bones: [upper, shin], centre: [0, 0, 0]}\ninputs:",
        "line 4",
        "no bone 'shin'",
        "upper, lower",
    ),
    "hinge without an axis": shape(
        "inputs:",
        "joints: {knee: {kind: hinge, bones: [upper, lower], centre: [0, 0, 0]}}\ninputs:",
        "line 3",
        "a hinge needs an axis",
    ),
    "joint between fixed and scripted bones": shape(
        "inputs:",
        "bones: {lower: {drive: scripted}}\n"
        "joints:\n  knee: {kind: ball, bones: [upper, lower], centre: [0, 0, 0]}\ninputs:",
        "line 5",
        "'knee'",
        "one of them must be free",
    ),
    "everything is free": shape(
        "inputs:", "bones: {upper: {drive: free}}\ninputs:", "line 3", "held by nothing"
    ),
    "pin where nothing is": shape(
        "inputs:",
        "pins: {far: {sphere: {centre: [9, 9, 9], radius: 1}}}\ninputs:",
        "line 3",
        "no vertex lies there",
        "spans",
    ),
    "load outside": shape(
        "inputs:", "loads: {w: {force: [0, 0, -1], point: [5, 0, 0]}}\ninputs:", "outside the model"
    ),
    "direction zero": mesh(
        "{from: base, to: tip}", "{direction: [0, 0, 0]}", "line 8", "direction", "zero"
    ),
    "fibres to an unknown bone": mesh("to: tip", "to: tpi", "line 8", "did you mean 'tip'"),
    "fibres missing": mesh("{fibres: {from: base, to: tip}}", "{}", "line 8", "'fibres'"),
    "zero fibre vectors": meshed(
        zero_fibres, "line 8", "no fibre direction", old="{from: base, to: tip}", new="{data: way}"
    ),
    "missing mesh": mesh("bar.vtu", "arm.vtu", "line 2", "no file", "arm.vtu"),
    "unsupported mesh": Broken(
        MESH, ("line 2", ".xyz", ".vtu"), "bar.vtu", "bar.xyz", lambda f: (f / "bar.xyz").touch()
    ),
    "unreadable mesh": meshed(garbage, "line 2", "bar.vtu"),
    "truncated mesh": meshed(truncated, "line 2", "bar.vtu", "truncated"),
    "zero tets": meshed(no_tets, "line 2", "no tets", "triangle"),
    "inverted tets": meshed(inverted, "line 2", "1 of 48 tets are inverted"),
    "duplicate tets": meshed(duplicate, "line 2", "same four vertices"),
    "NaN vertex": meshed(nan_vertex, "line 2", "vertex 3", "not finite"),
    "units in mm": meshed(millimetres, "line 2", "200 m long", "millimetres", "'units'"),
    "unknown units": mesh("units: m", "units: inch", "line 2", "'inch'", "'mm'"),
    "no units": mesh("units: m, ", "", "line 2", "'units' is missing"),
    "unknown label array": mesh("labels: part", "labels: parts", "line 2", "'parts'", "part"),
    "label absent from the mesh": mesh("label: 2", "label: 7", "line 5", "label 7", "1, 2, 3"),
    "label twice": mesh("label: 3", "label: 2", "line 6", "label 2"),
    "label that no region has": mesh(
        "  tip: {label: 3, tissue: bone}\n", "", "line 3", "label 3", "'ignore'"
    ),
    "misspelt region": mesh("regions: [tip]", "regions: [tpi]", "line 11", "no region 'tpi'"),
    "region of an unknown muscle": mesh(
        "tissue: muscle}", "tissue: muscle, muscle: belli}", "line 5", "no muscle 'belli'", "belly"
    ),
    "bone region of no bone": mesh("  tip: {regions: [tip]}\n", "", "line 6", "belongs to no bone"),
    "bones that share vertices": meshed(touching_bones, "line 10", "'base' and 'tip' share"),
    "muscle that touches no bone": meshed(
        apart, "muscles.belly", "touches 'base' nowhere", "line 8"
    ),
    "muscle that floats": meshed(
        apart, "'belly'", "line 8", "touches no bone and no pin",
        old="{from: base, to: tip}", new="{direction: [1, 0, 0]}",
    ),
    "bad activation file": Broken(
        SHAPE,
        ("line 5", "levels.csv', line 3", "much"),
        "activation: {belly: 1}",
        "activation_file: levels.csv",
        half_table,
    ),
}  # fmt: skip


def sentence(stderr: str) -> str:
    """The one sentence on stderr."""
    lines = stderr.splitlines()
    assert len(lines) == 1, stderr
    assert lines[0].startswith("error: ")
    assert "Traceback" not in stderr
    return lines[0]


@pytest.mark.parametrize("command", ["check", "run"])
@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_scene_is_one_sentence(kind: str, command: str, tmp_path: Path) -> None:
    scene = BROKEN[kind].write(tmp_path)
    before = set(tmp_path.rglob("*"))
    output = ["-o", str(tmp_path / "out")] if command == "run" else []
    done = CliRunner().invoke(main, [command, str(scene), *output])
    assert done.exit_code == 2, done.output
    said = sentence(done.stderr)
    for words in BROKEN[kind].says:
        assert words in said
    assert set(tmp_path.rglob("*")) == before


def test_a_missing_scene_is_one_sentence(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["check", str(tmp_path / "arm.yaml")])
    assert done.exit_code == 2
    assert "no file" in sentence(done.stderr)


def test_a_folder_is_no_scene(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["check", str(tmp_path)])
    assert done.exit_code == 2
    assert str(tmp_path) in sentence(done.stderr)


@pytest.mark.parametrize(
    ("command", "output", "says"),
    [
        (["run", "scene.yaml"], "scene.yaml/out", "is not a folder"),
        (["run", "scene.yaml"], "/proc/out", "/proc"),
        (["run", "scene.yaml"], "", "needs a name"),
        (["demo"], "scene.yaml/out", "is not a folder"),
        pytest.param(
            ["demo"], "/proc/out", "/proc", marks=pytest.mark.slow
        ),  # known only in the end
        (["demo"], "", "needs a name"),
    ],
)
def test_an_output_that_cannot_be_written_is_one_sentence(
    command: list[str], output: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Broken(SHAPE, ()).write(tmp_path)
    before = set(tmp_path.rglob("*"))
    done = CliRunner().invoke(main, [*command, "-o", output])
    assert done.exit_code == 2
    assert says in sentence(done.stderr.splitlines()[-1])
    assert set(tmp_path.rglob("*")) == before


def test_resume_and_overwrite_exclude_each_other(tmp_path: Path) -> None:
    scene = Broken(SHAPE, ()).write(tmp_path)
    words = ["run", str(scene), "-o", str(tmp_path / "out"), "--resume", "--overwrite"]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 2
    assert "--overwrite replaces it" in sentence(done.stderr)


def test_the_demo_names_the_option_that_it_refuses(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["demo", "-o", str(tmp_path / "out"), "--tets", "0"])
    assert done.exit_code == 2
    assert "--tets" in sentence(done.stderr)
    assert "scene.yaml" not in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("code", "says"),
    [("def f(:\n", "SyntaxError"), ("import nosuchpackage\n", "nosuchpackage"), (None, "no file")],
)
def test_a_broken_law_file_is_one_sentence(code: str | None, says: str, tmp_path: Path) -> None:
    scene, law = Broken(SHAPE, ()).write(tmp_path), tmp_path / "law.py"
    if code is not None:
        law.write_text(code)
    done = CliRunner().invoke(main, ["check", str(scene), "--laws", str(law)])
    assert done.exit_code == 2
    assert says in sentence(done.stderr)
    assert "law.py" in done.stderr


@pytest.mark.parametrize(
    "kind", ["unknown key", pytest.param("truncated mesh", marks=pytest.mark.slow)]
)
def test_a_process_prints_the_sentence_and_nothing_else(kind: str, tmp_path: Path) -> None:
    scene = BROKEN[kind].write(tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "vastus", "run", str(scene), "-o", str(tmp_path / "out")],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    sentence(done.stderr)
    assert not (tmp_path / "out").exists()


OTHER_KINDS = {
    "arm.osim": "is an OpenSim model, not a scene; build a model from it with: "
    "vastus build --from-osim {} --muscles all",
    "arm.XML": "is an MJCF model, not a scene; build a model from it with: "
    "vastus build --from-mjcf {} --muscles all",
    "leg.obj": "is a surface, not a scene; make a scene from the surfaces of a folder with: "
    "vastus author FOLDER",
    "leg.msh": "is a mesh, not a scene; name it under 'mesh' of a scene",
    "model.npz": "is a saved model or a set of arrays, not a scene; name it under 'model' or "
    "'mesh' of a scene",
}


@pytest.mark.parametrize("name", OTHER_KINDS)
def test_a_file_of_another_kind_is_told_what_takes_it(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text("<Model/>")
    sentence = f"'{path}' {OTHER_KINDS[name].format(path)}"
    for words in (["check", str(path)], ["run", str(path), "-o", str(tmp_path / "out")]):
        done = CliRunner().invoke(main, words)
        assert (done.exit_code, done.stderr) == (2, f"error: {sentence}\n")
    with pytest.raises(VastusError) as refused:
        vastus.read(path)
    assert str(refused.value) == sentence
    assert not (tmp_path / "out").exists()
    path.unlink()
    with pytest.raises(VastusError, match="there is no file"):
        vastus.read(path)
