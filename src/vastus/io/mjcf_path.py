"""The way of a muscle's tendon through space: sites, and arcs around spheres and cylinders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.errors import ModelError
from vastus.numerics.types import Floats, Ints

_STEP = 0.03  # [rad] between samples of an arc: its length is right to 4e-5 of itself
_SITE, _PULLEY = -1, -2


@dataclass(frozen=True, eq=False)
class Wire:
    """Points (k, 3) [m] and the body (k,) that each lies on, -1 where the line is free."""

    points: Floats
    bodies: Ints


def sampled(m: Any, d: Any, actuator: int) -> Wire:
    """The path of an actuator's tendon; arcs are sampled, and straight stretches are not."""
    t = m.actuator_trnid[actuator, 0]
    rows = slice(d.ten_wrapadr[t], d.ten_wrapadr[t] + d.ten_wrapnum[t])
    X = np.array(d.wrap_xpos).reshape(-1, 3)[rows]
    what = np.array(d.wrap_obj).ravel()[rows]
    if (what == _PULLEY).any():
        raise ModelError(f"muscle '{m.actuator(actuator).name}' branches at a pulley, not one line")
    sites = iter(_sites(m, t))
    points, bodies, k = [], [], 0
    while k < len(X):
        arc = [X[k]] if what[k] == _SITE else _arc(m, d, what[k], X[k - 1], X[k], X[k + 1])
        body = m.site_bodyid[next(sites)] if what[k] == _SITE else m.geom_bodyid[what[k]]
        points += list(arc)
        bodies += [body] * len(arc)
        k += 1 if what[k] == _SITE else 2
    return Wire(np.array(points), np.array(bodies))


def lie_on(m: Any, wire: Wire, names: Mapping[int, str]) -> tuple[str, ...]:
    """The bone of each point, by the names of the bodies that move as one."""
    return tuple(names[m.body_weldid[body]] if body >= 0 else "" for body in wire.bodies)


def _sites(m: Any, tendon: int) -> Ints:
    rows = slice(m.tendon_adr[tendon], m.tendon_adr[tendon] + m.tendon_num[tendon])
    return m.wrap_objid[rows][m.wrap_type[rows] == 3]  # mjWRAP_SITE


def _arc(m: Any, d: Any, geom: int, before: Floats, start: Floats, end: Floats) -> Floats:
    """The points around a geom from where the line touches it to where it leaves."""
    axes = d.geom_xmat[geom].reshape(3, 3)
    axis = axes[:, 2] if m.geom_type[geom] == 5 else None  # mjGEOM_CYLINDER
    return around(d.geom_xpos[geom], axis, before, start, end)


def around(
    centre: Floats, axis: Floats | None, before: Floats, start: Floats, end: Floats
) -> Floats:
    """(n, 3) an arc of a great circle, or a helix if there is an axis, from start to end [m].

    It turns the way in which the line from `before` arrives.
    """
    flat = np.eye(3) if axis is None else np.eye(3) - np.outer(axis, axis)
    u, v, way = (flat @ w for w in (start - centre, end - centre, start - before))
    way = way - u * (way @ u) / (u @ u)
    if np.linalg.norm(end - start) < 1e-9 or np.linalg.norm(way) < 1e-12:
        return np.array([start, end])
    way *= np.linalg.norm(u) / np.linalg.norm(way)
    angle = np.arctan2(v @ way, v @ u) % (2 * np.pi)
    if angle > 2 * np.pi - 1e-3:  # a hair's breadth backwards is no full turn
        return np.array([start, end])
    turns = np.linspace(0.0, angle, 2 + int(angle / _STEP))[:, None]
    climb = (end - start - (v - u)) * (turns / angle if angle else 0.0)
    return centre + (start - centre - u) + np.cos(turns) * u + np.sin(turns) * way + climb
