"""Six poses of the body, and what holding them asks of muscles."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vastus.control.upper_body.controller import STEP
from vastus.control.upper_body.dynamics import Dynamics
from vastus.control.upper_body.exercises import arms
from vastus.control.upper_body.hybrid_inverse import StepInverse
from vastus.control.upper_body.targets import KeyPoses
from vastus.numerics.types import Floats


class Holding(NamedTuple):
    """Torques (d,) [N m] that hold a pose, and those of muscles at full activation (d, m)."""

    gains: Floats
    torques: Floats


def six_poses(dynamics: Dynamics) -> dict[str, Floats]:
    """Poses (n,) by name."""
    keys = {
        "at rest": {},
        "elbows bent": arms(dynamics, elbow=1.2),
        "arms lifted": arms(dynamics, abduction=0.4),
        "head turned": {"C3_turn": 0.1, "C5_turn": 0.1, "skull_turn": 0.1},
        "arms lifted and bent": arms(dynamics, elbow=0.7, abduction=0.2),
        "leaning": {"L3_flex": 0.05, "L4_flex": 0.05},
    }
    return {name: KeyPoses.of(dynamics.body, [(0.0, key)]).poses[0] for name, key in keys.items()}


def holding(dynamics: Dynamics, q: Floats, external: Floats | None = None) -> Holding:
    """What holds a pose q (n,) still, `external` torques (n,) [N m] too; passive joints follow."""
    body, still = dynamics.body, np.zeros_like(q)
    at = dynamics.at(q, still)
    system = dynamics.passive(at, external).system(still, STEP)
    inverse = StepInverse.of(system, STEP, body.driven, body.followers)
    pull = dynamics.law.active(at.lengths, at.speeds).force
    gains = inverse.gains(at.pulls.scaled(-pull))
    return Holding(gains, inverse.torques(np.zeros(len(body.driven))))
