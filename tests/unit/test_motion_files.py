"""Motion files: each format says the same motion, what is written reads back, errors name lines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from vastus.errors import FileError, ModelError
from vastus.files.motion_files import WRITERS, Motion, read_motion, read_table, write_motion

TIMES = np.array([0.0, 0.25, 0.5])
ANGLES = np.array([0.0, 30.0, 75.0])  # [deg] of the elbow, about its x axis
CSV = "time,elbow\n0,0\n0.25,30\n0.5,75\n"
SIMM = (
    "curl\n# SIMM Motion File Header:\nrange 0 0.5\nendheader\ntime  elbow\n0 0\n0.25 30\n0.5 75\n"
)
STORAGE = "curl\nversion=1\nnRows=3\nnColumns=2\ninDegrees={}\nendheader\ntime\telbow\n{}\n"
BVH = """\
HIERARCHY
ROOT Upper
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT elbow
  {
    OFFSET 0 -30 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 -25 0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.25
1 2 3 0 5 0 0 0 0
1 2 3 0 5 0 0 30 0
1 2 3 0 5 0 0 75 0
"""


def usd(path: Path) -> None:
    """A stage whose elbow turns about its x axis, from a rest that is turned about z."""
    pxr = pytest.importorskip("pxr", reason="the extra 'usd' is absent")
    from pxr import Gf, Usd, UsdSkel, Vt

    assert pxr
    stage = Usd.Stage.CreateNew(str(path))
    stage.SetTimeCodesPerSecond(24)
    joints = ["Upper", "Upper/elbow"]
    rest = Gf.Rotation(Gf.Vec3d(0, 0, 1), 40)
    skeleton = UsdSkel.Skeleton.Define(stage, "/Arm")
    skeleton.CreateJointsAttr(joints)
    places = [Gf.Matrix4d(1), Gf.Matrix4d(1).SetRotate(rest)]
    skeleton.CreateRestTransformsAttr(Vt.Matrix4dArray(places))
    animation = UsdSkel.Animation.Define(stage, "/Curl")
    animation.CreateJointsAttr(joints)
    turns = animation.CreateRotationsAttr()
    for time, angle in zip(TIMES, ANGLES, strict=True):
        # Turns of USD act on rows: the first factor acts first.
        whole = Gf.Rotation(Gf.Vec3d(1, 0, 0), float(angle)) * rest
        turns.Set(Vt.QuatfArray([Gf.Quatf(1), Gf.Quatf(whole.GetQuat())]), 24 * float(time))
    stage.Save()


@pytest.mark.parametrize(
    ("name", "text", "column"),
    [
        ("a.csv", CSV, "elbow"),
        ("a.mot", SIMM, "elbow"),
        ("a.sto", STORAGE.format("yes", "0\t0\n0.25\t30\n0.5\t75"), "elbow"),
        ("b.sto", STORAGE.format("no", "0\t0\n0.25\t0.5235987756\n0.5\t1.3089969390"), "elbow"),
        ("a.bvh", BVH, "elbow.Xrotation"),
        ("a.usda", None, "elbow.Xrotation"),
    ],
)
def test_every_format_says_the_same_motion(
    tmp_path: Path, name: str, text: str | None, column: str
) -> None:
    path = tmp_path / name
    if text is None:
        usd(path)
    else:
        path.write_text(text)
    motion = read_motion(path)
    assert motion.times == pytest.approx(TIMES)
    assert motion.coordinate(column, turns=True) == pytest.approx(np.radians(ANGLES), abs=1e-6)
    assert motion.coordinate(f"-{column}", turns=True)[1] == pytest.approx(-np.pi / 6, abs=1e-6)
    others = [motion.columns[n] for n in motion.columns if n.startswith(column[:6]) and n != column]
    assert np.abs(others).max(initial=0.0) < 1e-4


def test_a_way_is_not_turned_into_radians(tmp_path: Path) -> None:
    (tmp_path / "a.bvh").write_text(BVH)
    motion = read_motion(tmp_path / "a.bvh")
    assert motion.coordinate("Upper.Yposition", turns=False).tolist() == [2, 2, 2]


@pytest.mark.parametrize(
    ("suffix", "degrees"), [*((s, True) for s in WRITERS), (".sto", False), (".mot", False)]
)
def test_what_is_written_reads_back(tmp_path: Path, suffix: str, degrees: bool) -> None:
    columns = {"two words": np.array([1 / 3, -2e-7, 5.0]), "b": ANGLES}
    write_motion(tmp_path / f"a{suffix}", Motion(TIMES, columns, degrees))
    back = read_table(tmp_path / f"a{suffix}")
    assert back.degrees == degrees
    assert back.times == pytest.approx(TIMES)
    for name, values in columns.items():
        assert back.columns[name] == pytest.approx(values, rel=1e-9)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.csv", "time,elbow\n0,1\n0,2\n", "the times in '.*' do not increase"),
        ("a.csv", "time,elbow,elbow\n0,1,1\n1,2,2\n", "has two columns 'elbow'"),
        ("a.csv", "angle\n0\n1\n", "needs a column 'time' and at least two rows"),
        ("a.csv", "time;elbow\n0;0,5\n1;2\n", "has semicolons between its cells; write commas"),
        ("a.mot", "time elbow\n0 1\n", "has no line 'endheader'"),
        ("a.sto", "endheader\ntime\ta\n0\t1\n1\tx\n", "line 4: 'x' is not a finite number"),
        ("a.sto", "endheader\ntime\ta\n0\t1\n1\n", "line 4: there are 1 values, but 2 columns"),
        ("a.bvh", "MOTION\n", "is no BVH file"),
        ("a.bvh", BVH.replace("Frames: 3", "3"), "line 17: 'Frames:' and 'Frame Time:' must"),
        ("a.bvh", BVH.replace("Xrotation", "Wrotation"), "line 5: 'Wrotation' is no channel"),
        ("a.bvh", BVH.replace("75 0", "75"), "line 21: there are 8 values, but 9 columns"),
        ("a.bvh", BVH.replace("0.25", "0"), "line 18: the time of a frame is 0 s"),
        ("a.xyz", "", "supported are .csv, .mot, .sto, .bvh"),
        ("a.usda", "nonsense", "is truncated or not a .usda file"),
    ],
)
def test_what_is_wrong_in_a_file_is_told(tmp_path: Path, name: str, text: str, said: str) -> None:
    if name.endswith("usda"):
        pytest.importorskip("pxr", reason="the extra 'usd' is absent")
    (tmp_path / name).write_text(text)
    with pytest.raises(FileError, match=said):
        read_motion(tmp_path / name)


def test_a_column_that_is_not_there_is_told_beside_those_that_are() -> None:
    with pytest.raises(ModelError, match="no column 'elb'; columns: elbow"):
        Motion(TIMES, {"elbow": ANGLES}).column("elb")
