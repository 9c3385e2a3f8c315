"""`vastus check --fix`: a repaired copy that is ready to run, beside an untouched original."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from vastus.cli import main
from vastus.files.meshes import read_mesh, write_mesh
from vastus.geometry.tetmesh import TetMesh
from vastus.modelling.build import build
from vastus.modelling.shapes.simple import box
from vastus.scene.read import read

SETS = """\
vastus: 1
name: strap
mesh: {file: data/strap.npz, units: cm}
regions:
  base: {set: idx_base, tissue: bone}
  belly: {set: idx_belly, tissue: muscle, density: 1100}
  tip: {set: idx_tip, tissue: bone}
muscles: {belly: {strength: 3e5, fibres: {data: fibre}}}
bones: {base: {regions: [base], drive: pinned}, tip: {regions: [tip]}}
inputs: {seconds: 1, fps: 2, activation_file: data/levels.csv}
"""


def strap() -> tuple[TetMesh, np.ndarray]:
    """A strap of 20 cm, in centimetres, and its three parts."""
    mesh = box((10, 2, 2), (20.0, 4.0, 4.0))
    return mesh, np.searchsorted([4, 16], mesh.centroids[:, 0])


def write_scene(folder: Path, *, broken: bool) -> Path:
    """The strap as sets; broken, it has turned, folded and unlabelled tets and no fibre in some."""
    mesh, part = strap()
    X, T = mesh.X.copy(), mesh.T.copy()
    fibre = np.where(part[:, None] == 1, [1.0, 0.0, 0.0], 0.0)
    if broken:
        belly = np.flatnonzero(part == 1)
        T[belly[:2]] = T[belly[:2]][:, [1, 0, 2, 3]]
        fibre[belly[4:7]] = 0.0
        X[np.flatnonzero((mesh.X == [10, 0, 0]).all(axis=1))] += [2.9, 0.2, 0.1]
        part = part.copy()
        part[belly[[10, 20, 30]]] = -1
    (folder / "data").mkdir()
    sets = {f"idx_{n}": np.flatnonzero(part == i) for i, n in enumerate(("base", "belly", "tip"))}
    np.savez(folder / "data" / "strap.npz", V=X, T=T, fibre=fibre, **sets)
    (folder / "data" / "levels.csv").write_text("time,belly\n0,0\n1,0.5\n")
    path = folder / "strap.yaml"
    path.write_text(SETS)
    return path


def call(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_broken_mesh_is_refused_then_repaired(tmp_path: Path) -> None:
    path = write_scene(tmp_path, broken=True)
    before, refused = contents(tmp_path), call("check", path)
    assert refused.exit_code == 2
    assert "tets are inverted or flat" in refused.stderr
    assert "3 belong to no region" in refused.stderr
    done = call("check", path, "--fix", "-o", tmp_path / "new" / "strap")
    assert done.exit_code == 0, done.output
    rows = {line.split(None, 1)[1].strip(): int(line.split()[0]) for line in _table(done.stdout)}
    assert rows["tets of no region, or of several, given to a neighbour"] == 3
    assert rows["inverted tets turned"] == 2
    assert rows["folded or flat tets made upright by moving vertices"] > 0
    assert rows["fibre directions taken from neighbours"] == 3
    assert "is ready to run" in done.stdout
    after = contents(tmp_path)
    assert {k: after[k] for k in before} == before
    made = sorted(p.name for p in set(after) - set(before))
    assert made == ["strap.vtu", "strap.yaml"]


def _table(stdout: str) -> list[str]:
    lines = stdout.splitlines()
    start = next(i for i, line in enumerate(lines) if "what was done" in line)
    return [line for line in lines[start + 1 :] if line.split()[:1] and line.split()[0].isdigit()]


def test_the_repaired_scene_says_what_the_original_says(tmp_path: Path) -> None:
    path = write_scene(tmp_path, broken=True)
    assert call("check", path, "--fix").exit_code == 0
    (tmp_path / "sound").mkdir()
    good = read(write_scene(tmp_path / "sound", broken=False))
    repaired = read(tmp_path / "strap_fixed" / "strap.yaml")
    assert repaired.description.mesh.units == good.description.mesh.units  # type: ignore[union-attr]
    assert repaired.description.inputs.seconds == good.description.inputs.seconds
    one, two = build(good), build(repaired)
    np.testing.assert_array_equal(one.region, two.region)
    assert [r.density for r in two.regions] == [r.density for r in one.regions]
    np.testing.assert_allclose(two.fibre, one.fibre, atol=1e-12)
    assert two.mesh.volumes.sum() == pytest.approx(one.mesh.volumes.sum())
    levels = [i.excitation[0] for i in repaired.inputs(two)]
    np.testing.assert_allclose(levels, [0, 0.25, 0.5])


def test_a_sound_mesh_is_left_alone(tmp_path: Path) -> None:
    path = write_scene(tmp_path, broken=False)
    before, done = contents(tmp_path), call("check", path, "--fix")
    assert done.exit_code == 0
    assert done.stdout.startswith("nothing to repair")
    assert contents(tmp_path) == before


def test_labels_are_repaired_as_sets_are(tmp_path: Path) -> None:
    mesh, part = strap()
    label = part + 1
    label[np.flatnonzero(part == 1)[5]] = 8
    write_mesh(tmp_path / "strap.vtu", mesh, cell_data={"part": label})
    path = tmp_path / "labels.yaml"
    text = SETS.replace("data/strap.npz, units: cm", "strap.vtu, units: cm, labels: part")
    text = text.replace("{data: fibre}", "{from: base, to: tip}").split("inputs")[0]
    for i, name in enumerate(("base", "belly", "tip"), 1):
        text = text.replace(f"set: idx_{name}", f"label: {i}")
    path.write_text(text)
    refused = call("check", path)
    assert "1 of 240 tets belong to no region (label 8)" in refused.stderr
    assert call("check", path, "--fix").exit_code == 0
    found = read_mesh(tmp_path / "labels_fixed" / "labels.vtu")
    np.testing.assert_array_equal(found.cell_data["region"], part + 1)


def refused(tmp_path: Path, *words: object) -> str:
    """The sentence with which a command is refused, having written nothing."""
    before = set(tmp_path.rglob("*"))
    done = call(*words)
    assert done.exit_code == 2, done.output
    assert set(tmp_path.rglob("*")) == before
    (line,) = done.stderr.splitlines()
    return line


def test_a_folder_that_is_not_empty_is_refused(tmp_path: Path) -> None:
    path = write_scene(tmp_path, broken=True)
    sentence = refused(tmp_path, "check", path, "--fix", "-o", tmp_path)
    assert "exists already; name a new folder with -o" in sentence


def test_an_output_without_fix_is_refused(tmp_path: Path) -> None:
    path = write_scene(tmp_path, broken=True)
    assert "--fix" in refused(tmp_path, "check", path, "-o", tmp_path / "new")


def test_a_region_that_was_forgotten_is_not_guessed(tmp_path: Path) -> None:
    path = write_scene(tmp_path, broken=False)
    text = SETS.replace("  tip: {set: idx_tip, tissue: bone}\n", "").replace(
        ", tip: {regions: [tip]}", ""
    )
    path.write_text(text)
    sentence = refused(tmp_path, "check", path, "--fix")
    assert "48 of 240 tets belong to no region" in sentence
    assert "too many to guess" in sentence


def test_a_mesh_that_cannot_be_repaired_is_refused(tmp_path: Path) -> None:
    """One half of the mesh is mirrored into the other: no few vertices undo that."""
    path = write_scene(tmp_path, broken=False)
    with np.load(tmp_path / "data" / "strap.npz") as old:
        arrays = dict(old)
    arrays["V"][:, 0] = 10 - np.abs(arrays["V"][:, 0] - 10)
    np.savez(tmp_path / "data" / "strap.npz", **arrays)
    sentence = refused(tmp_path, "check", path, "--fix")
    assert "stay inverted or flat" in sentence
    assert "remesh" in sentence


def test_a_scene_without_a_mesh_has_nothing_to_repair(tmp_path: Path) -> None:
    path = tmp_path / "bar.yaml"
    path.write_text("vastus: 1\nmodel: {shape: bar, tets: 1000}\n")
    assert "starts from a model" in refused(tmp_path, "check", path, "--fix")


def test_the_repaired_scene_keeps_the_comments_of_its_author(tmp_path: Path) -> None:
    path = write_scene(tmp_path, broken=True)
    text = "# Mine.\n\n" + SETS.replace("cm}\n", "cm}   # as scanned\n\n").replace(
        "name: strap", "name: 'strap'"
    )
    path.write_text(text)
    assert call("check", path, "--fix").exit_code == 0
    lines = (tmp_path / "strap_fixed" / "strap.yaml").read_text().splitlines()
    assert lines[1:6] == [
        *("# Mine.", "", "vastus: 1", "name: 'strap'"),
        "mesh: {file: strap.vtu, labels: region, units: cm}   # as scanned",
    ]
    assert lines[6] == ""
    assert "muscles: {belly: {strength: 3e5, fibres: {data: fibre}}}" in lines
