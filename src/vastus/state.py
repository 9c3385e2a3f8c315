"""The model at one time: the state, how a step reached it, and the frame that records both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from vastus.errors import ModelError
from vastus.model import Model, Plotted, overview, pictures
from vastus.numerics.types import Floats

if TYPE_CHECKING:
    from vastus.geometry.penetration import Penetration
    from vastus.inputs import Inputs
    from vastus.pictures.picture import Picture

REST_POSE = np.eye(3, 4)
RATE = "motion_rate"  # in the memory of states that a motion goes on from
EXCITATION = "excitation"  # in the memory of states whose activation follows it


@dataclass(frozen=True, eq=False)
class State:
    """The model at one time [s]; a static state has no velocity.

    `memory` is what a method must remember from step to step, by name: with it, a run that goes on
    from a file is the run that was not interrupted.
    """

    time: float
    x: Floats  # (n, 3) vertices [m]
    v: Floats  # (n, 3) their velocities [m/s]
    poses: Floats  # (bones, 3, 4), x = A X + t
    twists: Floats  # (bones, 6) angular [rad/s], then linear [m/s] of its centre; world axes
    activation: Floats  # (muscles,) what the tissue has
    memory: Mapping[str, Floats] = field(default_factory=dict)

    @classmethod
    def still(
        cls,
        time: float,
        x: Floats,
        poses: Floats,
        activation: Floats,
        memory: Mapping[str, Floats] | None = None,
    ) -> State:
        """A state at which nothing moves."""
        twists = np.zeros((len(poses), 6))
        return cls(time, x, np.zeros_like(x), poses, twists, activation, memory or {})

    @property
    def moves(self) -> bool:
        """Whether it is one of a motion, be it where all is at rest for a moment."""
        return bool(self.v.any() or self.twists.any()) or RATE in self.memory

    @property
    def excitation(self) -> Floats:
        """(muscles,) what muscles are told, which their activation follows; at once in statics."""
        return self.memory.get(EXCITATION, self.activation)


@dataclass(frozen=True)
class Report:
    """How a step was solved."""

    converged: bool
    iterations: int
    residual: float  # [N]
    load: float  # [N] the size of the forces that balance
    energy: float  # [J]
    substeps: int = 1
    projected: int = 0  # iterations that needed a projected Hessian
    seconds: float = 0.0
    history: tuple[float, ...] = ()  # what the solver's rule compares, in the last substep
    sentence: str = "converged"  # and, after a semicolon, what is doubtful about it

    @property
    def doubts(self) -> str:
        """What is doubtful about a state that converged: a jump, or tets inside out."""
        return self.sentence.partition("; ")[2]


@dataclass(frozen=True, eq=False)
class Frame(Plotted):
    """One time of a simulation: the state, how it was reached, and what was measured in it.

    `outputs` are scalars by name, `penetrations` the bodies in each other, `model` what moved, and
    `inputs` what drove it there.
    """

    index: int
    state: State
    report: Report
    outputs: Mapping[str, float] = field(default_factory=dict)
    penetrations: tuple[Penetration, ...] = ()
    model: Model | None = None
    inputs: Inputs | None = None

    @property
    def time(self) -> float:
        """The time [s]."""
        return self.state.time

    def _picture(self, **options: object) -> Picture:
        """The frame."""
        if self.model is None:
            raise ModelError("this frame has no 'model' to be drawn; those of vastus.simulate have")
        picture: Picture = pictures().plot_state(self.model, self.state, **options)
        return picture

    def __repr__(self) -> str:
        """The time, how the frame was solved, and the first of its outputs."""
        solved = f"{self.report.sentence}, {self.report.iterations} iterations"
        return overview(f"Frame {self.index} at {self.time:g} s: {solved}", self.outputs)


def rest(model: Model, *, velocity: Sequence[float] | None = None) -> State:
    """The model as it was meshed, nothing acting; `velocity` (3,) [m/s] lets all of it fly."""
    poses = np.tile(REST_POSE, (len(model.bones), 1, 1))
    nothing = {
        "torques": np.zeros(len(model.joints)),
        "loads": np.zeros((len(model.loads), 3)),
        "shifts": np.zeros((len(model.pins), 3)),
        "gravity": np.zeros(3),
        "pressures": np.zeros(len(model.cavities)),
        "tensions": np.zeros(len(model.cables)),
        "shortenings": np.zeros(len(model.cables)),
    }
    state = State.still(0.0, model.mesh.X.copy(), poses, np.zeros(len(model.muscles)), nothing)
    if velocity is not None:
        state.v[:] = velocity
        state.twists[:, 3:] = velocity
    return state
