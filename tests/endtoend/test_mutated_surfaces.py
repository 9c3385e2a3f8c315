"""Surfaces spoilt in every way: a sound model that says what was repaired, or a sentence."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from limb import (
    SCENE,
    ball,
    block,
    bone,
    limb,
    moved,
    muscle,
    scaled,
    together,
    tube,
    turned,
    with_corner,
    without,
    write_limb,
)
from vastus.checks.surface_layout import surface_findings
from vastus.cli import main
from vastus.files.meshes import read_surface, write_surface
from vastus.files.model_file import load_model
from vastus.geometry.surface import Surface
from vastus.modelling.surfaces.mesher import tetrahedralise, tets_needed
from vastus.modelling.surfaces.repair import repair
from vastus.modelling.surfaces.surface_model import MOST_TETS
from vastus.parts import Tissue
from vastus.scene.read import read
from vastus.scene.repaired import write_repaired
from vastus.scene.scene import Shells
from vastus.validate import validate

pytest.importorskip("igl", reason="libigl is not installed")
meshing = pytest.mark.skipif(not find_spec("wildmeshing"), reason="wildmeshing is not installed")

LIMB = limb()
UPPER, LOWER, FLEXOR = LIMB["upper"], LIMB["lower"], LIMB["flexor"]
TISSUES = {"upper": Tissue.BONE, "lower": Tissue.BONE, "flexor": Tissue.MUSCLE}
Files = Callable[[Path], object]


@dataclass(frozen=True)
class Case:
    """A limb with other parts, files and words, and what must be said of it."""

    says: tuple[str, ...] = ()
    parts: Mapping[str, Surface] = field(default_factory=dict)
    changes: tuple[tuple[str, str], ...] = ()
    files: Files = lambda folder: None

    def write(self, folder: Path) -> Path:
        """Write the scene and its files."""
        text = SCENE
        for old, new in self.changes:
            assert old in text
            text = text.replace(old, new, 1)
        path = write_limb(folder / "given", {**LIMB, **self.parts}, text)
        self.files(path.parent)
        return path


def flexor(surface: Surface, *says: str) -> Case:
    return Case(says, {"flexor": surface})


def said(words: str, *says: str) -> Case:
    """Something more said of the muscle."""
    return Case(says, changes=(("tissue: muscle", f"tissue: muscle, {words}"),))


def changed(old: str, new: str, *says: str) -> Case:
    return Case(says, changes=((old, new),))


def file(text: str | bytes, *says: str, name: str = "flexor.obj") -> Case:
    """Something else in the muscle's file."""
    data = text.encode() if isinstance(text, str) else text
    write: Files = lambda folder: (folder / name).write_bytes(data)  # noqa: E731
    return Case(says, changes=(("flexor.obj", name),), files=write)


def also(line: str) -> tuple[str, str]:
    """A change that adds a part."""
    return "bones:\n", f"    {line}\nbones:\n"


def obj(vertex: str = "", *, lines: int | None = None) -> str:
    """The muscle as OBJ, one vertex of it replaced, or cut off after some lines."""
    rows = [f"v {x!r} {y!r} {z!r}" for x, y, z in FLEXOR.X.tolist()]
    rows += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in FLEXOR.faces.tolist()]
    if vertex:
        rows[3] = f"v {vertex}"
    return "\n".join(rows[:lines]) + "\n"


def misnamed_stl(folder: Path) -> None:
    write_surface(folder / "a.stl", FLEXOR)
    shutil.move(folder / "a.stl", folder / "flexor.obj")


def cut_stl(folder: Path) -> None:
    write_surface(folder / "flexor.stl", FLEXOR)
    (folder / "flexor.stl").write_bytes((folder / "flexor.stl").read_bytes()[:5000])


def sheet(bend: float) -> Surface:
    """Half of a tube that is pressed flat: a sheet without a back."""
    half = FLEXOR.keeping(FLEXOR.X[FLEXOR.faces].mean(axis=1)[:, 1] > 0)
    return Surface(half.X * [1, bend, 1], half.faces)


def twisted() -> Surface:
    X = FLEXOR.X.copy()
    X[40:48] *= [1, -2.5, 1]
    return Surface(X, FLEXOR.faces)


def dented() -> Surface:
    """A bone with a corner pushed through its other side."""
    X = UPPER.X.copy()
    X[60, :2] *= -1.3
    return Surface(X, UPPER.faces)


GARBAGE = np.random.default_rng(0).integers(0, 256, 5000, dtype=np.uint8).tobytes()
JOINT = ", centre: [0, 0, 0.14], axis: [0, 1, 0]"
LONG = {"lower": moved(LOWER, 0, 0, -1), "flexor": muscle(low=-0.95)}
FLAT = {
    "upper": block(np.array([-0.012, -0.012, 0.14]), np.array([0.012, 0.012, 0.28])),
    "lower": block(np.array([-0.012, -0.012, 0.0]), np.array([0.012, 0.012, 0.13])),
}
NO_BONES = (
    ("    upper: {file: upper.obj, tissue: bone}\n", ""),
    ("    lower: {file: lower.obj, tissue: bone}\n", ""),
    (SCENE[SCENE.index("bones:") :], ""),
)
NO_MUSCLE = ("    flexor: {file: flexor.obj, tissue: muscle}\n", "")

SIZE, WIRE = "size: 0.02", 3e-4 * np.array([0, 1, 1, 1, 1, 0])
AT, MUSCLE = "scene.yaml, line 9", "(surfaces.parts.flexor)"
ITS_FILE = "(surfaces.parts.flexor.file)"

REFUSED = {
    "a bone and a muscle with each other's files": Case(
        (AT, MUSCLE, "attached to nothing", "the nearest bone, 'upper'"),
        {"upper": FLEXOR, "flexor": UPPER},
    ),
    "a muscle that falls short": flexor(muscle(high=0.145), AT, MUSCLE, "'upper', is 8", "origin"),
    "a bone called muscle": changed(
        "upper.obj, tissue: bone", "upper.obj, tissue: muscle", "bones.upper", "no bone 'upper'"
    ),
    "a part twice": changed(
        "    flexor:", "    upper: {file: upper.obj, tissue: bone}\n    flexor:", "line 9", "line 7"
    ),
    "two bones from one file": changed(
        "lower.obj", "upper.obj", "line 8 (surfaces.parts.lower)", "almost the same", "'upper'"
    ),
    "two muscles from one file": Case(
        ("line 10 (surfaces.parts.copy)", "almost the same as part 'flexor'"),
        changes=(also("copy: {file: flexor.obj, tissue: muscle}"),),
    ),
    "two muscles almost the same": Case(
        ("line 10 (surfaces.parts.copy)", "almost the same as part 'flexor'"),
        {"copy": moved(FLEXOR, 1e-4, 1e-4, 0)},
        (also("copy: {file: copy.obj, tissue: muscle}"),),
    ),
    "millimetres read as metres": Case(
        ("280 m across", "'units'"), {name: scaled(part, 1000) for name, part in LIMB.items()}
    ),
    "metres read as millimetres": changed(
        "units: m", "units: mm", "line 4 (surfaces.size)", "0.000285 m across", "'units'"
    ),
    "a muscle in millimetres": flexor(
        scaled(FLEXOR, 1000), AT, MUSCLE, "times as large", "'units'"
    ),
    "a muscle in centimetres": flexor(scaled(FLEXOR, 100), AT, MUSCLE, "times as large", "'units'"),
    "a vertex far out": file(obj("0 1e3 0"), AT, MUSCLE, "times as large"),
    "a vertex beyond all": file(obj("0 1e30 0"), AT, MUSCLE, "flat"),
    "a muscle far from every bone": flexor(moved(FLEXOR, 0.5, 0, 0), AT, MUSCLE, "0 other parts"),
    "a muscle in another room": flexor(moved(FLEXOR, 5, 0, 0), AT, MUSCLE, "0 other parts"),
    "a muscle inside a bone": flexor(ball(0.006, 0, 0, 0.2), AT, MUSCLE, "inside part 'upper'"),
    "one triangle": flexor(
        FLEXOR.keeping(np.array([7])), AT, MUSCLE, "1 usable face", "at least 4"
    ),
    "three vertices": flexor(
        Surface(FLEXOR.X[[0, 20, 50]], np.array([[0, 1, 2], [0, 2, 1], [1, 2, 0], [2, 1, 0]])),
        AT,
        MUSCLE,
        "cannot be used",
        "repair or replace its file",
    ),
    "an empty file": file("", AT, ITS_FILE, "flexor.obj", "no triangles"),
    "no faces": file("v 0 0 0\nv 1 0 0\nv 0 1 0\n", AT, ITS_FILE, "no triangles"),
    "a vertex that is not a number": file(obj("0 nan 0"), AT, ITS_FILE, "vertex 3", "not finite"),
    "an infinite vertex": file(obj("0 inf 0"), AT, ITS_FILE, "vertex 3", "not finite"),
    "a vertex too large for a number": file(obj("0 1e400 0"), AT, ITS_FILE, "not finite"),
    "a word for a number": file(obj("0 wide 0"), AT, ITS_FILE, "flexor.obj", "not a .obj file"),
    "an OBJ cut within a line": file(obj()[:-6], AT, ITS_FILE, "line 398", "only 2 of at least 3"),
    "an OBJ cut within its vertices": file(obj(lines=50), AT, ITS_FILE, "no triangles"),
    "an OBJ cut within its faces": file(obj(lines=250), AT, MUSCLE, "separate pieces"),
    "a face of no vertex": file(obj() + "f 1 2 9999\n", AT, ITS_FILE, "not a .obj file"),
    "an unknown suffix": file(obj(), AT, ITS_FILE, ".xyz", ".obj, .stl", name="flexor.xyz"),
    "an OBJ called STL": file(obj(), AT, ITS_FILE, "no triangles", name="flexor.stl"),
    "an STL called OBJ": Case((AT, ITS_FILE, "no triangles"), files=misnamed_stl),
    "an STL cut off": Case(
        (AT, ITS_FILE, "no triangles"), changes=(("flexor.obj", "flexor.stl"),), files=cut_stl
    ),
    "garbage for an OBJ": file(GARBAGE, AT, ITS_FILE, "no triangles"),
    "garbage for an STL": file(GARBAGE, AT, ITS_FILE, "no triangles", name="flexor.stl"),
    "a flat sheet": flexor(sheet(0.0), AT, MUSCLE, "flat (0.0", "three dimensions"),
    "a sheet almost flat": flexor(sheet(1e-4), AT, MUSCLE, "encloses no volume"),
    "two bodies in a part": flexor(
        together(FLEXOR, moved(FLEXOR, 0, 0.06, 0)), AT, MUSCLE, "2 separate pieces", "of its own"
    ),
    "an unknown origin": said("origin: uper", AT, ".origin)", "did you mean 'upper'?"),
    "an unknown insertion": said(
        "insertion: [lower, foot]", ".insertion)", "'foot'", "upper, lower"
    ),
    "a muscle on itself": said("origin: flexor", AT, ".origin)", "attached to itself"),
    "a tendon of no muscle": Case(
        ("line 10 (surfaces.parts.cord.muscle)", "did you mean 'flexor'?"),
        {"cord": ball(0.005, 0.03, 0, 0.14)},
        (also("cord: {file: cord.obj, tissue: tendon, muscle: flexer}"),),
    ),
    "tendons that leave no muscle": said("tendons: [0.6, 0.7]", AT, MUSCLE, "sum must be below 1"),
    "a negative size": changed(SIZE, "size: -0.02", "line 4 (surfaces.size)", "-0.02", "greater"),
    "no size": changed(SIZE, "size: 0", "line 4 (surfaces.size)", "greater than 0"),
    "a size for a billion tets": changed(
        SIZE, "size: 1e-5", "line 4 (surfaces.size)", "1.2e+12 tets", "0.00064 m would do"
    ),
    "a part's size for a billion tets": said(
        "size: 1e-5", AT, MUSCLE, "3.0e+11 tets", "0.0004 m would do"
    ),
    "a size beyond the body": changed(SIZE, "size: 10", "line 4", "10 m", "0.003 m would do"),
    "an envelope too narrow": changed(
        "envelope: 0.002", "envelope: 1e-9", "line 5 (surfaces.envelope)", "0.014 m is right"
    ),
    "an envelope too wide": changed("envelope: 0.002", "envelope: 0.1", "line 5", "0.014 m"),
    "a negative gap": changed(SIZE, "gap: -1", "line 4 (surfaces.gap)", "-1", "greater"),
    "caps beyond the muscle": said("caps: [2, 1]", AT, "flexor.caps.0)", "less than or equal to 1"),
    "one cap": said("caps: 0.2", AT, "flexor.caps)", "list of values"),
    "a joint over a metre": Case(
        ("line 13 (joints.elbow)", "1.02e+03 mm apart", "'centre'"), LONG, ((JOINT, ""),)
    ),
    "a joint of an unknown bone": changed(
        "[upper, lower]",
        "[upper, foot]",
        "line 13 (joints.elbow.bones.1)",
        "'foot'",
        "upper, lower",
    ),
    "a joint of a muscle": changed(
        "[upper, lower]", "[upper, flexor]", "line 13", "no bone 'flexor'"
    ),
    "a joint of one bone": changed("[upper, lower]", "[upper, upper]", "line 13", "two bones"),
    "a hinge between flat bones": Case(
        ("line 13 (joints.elbow)", "no hinge fits", "'axis'"), FLAT, ((JOINT, ""),)
    ),
    "a weld without a centre": Case(
        ("line 13 (joints.elbow)", "give 'centre'"), changes=(("hinge", "weld"), (JOINT, ""))
    ),
    "no bones": Case(("line 7", MUSCLE, "0 other parts"), changes=NO_BONES),
    "no parts": Case(("line 6 (surfaces.parts)", "mapping"), changes=(*NO_BONES, NO_MUSCLE)),
    "a group that leaves its name behind": changed(
        "upper: {drive: pinned}", "upper: {regions: [lower]}", "line 11 (bones.upper)", "'upper'"
    ),
    "a group named like a muscle's part": changed(
        "upper: {drive: pinned}",
        "up: {regions: [flexor]}",
        "bones.up.regions.0",
        "no bone 'flexor'",
    ),
    "a bone in two groups": changed(
        "upper: {drive: pinned}",
        "a: {regions: [upper, lower]}\n  b: {regions: [lower]}",
        "line 12 (bones.b.regions.0)",
        "'a' already",
    ),
    "an unknown bone": changed(
        "  upper: {drive", "  uper: {drive", "line 11 (bones.uper)", "upper"
    ),
    "an unknown muscle": changed(
        "joints:", "muscles: {belly: {}}\njoints:", "muscles.belly", "flexor"
    ),
    "YAML that breaks off": changed("muscle}\n", "muscle\n", "line 10", "not valid YAML"),
    "an unknown tissue": changed("tissue: muscle", "tissue: meat", AT, "'meat'", "'muscle'"),
    "an unknown key": changed("tissue: muscle", "tisue: muscle", AT, "did you mean 'tissue'?"),
    "a missing file": changed("flexor.obj", "flexer.obj", AT, ITS_FILE, "no file", "flexer.obj"),
    "a missing folder": changed("units: m", "folder: gone", "line 7", "gone/upper.obj"),
    "a folder for a file": changed("file: flexor.obj", "file: .", AT, ITS_FILE, "is a folder"),
    "the activation of an unknown muscle": changed(
        "joints:",
        "inputs: {activation: {flexr: 1}}\njoints:",
        "inputs.activation.flexr",
        "no muscle 'flexr'",
        "flexor",
    ),
    "the material of an unknown region": changed(
        "joints:",
        "materials: {flexr: {law: neo_hookean}}\njoints:",
        "materials.flexr",
        "did you mean 'flexor'",
    ),
}

REFUSED_WHEN_MESHED = {
    "both ends on one bone": said(
        "origin: upper, insertion: upper", AT, MUSCLE, "of its tension where fibres end on nothing"
    ),
    "a muscle called bone": changed(
        "tissue: muscle", "tissue: bone", AT, MUSCLE, "held by nothing", "pin"
    ),
    "caps that do not reach the bone": said(
        "caps: [0, 0]", AT, MUSCLE, "shares no vertex with 'upper'", "larger 'caps'"
    ),
    "a surface twisted through itself": flexor(twisted(), AT, MUSCLE, "falls into pieces"),
    "a wire thinner than the tets": Case(
        ("line 10 (surfaces.parts.wire)", "has no tets", "smaller 'size'"),
        {"wire": tube(np.linspace([0.05, 0, 0.05], [0.05, 0, 0.2], 6), WIRE)},
        (also("wire: {file: wire.obj, tissue: bone}"),),
    ),
}


def call(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def build(path: Path, folder: Path, *words: str) -> Result:
    return call("build", path, "-o", folder, "--no-pictures", *words)


@pytest.fixture(scope="module")
def meshes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache for the meshes, as many cases are of the same surfaces with other words."""
    return tmp_path_factory.mktemp("meshes")


def refusal(result: Result) -> str:
    """The one sentence of a refusal, without the lines that show how far it got."""
    assert isinstance(result.exception, SystemExit), result.exc_info
    assert result.exit_code == 2, result.output
    lines = [row for row in result.stderr.splitlines() if not re.search(r"\(\d+ s\)$", row)]
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("error: ")
    return lines[0]


def refused(case: Case, folder: Path, *words: str) -> None:
    sentence = refusal(build(case.write(folder), folder / "out", *words))
    for words in case.says:
        assert words in sentence
    assert not (folder / "out").exists()


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_built_is_refused_before_meshing(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("it was meshed")

    monkeypatch.setattr("vastus.modelling.surfaces.pipeline.tetrahedralise", never)
    refused(REFUSED[name], tmp_path, "--no-cache")


def briefly(cases: dict[str, Case], *names: str) -> list[object]:
    """The cases, of which all but some are slow: each is meshed, and all are told alike."""
    return [n if n in names else pytest.param(n, marks=pytest.mark.slow) for n in cases]


@meshing
@pytest.mark.parametrize("name", briefly(REFUSED_WHEN_MESHED, "both ends on one bone"))
def test_what_only_the_mesh_shows_is_refused(
    name: str, tmp_path: Path, meshes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(meshes))
    refused(REFUSED_WHEN_MESHED[name], tmp_path)


def test_a_refusal_leaves_a_former_build_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "model.npz").write_text("former")
    refusal(build(REFUSED["a flat sheet"].write(tmp_path), tmp_path / "out", "--no-cache"))
    assert [(p.name, p.read_text()) for p in (tmp_path / "out").iterdir()] == [
        ("model.npz", "former")
    ]


def needle() -> Surface:
    """A bone with a face cut in three, one of them without area."""
    a, b, c = UPPER.faces[50].tolist()
    middle = (UPPER.X[a] + UPPER.X[b]) / 2
    return with_corner(without(UPPER, 50), middle, [a, -1, c], [-1, b, c], [a, b, -1])


def fin() -> Surface:
    """A bone with a face that stands on an edge of two others."""
    a, b, _ = UPPER.faces[100].tolist()
    return with_corner(UPPER, UPPER.X[a] * [2, 2, 1], [a, b, -1])


def open_tube() -> Surface:
    ends = np.isin(FLEXOR.faces, [0, FLEXOR.n_vertices - 1]).any(axis=1)
    return FLEXOR.keeping(~ends)


CAVITY = ball(0.006, 0, 0, 0.2)
REPAIRED = {
    "holes": ("flexor", without(FLEXOR, 5, 60, 61, 100), "filled", "not watertight"),
    "an open tube": ("flexor", open_tube(), "filled 2 holes", "around 2 holes"),
    "some faces turned": ("flexor", turned(FLEXOR, np.arange(0, 80, 3)), "turned 27", "disagree"),
    "inside out": ("flexor", turned(FLEXOR), "turned 264 faces", "inside out"),
    "faces twice": ("flexor", Surface(FLEXOR.X, np.tile(FLEXOR.faces, (2, 1))), "264 repeated", ""),
    "the surface twice": ("flexor", together(FLEXOR, FLEXOR), "264 repeated", ""),
    "debris": (
        "flexor",
        together(FLEXOR, ball(8e-4, 0.05, 0, 0.1)),
        "1 small piece",
        "small piece",
    ),
    "a cavity turned wrong": ("upper", together(UPPER, CAVITY), "turned", ""),
    "an edge of three faces": ("upper", fin(), "inner walls", ""),
    "a face without area": ("upper", needle(), "without area", ""),
}


@pytest.mark.parametrize("name", REPAIRED)
def test_what_is_repaired_is_told_and_is_what_it_was(name: str) -> None:
    part, spoilt, done, finding = REPAIRED[name]
    found = repair(spoilt)
    assert found.surface.closed
    assert done in "; ".join(found.done)
    hollow = CAVITY.volume if "cavity" in name else 0.0
    assert found.surface.volume == pytest.approx(LIMB[part].volume - hollow, rel=0.02)
    findings = surface_findings({**LIMB, part: spoilt}, TISSUES)
    assert all(f.where == f"part '{part}'" and f.severity.value == "warning" for f in findings)
    assert not finding or finding in "; ".join(map(str, findings))


def test_bodies_that_touch_by_a_hair_are_compared_at_once() -> None:
    below = ball(0.01, 0, 0, 0.14)
    X = below.X.copy()
    X[X[:, 2].argmax(), 2] = UPPER.X[:, 2].min() + 1e-16
    findings = surface_findings({**LIMB, "flexor": Surface(X, below.faces)}, TISSUES)
    assert "overlap" not in "; ".join(map(str, findings))


def all_at_once() -> dict[str, Surface]:
    """A limb of which every part is spoilt in several ways."""
    a, b, _ = UPPER.faces[100].tolist()
    upper = together(with_corner(needle(), UPPER.X[a] * [2, 2, 1], [a, b, -1]), CAVITY)
    lower = turned(Surface(LOWER.X, np.tile(LOWER.faces, (2, 1))))
    spoilt = turned(without(FLEXOR, 5, 60, 61, 100), np.arange(0, 80, 3))
    return {"upper": upper, "lower": lower, "flexor": together(spoilt, ball(8e-4, 0.05, 0, 0.1))}


BUILT = {
    "the sound limb": Case(),
    "everything at once": Case(
        (
            "upper: ",
            "inner wall",
            "lower: removed 288 repeated",
            "turned",
            "filled",
            "small piece",
            "'flexor' is not watertight",
            "'lower' around",
        ),
        all_at_once(),
    ),
    "millimetres that are not said, as STL": Case(
        ("files in mm",),
        {name: scaled(part, 1000) for name, part in LIMB.items()},
        (("  units: m\n", ""), ("flexor.obj", "flexor.stl")),
        lambda folder: write_surface(folder / "flexor.stl", scaled(open_tube(), 1000)),
    ),
    "bones that overlap": Case(
        ("'lower' overlaps part 'upper', which is bone too",), {"lower": bone(0.0, 0.17)}
    ),
    "faces that cross": Case(("'upper' has", "cross others"), {"upper": dented()}),
    "caps over all of the muscle": said("caps: [1, 1]", "1.00"),
    "no muscles": Case(("no muscle or other tissue touches it",), changes=(NO_MUSCLE,)),
    "a bone inside a muscle": Case(
        ("overlaps", "'pit'"),
        {"pit": ball(0.004, 0.027, 0, 0.14)},
        (
            also("pit: {file: pit.obj, tissue: bone, size: 0.005}"),
            ("bones:\n", "bones:\n  pit: {drive: pinned}\n"),
        ),
    ),
}


@meshing
@pytest.mark.parametrize("name", briefly(BUILT, "the sound limb", "everything at once"))
def test_what_can_be_repaired_is_built_and_told(
    name: str, tmp_path: Path, meshes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(meshes))
    case = BUILT[name]
    done = build(case.write(tmp_path), tmp_path / "out")
    assert done.exit_code == 0, done.output
    model = load_model(tmp_path / "out" / "model.npz")
    validate(model)
    assert model.mesh.volumes.min() > 0
    report = json.loads((tmp_path / "out" / "build.json").read_text())
    assert report["build"]["mesh"]["inverted"] == report["build"]["mesh"]["bones_sharing"] == 0
    for words in case.says:
        assert words in " ".join(done.stdout.split())


@meshing
@pytest.mark.slow
def test_a_coarse_size_asks_for_few_tets_around_the_body() -> None:
    assert tetrahedralise([*LIMB.values()], [0.02] * 3, 0.002).n_tets < 10_000


@meshing
@pytest.mark.slow
def test_the_tets_are_foreseen_within_a_third() -> None:
    body = ball(0.05, 0, 0, 0)
    mesh = tetrahedralise([body], [0.006], 0.0005)
    assert tets_needed(body, 0.006) == pytest.approx(mesh.n_tets, rel=1 / 3)
    assert tets_needed(body, 1e-4) > MOST_TETS


@pytest.mark.parametrize("name", ["a flat sheet", "an infinite vertex", "an unknown origin"])
def test_check_refuses_with_the_same_sentence(name: str, tmp_path: Path) -> None:
    path = REFUSED[name].write(tmp_path)
    assert refusal(call("check", path)) == refusal(build(path, tmp_path / "out", "--no-cache"))


@meshing
def test_check_repairs_surfaces_in_a_copy(
    tmp_path: Path, meshes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(meshes))
    path = Case(parts=all_at_once(), changes=(("units: m", "folder: .\n  units: m"),)).write(
        tmp_path
    )
    before = {p: p.read_bytes() for p in path.parent.iterdir()}
    done = call("check", path, "--fix", "-o", tmp_path / "new")
    assert done.exit_code == 0, done.output
    assert "lower: removed 288 repeated faces, turned 288 faces" in done.stdout
    assert "is ready to run" in done.stdout
    assert "watertight" not in done.stdout
    assert {p: p.read_bytes() for p in path.parent.iterdir()} == before
    for name, part in LIMB.items():
        found = read_surface(tmp_path / "new" / f"{name}.obj")
        assert repair(found).done == ()
        assert found.volume == pytest.approx(part.volume, rel=0.03)
    again = call("check", tmp_path / "new" / "scene.yaml", "--fix", "-o", tmp_path / "newer")
    assert "nothing to repair" in again.stdout
    assert not (tmp_path / "newer").exists()


def test_a_surface_that_cannot_be_repaired_leaves_no_copy(tmp_path: Path) -> None:
    path = REFUSED["two bodies in a part"].write(tmp_path)
    sentence = refusal(call("check", path, "--fix", "-o", tmp_path / "new"))
    assert "line 9 (surfaces.parts.flexor)" in sentence
    assert "2 separate pieces" in sentence
    assert not (tmp_path / "new").exists()


def test_names_that_files_cannot_have_are_written_otherwise(tmp_path: Path) -> None:
    text = SCENE.replace("    flexor:", "    long / head:").replace("    lower:", "    long_head:")
    path = write_limb(tmp_path, LIMB, text)
    parts = {"upper": UPPER, "long_head": LOWER, "long / head": FLEXOR}
    scene = read(write_repaired(tmp_path / "new", path, Shells(parts)))
    assert isinstance(scene.source, Shells)
    assert {n: part.volume for n, part in scene.source.items()} == pytest.approx(
        {n: part.volume for n, part in parts.items()}
    )
