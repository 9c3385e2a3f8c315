"""Torques of moving bodies: a pendulum by hand, and chains of joints as MuJoCo has them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from vastus.control.activations.body_files import coordinates_of, read_line_body
from vastus.control.activations.inverse_dynamics import Chain, joined_masses
from vastus.numerics.rotation import exp_map
from vastus.numerics.types import Floats

G = np.array([0.0, 0.0, -9.81])
CHAIN = """\
<mujoco>
  <compiler angle="radian"/>
  <worldbody>
    <body name="upper" pos="0 0 1">
      <joint name="shoulder" axis="0 1 0"/><joint name="twist" axis="0 0 1"/>
      <geom type="capsule" fromto="0 0 0 0.05 0 -0.3" size="0.03"/>
      <site name="a" pos="0.03 0 -0.1"/>
      <body name="lower" pos="0.05 0 -0.3">
        <joint name="elbow" axis="0.1 1 0"/>
        <geom type="box" pos="0.01 0.02 -0.12" size="0.02 0.03 0.12"/>
        <site name="b" pos="0.02 0.01 -0.06"/>
        <body name="hand" pos="0 0 -0.26">
          <joint name="slide" type="slide" axis="0 0 -1"/><joint name="wrist" axis="1 0 0"/>
          <geom type="ellipsoid" pos="0 0 -0.05" size="0.02 0.04 0.06"/>
        </body>
      </body>
    </body>
  </worldbody>
  <tendon><spatial name="t"><site site="a"/><site site="b"/></spatial></tendon>
  <actuator><muscle name="flexor" tendon="t" force="300" lengthrange="0.1 0.4"/></actuator>
  {equality}
</mujoco>
"""
TIE = '<equality><joint joint1="wrist" joint2="elbow" polycoef="0.1 0.5 0.2 0 0"/></equality>'


def test_a_pendulum_needs_what_its_equation_says() -> None:
    """tau = (I + m l^2) qdd + m g l sin q."""
    mass, arm, inertia = 2.0, 0.3, 0.02

    def places(q: Floats) -> tuple[Floats, Floats]:
        return exp_map(np.array([[0.0, -q[0], 0.0]])), np.zeros((1, 3))

    bodies = joined_masses([(mass, np.array([0.0, 0.0, -arm]), inertia * np.eye(3))])
    chain = Chain(bodies, places, G)
    for q, qd, qdd in ((0.3, 0.0, 0.0), (1.2, 4.0, -15.0), (-2.0, 9.0, 40.0)):
        weight = mass * 9.81 * arm * np.sin(q)
        moving = chain.torques(np.array([q]), np.array([qd]), np.array([qdd]))
        assert moving == pytest.approx([(inertia + mass * arm**2) * qdd + weight], abs=1e-5)
        assert chain.torques(np.array([q])) == pytest.approx([weight], abs=1e-7)


@pytest.mark.parametrize("tied", [False, True])
def test_a_chain_needs_what_mujoco_says(tmp_path: Path, tied: bool) -> None:
    """With a joint that follows another, the torque of the leader has the follower's power too."""
    mujoco = pytest.importorskip("mujoco", reason="bodies of MJCF are placed by MuJoCo")
    path = tmp_path / "chain.xml"
    path.write_text(CHAIN.format(equality=TIE if tied else ""))
    names = [c.name for c in coordinates_of(path)]
    assert names == ["shoulder", "twist", "elbow", "slide", *([] if tied else ["wrist"])]
    body, m = read_line_body(path, names), mujoco.MjModel.from_xml_path(str(path))
    d, rng = mujoco.MjData(m), np.random.default_rng(1)
    for _ in range(3):
        q, qd, qdd = (rng.normal(size=len(names)) * s for s in (0.5, 3.0, 20.0))
        e, ed, edd = q[2], qd[2], qdd[2]
        follower = [
            0.1 + 0.5 * e + 0.2 * e**2,
            (0.5 + 0.4 * e) * ed,
            (0.5 + 0.4 * e) * edd + 0.4 * ed**2,
        ]
        whole = [
            np.append(v, w) if tied else v for v, w in zip((q, qd, qdd), follower, strict=True)
        ]
        d.qpos[:], d.qvel[:], d.qacc[:] = whole
        mujoco.mj_forward(m, d)
        d.qacc[:] = whole[2]
        mujoco.mj_inverse(m, d)
        M = np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, d, M)
        theirs = M @ whole[2] + d.qfrc_bias
        if tied:
            theirs = theirs[:4] + (0.5 + 0.4 * e) * theirs[4] * np.array([0, 0, 1, 0])
        assert body.chain.torques(q, qd, qdd) == pytest.approx(theirs, rel=1e-5, abs=1e-5)
        start, end = d.site_xpos
        pull, off = (start - end) / np.linalg.norm(start - end), end - d.xanchor[2]
        arms = [0.0, 0.0, d.xaxis[2] @ np.cross(off, pull)]
        assert body.arms(q)[:3, 0] == pytest.approx(arms, abs=1e-8)
