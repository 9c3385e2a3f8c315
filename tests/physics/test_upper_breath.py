"""A breath held by muscles: the passive cage follows the ribs, and muscles are strong enough.

Statics only. Passive coordinates p are where springs, ties, weight and slack muscles balance; the
rest is shared out by least squares, the passive ones eliminated: with stiffness K and gain G of
activations, (G_m - K_mp K_pp^-1 G_p) a = -(f_m - K_mp K_pp^-1 f_p).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy.optimize import nnls

from upper import quick_body
from vastus.bodies.paths import moment_arms
from vastus.bodies.upper import UpperBody
from vastus.numerics.types import Floats

mujoco: Any = pytest.importorskip("mujoco", reason="bodies are placed by MuJoCo")

DEGREES = 3.0  # of the ribs from the fifth on
ACCURACY = 300.0  # weight of torques over activations


@dataclass(frozen=True)
class Balance:
    """Forces (nv,) of all but active muscles, their stiffness (nv, nv), arms and lengths."""

    force: Floats
    stiffness: Floats
    arms: Floats
    lengths: Floats


def balance(body: UpperBody, q: Floats) -> Balance:
    """All forces in a pose at rest."""
    model: Any = body.model
    data: Any = body.data(q)
    J, gaps = np.zeros((3 * len(body.ties.first), model.nv)), []
    for k, (a, b) in enumerate(zip(body.ties.first, body.ties.second, strict=True)):
        sides = np.zeros((2, 3, model.nv))
        for side, name in zip(sides, (a, b), strict=True):
            mujoco.mj_jacSite(model, data, side, None, model.site(name).id)
        J[3 * k : 3 * k + 3] = sides[0] - sides[1]
        gaps.append(data.site(a).xpos - data.site(b).xpos)
    springs = np.repeat(body.ties.stiffness, 3)
    R, lengths = moment_arms(body, data), np.array(data.ten_length)
    strain = lengths / body.optimal - 1
    taut = np.maximum(0.0, 0.8 * body.forces * (np.exp(6 * strain) - 1))
    stiff = np.where(strain > 0, 4.8 * body.forces * np.exp(6 * strain) / body.optimal, 0.0)
    force = -np.array(data.qfrc_bias) - body.stiffness * q
    force += R.T @ taut - J.T @ (springs * np.concatenate(gaps))
    K = np.diag(body.stiffness) + J.T @ (springs[:, None] * J) + R.T @ (stiff[:, None] * R)
    return Balance(force, K, R, lengths)


def inhaled(body: UpperBody) -> Floats:
    """A pose with raised ribs, all other driven joints at rest, passive ones in balance."""
    q = np.zeros(body.model.nv)
    for k, name in enumerate(body.dof_names):
        if name.startswith("rib"):
            q[k] = min(int(name[3:-1]), 5) / 5 * np.radians(DEGREES)
    passive = ~body.driven
    for _ in range(60):
        found = balance(body, q)
        if np.abs(found.force[passive]).max() < 1e-9:
            break
        q[passive] += np.linalg.solve(
            found.stiffness[np.ix_(passive, passive)], found.force[passive]
        )
    return q


@pytest.mark.slow
def test_a_quiet_breath_lifts_the_sternum_and_asks_no_more_than_full_activation() -> None:
    body = quick_body()
    q = inhaled(body)
    data: Any = body.data(q)
    moved = 1e3 * (data.body("sternum").xpos - body.landmarks.point("sternum"))
    assert moved[2] > 1.0  # [mm] up
    assert moved[1] < -1.0  # forward
    assert abs(moved[0]) < 1e-6
    found, driven = balance(body, q), body.driven
    strength = body.forces * np.maximum(0.0, (found.lengths / body.optimal - 0.3) / 0.7)
    gain = (found.arms * strength[:, None]).T
    K = found.stiffness
    follow = np.linalg.solve(K[np.ix_(~driven, ~driven)], K[np.ix_(~driven, driven)]).T
    G = gain[driven] - follow @ gain[~driven]
    torque = -(found.force[driven] - follow @ found.force[~driven])
    size = len(body.units)
    a = nnls(
        np.concatenate([ACCURACY * G, np.eye(size)]),
        np.concatenate([ACCURACY * torque, np.zeros(size)]),
        maxiter=50000,
    )[0]
    assert np.abs(G @ a - torque).max() < 1e-3  # [N m]
    groups = np.array(body.groups)
    external, internal = (a[groups == f"{kind}_intercostal"] for kind in ("external", "internal"))
    assert a.max() < 1.0
    assert external.mean() > 3 * internal.mean()
