"""How tendons pull on bones: forces at way-points, and wires that are pinned instead.

A wire of tension T pulls each of its points i towards its neighbours, with u the unit vectors,

    f_i = T (u_i,i-1 + u_i,i+1),    tau = sum_i J_i^T f_i = -T dL/dq,

with the Jacobian J_i of the bone that the point is on. On an arc around a bone only the two points
where the wire leaves it count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.bodies.body import Body, mujoco_package
from vastus.bodies.paths import Poses
from vastus.numerics.rotation import unit
from vastus.numerics.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class Wire:
    """The points (k, 3) [m] of a path in a pose, and the bodies (k,) that they are on.

    `straight` (k - 1,) tells the pieces that are no arcs.
    """

    points: Floats
    bodies: Ints
    straight: np.ndarray

    @property
    def pieces(self) -> Floats:
        """(k - 1,) lengths of the pieces between points [m], arcs by their chords."""
        return np.asarray(np.linalg.norm(np.diff(self.points, axis=0), axis=1))


def wire(body: Body, data: Any, path: int) -> Wire:
    """The wire of a unit's path in the pose of MuJoCo data."""
    m: Any = body.model
    rows = slice(data.ten_wrapadr[path], data.ten_wrapadr[path] + data.ten_wrapnum[path])
    points = np.array(data.wrap_xpos).reshape(-1, 3)[rows]
    around = np.array(data.wrap_obj).ravel()[rows]  # the geom, below 0 at a site
    sites = _sites(m, path)
    owners, s = [], 0
    for k in range(len(points)):
        if around[k] >= 0:
            owners.append(int(m.geom_bodyid[around[k]]))
        else:
            owners.append(int(m.site_bodyid[sites[s]]))
            s += 1
    arc = (around[:-1] >= 0) & (around[1:] == around[:-1])
    # Two arcs around one geom do not follow each other: between them there is a site.
    return Wire(points, np.array(owners), ~arc)


def torques(body: Body, data: Any, path: int, tension: float = 1.0) -> Floats:
    """(nv,) [N m] what the forces of a wire at its way-points do to the joints."""
    mj, m = mujoco_package(), body.model
    found, jacobian = np.zeros(m.nv), np.zeros((3, m.nv))
    at = wire(body, data, path)
    along = unit(np.diff(at.points, axis=0))
    for piece in np.flatnonzero(at.straight):
        for end, sign in ((piece, 1.0), (piece + 1, -1.0)):
            mj.mj_jac(m, data, jacobian, None, at.points[end], int(at.bodies[end]))
            found += tension * sign * (along[piece] @ jacobian)
    return found


def slopes(body: Body, q: Floats, joints: Ints, step: float = 1e-6) -> Floats:
    """(units, joints) dL/dq [m] by central differences of path lengths; joints as velocities."""
    poses, m = Poses(body), body.model
    columns = []
    for dof in joints:
        place = int(m.jnt_qposadr[m.dof_jntid[dof]])
        sides = []
        for way in (step, -step):
            moved = np.array(q)
            moved[place] += way
            sides.append(poses.at(moved).lengths)
        columns.append((sides[0] - sides[1]) / (2 * step))
    return np.array(columns).T


def pins(body: Body) -> Ints:
    """(units, 2) the sites on either side of each belly: the two in a row that are furthest apart.

    Apart in the home pose.
    """
    data = body.data()
    found = []
    for path in range(len(body.units)):
        sites = np.array(_sites(body.model, path))
        gaps = np.linalg.norm(np.diff(data.site_xpos[sites], axis=0), axis=1)
        found.append(sites[np.argmax(gaps) :][:2])
    return np.array(found)


def _sites(m: Any, path: int) -> list[int]:
    rows = range(m.tendon_adr[path], m.tendon_adr[path] + m.tendon_num[path])
    kind = mujoco_package().mjtWrap.mjWRAP_SITE
    return [int(m.wrap_objid[r]) for r in rows if m.wrap_type[r] == kind]
