"""From an MJCF file to a muscle that bends an elbow, by the command line."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import vastus
from line_arm import MJCF, write_arm
from vastus.cli import main

pytest.importorskip("mujoco", reason="lines are read with MuJoCo")
pytest.importorskip("igl", reason="distances to bones need libigl")

DATA = Path(__file__).parents[3] / "shared" / "data"


def build(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["build", "--from-mjcf", *map(str, words)])


@pytest.mark.slow
def test_an_mjcf_file_becomes_a_model_that_bends_its_elbow(tmp_path: Path) -> None:
    arm, folder = write_arm(tmp_path), tmp_path / "made"
    done = build(arm, "--free", "elbow", "-o", folder)
    assert done.exit_code == 0, done.output
    assert "2 muscles, 2 bones" in done.output
    with (folder / "muscles.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["muscle"] for row in rows] == ["flexor", "extensor"]
    for row in rows:
        assert float(row["volume_m3"]) == pytest.approx(float(row["wanted_volume_m3"]), rel=0.01)
        assert float(row["inside_bones"]) < 1e-3
    scene = vastus.read(folder / "scene.yaml")
    model = vastus.build(scene)
    inputs = vastus.ramp(model, seconds=0.2, fps=10, flexor=0.1)
    first, *_, last = vastus.simulate(model, vastus.QuasiNewton(), inputs)
    assert last.outputs["flexor_length_m"] < first.outputs["flexor_length_m"] - 5e-3
    assert last.outputs["elbow_angle_deg"] > first.outputs["elbow_angle_deg"] + 5
    assert last.outputs["inverted"] == 0


def test_a_range_of_the_file_is_said_and_so_is_what_is_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "made"
    done = build(write_arm(tmp_path), "--free", "elbow", "--pose", "elbow=70", "-o", folder)
    assert "joint 'elbow': -80 to 30 deg from this pose" in done.output
    more = '<joint name="yaw" axis="0 0 1" range="-5 5"/><joint name="roll" axis="1 0 0"/>'
    ball = MJCF.replace('limited="true"/>', f'limited="true"/>{more}')
    done = build(write_arm(tmp_path, ball), "--free", "lower joint", "-o", folder)
    sentence = (
        "note: joint 'lower joint' is a ball here, which has no range for each of three angles: "
        "left out are 'elbow' -10 to 100 deg, 'yaw' -5 to 5 deg; 'swing' and 'twist' of the joint "
        "in a scene limit it"
    )
    assert sentence in done.output.splitlines()


def test_arms_of_the_file_and_of_the_volumes_are_printed_and_written(tmp_path: Path) -> None:
    """The extensor runs around a cylinder of 22 mm about the elbow, at every angle."""
    folder = tmp_path / "made"
    done = build(write_arm(tmp_path), "--free", "elbow", "--pose", "elbow=30", "-o", folder)
    assert "moment arms about 'elbow', file and volume" in done.output
    row = next(r for r in reversed(done.output.splitlines()) if r.startswith("extensor"))
    assert row.split()[1:5] == ["352.4", "352.4", "-22.0", "-22.0"]
    with (folder / "moment_arms.csv").open(encoding="utf-8") as file:
        rows = [r for r in csv.DictReader(file) if r["muscle"] == "extensor"]
    assert [float(rows[k]["angle_deg"]) for k in (0, -1)] == [-10.0, 100.0]
    for r in rows:
        assert float(r["file_arm_m"]) == pytest.approx(-0.022, rel=1e-3)
        assert float(r["volume_arm_m"]) == pytest.approx(-0.022, rel=1e-3)
        assert float(r["volume_length_m"]) == pytest.approx(float(r["file_length_m"]), abs=1e-3)


def test_a_pose_at_the_end_of_a_range_is_said(tmp_path: Path) -> None:
    """Volumes lose force where they shorten far from the shape that they were grown in."""
    arm = write_arm(tmp_path, MJCF.replace('range="-10 100"', 'range="0 130"'))
    folder, words = tmp_path / "made", ["--muscles", "flexor", "--free", "elbow"]
    done = build(arm, *words, "-o", folder)
    sentence = (
        "note: muscles are grown at 0 deg of joint 'elbow', near an end of its range of 0 to 130: "
        "towards the other end less of their force arrives; --pose elbow=65 grows them in its "
        "middle"
    )
    assert sentence in done.output.splitlines()
    done = build(arm, *words, "--pose", "elbow=65", "-o", tmp_path / "other")
    assert "grows them in its middle" not in done.output


@pytest.mark.slow
def test_a_range_of_the_file_holds(tmp_path: Path) -> None:
    """With the range of the file, to 100 degrees, it would stop at 64: its fibres are short."""
    folder = tmp_path / "made"
    near = MJCF.replace('range="-10 100"', 'range="-10 55"')
    build(write_arm(tmp_path, near), "--free", "elbow", "--pose", "elbow=50", "-o", folder)
    model = vastus.build(vastus.read(folder / "scene.yaml"))
    inputs = vastus.ramp(model, seconds=0.2, fps=10, flexor=1.0)
    *_, last = vastus.simulate(model, vastus.QuasiNewton(), inputs)
    assert 3 < last.outputs["elbow_angle_deg"] < 5


@pytest.mark.slow
def test_arm26_stays_within_its_range(tmp_path: Path) -> None:
    path = DATA / "mjcf_arm26" / "arm26_cvt3.xml"
    if not path.exists():
        pytest.skip(f"there is no {path}")
    done = build(path, "--free", "r_elbow_flex", "-o", tmp_path / "made")
    assert "joint 'r_elbow_flex': 0 to 130 deg from this pose" in done.output
    model = vastus.build(vastus.read(tmp_path / "made" / "scene.yaml"))
    model = model.with_(contact=None)  # the limit alone shall stop it, not what is in the way
    flexors = dict.fromkeys(("BRA", "BIClong", "BICshort"), 1.0)
    frames = list(
        vastus.simulate(model, vastus.QuasiNewton(), vastus.ramp(model, fps=8, **flexors))
    )
    angles = [frame.outputs["r_elbow_flex_angle_deg"] for frame in frames]
    assert max(angles) < 130
    assert angles[-1] > 125


def test_what_cannot_be_built_is_one_sentence_and_leaves_nothing(tmp_path: Path) -> None:
    arm, folder = write_arm(tmp_path), tmp_path / "made"
    for words, sentence in (
        (["--muscles", "bicep"], "error: no muscle 'bicep'; muscles: flexor, extensor"),
        (["--free", "knee"], "error: no joint 'knee'; joints: elbow"),
        (["--pose", "elbow:30"], "error: 'elbow:30' is no joint value; write it as elbow=30"),
    ):
        done = build(arm, *words, "-o", folder)
        assert done.exit_code == 2
        assert done.output.strip() == sentence
        assert not folder.exists()


def test_a_model_of_the_package_tells_its_licence(tmp_path: Path) -> None:
    pytest.importorskip("musclemimic_models", reason="the extra 'bodies' is absent")
    done = build("bimanual", "--muscles", "BRA", "-o", tmp_path / "made")
    assert done.exit_code == 0, done.output
    assert "solely for non-commercial purposes" in done.output
    done = build("trimanual", "-o", tmp_path / "other")
    assert done.exit_code == 2
    assert "no file and no model 'trimanual'" in done.output


def test_arm26_is_built(tmp_path: Path) -> None:
    path = DATA / "mjcf_arm26" / "arm26_cvt3.xml"
    if not path.exists():
        pytest.skip(f"there is no {path}")
    done = build(path, "--muscles", "BRA,TRIlat", "-o", tmp_path / "made")
    assert done.exit_code == 0, done.output
    assert "joints held as they are: r_elbow_flex" in done.output
