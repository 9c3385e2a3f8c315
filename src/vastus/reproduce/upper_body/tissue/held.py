"""Poses that muscles hold, and the flesh in them."""

from __future__ import annotations

from functools import cache

import numpy as np

from vastus.control.upper_body.coactivation import Sharer
from vastus.control.upper_body.dynamics import Dynamics
from vastus.control.upper_body.exercises import SIDES, arms, dumbbell
from vastus.control.upper_body.loads import Carried
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


def activations(dynamics: Dynamics, q: Floats, coactivation: float, mass: float = 0.0) -> Floats:
    """(m,) what muscles hold a pose with, and a mass [kg] in each hand."""
    sharer = Sharer(len(dynamics.body.muscles))
    held = holding(dynamics, q, weights(dynamics, q, mass))
    return sharer.share(*held, coactivation=coactivation).activations


def weights(dynamics: Dynamics, q: Floats, mass: float) -> Floats:
    """(n,) [N m] of the weight of a mass [kg] in each hand at the joints of a pose."""
    dynamics.at(q, np.zeros_like(q))  # where loads are looked up
    loads = [dumbbell(dynamics, side, (mass,), 0.0) for side in SIDES]
    arms_of, _ = Carried(dynamics.skeleton, loads).arms()
    return mass * np.einsum("lin,i->n", arms_of, dynamics.body.model.opt.gravity)


def poses_at(dynamics: Dynamics, q: Floats) -> dict[str, Floats]:
    """The poses (3, 4) of bodies by name."""
    none = np.zeros(0)
    frame = Frame(0.0, q, np.zeros_like(q), none, none, none, 0.0, 0.0)
    (poses,) = Recording.of([frame]).poses(dynamics.skeleton)
    return dict(zip(dynamics.body.body_names[1:], poses[1:], strict=True))


@cache
def flexed_frame(spacing: float, coactivation: float, mass: float = 0.0) -> FleshFrame:
    """The flesh of flexed arms whose muscles hold them, and a mass [kg] in each hand.

    It is found from that without coactivation, and this from that without a mass.
    """
    dynamics, solver = dynamics_of(), upper_solver(spacing)
    q = flexed(dynamics)
    start = None
    if coactivation or mass:
        start = flexed_frame(spacing, 0.0, mass if coactivation else 0.0)
    levels = levels_of(activations(dynamics, q, coactivation, mass))
    return solver.frame(poses_at(dynamics, q), levels, start=start)
