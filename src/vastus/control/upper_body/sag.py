"""How torques of gravity change with the coordinates: a second derivative of its energy.

With the mass m_j and its centre c_j of all that joint j carries, gravity g, and the axis a_j of the
joint through p_j, the energy V = -sum m g.x has, for a joint i that carries the hinge j or is it,

    d2V / dq_i dq_j = -m_j g . (a_i x (a_j x (c_j - p_j))),

with a_j alone for a slide j; a slide i changes nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vastus.numerics.jit import loop
from vastus.numerics.types import Bools, Floats


def gravity_stiffness(model: Any, data: Any, carriers: Bools) -> Floats:
    """(n, n) [N m/rad] where bodies are; carriers[j, i]: does joint i carry joint j?"""
    bodies = model.dof_bodyid
    return np.asarray(
        _gravity_stiffness(
            carriers, model.jnt_type == 2, model.body_subtreemass[bodies],
            data.subtree_com[bodies], data.xaxis, data.xanchor, model.opt.gravity,
        )
    )  # fmt: skip


@loop
def _gravity_stiffness(  # type: ignore[no-untyped-def]
    carriers, slide, mass, centre, axes, anchors, gravity
):
    n = len(axes)
    out = np.zeros((n, n))
    way = np.zeros(3)
    for j in range(n):
        x, y, z = axes[j]
        if slide[j]:
            way[0], way[1], way[2] = x, y, z
        else:
            rx = centre[j, 0] - anchors[j, 0]
            ry = centre[j, 1] - anchors[j, 1]
            rz = centre[j, 2] - anchors[j, 2]
            way[0], way[1], way[2] = y * rz - z * ry, z * rx - x * rz, x * ry - y * rx
        for i in range(j + 1):
            if not carriers[j, i] or slide[i]:
                continue
            ax, ay, az = axes[i]
            bent = gravity[0] * (ay * way[2] - az * way[1])
            bent += gravity[1] * (az * way[0] - ax * way[2])
            bent += gravity[2] * (ax * way[1] - ay * way[0])
            out[i, j] = out[j, i] = -mass[j] * bent
    return out
