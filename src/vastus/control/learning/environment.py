"""An environment of Gymnasium: a body whose muscles a learner activates, step by step.

An action is the activation of each unit for a control period, or its excitation if activations
take time. The reward of a step is

    -error / unit - effort * mean(a^2),

with the error of the goal. An episode is truncated after its duration, and terminated only if
joints move faster than bodies do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from vastus.bellies.law import MuscleLaw
from vastus.bodies import juggler
from vastus.control.learning.goals import FARTHEST, Episode, Goal, Reach, Track
from vastus.control.plant import Plant
from vastus.control.tasks import Dynamics, require_positive
from vastus.errors import MissingExtra, ModelError
from vastus.numerics.types import Floats

if TYPE_CHECKING:
    from vastus.bodies.body import Body

try:
    import gymnasium
    from gymnasium import spaces
except ImportError:
    raise MissingExtra("gymnasium", "gym") from None

PERIOD = 0.01  # [s] of an action
EFFORT = 0.1  # of a reward
WIDEST = 4.0 * np.pi  # [rad, or m] of joints
FASTEST = 100.0  # [rad/s, or m/s] of joints, at which an episode is given up
LONGEST = 4.0  # [optimal lengths] of fibres

Observation = dict[str, Floats]


class MuscleEnv(gymnasium.Env[Observation, Floats]):
    """A body whose units are activated to reach a goal.

    Observations have the parts `angles` (n,) [rad] and `speeds` (n,) [rad/s] of the joints of arms,
    `activations` (m,), `stretches` (m,) of fibres in optimal lengths and `goal` (g,). Names of
    their entries, and of those of actions, are in `names`. Any law of muscles may pull, of lines or
    of bellies.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012  # so declared by Gymnasium

    def __init__(
        self,
        body: Body | None = None,
        goal: Goal | None = None,
        *,
        law: MuscleLaw | None = None,
        period: float = PERIOD,
        effort: float = EFFORT,
        dynamics: Dynamics | None = None,
        render_mode: str | None = None,
    ) -> None:
        """The upper body that juggles, and a target to reach, unless others are given."""
        require_positive("a control period", period, "s")
        if render_mode is not None:
            raise ModelError(f"render_mode '{render_mode}': this environment draws nothing")
        self.render_mode = None
        self.body, self.goal = body or juggler(), goal or Reach()
        self.plant = Plant(self.body, law)
        self.effort, self.dynamics = effort, dynamics
        self.every = max(1, round(period / self.plant.model.opt.timestep))
        self.period = self.every * self.plant.model.opt.timestep
        self.episode: Episode | None = None
        self._rest = self.plant.snapshot()
        model = self.plant.model
        self._places = model.jnt_qposadr[model.dof_jntid[self.plant.dofs]]
        joints = tuple(self.body.dof_names[int(d)] for d in self.plant.dofs)
        self.names: dict[str, tuple[str, ...]] = {
            "action": self.body.names,
            "angles": joints,
            "speeds": joints,
            "activations": self.body.names,
            "stretches": self.body.names,
            "goal": self.goal.names(self.body),
        }
        widths = {"angles": (-WIDEST, WIDEST), "speeds": (-FASTEST, FASTEST),
                  "activations": (0.0, 1.0), "stretches": (0.0, LONGEST),
                  "goal": (-FARTHEST, FARTHEST)}  # fmt: skip
        self._boxes = {
            part: spaces.Box(low, high, (len(self.names[part]),), np.float64)
            for part, (low, high) in widths.items()
        }
        parts: dict[str, spaces.Space[Any]] = {**self._boxes}
        self.observation_space = cast("spaces.Space[Observation]", spaces.Dict(parts))
        self.action_space = spaces.Box(0.0, 1.0, (len(self.body.units),), np.float64)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a new episode; the same seed begins the same one."""
        super().reset(seed=seed)
        self.plant.restore(self._rest)
        self.episode = self.goal.episode(self.body, self.np_random)
        self.episode.begin(self.plant)
        return self._observation(self.episode), self._info(self.episode)

    def step(self, action: Floats) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Hold activations (m,), or excitations, for a control period."""
        if self.episode is None:
            raise ModelError("an environment is stepped before an episode; call reset() first")
        given = np.asarray(action, float)
        if given.shape != self.action_space.shape:
            raise ModelError(
                f"an action of the shape {given.shape}; the body has {len(self.body.units)} units"
            )
        a = self._activated(np.clip(given, 0.0, 1.0))
        for _ in range(self.every):
            self.plant.step(a)
        reward = -self.episode.error(self.plant) / self.goal.unit - self.effort * (a**2).mean()
        speeds = np.abs(self.plant.data.qvel[self.plant.dofs])
        wild = not bool((speeds < FASTEST).all())
        over = self.plant.time > self.goal.duration - 0.5 * self.period
        return (
            self._observation(self.episode), float(reward), wild, over, self._info(self.episode)
        )  # fmt: skip

    def _activated(self, excitation: Floats) -> Floats:
        """The activations over the next period."""
        if self.dynamics is None:
            return excitation
        a = self.plant.activation
        time = np.where(excitation > a, self.dynamics.rise, self.dynamics.fall)
        return np.asarray(a + (excitation - a) * -np.expm1(-self.period / time))

    def _observation(self, episode: Episode) -> Observation:
        plant, data = self.plant, self.plant.data
        stretches = (plant.length - self.body.slack) / self.body.optimal
        parts = {
            "angles": data.qpos[self._places],
            "speeds": data.qvel[plant.dofs],
            "activations": plant.activation,
            "stretches": stretches,
            "goal": episode.seen(plant),
        }
        return {
            part: np.clip(values, self._boxes[part].low, self._boxes[part].high)
            for part, values in parts.items()
        }

    def _info(self, episode: Episode) -> dict[str, Any]:
        return {"error": episode.error(self.plant), "time": self.plant.time}


def reach_environment(**settings: Any) -> MuscleEnv:
    """`vastus/Reach-v0`: a palm is brought to a target."""
    return MuscleEnv(**{"goal": Reach(), **settings})


def track_environment(**settings: Any) -> MuscleEnv:
    """`vastus/Track-v0`: joints follow a motion."""
    return MuscleEnv(**{"goal": Track(), **settings})


def register_environments() -> None:
    """Make the environments known to Gymnasium."""
    for name in ("reach", "track"):
        key = f"vastus/{name.capitalize()}-v0"
        if key not in gymnasium.registry:
            gymnasium.register(key, entry_point=f"{__name__}:{name}_environment")
