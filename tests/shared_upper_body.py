"""The upper body of the shared data: 814 lines on 68 bodies, made from BodyParts3D surfaces."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from vastus.bodies.body import mujoco_package
from vastus.control.upper_body.musculoskeleton import Line, Musculoskeleton, Tie

FOLDER = Path(__file__).parents[2] / "shared" / "data" / "upper_body"
PASSIVE = ("sternum", "cart", "thyroid")  # how the joints begin that follow
AROUND = 0.008 * np.array([[1.0, 0, 0], [-0.5, 0.6, 0.6], [-0.5, -0.6, -0.6]])  # [m]


@cache
def shared_upper_body() -> Musculoskeleton:
    """The body, or a skip where the data are not."""
    pytest.importorskip("mujoco")
    if not FOLDER.is_dir():
        pytest.skip("the shared data of the upper body are not beside the repository")
    model = mujoco_package().MjModel.from_xml_path(str(FOLDER / "upperbody_68_147_814.xml"))
    rows = json.loads((FOLDER / "muscles_814.json").read_text())
    joints = [model.joint(j).name for j in range(model.njnt)]
    return Musculoskeleton(
        model,
        tuple(Line(r["name"], r["group"], _part(r), 1e-4 * r["pcsa_cm2"]) for r in rows),
        tuple(_ties(model)),
        tuple(name for name in joints if name.startswith(PASSIVE)),
    )


def _part(row: dict[str, str]) -> str:
    if row["region"] != "arm":
        return row["region"]
    return "arm_left" if row["name"].rsplit("_", 1)[1].startswith("L") else "arm_right"


def _ties(model: object) -> list[Tie]:
    """Three springs at the end of each rib."""
    mujoco = mujoco_package()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    landmarks = json.loads((FOLDER / "landmarks_mm.json").read_text())
    out = []
    for side in "LR":
        for k in range(1, 11):
            cartilage = "sternum" if k == 1 else f"cart{k}{side}" if k < 5 else f"cart5_10{side}"
            for point in 1e-3 * np.array(landmarks[f"rib{k}{side}"]["tip"]) + AROUND:
                ends = [point - data.body(name).xpos for name in (f"rib{k}{side}", cartilage)]
                out.append(Tie(f"rib{k}{side}", ends[0], cartilage, ends[1], 5000.0, 250.0))
    return out
