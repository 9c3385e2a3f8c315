"""Degrees of freedom of bones and joints, by the rank of the joints' equations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from builders import hinge, made, pair, row
from vastus.checks import check, mobility
from vastus.checks.mobility import Ring, freedoms
from vastus.model import Model
from vastus.parts import Drive
from vastus.skeleton.joints import Ball, Hinge, Joint, Universal, Weld

X, Y, Z = np.eye(3)


def rings(model: Model) -> list[Ring]:
    """The rings of a model's bones."""
    free = {bone.name: bone.drive is Drive.FREE for bone in model.bones}
    return mobility.rings(model.joints, free)


def ring(*axes: np.ndarray, drive: Drive = Drive.PINNED) -> Model:
    """Bones A, B and C, each on the next by a hinge with its own axis and place."""
    places = ([0.12, 0.0, 0.0], [0.28, 0.0, 0.02], [0.2, 0.0, 0.1])
    pairs = (("A", "B"), ("B", "C"), ("C", "A"))
    joints = tuple(
        Hinge("".join(bones), bones, np.array(place), axis)
        for bones, place, axis in zip(pairs, places, axes, strict=True)
    )
    model = row(joints)
    return model.with_(bones=(replace(model.bones[0], drive=drive), *model.bones[1:]))


@pytest.mark.parametrize(
    ("kind", "left"), [("ball", 3), ("hinge", 1), ("slider", 1), ("universal", 2), ("weld", 0)]
)
def test_a_joint_leaves_its_bone_the_freedoms_of_its_kind(kind: str, left: int) -> None:
    assert freedoms(pair(made(kind))) == left


def test_a_chain_has_the_sum_of_its_freedoms() -> None:
    assert freedoms(row((hinge(("A", "B")), hinge(("B", "C"), 0.28)))) == 2
    assert freedoms(pair()) == 6


@pytest.mark.parametrize("drive", [Drive.PINNED, Drive.FREE])
def test_a_ring_of_three_hinges_cannot_move_and_is_named(drive: Drive) -> None:
    model = ring(Y, Y, Y, drive=drive)
    (found,) = rings(model)
    assert [joint.name for joint in found.locked] == ["AB", "BC", "CA"]
    (finding,) = [f for f in check(model) if "ring" in str(f)]
    assert str(finding) == (
        "joints 'AB', 'BC' and 'CA' cannot move, because the bones 'A', 'B' and 'C' form a ring "
        "that leaves them no degree of freedom; leave one joint of the ring out, or make it a ball"
    )


def test_a_ring_on_one_axis_turns() -> None:
    one = np.array([0.12, 0.0, 0.0])
    joints = tuple(replace(joint, centre=one) for joint in ring(Y, Y, Y).joints)
    (found,) = rings(row(joints))
    assert found.locked == ()
    assert freedoms(row(joints)) == 2


def test_only_the_joints_that_cannot_move_are_named() -> None:
    """Two hinges on one axis and a third across it: the third cannot turn."""
    one = np.array([0.12, 0.0, 0.0])
    joints = tuple(replace(joint, centre=one) for joint in ring(Y, X, Y).joints)
    (found,) = rings(row(joints))
    assert [joint.name for joint in found.locked] == ["BC"]


def third(joint: Joint) -> Model:
    """Two hinges at right angles, and another joint that closes the ring."""
    return row((*ring(Y, Z, Y).joints[:2], joint))


def test_a_forearm_with_a_ball_moves() -> None:
    """A hinge, a ball and a universal joint on a ring: 1 + 3 + 2 freedoms, less 6."""
    at = np.array([0.2, 0.0, 0.1])
    assert rings(third(Ball("CA", ("C", "A"), at)))[0].locked
    loose = row(
        (
            Hinge("AB", ("A", "B"), np.array([0.12, 0.0, 0.0]), Y),
            Ball("BC", ("B", "C"), np.array([0.28, 0.0, 0.02])),
            Ball("CA", ("C", "A"), at),
        )
    )
    assert rings(loose)[0].locked[0].name == "AB"
    wider = loose.with_(joints=(Universal("AB", ("A", "B"), np.zeros(3), Y, X), *loose.joints[1:]))
    assert rings(wider)[0].locked == ()


def test_chains_and_welds_are_no_rings_that_lock() -> None:
    assert rings(row((hinge(("A", "B")), hinge(("B", "C"), 0.28)))) == []
    welded = row(tuple(Weld(j.name, j.bones, j.centre) for j in ring(Y, Y, Y).joints))
    assert [r.locked for r in rings(welded)] == [()]


def test_pinned_bones_are_one_body() -> None:
    """A bone between two that are pinned closes a ring with them."""
    model = row((hinge(("A", "B")), replace(hinge(("B", "C"), 0.28), axis=Z)))
    held = model.with_(bones=(*model.bones[:2], replace(model.bones[2], drive=Drive.PINNED)))
    (found,) = rings(held)
    assert [joint.name for joint in found.locked] == ["AB", "BC"]
