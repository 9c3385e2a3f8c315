"""Cavities and cables as parts of models, scenes, files and schedules; what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import vastus
from builders import PASSIVE, box, carve, solid
from hollows import hollow_box
from vastus import Cable, Cavity, Emu, Model, Newton
from vastus.checks import check
from vastus.cli.info import of_path
from vastus.description import description
from vastus.energies.actuators.cavities import enclosed
from vastus.errors import ModelError, VastusError
from vastus.inputs import Inputs
from vastus.modelling.actuators import anchored, hollow
from vastus.modelling.build import build
from vastus.report.model_tables import tables
from vastus.results.frame_rows import append_inputs, read_inputs
from vastus.scene.read import read, scene_of
from vastus.scene.schema import SceneError
from vastus.scene.write import scene_text
from vastus.timeloop import simulate


def roped(**given) -> Model:
    """A hollow box with a cable up one of its walls."""
    model = hollow_box()
    points, weights = anchored(model.mesh, [[0.005, 0.005, 0.0], [0.005, 0.005, 0.03]])
    return model.with_(cables=(Cable("rope", points, weights, **given),))


def refusal(make) -> str:
    with pytest.raises(VastusError) as caught:
        make()
    return str(caught.value)


def test_a_wall_that_is_turned_inside_out_is_turned_back() -> None:
    model = hollow_box()
    (cavity,) = model.cavities
    turned = model.with_(cavities=(replace(cavity, faces=cavity.faces[:, ::-1]),))
    assert enclosed(model.mesh.X, turned.cavities[0].faces) == pytest.approx(1e-6)


def test_what_no_cavity_can_be_is_refused_in_a_sentence() -> None:
    model = hollow_box()
    faces = model.cavities[0].faces
    mixed = np.where(np.arange(len(faces))[:, None] == 0, faces[:, ::-1], faces)

    def given(*args, **named) -> str:
        return refusal(lambda: model.with_(cavities=(Cavity("c", *args, **named),)))

    assert given(faces[1:]) == "cavity 'c' is open: 3 edges of its wall belong to one face only"
    assert given(mixed) == "the faces of cavity 'c' disagree about which side of them is inside"
    assert given(faces[:, :2]) == "the faces of cavity 'c' have shape (12, 2), not (k, 3)"
    assert given(faces + 999) == "cavity 'c' names vertex [1025], but there are 64"
    assert given(faces, np.nan) == "the pressure of cavity 'c' is nan Pa, not finite"
    assert "below vacuum" in given(faces, -2e5, gas=True)
    twice = refusal(lambda: model.with_(cavities=model.cavities * 2))
    assert twice == "two cavities are called 'chamber'"


def test_a_cavity_in_bone_only_is_refused() -> None:
    mesh = box((5, 3, 3), (0.05, 0.03, 0.03))
    c = mesh.centroids
    labels = np.where(c[:, 0] < 0.03, "A", "m")
    labels[(np.abs(c - 0.015) < 0.005).all(axis=1)] = ""
    model = carve(mesh, labels)
    wall = hollow(model.mesh, [0.015, 0.015, 0.015])
    said = refusal(lambda: model.with_(cavities=(Cavity("c", wall),)))
    assert said == "cavity 'c' lies in bone only, which does not give; it needs a soft wall"


def test_what_no_cable_can_be_is_refused_in_a_sentence() -> None:
    def given(points, **named) -> str:
        return refusal(lambda: hollow_box().with_(cables=(Cable("r", points, **named),)))

    assert given([1]) == "cable 'r' has 1 points; it needs two at least"
    assert given([1, 1]) == "points 0 and 1 of cable 'r' are at one place"
    assert given([1, 99]) == "cable 'r' names vertex [99], but there are 64"
    assert given([1, 2], tension=-1) == "cable 'r' has a tension of -1 N; it cannot push"
    assert given([1, 2], stiffness=0) == "cable 'r' has a stiffness of 0 N/m; it must be above 0"
    assert given([1, 2], friction=-1) == "cable 'r' has a friction of -1, below 0"
    assert given([1, 2], shortening=1) == "cable 'r' has a shortening, which needs a 'stiffness'"
    assert "its length makes its tension" in given([1, 2], stiffness=1.0, tension=2.0)
    assert given([[1, 2], [3, 4]]) == "the weights of cable 'r' have shape (2, 1), not (2, 2)"
    half = np.full((2, 2), 0.25)
    assert given([[1, 2], [3, 4]], weights=half) == (
        "the weights of a point of cable 'r' sum to 0.5, not 1"
    )


def test_a_point_in_no_hollow_or_far_from_tissue_is_named() -> None:
    mesh = hollow_box().mesh
    outside = refusal(lambda: hollow(mesh, [1.0, 0, 0]))
    assert outside == (
        "the point [1, 0, 0] m lies in no hollow that the mesh closes; "
        "give a point inside of one whose wall has no hole"
    )
    assert "no hollow" in refusal(lambda: hollow(mesh, [0.005, 0.005, 0.005]))
    said = refusal(lambda: anchored(mesh, [[0, 0, 0], [0.5, 0, 0]], name="left"))
    assert said == (
        "a cable through nothing: point 1 of cable 'left', [0.5, 0, 0] m, is 0.47 m from the "
        "nearest tissue; 0.0003 m are allowed"
    )
    points, weights = anchored(mesh, [[-1e-4, 0.01, 0.011], [0.031, 0.02, 0.02]], within=2e-3)
    found = np.einsum("kw,kwi->ki", weights, mesh.X[points])
    np.testing.assert_allclose(found, [[0, 0.01, 0.011], [0.03, 0.02, 0.02]], atol=1e-12)


def test_inputs_name_what_exists_and_what_it_can_have() -> None:
    model = roped()

    def given(**keys) -> str:
        return refusal(lambda: vastus.keyframes(model, seconds=1, **keys))

    rising = [(0, 0), (1, 1)]
    assert "cavity 'ball'" in given(pressures={"ball": rising})
    assert "chamber" in given(pressures={"ball": rising})
    assert "cable 'left'" in given(tensions={"left": rising})
    assert "cannot push" in given(tensions={"rope": [(0, 0), (1, -1)]})
    assert "only a tension can draw it" in given(shortenings={"rope": rising})
    found = vastus.keyframes(model, pressures={"chamber": rising}, seconds=1, fps=2)
    np.testing.assert_allclose([i.pressures[0] for i in found], [0, 0.5, 1])
    assert found[0].tensions is None


def test_hashes_of_models_without_actuators_stay() -> None:
    bare = solid(box((1, 1, 1), (1, 1, 1)), PASSIVE)
    assert not {"cavities", "cables"} & description(bare).keys()
    assert roped(tension=1.0).digest != roped(tension=2.0).digest


def test_a_model_file_holds_actuators(tmp_path: Path) -> None:
    model = roped(stiffness=1e3, shortening=1e-3, friction=0.1, slack=False)
    sealed = replace(model.cavities[0], gas=True, ambient=9e4)
    model = model.with_(cavities=(sealed,))
    vastus.save(tmp_path / "model.npz", model)
    again = vastus.load(tmp_path / "model.npz")
    assert again.digest == model.digest
    assert again.cavities[0].gas
    facts = dict(of_path(tmp_path / "model.npz"))
    assert facts["cavity"] == "chamber: 0.001 l, 2000 Pa, sealed gas, 90000 Pa around it"
    assert facts["cable"] == ("rope: 2 points, 0.03 m, 1000 N/m, shorter by 0.001 m, friction 0.1")
    assert {"Cavities", "Cables"} <= {table.title for table in tables(model)}
    assert "cavities" in repr(model)


def test_recorded_inputs_are_read_back(tmp_path: Path) -> None:
    model = roped()
    given = replace(Inputs.rest(model), pressures=np.array([3.0]), tensions=np.array([2.0]))
    append_inputs(tmp_path / "inputs.jsonl", given)
    (found,) = read_inputs(tmp_path / "inputs.jsonl", model, {}, given.poses[None])
    assert found.pressures == [3.0]
    assert found.tensions == [2.0]
    assert found.shortenings is None


def test_emu_refuses_actuators_in_a_sentence() -> None:
    model = hollow_box()
    assert refusal(lambda: Emu().prepare(model)).startswith("a cavity under pressure couples tets")
    drawn = roped().with_(cavities=())
    assert refusal(lambda: Emu().prepare(drawn)).startswith("a cable couples tets")


SCENE = """
vastus: 1
name: box
mesh: {file: box.npz, units: m}
regions:
  wall: {label: 1, tissue: passive}
pins:
  base: {plane: {point: [0, 0, 0.001], normal: [0, 0, -1]}}
gravity: [0, 0, 0]
CAVITIES
inputs:
  seconds: 1
  fps: 1
  INPUTS
solver: {kind: newton}
"""
PARTS = """cavities:
  chamber: {inside: [0.015, 0.015, 0.015], pressure: 1e3}
cables:
  left: {through: [[0, 0.015, 0], [0, 0.015, 0.015], [0, 0.015, 0.03]], tension: 0.2}
"""


def scene(folder: Path, parts: str = PARTS, inputs: str = "pressures: {chamber: 4e3}"):
    mesh = hollow_box().mesh
    np.savez(folder / "box.npz", V=mesh.X, T=mesh.T, label=np.ones(mesh.n_tets, int))
    text = SCENE.replace("CAVITIES", parts).replace("INPUTS", inputs)
    return scene_of(text.encode(), folder / "scene.yaml")


def test_a_scene_has_cavities_and_cables(tmp_path: Path) -> None:
    given = scene(tmp_path)
    model = build(given)
    assert model.cavities[0].pressure == 1e3
    assert model.cables[0].tension == 0.2
    frames = list(simulate(model, Newton(), given.inputs(model)))
    last = frames[-1].outputs
    assert frames[0].outputs["chamber_pressure_Pa"] == 0.0
    assert last["chamber_pressure_Pa"] == 4e3
    assert last["chamber_volume_m3"] > frames[0].outputs["chamber_volume_m3"]
    assert last["left_tension_N"] == 0.2
    assert last["left_length_m"] < 0.03
    written = scene_text({"cables": {"left": {"tension": 0.2, "through": [[0, 0, 0], [0, 0, 1]]}}})
    assert written == "cables:\n  left: {through: [[0, 0, 0], [0, 0, 1]], tension: 0.2}\n"


def test_a_scene_changes_the_actuators_of_a_saved_model(tmp_path: Path) -> None:
    vastus.save(tmp_path / "model.npz", roped(tension=1.0))
    text = """
vastus: 1
model: {file: model.npz}
cavities: {chamber: {gas: true, pressure: 500}}
cables: {rope: {stiffness: 100, shortening: 0.001}}
"""
    model = build(scene_of(text.encode(), tmp_path / "scene.yaml"))
    assert model.cavities[0].gas
    assert model.cables[0].spooled
    assert model.cables[0].tension == 0.0


@pytest.mark.parametrize(
    ("parts", "inputs", "said"),
    [
        ("cavities: {hole: {inside: [1, 1, 1]}}", "", "in no hollow"),
        ("cavities: {hole: {pressure: 1}}", "", "cavities: none; a new one needs 'inside'"),
        ("cavities: {hole: {inside: [0, 0, 0], p: 1}}", "", "p"),
        ("cables: {left: {through: [[0, 0, 0], [1, 0, 0]]}}", "", "through nothing"),
        ("cables: {left: {through: [[0, 0, 0]]}}", "", "through"),
        ("cables: {left: {tension: 3}}", "", "cables: none; a new one needs 'through'"),
        ("cables: {left: }", "", "nothing was given, but it must be a mapping"),
        ("cables: {left: {tension: 3, stiffness: 1}}", "", "not both"),
        (PARTS, "pressures: {chamer: 1}", "chamber"),
        (PARTS, "tensions: {left: -1}", "cannot push"),
        (PARTS, "shortenings: {left: 0.1}", "only a tension"),
    ],
)
def test_a_scene_is_told_what_is_wrong_in_a_line(
    tmp_path: Path, parts: str, inputs: str, said: str
) -> None:
    def made() -> None:
        given = scene(tmp_path, parts, inputs)
        given.inputs(build(given))

    with pytest.raises(SceneError, match=r"scene\.yaml, line") as caught:
        made()
    assert said in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_a_check_says_that_a_pressure_is_far_above_the_stiffness() -> None:
    (cavity,) = hollow_box().cavities
    hard = hollow_box().with_(cavities=(replace(cavity, pressure=5e6),))
    assert [f for f in check(hard) if "cavity 'chamber'" in f.where]
    assert not [f for f in check(hollow_box()) if "cavity" in f.where]
    with pytest.raises(ModelError):
        hard.with_(cables=(Cable("a", [0, 0]),))


def test_a_cable_through_one_point_is_one_sentence(tmp_path: Path) -> None:
    scene = "vastus: 1\nmodel: {shape: bar}\ncables: {draw: {through: [[0, 0, 0]], tension: 1}}\n"
    (tmp_path / "s.yaml").write_text(scene)
    with pytest.raises(SceneError, match=r"\[\[0, 0, 0\]\] was given, but at least 2 values are"):
        read(tmp_path / "s.yaml")
