"""Joints that are offered between bones: as few as tie them, of the kind that their shape has."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from limb import block, bone, moved
from vastus.files.meshes import read_surface
from vastus.geometry.surface import Surface
from vastus.modelling.joints.joint_proposals import Proposal, proposals
from vastus.skeleton.joints import Ball, Hinge, Weld

pytest.importorskip("igl", reason="libigl is not installed")
ARM = Path(__file__).parents[3] / "shared/data/arm_bp3d"
UPPER = block(np.array([-0.03, -0.01, 0.151]), np.array([0.03, 0.01, 0.28]))
ONE = block(np.array([-0.02, -0.01, 0.0]), np.array([-0.001, 0.01, 0.15]), cuts=8)
FOREARM = {"upper": [UPPER], "one": [ONE], "two": [moved(ONE, 0.021, 0, 0)]}


def kinds(found: list[Proposal]) -> dict[str, list[type]]:
    return {proposal.name: list(proposal.kinds) for proposal in found}


def test_bones_side_by_side_move_as_one_and_no_ring_is_closed() -> None:
    found = proposals(FOREARM)
    assert len(found) == 2
    assert found[-1].name == "one to two"
    assert found[-1].kinds[0] is Weld
    assert "side by side over" in found[-1].sentence


def test_what_is_tied_or_fixed_is_not_tied_again() -> None:
    assert kinds(proposals(FOREARM, tied=[("upper", "one")])).keys() == {"one to two"}
    both = [("upper", "one"), ("one", "two")]
    assert proposals(FOREARM, tied=both) == []
    assert proposals(FOREARM, fixed=["upper", "one", "two"]) == []
    # Through the ground, two fixed bones would close a ring.
    assert len(proposals(FOREARM, fixed=["upper", "one"])) == 1


def test_bones_that_only_touch_move_as_one_and_others_are_left_alone() -> None:
    apart = {"upper": [UPPER], "lower": [ONE], "far": [bone(-0.3, -0.1)]}
    (found,) = proposals(apart)
    assert (found.name, found.kinds) == ("upper to lower", (Weld,))
    assert found.centre[2] == pytest.approx(0.151, abs=0.005)


@pytest.mark.slow
@pytest.mark.skipif(not ARM.exists(), reason="needs the arm's surfaces, ../shared/data/arm_bp3d")
def test_a_real_arm_has_one_elbow_a_forearm_of_one_piece_and_no_hinge_at_the_acromion() -> None:
    def whole(name: str) -> Surface:
        raw = read_surface(next(ARM.glob(f"*right_{name}.obj")))
        return Surface(1e-3 * raw.X, raw.faces)

    bones = {n: [whole(n)] for n in ("clavicle", "scapula", "humerus", "radius", "ulna")}
    assert kinds(proposals(bones)) == {
        "clavicle to scapula": [Weld],
        "scapula to humerus": [Ball],
        "humerus to ulna": [Hinge],
        "radius to ulna": [Weld, Hinge],
    }
