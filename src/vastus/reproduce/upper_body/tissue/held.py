"""Poses that muscles hold, and the flesh in them."""

from __future__ import annotations

from functools import cache

import numpy as np

from vastus.control.upper_body.coactivation import Sharer
from vastus.control.upper_body.dynamics import Dynamics
from vastus.control.upper_body.exercises import arms
from vastus.control.upper_body.recording import Recording
from vastus.control.upper_body.simulation import Frame
from vastus.control.upper_body.targets import KeyPoses
from vastus.flesh.solver import FleshFrame
from vastus.numerics.types import Floats
from vastus.reproduce.upper_body.body import dynamics_of
from vastus.reproduce.upper_body.motion.poses import holding
from vastus.reproduce.upper_body.tissue.flesh import levels_of, upper_solver

ELBOW, ABDUCTION = np.pi / 2, np.radians(15.0)  # [rad] of flexed arms


def flexed(dynamics: Dynamics, share: float = 1.0) -> Floats:
    """(n,) arms bent and lifted a little, or a share of the way to it."""
    pose = arms(dynamics, elbow=share * ELBOW, abduction=share * ABDUCTION)
    return np.asarray(KeyPoses.of(dynamics.body, [(0.0, pose)]).poses[0])


def activations(dynamics: Dynamics, q: Floats, coactivation: float) -> Floats:
    """(m,) what muscles hold a pose with."""
    sharer = Sharer(len(dynamics.body.muscles))
    return sharer.share(*holding(dynamics, q), coactivation=coactivation).activations


def poses_at(dynamics: Dynamics, q: Floats) -> dict[str, Floats]:
    """The poses (3, 4) of bodies by name."""
    none = np.zeros(0)
    frame = Frame(0.0, q, np.zeros_like(q), none, none, none, 0.0, 0.0)
    (poses,) = Recording.of([frame]).poses(dynamics.skeleton)
    return dict(zip(dynamics.body.body_names[1:], poses[1:], strict=True))


@cache
def flexed_frame(spacing: float, coactivation: float) -> FleshFrame:
    """The flesh of flexed arms whose muscles hold them; the first is that without coactivation."""
    dynamics, solver = dynamics_of(), upper_solver(spacing)
    q = flexed(dynamics)
    start = flexed_frame(spacing, 0.0) if coactivation else None
    levels = levels_of(activations(dynamics, q, coactivation))
    return solver.frame(poses_at(dynamics, q), levels, start=start)
