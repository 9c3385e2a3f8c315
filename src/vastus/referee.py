"""The referee: steps of a run repeated by a solver that is trusted, and how far apart they end.

Frame and referee start from the same state, the run's frame before, and go to the same inputs. So
both do the same work, and no error of earlier frames counts twice. Where there are several
equilibria, the two may end in different ones; that is then a distance like any other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from vastus.errors import ModelError, SolveError
from vastus.inputs import Inputs
from vastus.measure.outputs import Outputs
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.skeleton.joints import Joint
from vastus.solvers.newton import Newton, length
from vastus.state import Frame, State, rest
from vastus.timeloop import Solver, Warm

FAILURES = (SolveError, ArithmeticError, MemoryError)


@dataclass(frozen=True)
class Distance:
    """How far a frame is from the referee's.

    Vertex distances are fractions of the model's length. `angle_deg` is the turn that brings the
    worst joint from the one to the other; `force_N` the difference of the worst muscle's force,
    and `strongest_N` the largest force of any muscle in the referee's frame. What the model has
    none of is 0, with no name.
    """

    largest: float
    mean: float
    angle_deg: float
    joint: str
    force_N: float
    muscle: str
    strongest_N: float

    @property
    def force_share(self) -> float:
        """The difference of force over the largest force; not a number where there is none."""
        return self.force_N / self.strongest_N if self.strongest_N else float("nan")


@dataclass(frozen=True)
class Verdict:
    """What the referee found at a frame: no distance, but a `sentence`, where it failed.

    Both times [s] are of the step alone; `seconds` is None for a step that was not timed fairly.
    """

    frame: int
    time: float
    seconds: float | None
    referee_seconds: float | None = None
    distance: Distance | None = None
    sentence: str = "converged"

    @property
    def ratio(self) -> float | None:
        """How many times as long as the solver the referee took."""
        if not self.seconds or self.referee_seconds is None:
            return None
        return self.referee_seconds / self.seconds


class Referee:
    """Repeats steps of a model by `solver`: `Newton()` unless given.

    Give it the reduction of the solver that it judges: bones of another kind are another model.
    """

    def __init__(self, model: Model, solver: Solver | None = None) -> None:
        self._model = model
        self._stepper = Warm(solver or Newton(), iterations=1).prepare(model)
        self._outputs = Outputs(model)

    def judge(self, before: State, frame: Frame) -> Verdict:
        """Repeat the step from the state `before` to the frame."""
        try:
            state, report = self._stepper.step(before, frame.inputs or Inputs.of(frame.state))
        except FAILURES as error:
            sentence = str(error) or type(error).__name__
            return Verdict(frame.index, frame.time, frame.report.seconds, sentence=sentence)
        truth = Frame(frame.index, state, report, self._outputs.of(state))
        return Verdict(
            frame.index,
            frame.time,
            frame.report.seconds,
            report.seconds,
            distance(self._model, frame, truth),
        )

    def judge_all(
        self,
        frames: Iterable[Frame],
        *,
        at: Collection[int] | None = None,
        start: State | None = None,
    ) -> Iterator[Verdict]:
        """Verdicts on successive frames, or on those with the numbers `at`, as the frames come.

        `start` is the state before the first (at rest unless given).
        """
        before, left = start or rest(self._model), set(at or ())
        for frame in frames:
            if at is None or frame.index in left:
                left.discard(frame.index)
                yield self.judge(before, frame)
            before = frame.state
        if left:
            raise ModelError(f"there was no frame {min(left)} to judge")


def distance(model: Model, frame: Frame, truth: Frame) -> Distance:
    """How far a frame is from another of the same model, which is taken for the truth."""
    apart = np.linalg.norm(frame.state.x - truth.state.x, axis=1) / length(model)
    turns = {j.name: _turn(model, j, frame.state.poses, truth.state.poses) for j in model.joints}
    forces = {m.name: truth.outputs[f"{m.name}_force_N"] for m in model.muscles}
    errors = {name: abs(frame.outputs[f"{name}_force_N"] - f) for name, f in forces.items()}
    joint, muscle = _worst(turns), _worst(errors)
    return Distance(
        largest=float(apart.max()),
        mean=float(apart.mean()),
        angle_deg=turns.get(joint, 0.0),
        joint=joint,
        force_N=errors.get(muscle, 0.0),
        muscle=muscle,
        strongest_N=max(map(abs, forces.values()), default=0.0),
    )


def _turn(model: Model, joint: Joint, *poses: Floats) -> float:
    """The angle [deg] between a joint's rotations at two sets of poses (bones, 3, 4)."""
    first, second = (model.bone(name) for name in joint.bones)
    one, other = (
        Rotation.from_matrix(p[first, :, :3]).inv() * Rotation.from_matrix(p[second, :, :3])
        for p in poses
    )
    return float(np.degrees((one.inv() * other).magnitude()))


def _worst(values: dict[str, float]) -> str:
    return max(values, key=values.__getitem__, default="")
