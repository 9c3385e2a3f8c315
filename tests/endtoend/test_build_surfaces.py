"""From surfaces to a bent limb: what a build writes, keeps and repeats."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.spatial import cKDTree

import vastus
from vastus.cache import Store
from vastus.cli import main
from vastus.errors import ModelError
from vastus.modelling.build import Built, built
from vastus.modelling.surfaces.anatomy import plan_of
from vastus.modelling.surfaces.preview import preview
from vastus.modelling.surfaces.record import record_of
from vastus.numerics.types import Ints
from vastus.scene.read import scene_of

pytest.importorskip("wildmeshing", reason="surfaces are meshed with wildmeshing")

SCENE = Path(__file__).parents[2] / "examples" / "two_bones.yaml"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="module")
def limb(store: Store) -> Built:
    """The limb of the example, built for the first time."""
    return built(vastus.read(SCENE), store=store)


def kept(limb: Built) -> dict[str, bool]:
    """Which steps of a build were kept from before."""
    assert limb.anatomy is not None
    return {step.name: step.kept for step in limb.anatomy.log.steps}


def test_a_build_from_surfaces_is_sound(limb: Built) -> None:
    mesh = limb.model.mesh
    assert mesh.volumes.min() > 0
    assert mesh.quality().min_dihedral.min() > 8
    assert not any(kept(limb).values())
    assert limb.anatomy is not None
    parts = [part.name for part in limb.anatomy.body.parts]
    found = {(a.end.name, parts[a.to]) for a in limb.anatomy.body.made.attachments}
    assert found == {("ORIGIN", "upper"), ("INSERTION", "lower")}


def test_a_build_is_kept_to_the_last_bit(limb: Built, store: Store) -> None:
    again = built(vastus.read(SCENE), store=store)
    assert all(kept(again).values())
    assert again.model.digest == limb.model.digest


@pytest.mark.slow  # as the quick one of the command line finds
@pytest.mark.skipif(sys.platform != "linux", reason="the mesher repeats itself on Linux only")
def test_a_build_from_nothing_is_the_same_to_the_last_bit(limb: Built) -> None:
    anew = built(vastus.read(SCENE), store=None)
    assert not any(kept(anew).values())
    assert anew.model.digest == limb.model.digest


def test_another_material_does_not_mesh_again(limb: Built, store: Store) -> None:
    text = SCENE.read_text("utf-8")
    text += "materials:\n  muscle: {law: stable_neo_hookean, young: 1e5, poisson: 0.49}\n"
    assert text.count("materials:") == 1
    softer = built(scene_of(text.encode(), SCENE), store=store)
    assert all(kept(softer).values())
    np.testing.assert_array_equal(softer.model.mesh.X, limb.model.mesh.X)
    assert softer.model.digest != limb.model.digest


def test_a_painted_attachment_holds_where_it_is_painted(limb: Built, store: Store) -> None:
    centre, radius = np.array([0.0165, 0.0, 0.125]), 0.008
    paint = f"origin_at: [{{centre: {centre.tolist()}, radius: {radius}}}]"
    text = SCENE.read_text("utf-8").replace("flexor.obj,", f"flexor.obj, {paint},")
    made = built(scene_of(text.encode(), SCENE), store=store)
    assert kept(made)["mesh"]
    assert made.anatomy is not None
    upper, flexor = (np.unique(made.model.mesh.T[tets]) for tets in _tets(made.model))
    X = made.model.mesh.X[np.intersect1d(upper, flexor)]
    assert len(X) > 3
    assert np.linalg.norm(X - centre, axis=1).max() < radius + 2 / 3 * 0.01  # of an edge
    origin, insertion = record_of(made.anatomy, made.model).anchors
    assert (origin.to, origin.painted, origin.given) == ("upper", 1, False)
    assert (insertion.to, insertion.painted, insertion.cap) == ("lower", 0, 0.15)
    before = np.intersect1d(*(np.unique(limb.model.mesh.T[tets]) for tets in _tets(limb.model)))
    assert len(X) < len(before)


def _tets(model: vastus.Model) -> tuple[Ints, Ints]:
    """The tets of the upper bone and of the flexor."""
    return model.tets_of(["upper"]), model.tets_of(["flexor", "flexor tendon"])


def test_paint_in_the_air_is_refused_before_fibres(store: Store) -> None:
    paint = "insertion_at: [{centre: [0.0, 0.2, 0.0], radius: 0.01}]"
    text = SCENE.read_text("utf-8").replace("flexor.obj,", f"flexor.obj, {paint},")
    with pytest.raises(ModelError, match=r"\(surfaces.parts.flexor\): muscle 'flexor' has no"):
        built(scene_of(text.encode(), SCENE), store=store)


def test_the_preview_foresees_the_build(limb: Built) -> None:
    assert limb.anatomy is not None
    body = limb.anatomy.body
    seen = preview(body.parts, 2, plan_of(vastus.read(SCENE)))
    assert (seen.origin, seen.insertion, seen.error) == (("upper",), ("lower",), None)
    assert seen.fractions == pytest.approx(body.flesh.fractions[2], abs=0.05)
    mesh, mine = body.made.body.mesh, np.unique(body.made.body.mesh.T[body.made.labels == 2])
    away, nearest = cKDTree(mesh.X[mine]).query(body.parts[2].surface.X)
    here = away < 0.004
    s = body.made.ways[2].s[mine[nearest]]
    assert here.mean() > 0.5
    assert np.abs(s - seen.s)[here].max() < 0.06


@pytest.mark.slow  # the quick ones bend an elbow, and run a built model
def test_the_limb_bends(limb: Built) -> None:
    model = limb.model
    inputs = vastus.ramp(model, seconds=1.0, fps=2, **{model.muscles[0].name: 1.0})
    first, *_, last = vastus.simulate(model, vastus.QuasiNewton(), inputs)
    turn = f"{model.joints[0].name}_angle_deg"
    assert last.outputs[turn] - first.outputs[turn] > 30
    assert last.outputs["inverted"] == 0


def test_the_command_line_writes_a_model_that_runs(limb: Built, tmp_path: Path) -> None:
    folder = tmp_path / "built"
    words = ["build", str(SCENE), "-o", str(folder), "--no-pictures", "--no-cache"]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    names = {"model.npz", "scene.yaml", "model.vtu", "build.json"}
    assert {path.name for path in folder.iterdir()} == names
    report = json.loads((folder / "build.json").read_text("utf-8"))
    assert {a["end"] for a in report["build"]["anchors"]} == {"origin", "insertion"}
    assert report["build"]["mesh"]["inverted"] == report["build"]["mesh"]["bones_sharing"] == 0
    model = vastus.build(vastus.read(folder / "scene.yaml"))
    assert model.digest == report["model"]
    # Made anew, it is the same to the last bit; the mesher repeats itself on Linux only.
    assert report["model"] == limb.model.digest or sys.platform != "linux"
    assert "proposed" in done.stdout


def test_a_scene_or_a_file_of_lines_is_needed_but_not_both(tmp_path: Path) -> None:
    both = ["build", str(SCENE), "--from-mjcf", "arm.xml", "-o", str(tmp_path / "x")]
    none = ["build", "-o", str(tmp_path / "x")]
    lost = ["build", str(SCENE), "--muscles", "biceps", "-o", str(tmp_path / "x")]
    for words in (both, none, lost):
        done = CliRunner().invoke(main, words)
        assert done.exit_code == 2
        assert done.output.startswith("error: ")
        assert "--from-mjcf" in done.output
    assert not (tmp_path / "x").exists()


def test_a_build_replaces_neither_its_own_scene_nor_the_model_of_a_result(tmp_path: Path) -> None:
    own = tmp_path / "scene.yaml"
    own.write_text("vastus: 1\nmodel: {shape: bar, tets: 1000}\n", "utf-8")
    before = own.read_text("utf-8")
    result = tmp_path / "result"
    result.mkdir()
    (result / "provenance.json").write_text("{}", "utf-8")
    for folder, sentence in ((tmp_path, "would be replaced"), (result, "the result of a run")):
        done = CliRunner().invoke(main, ["build", str(own), "-o", str(folder)])
        assert done.exit_code == 2
        assert sentence in done.output
    assert own.read_text("utf-8") == before
    assert not (result / "model.npz").exists()


def test_a_built_scene_finds_the_files_of_the_author(tmp_path: Path) -> None:
    (tmp_path / "levels.csv").write_text("time,bar\n0,0\n1,0.5\n", "utf-8")
    own = tmp_path / "own.yaml"
    text = "vastus: 1\nmodel: {shape: bar, tets: 1000}\ninputs: {activation_file: levels.csv}\n"
    own.write_text(text, "utf-8")
    folder = tmp_path / "deep" / "built"
    words = ["build", str(own), "-o", str(folder), "--no-pictures"]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    assert "time" in vastus.read(folder / "scene.yaml").curves
