"""A stage: one or two bodies that face each other, and balls that their hands can hold.

A held ball is welded to the hand in the pose in which it was caught. Balls touch nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from vastus.bodies.body import Arm, Body, mujoco_package
from vastus.errors import ModelError
from vastus.numerics.types import Floats

if TYPE_CHECKING:
    from vastus.control.plant import Plant

MASS = 0.13  # [kg] of a ball
RADIUS = 0.035  # [m]
DISTANCE = 1.6  # [m] between two jugglers
_FIRM = {"solref": [0.004, 1.0], "solimp": [0.99, 0.999, 0.001, 0.5, 2.0]}  # a ball sags < 0.1 mm
_COLOURS = (
    (0.85, 0.2, 0.15),
    (0.15, 0.45, 0.85),
    (0.95, 0.75, 0.1),
    (0.2, 0.65, 0.3),
    (0.6, 0.3, 0.7),
)
_WAITING = 0.1  # [m] above the floor are balls that nobody has thrown yet
_PREFIXES = ("a_", "b_")


@dataclass(frozen=True, eq=False)
class Stage:
    """Bodies with balls in one model, and without them to find angles with.

    Hands are in the order in which they take turns: right and left, and those of two jugglers
    alternately.
    """

    body: Body
    bare: Body
    masses: tuple[float, ...]
    hands: tuple[Arm, ...]

    def ball(self, plant: Plant, ball: int) -> tuple[Floats, Floats]:
        """(3,) [m] where a ball is and (3,) [m/s] its velocity."""
        return self.ball_in(ball, plant.data.qpos, plant.data.qvel)

    def ball_in(self, ball: int, positions: Floats, speeds: Floats) -> tuple[Floats, Floats]:
        """(3,) [m] where a ball is in positions (nq,) and speeds (nv,), and its velocity."""
        joint = self.body.model.joint(f"ball{ball}")
        place, speed = int(joint.qposadr[0]), int(joint.dofadr[0])
        return positions[place : place + 3].copy(), speeds[speed : speed + 3].copy()

    def place(self, plant: Plant, ball: int, p: Floats, v: Floats) -> None:
        """Put a ball at p with velocity v; the plant is to be refreshed after it."""
        joint = plant.model.joint(f"ball{ball}")
        plant.data.qpos[joint.qposadr[0] :][:7] = [*p, 1.0, 0.0, 0.0, 0.0]
        plant.data.qvel[joint.dofadr[0] :][:6] = [*v, 0.0, 0.0, 0.0]

    def hold(self, plant: Plant, hand: int, ball: int) -> Floats:
        """Weld a ball to a hand where it is now; (3,) [m] its place in the frame of the hand."""
        mj, model, data = plant.mj, plant.model, plant.data
        carrier, held = self.carrier(plant, hand), model.body(f"ball{ball}").id
        turn, back, relative = np.zeros(4), np.zeros(4), np.zeros(4)
        mj.mju_negQuat(back, data.xquat[carrier])
        mj.mju_mulQuat(relative, back, data.xquat[held])
        R = data.xmat[carrier].reshape(3, 3)
        offset = R.T @ (data.xpos[held] - data.xpos[carrier])
        weld = model.equality(_weld(hand, ball)).id
        model.eq_data[weld, :10] = [*turn[:3], *offset, *relative]
        data.eq_active[weld] = 1
        plant.refresh()
        return np.asarray(offset)

    def release(self, plant: Plant, hand: int, ball: int) -> None:
        """Let go of a ball."""
        plant.data.eq_active[plant.model.equality(_weld(hand, ball)).id] = 0
        plant.refresh()

    def carrier(self, plant: Plant, hand: int) -> int:
        """The body of a hand in the model."""
        return int(plant.model.body(self.hands[hand].hand).id)


def stage(
    body: Body, masses: Sequence[float], *, jugglers: int = 1, distance: float = DISTANCE
) -> Stage:
    """A stage for one body, or two like it that face each other, with balls of masses [kg]."""
    if jugglers not in (1, 2):
        raise ModelError(f"{jugglers} jugglers on a stage; there can be 1 or 2")
    if min(masses, default=1.0) <= 0:
        raise ModelError(f"a ball of {min(masses):g} kg; its mass must be above zero")
    bare = body if jugglers == 1 else _pair(body, distance)
    hands = bare.arms if jugglers == 1 else tuple(bare.arms[k] for k in (0, 2, 1, 3))
    spec = bare.spec.copy()
    for k, mass in enumerate(masses):
        _add_ball(spec, k, mass)
        for h, arm in enumerate(hands):
            _add_weld(spec, h, k, arm.hand)
    model = spec.compile()
    home = np.array(model.qpos0)
    home[: len(bare.home)] = bare.home
    full = replace(bare, model=model, spec=spec, home=home)
    if full.dof_names[: bare.model.nv] != bare.dof_names:
        raise ModelError(
            "balls have changed the order of the joints of the body they were added to"
        )
    return Stage(full, bare, tuple(masses), hands)


def _pair(body: Body, distance: float) -> Body:
    """Two bodies that face each other."""
    spec = mujoco_package().MjSpec()
    spec.compiler.degree = False
    spec.option.timestep = body.model.opt.timestep
    spec.option.integrator = body.model.opt.integrator
    turns = ([1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0])
    for prefix, quat, x in zip(_PREFIXES, turns, (0.0, distance), strict=True):
        frame = spec.worldbody.add_frame(pos=[x, 0.0, 0.0], quat=quat)
        spec.attach(body.spec.copy(), prefix=prefix, frame=frame)
    model, nv, m = spec.compile(), body.model.nv, len(body.units)
    units = tuple(replace(u, name=prefix + u.name) for prefix in _PREFIXES for u in body.units)
    arms = tuple(
        Arm(
            name=prefix + arm.name,
            dofs=tuple(k * nv + i for i in arm.dofs),
            units=tuple(k * m + i for i in arm.units),
            hand=prefix + arm.hand,
            palm=prefix + arm.palm,
        )
        for k, prefix in enumerate(_PREFIXES)
        for arm in body.arms
    )
    return Body(model, units, arms, np.tile(body.home, 2), spec)


def _add_ball(spec: Any, k: int, mass: float) -> None:
    inertia = 0.4 * mass * RADIUS**2
    ball = spec.worldbody.add_body(
        name=f"ball{k}",
        pos=[0.0, 0.08 * k, _WAITING],
        ipos=[0.0] * 3,  # else it would be where the body is
        mass=mass,
        inertia=[inertia] * 3,
        explicitinertial=True,
    )
    ball.add_freejoint(name=f"ball{k}")
    sphere = mujoco_package().mjtGeom.mjGEOM_SPHERE
    colour = [*_COLOURS[k % len(_COLOURS)], 1.0]
    ball.add_geom(
        name=f"ball{k}", type=sphere, size=[RADIUS] * 3, rgba=colour, contype=0, conaffinity=0
    )


def _add_weld(spec: Any, hand: int, ball: int, carrier: str) -> None:
    mujoco = mujoco_package()
    spec.add_equality(
        name=_weld(hand, ball), type=mujoco.mjtEq.mjEQ_WELD, name1=carrier, name2=f"ball{ball}",
        objtype=mujoco.mjtObj.mjOBJ_BODY, active=False, **_FIRM,
    )  # fmt: skip


def _weld(hand: int, ball: int) -> str:
    return f"hand{hand}_ball{ball}"
