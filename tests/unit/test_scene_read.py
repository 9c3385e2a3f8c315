"""The scene file: what authors may write, and what becomes of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from vastus.errors import VastusError
from vastus.files.meshes import write_mesh
from vastus.materials.library import StableNeoHookean, TautFibre
from vastus.model import Model
from vastus.modelling.build import build
from vastus.modelling.shapes.simple import box
from vastus.parts import Drive
from vastus.scene import Scene
from vastus.scene.read import read, scene_of
from vastus.scene.yaml import parse
from vastus.skeleton.affine import Affine
from vastus.skeleton.joints import Ball
from vastus.skeleton.passive import Passive
from vastus.solvers.emu.emu import Emu, EmuContact
from vastus.solvers.newton import Newton
from vastus.solvers.quasi_newton import QuasiNewton

BAR = "vastus: 1\nmodel: {shape: bar, tets: 1000, length: 0.1, width: 0.02}\n"
FUSIFORM = "vastus: 1\nmodel: {shape: fusiform, tets: 1500}\n"


def scene(text: str) -> Scene:
    return scene_of(text.encode(), Path("scene.yaml"))


def model(text: str) -> Model:
    return build(scene(text))


def refused(text: str) -> str:
    """The sentence with which a scene is refused."""
    with pytest.raises(VastusError) as error:
        model(text)
    return str(error.value)


def test_numbers_are_those_of_yaml_1_2() -> None:
    data, _ = parse("[3e5, 1E-3, .5, -2., 7, no, on, true, ~, .inf]", "f")
    assert data == [3e5, 1e-3, 0.5, -2.0, 7, "no", "on", True, None, float("inf")]


def test_every_key_and_item_has_its_line() -> None:
    _, places = parse("a:\n  b: 1\n  c:\n  - 2\n  - {d: 3}\n", "f")
    assert places.lines[("a", "b")] == 2
    assert places.lines[("a", "c", 1, "d")] == 5


def test_anchors_and_merges_work() -> None:
    data, _ = parse("a: &x {p: 1}\nb: {<<: *x, q: 2}\n", "f")
    assert data["b"] == {"p": 1, "q": 2}


def test_an_error_without_a_line_names_file_and_key() -> None:
    assert refused(BAR.replace("vastus: 1\n", "")).startswith("scene.yaml: the key 'vastus'")


def test_a_material_is_given_by_tissue_then_by_region() -> None:
    text = (
        FUSIFORM + "materials:\n"
        "  upper tendon: {law: stable_neo_hookean, young: 3e8, poisson: 0.3}\n"
        "  tendon: {law: stable_neo_hookean, young: 1e8, poisson: 0.3}\n"
    )
    young = {r.name: r.laws[0].young for r in model(text).regions if r.laws}
    assert young["lower tendon"] == 1e8
    assert young["upper tendon"] == 3e8


def test_a_muscle_keeps_its_fibres_unless_given_others() -> None:
    text = BAR + "materials: {muscle: {law: stable_neo_hookean, young: 1e5, poisson: 0.4}}\n"
    assert model(text).regions[0].laws == (StableNeoHookean(1e5, 0.4), TautFibre())
    text = BAR + "materials: {muscle: [{law: stable_neo_hookean}, {law: hill_fibre}]}\n"
    assert [law.name for law in model(text).regions[0].laws] == ["stable_neo_hookean", "hill_fibre"]


def test_an_error_in_a_list_of_laws_says_which() -> None:
    text = BAR + "materials:\n  muscle:\n  - {law: stable_neo_hookean}\n  - {law: rubber}\n"
    assert "line 6 (materials.muscle.1.law)" in refused(text)


def test_muscles_bones_and_gravity_can_be_changed() -> None:
    changed = model(
        FUSIFORM + "muscles: {belly: {strength: 1e5}}\n"
        "bones: {lower: {drive: scripted}}\n"
        "gravity: [0, 0, 0]\nname: mine\n"
    )
    assert changed.muscles[0].strength == 1e5
    assert changed.bones[1].drive is Drive.SCRIPTED
    assert not changed.gravity.any()
    assert changed.name == "mine"


def test_pins_hold_chosen_axes_of_chosen_vertices() -> None:
    held = model(
        BAR + "pins:\n  end: {plane: {point: [0.1, 0, 0], normal: [1, 0, 0]}, axes: [x, z]}\n"
    )
    pin = held.pins[-1]
    assert pin.axes == (True, False, True)
    np.testing.assert_allclose(held.mesh.X[pin.vertices, 0], 0.1)


@pytest.mark.parametrize(
    "place",
    [
        "box: [[0.099, -1, -1], [0.11, 1, 1]]",
        "sphere: {centre: [0.2, 0, 0], radius: 0.102}",
        "plane: {point: [0.099, 0, 0], normal: [1, 0, 0]}",
    ],
)
def test_selections_agree(place: str) -> None:
    pin = model(BAR + f"pins: {{end: {{{place}}}}}\n").pins[-1]
    plane = model(BAR + "pins: {end: {plane: {point: [0.1, 0, 0], normal: [1, 0, 0]}}}\n").pins[-1]
    np.testing.assert_array_equal(pin.vertices, plane.vertices)


def test_a_traction_is_a_force_per_area() -> None:
    end = "faces: {plane: {point: [0.1, 0, 0], normal: [1, 0, 0]}}"
    load = model(BAR + f"loads: {{pull: {{traction: [1e4, 0, 0], {end}}}}}\n").loads[0]
    np.testing.assert_allclose(load.force, [1e4 * 0.02**2, 0, 0])
    assert load.weights.sum() == pytest.approx(1)
    force = model(BAR + f"loads: {{pull: {{force: [7, 0, 0], {end}}}}}\n").loads[0]
    np.testing.assert_allclose(force.force, [7, 0, 0])
    np.testing.assert_allclose(force.weights, load.weights)


def test_a_load_at_a_point_has_the_point_as_its_mean() -> None:
    built = model(BAR + "loads: {w: {force: [0, 0, -1], point: [0.051, 0.003, -0.002]}}\n")
    load = built.loads[0]
    mean = load.weights @ built.mesh.X[load.vertices]
    np.testing.assert_allclose(mean, [0.051, 0.003, -0.002], atol=1e-12)


def test_a_load_on_a_bone_may_lie_outside_it() -> None:
    point = [0.3, 0.1, -0.2]
    built = model(FUSIFORM + f"loads: {{w: {{force: [0, 0, -1], bone: lower, point: {point}}}}}\n")
    load = built.loads[0]
    assert load.weights.sum() == pytest.approx(1)
    np.testing.assert_allclose(load.weights @ built.mesh.X[load.vertices], point, atol=1e-12)


def knee(kind: str, keys: str) -> str:
    """A scene with a joint of a kind, and further keys."""
    said = f"kind: {kind}, bones: [upper, lower], centre: [0, 0, 0], {keys}"
    return FUSIFORM + f"joints: {{knee: {{{said}}}}}\n"


def test_every_kind_of_joint_is_read_with_its_axes_and_resistance() -> None:
    slider = model(knee("slider", "axis: [0, 0, 1], range: [-0.1, 0.2]")).joints[0]
    assert slider.passive == (Passive(range=(-0.1, 0.2)),)
    both = "axis: [1, 0, 0], second_axis: [0, 1, 0], range: [[-90, 0], [0, 180]], stiffness: [1, 2]"
    universal = model(knee("universal", both)).joints[0]
    assert [p.range for p in universal.passive] == [(-np.pi / 2, 0), (0, np.pi)]
    assert [p.stiffness for p in universal.passive] == [1, 2]
    spring = "axis: [1, 0, 0], stiffness: 3, neutral: 90, damping: 0.1"
    hinge = model(knee("hinge", spring)).joints[0]
    assert hinge.passive == (Passive(stiffness=3.0, neutral=np.pi / 2, damping=0.1),)


def test_a_ball_is_read_with_its_cone_and_twist() -> None:
    said = "swing_axis: [0, 0, -2], swing: 60, twist: [-90, 30], neutral_axis: [0, 1, -1]"
    joint = model(knee("ball", f"{said}, turn: 120")).joints[0]
    assert isinstance(joint, Ball)
    limits = joint.range
    assert limits is not None
    np.testing.assert_allclose(np.degrees([limits.swing, *limits.twist]), [60, -90, 30])
    np.testing.assert_allclose(np.degrees(limits.turn), 120)
    np.testing.assert_allclose(limits.neutral, [np.pi / 4, 0, 0], atol=1e-12)
    assert model(knee("ball", "")).joints[0].range is None


@pytest.mark.parametrize(
    ("kind", "keys", "sentence"),
    [
        ("ball", "range: [0, 1]", "a ball has no coordinates, but 'range' is given for 1; it has"),
        ("ball", "swing: 30", "joint 'knee' has a swing, but not the axis that swings"),
        ("ball", "neutral_axis: [1, 0, 0]", "'neutral_axis' is where 'swing_axis' may point"),
        (
            "hinge",
            "axis: [1, 0, 0], swing: 30",
            "a joint of kind 'hinge' has no 'swing', which is a ball's",
        ),
        ("slider", "range: [0, 1]", "a joint of kind 'slider' needs 'axis' as well"),
        (
            "hinge",
            "axis: [1, 0, 0], second_axis: [0, 1, 0]",
            "a joint of kind 'hinge' has no 'second_axis'",
        ),
        (
            "universal",
            "axis: [1, 0, 0], second_axis: [1, 1, 0]",
            "the axes of joint 'knee' are 45 degrees apart; they must be at right angles",
        ),
        ("hinge", "axis: [1, 0, 0], range: [[0, 1], [2, 3]]", "but 'range' is given for 2"),
        ("hinge", "axis: [1, 0, 0], range: [10, 20]", "leaves out 0, the pose that it is modelled"),
        (
            "hinge",
            "axis: [1, 0, 0], range: [20, -20]",
            "of 20 to -20 deg of joint 'knee' must rise",
        ),
        ("hinge", "axis: [1, 0, 0], stiffness: -1", "the stiffness of joint 'knee' is -1"),
    ],
)
def test_a_joint_that_cannot_be_is_one_sentence(kind: str, keys: str, sentence: str) -> None:
    assert sentence in refused(knee(kind, keys))


def test_a_joint_of_the_model_is_changed_by_what_is_said() -> None:
    elbow = "vastus: 1\nmodel: {shape: elbow, tets: 1500}\njoints: "
    (joint,) = model(elbow + "{elbow: {range: [-10, 90], stiffness: 2}}\n").joints
    assert joint.passive == (Passive((np.radians(-10), np.pi / 2), stiffness=2.0),)
    (kept,) = model(elbow + "{elbow: {stiffness: 2}}\n").joints
    assert np.degrees(kept.passive[0].range) == pytest.approx([-25, 120])
    assert "no joint 'knee'; joints: elbow" in refused(elbow + "{knee: {stiffness: 2}}\n")


def test_joints_are_added_replaced_and_removed() -> None:
    joint = "{kind: ball, bones: [upper, lower], centre: [0, 0, 0.1]}"
    assert [j.name for j in model(FUSIFORM + f"joints: {{knee: {joint}}}\n").joints] == ["knee"]
    elbow = "vastus: 1\nmodel: {shape: elbow, tets: 2000}\n"
    assert model(elbow + "joints: {elbow: null}\n").joints == ()


def test_a_number_is_a_ramp_and_a_list_is_key_frames() -> None:
    text = BAR + "inputs: {seconds: 2, fps: 2, activation: {bar: 0.8}}\n"
    levels = [i.excitation[0] for i in scene(text).inputs(model(text))]
    np.testing.assert_allclose(levels, [0, 0.2, 0.4, 0.6, 0.8])
    text = BAR + "inputs: {seconds: 2, fps: 2, activation: {bar: [[0.5, 0.1], [1, 0.7]]}}\n"
    levels = [i.excitation[0] for i in scene(text).inputs(model(text))]
    np.testing.assert_allclose(levels, [0.1, 0.1, 0.7, 0.7, 0.7])


def test_activations_can_come_from_a_table(tmp_path: Path) -> None:
    (tmp_path / "levels.csv").write_text("time, bar\n0,0\n1,0.5\n\n")
    path = tmp_path / "scene.yaml"
    path.write_text(BAR + "inputs: {seconds: 1, fps: 2, activation_file: levels.csv}\n")
    told = read(path)
    np.testing.assert_allclose([i.excitation[0] for i in told.inputs(build(told))], [0, 0.25, 0.5])


def test_a_scripted_bone_turns_about_its_centre() -> None:
    text = (
        FUSIFORM + "bones: {lower: {drive: scripted}}\n"
        "inputs:\n  seconds: 1\n  fps: 2\n  bones:\n    lower:\n"
        "    - {time: 0}\n"
        "    - {time: 1, axis: [2, 0, 0], angle_deg: 90, centre: [0, 0, 0.1]}\n"
    )
    built = model(text)
    half, end = (i.poses[built.bone("lower")] for i in scene(text).inputs(built)[1:])
    np.testing.assert_allclose(end @ [0, 0, 0.1, 1], [0, 0, 0.1], atol=1e-15)
    np.testing.assert_allclose(end @ [0, 1, 0.1, 1], [0, 0, 1.1], atol=1e-15)
    assert half[2, 1] == pytest.approx(np.sin(np.pi / 4))


def test_a_quaternion_is_wxyz() -> None:
    text = (
        FUSIFORM + "bones: {lower: {drive: scripted}}\n"
        "inputs: {bones: {lower: [{time: 0}, "
        "{time: 1, quaternion: [1, 1, 0, 0], translation: [0, 0, 0.5]}]}}\n"
    )
    built = model(text)
    pose = scene(text).inputs(built)[-1].poses[built.bone("lower")]
    np.testing.assert_allclose(pose @ [0, 1, 0, 1], [0, 0, 1.5], atol=1e-15)


def test_the_solver_is_as_the_author_says() -> None:
    said = "solver: {kind: newton, tolerance: 1e-6, max_iterations: 7, bones: affine}\n"
    solver = scene(BAR + said).description.solver.solver
    assert (solver.tolerance, solver.max_iterations) == (1e-6, 7)
    assert isinstance(solver.reduction.bones, Affine)


@pytest.mark.parametrize(
    ("said", "solver"),
    [
        ("{kind: quasi_newton, accuracy: 1e-2}", QuasiNewton(accuracy=1e-2)),
        ("{kind: newton, tolerance: 1e-6}", Newton(tolerance=1e-6)),
        ("{kind: emu, alpha: 1000}", Emu(alpha=1000)),
        ("{kind: emu, contact: paper}", Emu(contact=EmuContact.PAPER)),
    ],
)
def test_every_kind_of_solver_can_be_asked_for(said: str, solver: object) -> None:
    assert scene(f"{BAR}solver: {said}\n").description.solver.solver == solver


def test_a_key_of_another_solver_is_refused() -> None:
    sentence = r"quasi_newton has no 'tolerance'; it has: accuracy, max_iterations \('tolerance'"
    with pytest.raises(VastusError, match=sentence):
        scene(BAR + "solver: {tolerance: 1e-6}\n")


def test_the_solver_of_a_scene_that_says_nothing_is_quasi_newton() -> None:
    assert scene(BAR).description.solver.solver == QuasiNewton()


LABELLED = """\
vastus: 1
mesh: {file: bar.vtu, labels: part, units: mm, ignore: [9]}
regions:
  base: {label: 1, tissue: bone}
  belly: {label: 2, tissue: muscle, density: 1100}
  tip: {label: 3, tissue: bone}
muscles: {belly: {fibres: FIBRES}}
bones: {base: {regions: [base], drive: pinned}, tip: {regions: [tip]}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bar of 20 cm in millimetres, with three labels, one to ignore, and fibre vectors."""
    mesh = box((10, 2, 2), (200.0, 40.0, 40.0))
    part = 1 + np.searchsorted([40, 160], mesh.centroids[:, 0])
    part[mesh.centroids[:, 0] > 180] = 9
    way = np.where(part[:, None] == 2, [2.0, 0.0, 0.0], 0.0)
    write_mesh(tmp_path / "bar.vtu", mesh, cell_data={"part": part, "way": way})
    return tmp_path


@pytest.mark.parametrize(
    "fibres", ["{from: base, to: tip}", "{direction: [3, 0, 0]}", "{data: way}"]
)
def test_a_labelled_mesh_becomes_a_model(fibres: str, folder: Path) -> None:
    (folder / "scene.yaml").write_text(LABELLED.replace("FIBRES", fibres))
    built = build(read(folder / "scene.yaml"))
    assert np.ptp(built.mesh.X[:, 0]) == pytest.approx(0.18)
    assert [r.name for r in built.regions] == ["base", "belly", "tip"]
    assert built.regions[1].density == 1100
    belly = built.fibre[built.region == 1]
    np.testing.assert_allclose(belly, np.tile([1.0, 0, 0], (len(belly), 1)), atol=1e-9)
    assert not built.fibre[built.region != 1].any()


def test_a_mesh_of_the_other_handedness_is_turned(folder: Path) -> None:
    path = folder / "scene.yaml"
    path.write_text(LABELLED.replace("FIBRES", "{direction: [1, 0, 0]}"))
    mesh, cells = read(path).source.mesh, dict(read(path).source.cell_data)  # type: ignore[union-attr]
    flipped = type(mesh)(mesh.X * 1000, mesh.T[:, [1, 0, 2, 3]])
    write_mesh(folder / "bar.vtu", flipped, cell_data=cells)
    assert (build(read(path)).mesh.volumes > 0).all()


def test_the_digest_covers_every_file(folder: Path) -> None:
    path = folder / "scene.yaml"
    path.write_text(LABELLED.replace("FIBRES", "{direction: [1, 0, 0]}"))
    before = read(path).digest
    assert read(path).digest == before
    mesh = read(path).source
    assert mesh is not None
    (folder / "bar.vtu").write_bytes((folder / "bar.vtu").read_bytes() + b"\n")
    assert read(path).digest != before


ELBOW = "vastus: 1\nmodel: {shape: elbow, tets: 1000}\ninputs:\n  seconds: 1\n  fps: 2\n"


def test_a_joint_may_follow_a_column_of_a_motion_file(tmp_path: Path) -> None:
    """-flexion - 30 deg of the file, which has radians."""
    head = "m\nversion=1\nnRows=2\nnColumns=2\ninDegrees=no\nendheader\ntime\tflexion\n"
    (tmp_path / "m.mot").write_text(f"{head}0\t{-np.pi / 6}\n1\t{-np.pi / 2}\n")
    text = f"{ELBOW}  joints:\n    elbow: {{file: m.mot, column: -flexion, rest: 30}}\n"
    told = scene_of(text.encode(), tmp_path / "scene.yaml")
    angles = [inputs.joints[0] for inputs in told.inputs(build(told)) if inputs.joints is not None]
    assert np.degrees(angles) == pytest.approx([0.0, 30.0, 60.0])
    assert scene_of(text.encode() + b"#", tmp_path / "scene.yaml").digest != told.digest


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (
            "{file: m.mot}",
            "scene.yaml, line 7 (inputs.joints.elbow): no column 'elbow'; columns: a",
        ),
        ("{file: n.mot}", "scene.yaml, line 7 (inputs.joints.elbow.file): there is no file"),
        ("{file: m.mot, colum: a}", "did you mean 'column'?"),
        ("{file: m.mot, column: a, rest: -500}", "driven to 502 deg, beyond its range"),
    ],
)
def test_a_motion_that_a_joint_cannot_follow_is_told_with_its_line(
    tmp_path: Path, entry: str, said: str
) -> None:
    (tmp_path / "m.mot").write_text("endheader\ntime a\n0 1\n1 2\n")
    text = f"{ELBOW}  joints:\n    elbow: {entry}\n"
    with pytest.raises(VastusError) as error:  # noqa: PT012 - it may be refused by either
        told = scene_of(text.encode(), tmp_path / "scene.yaml")
        told.inputs(build(told))
    assert said in str(error.value)


def test_activations_may_be_in_a_table_of_opensim(tmp_path: Path) -> None:
    (tmp_path / "a.sto").write_text("endheader\ntime\tbiceps\n0\t0.2\n1\t0.6\n")
    text = f"{ELBOW}  activation_file: a.sto\n"
    told = scene_of(text.encode(), tmp_path / "scene.yaml")
    levels = [inputs.excitation[0] for inputs in told.inputs(build(told))]
    assert levels == pytest.approx([0.2, 0.4, 0.6])


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("elbow_study.yaml", r"line 4 \(vastus_study\): this is a study .* `vastus study`"),
        ("calibrate/fit.yaml", r"line 4 \(scene\): this is a fit .* `vastus calibrate`"),
    ],
)
def test_what_only_names_a_scene_is_none(name: str, sentence: str) -> None:
    with pytest.raises(VastusError, match=sentence):
        read(Path(__file__).parents[2] / "examples" / name)
