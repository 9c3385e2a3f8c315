"""Volumes of line muscles pull with the arms of their lines, over bones and around cylinders."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import vastus
from line_arm import MJCF, write_arm
from vastus.modelling.lines.line_arms import arm_curves
from vastus.modelling.lines.line_files import line_lengths, read_lines
from vastus.modelling.lines.line_model import model_of
from vastus.modelling.lines.loft import loft
from vastus.schedules import from_arrays
from vastus.skeleton.guides import Wrap

pytest.importorskip("mujoco", reason="lines are read with MuJoCo")
pytest.importorskip("igl", reason="distances to bones need libigl")

DATA = Path(__file__).parents[3] / "shared" / "data"
ROLLER = 0.022  # [m] the radius of the cylinder about the elbow of the little arm
ENDS = {"arm26_cvt3.xml": "mjcf_arm26", "arm26.osim": "opensim_arm26"}


def on_lower(text: str) -> str:
    """The little arm with its cylinder on the lower bone, about the same axis."""
    start, end = text.index('<geom name="roller"'), text.index('<site name="behind"')
    roller = text[start:end]
    moved = roller.replace('pos="0 0 -0.3"', 'pos="0 0 0"')
    return text.replace(roller, "").replace(
        '<body name="lower" pos="0 0 -0.3">', f'<body name="lower" pos="0 0 -0.3">{moved}'
    )


@pytest.mark.parametrize("carrier", ["upper", pytest.param("lower", marks=pytest.mark.slow)])
def test_a_muscle_around_a_cylinder_has_its_radius_as_arm(tmp_path: Path, carrier: str) -> None:
    """M = T r for a string around a cylinder of radius r about a hinge, whichever bone has it.

    The moment is the one that holds the joint, by virtual work.
    """
    text = MJCF if carrier == "upper" else on_lower(MJCF)
    lines = read_lines(write_arm(tmp_path, text), ("extensor",), pose={"elbow": 0.5})
    free = ["elbow"]
    model = model_of(lines, loft(lines, free=free), free=free)
    assert [(type(guide), guide.bone) for guide in model.guides] == [(Wrap, carrier)]
    model = model.with_(gravity=np.zeros(3), contact=None)
    level, angles = np.array([0.2, 0.2, 0.2]), np.array([0.0, 20.0, 40.0])
    inputs = from_arrays(model, np.arange(3) / 10, {"extensor": level}, joints={"elbow": angles})
    for frame in vastus.simulate(model, vastus.QuasiNewton(), inputs):
        out = frame.outputs
        assert out["extensor_elbow_arm_m"] == pytest.approx(-ROLLER, rel=0.07)
        reaction = -out["elbow_reaction_Nm"]
        assert out["extensor_elbow_moment_Nm"] == pytest.approx(reaction, rel=1e-3)


@pytest.mark.parametrize("name", ENDS)
def test_the_strings_of_arm26_have_the_arms_of_opensim(name: str) -> None:
    """From 0 to 130 degrees: flexors within 10 %, extensors within 20 % of OpenSim 4.6."""
    path, table = DATA / ENDS[name] / name, DATA / "opensim_arm26"
    if not path.exists():
        pytest.skip(f"there is no {path}")
    if path.suffix == ".osim":
        pytest.importorskip("opensim", reason="the extra 'osim' is absent")
    free = ["r_elbow_flex"]
    lines = read_lines(path, pose={"r_elbow_flex": 0.0})
    names = [muscle.name for muscle in lines.muscles]
    (curves,) = arm_curves(
        lines, loft(lines, free=free), free, lambda poses: line_lengths(path, names, poses), {}
    )
    with (table / "arm26_lengths_momentarms_opensim46_shoulder0.csv").open() as file:
        rows = list(csv.DictReader(file))
    for k, muscle in enumerate(names):
        own = [row for row in rows if row["muscle"] == muscle]
        angles = np.radians([float(row["r_elbow_flex_deg"]) for row in own])
        wanted = np.array([float(row["moment_arm_elbow_m"]) for row in own])
        found = np.interp(angles, curves.angles, curves.arms[:, k])
        most = 0.2 if muscle.startswith("TRI") else 0.1
        np.testing.assert_allclose(found, wanted, rtol=most, err_msg=muscle)
