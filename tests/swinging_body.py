"""A small body with a muscle and a ball, and a motion of it."""

from __future__ import annotations

import numpy as np

from vastus.bodies.body import Body, Unit, mujoco_package
from vastus.results.body_motion import BodyMotion

MJCF = """
<mujoco model="swing">
  <compiler angle="radian"/>
  <worldbody>
    <body name="upper"><geom name="upper" type="capsule" fromto="0 0 0 0 0 -.3" size=".02"/>
      <site name="a" pos=".03 0 -.1"/>
      <body name="lower" pos="0 0 -.3">
        <joint name="elbow" axis="0 -1 0" damping=".05"/>
        <geom name="lower" type="capsule" fromto="0 0 0 .02 0 -.25" size=".015"/>
        <site name="b" pos=".02 0 -.06"/>
      </body>
    </body>
    <body name="ball0" pos=".2 0 0"><freejoint name="ball0"/>
      <geom name="ball0" size=".03" rgba=".8 .1 .1 1"/></body>
  </worldbody>
  <tendon><spatial name="flexor"><site site="a"/><site site="b"/></spatial></tendon>
</mujoco>
"""


def swinging_body() -> Body:
    """Two links, a hinge between them, a flexor and a ball."""
    spec = mujoco_package().MjSpec.from_string(MJCF)
    model = spec.compile()
    unit = Unit("flexor", 400.0, 0.1, 0.12, 1e-3)
    return Body(model, (unit,), (), np.array(model.qpos0), spec)


def swinging_motion(rows: int = 26, step: float = 0.002) -> BodyMotion:
    """The elbow bends while the ball rises."""
    body, times = swinging_body(), step * np.arange(rows)
    positions = np.tile(body.home, (rows, 1))
    positions[:, 0] = 0.2 + 8.0 * times
    positions[:, 3] = 0.35 + 0.5 * times
    level = np.linspace(0.0, 1.0, rows)[:, None]
    return BodyMotion("swing", body, times, positions, level, {"model": "abc"})
