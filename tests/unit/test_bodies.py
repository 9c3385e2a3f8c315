"""Bodies of files: what is read, what is corrected, and one sentence for what is missing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from line_arm import write_arm
from vastus.bodies import Unit, from_lee2018, juggler, read_body, read_units
from vastus.bodies.paths import Poses, sampled_poses
from vastus.errors import FileError, ModelError

mujoco: Any = pytest.importorskip("mujoco", reason="bodies are placed by MuJoCo")

# A bar of 0.5 m turns about its end; one line pulls it 0.1 m from the axis, another holds nothing.
BAR = """<mujoco><compiler angle="radian"/>
<worldbody><site name="high" pos="0 0 0.4"/><site name="aside" pos="0.3 0 0"/>
<body name="bar"><joint name="hinge" axis="0 -1 0"/>
<inertial pos="0.25 0 0" mass="1" diaginertia="0.02 0.02 0.02"/>
<site name="low" pos="0.1 0 0"/><site name="palm" pos="0.5 0 0"/></body></worldbody>
<tendon><spatial name="line"><site site="high"/><site site="low"/></spatial></tendon>
<actuator><muscle name="biceps" tendon="line" force="300" lengthrange="0.25 0.45" range="0.5 1.5"
 vmax="8"/></actuator></mujoco>"""
TENDON = BAR[BAR.index("<tendon>") : BAR.index("</tendon>") + len("</tendon>")]
ACTUATOR = BAR[BAR.index("<actuator>") : BAR.index("</mujoco>")]
EXTRA = '<spatial name="strap"><site site="aside"/><site site="low"/></spatial>'
TABLE = "name, force, optimal, slack, area\nline, 300, 0.2, 0.15, 6e-4\n"


def write(folder: Path, text: str, name: str = "bar.xml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_muscles_become_units(tmp_path: Path) -> None:
    """MuJoCo's length range of 0.25 to 0.45 m is 0.5 to 1.5 fibres of 0.2 m on 0.15 m of tendon."""
    body = read_body(write(tmp_path, BAR), strength=0.5e6)
    unit = body.unit("biceps")
    assert unit.force == pytest.approx(300.0)
    assert unit.optimal == pytest.approx(0.2)
    assert unit.slack == pytest.approx(0.15)
    assert unit.area == pytest.approx(300.0 / 0.5e6)
    assert unit.speed == pytest.approx(8.0)
    assert (body.model.nu, body.arms[0].dofs, body.arms[0].units) == (0, (0,), (0,))
    assert (body.arms[0].hand, body.arms[0].palm) == ("bar", "palm")


def test_the_moment_arm_of_a_line_is_the_law_of_cosines(tmp_path: Path) -> None:
    """L^2 = a^2 + b^2 - 2 a b sin q, so -dL/dq = a b cos q / L."""
    poses = Poses(read_body(write(tmp_path, BAR)))
    for q in (-0.7, 0.0, 0.9):
        length = np.sqrt(0.4**2 + 0.1**2 - 2 * 0.4 * 0.1 * np.sin(q))
        poses.at(np.array([q]))
        assert poses.lengths == pytest.approx(length)
        assert poses.arms[0, 0] == pytest.approx(0.4 * 0.1 * np.cos(q) / length)


def test_a_table_gives_units_to_bare_tendons(tmp_path: Path) -> None:
    path = write(tmp_path, BAR.replace(ACTUATOR, "").replace("</tendon>", f"{EXTRA}</tendon>"))
    table = write(tmp_path, TABLE, "units.csv")
    body = read_body(path, units=table, home={"hinge": 0.3})
    assert body.units == (Unit("line", 300.0, 0.2, 0.15, 6e-4),)
    assert read_units(table) == list(body.units)
    assert body.home == pytest.approx([0.3])
    assert Poses(body).at(body.home).arms.shape == (1, 1)


def test_tendons_without_a_muscle_come_after_the_others(tmp_path: Path) -> None:
    """A strap over a peg, a coupling of joints and what refers to it are as they were."""
    coupling = '<fixed name="tie" range="-1 1"><joint joint="hinge" coef="2"/></fixed>'
    strap = (
        '<spatial name="strap" stiffness="30"><site site="aside"/>'
        '<geom geom="peg" sidesite="high"/><site site="low"/>'
        '<pulley divisor="2"/><site site="high"/><site site="low"/></spatial>'
    )
    text = BAR.replace("<tendon>", f"<tendon>{coupling}{strap}")
    text = text.replace("<body", '<geom name="peg" size="0.05" pos="0.2 0 0"/><body', 1)
    text = text.replace("</mujoco>", '<equality><tendon tendon1="tie"/></equality></mujoco>')
    path = write(tmp_path, text)
    before, body = mujoco.MjModel.from_xml_path(str(path)), read_body(path)
    names = [body.model.tendon(t).name for t in range(3)]
    assert names == ["line", "tie", "strap"]
    assert body.names == ("biceps",)
    assert body.model.tendon_stiffness == pytest.approx([0, 0, 30])
    assert body.model.tendon_range[1] == pytest.approx([-1, 1])
    assert body.model.eq_obj1id[0] == body.model.tendon("tie").id
    data, now = mujoco.MjData(before), body.data(np.array([0.4]))
    data.qpos[:] = 0.4
    mujoco.mj_forward(before, data)
    for name in names:
        assert now.tendon(name).length == pytest.approx(data.tendon(name).length)


def test_a_hand_may_be_a_body(tmp_path: Path) -> None:
    path = write_arm(tmp_path)
    body = read_body(path, hands={"left": "lower"})
    assert body.arm("left").hand == "lower"
    assert body.model.site(body.arm("left").palm).bodyid[0] == body.model.body("lower").id


def test_what_was_generated_can_be_written_and_read(tmp_path: Path) -> None:
    body = juggler()
    path = write(tmp_path, body.spec.to_xml(), "juggler.xml")
    again = read_body(path, units=body.units)
    assert again.arms == body.arms
    q = next(sampled_poses(body, {"r_elbow_flexion": (0.1, 2.0)}, 1))
    lengths = Poses(body).at(q).lengths
    np.testing.assert_allclose(Poses(again).at(q).lengths, lengths, atol=1e-5)


def test_two_bodies_attach_to_one_world() -> None:
    world = mujoco.MjSpec()
    world.compiler.degree = False
    world.option.timestep, world.option.integrator = 0.001, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    for name, x in (("a_", 0.0), ("b_", 1.6)):
        world.attach(juggler().spec, prefix=name, frame=world.worldbody.add_frame(pos=[x, 0, 0]))
    m = world.compile()
    assert (m.nv, m.ntendon) == (28, 140)
    assert m.joint(14).name == "b_r_shoulder_flexion"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (BAR.replace(TENDON, "").replace(ACTUATOR, ""), "no path that a muscle could pull along"),
        (BAR.replace(ACTUATOR, ""), "has no muscle"),
        (BAR.replace('tendon="line"', 'joint="hinge"'), "muscle 'biceps' of .* has no path"),
        (BAR.replace('"palm"', '"tip"'), "has no hand: no site of it has 'palm' in its name"),
        (BAR.replace('force="300"', 'force="0"'), "unit 'biceps' has force 0"),
        (BAR.replace("</actuator>", '<muscle name="b" tendon="line" force="1" '
                     'lengthrange="0.2 0.4"/></actuator>'), "'biceps' and 'b' .* the same tendon"),
        (BAR[:200], "is not an MJCF model"),
        (BAR.replace('site="low"', 'site="none"'), "is not an MJCF model that MuJoCo can read"),
    ],
)  # fmt: skip
def test_what_is_missing_is_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(FileError, match=sentence) as caught:
        read_body(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("hands", "sentence"),
    [({"left": "fist"}, "has no hand 'fist'"), ({"left": "world"}, "'world' .* cannot move")],
)
def test_a_hand_that_is_not_there_is_named(tmp_path: Path, hands: Any, sentence: str) -> None:
    with pytest.raises(FileError, match=sentence) as caught:
        read_body(write(tmp_path, BAR), hands=hands)
    assert "bar.xml" in str(caught.value)


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        (TABLE.replace("line", "cord"), "unit 'cord' has no path in .*bar.xml"),
        (TABLE.replace("0.15", ""), "units.csv', line 2: no slack"),
        (TABLE.replace("0.15", "much"), "units.csv', line 2: could not convert"),
        (TABLE.replace("300", "-3"), "line 2: unit 'line' has force -3"),
        (TABLE + TABLE.splitlines()[1], "unit 'line' of .* is given twice"),
        ("name, force\n", "has no row of a unit"),
    ],
)
def test_a_bad_table_is_one_sentence(tmp_path: Path, table: str, sentence: str) -> None:
    with pytest.raises(FileError, match=sentence):
        read_body(write(tmp_path, BAR), units=write(tmp_path, table, "units.csv"))


def test_names_that_are_not_there() -> None:
    body = juggler()
    with pytest.raises(ModelError, match="no unit 'r_BICEPS'"):
        body.unit("r_BICEPS")
    with pytest.raises(ModelError, match="no arm 'third'; arms: right, left"):
        body.arm("third")
    with pytest.raises(ModelError, match="no joint 'knee'"):
        next(sampled_poses(body, {"knee": (0, 1)}, 1))
    with pytest.raises(ModelError, match="from 2 to 1 rad"):
        next(sampled_poses(body, {"r_elbow_flexion": (2, 1)}, 1))
    with pytest.raises(ModelError, match="strength 0"):
        juggler(strength=0)


# Two boxes of 0.3 m, end to end along x; the mesh frame is that of the first.
FOREARM = {
    "name": "ElbowR", "parent": "Torso", "joint": "revolute", "axis": [0, 1, 0],
    "p_to_joint": [-0.15, 0, 0], "c_to_joint": [0.15, 0, 0], "mass": 5, "box": [0.3, 0.03, 0.03],
    "limits": [[0.1, 2.2]],
    "mesh_to_body": [[1, 0, 0, 0.3], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
}  # fmt: skip
HAND = {
    **FOREARM, "name": "HandR", "parent": "ElbowR", "joint": "ball", "axis": None,
    "p_to_joint": [-0.13, 0.05, 0], "c_to_joint": [0, 0, 0], "limits": [[-1, 1], [0, 0], [-1, 1]],
}  # fmt: skip
TORSO = {
    **FOREARM, "name": "Torso", "parent": None, "joint": "weld", "axis": None, "limits": None,
    "p_to_joint": [0, 0, 0], "c_to_joint": [0, 0, 0], "mesh_to_body": np.eye(4).tolist(),
}  # fmt: skip
UNIT = """<unit name="R_Flexor"><mesh nx="1" ny="1" ratio="0.2"/>
<origin><anchor body="Torso" x="10" y="0" z="2"/><anchor body="Torso" x="5" y="0" z="2"/></origin>
<insertion><anchor body="ElbowR" x="-20" y="0" z="2"/></insertion></unit>"""


def write_2018(folder: Path, unit: str = UNIT) -> Path:
    left = [{**row, "name": row["name"][:-1] + "L"} for row in (FOREARM, HAND)]
    left[1]["parent"] = "ElbowL"
    skeleton = {
        "bodies": [TORSO, FOREARM, *left[:1], HAND, *left[1:]], "initial_pose": {"ElbowR": [0.5]},
    }  # fmt: skip
    (folder / "skeleton.json").write_text(json.dumps(skeleton), encoding="utf-8")
    (folder / "muscle_params.xml").write_text(f"<Muscles>{unit}{unit}</Muscles>", encoding="utf-8")
    return folder


def test_files_of_2018_as_they_are(tmp_path: Path) -> None:
    """The belly lies between the last origin and the first insertion: 25 of 30 cm, 5 cm wide."""
    body = from_lee2018(write_2018(tmp_path), corrected=False, stress=0.3e6)
    assert body.names == ("R_Flexor", "R_Flexor_2")
    unit = body.units[0]
    assert (unit.optimal, unit.slack) == (pytest.approx(0.25), pytest.approx(0.05))
    assert unit.force == pytest.approx(0.3e6 * 0.05**2)
    right = body.arm("right")
    assert [body.dof_names[d] for d in right.dofs] == ["ElbowR", "HandR_x", "HandR_z"]
    assert body.model.joint("ElbowR").range == pytest.approx([-0.4, 1.7])
    assert body.model.body("HandR").mass[0] == 5
    d = body.data()
    np.testing.assert_allclose(d.body("Torso").xpos, [0, 0, 1])
    # The upper bar ends 0.15 m to the right, which is -y; the elbow is turned by 0.5 rad.
    end = d.body("ElbowR").xpos - [0.0, -0.15, 1.0]
    np.testing.assert_allclose(
        np.abs(end), 0.15 * np.array([np.sin(0.5), np.cos(0.5), 0]), atol=1e-12
    )


def test_corrections_of_2018_have_names(tmp_path: Path) -> None:
    folder = write_2018(tmp_path)
    wrist = from_lee2018(folder, ["wrist centres"]).data()
    whole = from_lee2018(folder)
    for data in (wrist, whole.data()):
        apart = data.body("HandR").xpos - data.body("ElbowR").xpos
        assert np.linalg.norm(apart) == pytest.approx(0.16)
    assert whole.model.body("HandR").mass[0] == pytest.approx(0.45)
    assert from_lee2018(folder, ["arm masses"]).model.body("ElbowL").mass[0] == pytest.approx(1.2)
    with pytest.raises(ModelError, match="no correction 'wrists'; corrections: shoulder centres,"):
        from_lee2018(folder, ["wrists"])


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("<insertion>", "<insert>", "is not a table of muscles"),
        ('body="ElbowR"', 'body="Knee"', "muscle 'R_Flexor' of .*params.xml': no body 'Knee'"),
        ('<anchor body="ElbowR" x="-20" y="0" z="2"/>', "", "muscle 'R_Flexor' .* has no path"),
        ('x="-20"', 'x="left"', "muscle 'R_Flexor' of .*params.xml': could not convert"),
        ('x="-20"', "", "muscle 'R_Flexor' of .*params.xml': unit 'R_Flexor' has force nan"),
        ('ratio="0.2"', "", "muscle 'R_Flexor' of .*: it has no mesh with a ratio"),
    ],
)
def test_bad_files_of_2018(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    folder = write_2018(tmp_path, UNIT.replace(old, new))
    with pytest.raises(FileError, match=sentence):
        from_lee2018(folder)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('"bodies"', '"parts"', "skeleton.json' is not a skeleton of 2018: it has no 'bodies'"),
        ('"mass"', '"weight"', "it has no 'mass'"),
        ('"parent": "ElbowR"', '"parent": "Knee"', "body 'HandR' stands before its parent"),
        ("{", "", "is not a skeleton of 2018"),
    ],
)
def test_bad_skeletons_of_2018(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    path = write_2018(tmp_path) / "skeleton.json"
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    with pytest.raises(FileError, match=sentence):
        from_lee2018(tmp_path)
