"""At rest the moments about a joint cancel: muscles against loads, on the bones beyond it."""

from __future__ import annotations

import numpy as np
import pytest

from builders import WEIGHTLESS, ladder, solve, vertices_of
from vastus.measure.outputs import Outputs
from vastus.parts import Load

WEIGHT = np.array([0.0, 0.0, -0.2])  # [N]


@pytest.mark.parametrize("biarticular", [False, True])
def test_muscles_carry_the_load_about_every_hinge(biarticular: bool) -> None:
    """sum_muscles M + (x_load - c) x f . axis = 0, with the axes along y, as the limb turns in xz.

    The load hangs from C, which is beyond both hinges.
    """
    model = ladder(biarticular, gravity=WEIGHTLESS)
    hung = vertices_of(model, "C")[-1:]
    model = model.with_(loads=(Load("weight", hung, np.ones(1), WEIGHT),))
    state, report = solve(model, n=0.02, m=0.02)
    told = Outputs(model).of(state)
    for joint in model.joints:
        pose = state.poses[model.bone(joint.bones[0])]
        centre = pose[:, :3] @ joint.centre + pose[:, 3]
        load = np.cross(state.x[hung[0]] - centre, WEIGHT)[1]
        muscles = sum(v for k, v in told.items() if k.endswith(f"_{joint.name}_moment_Nm"))
        assert abs(load) > 0.005
        assert muscles == pytest.approx(-load, rel=1e-8), report.sentence
