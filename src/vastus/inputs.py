"""What drives a model over time: inputs at one time, and schedules of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np

from vastus.materials.base import require
from vastus.model import Model
from vastus.numerics.rotation import interpolate_poses
from vastus.numerics.types import Floats
from vastus.state import REST_POSE, State

VectorKeys = Sequence[tuple[float, Sequence[float]]]
JointKeys = Sequence[tuple[float, float | Sequence[float]]]
# What acts from outside, and may be ramped.
OUTSIDE = (
    "torques", "loads", "shifts", "gravity", "joints", "pressures", "tensions", "shortenings"
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Inputs:
    """What drives the model at one time [s].

    A muscle's excitation is what it is told; in statics the tissue has it at once. Poses count for
    pinned and scripted bones only.
    """

    time: float
    excitation: Floats  # (muscles,)
    poses: Floats  # (bones, 3, 4) poses [R | t], x = R X + t
    torques: Floats | None = None  # (joints,) [N m] about each joint's axis; None: no torques
    loads: Floats | None = None  # (loads, 3) [N] the force of each load; None: as in the model
    shifts: Floats | None = None  # (pins, 3) [m] how far each pin is shifted; None: as in the model
    gravity: Floats | None = None  # (3,) [m/s^2]; None: as in the model
    # (c,) [rad or m] the coordinates of all joints in order, nan for those that move freely
    joints: Floats | None = None
    pressures: Floats | None = None  # (cavities,) [Pa]; None: as in the model
    tensions: Floats | None = None  # (cables,) [N]; None: as in the model
    shortenings: Floats | None = None  # (cables,) [m] drawn in by spools; None: as in the model

    @classmethod
    def rest(cls, model: Model, time: float = 0.0) -> Inputs:
        """No excitation, every bone where it was modelled."""
        poses = np.tile(REST_POSE, (len(model.bones), 1, 1))
        return cls(time, np.zeros(len(model.muscles)), poses)

    @classmethod
    def of(cls, state: State) -> Inputs:
        """The inputs that a static state answers to, as far as it remembers them."""
        remembered = {name: state.memory.get(name) for name in OUTSIDE}
        return cls(state.time, state.activation, state.poses, **remembered)

    @property
    def outside(self) -> dict[str, Floats]:
        """What acts from outside and is not as in the model, by name."""
        named = {name: getattr(self, name) for name in OUTSIDE}
        told = {name: values for name, values in named.items() if values is not None}
        return told if self.drives_joints else {k: v for k, v in told.items() if k != "joints"}

    @property
    def drives_joints(self) -> bool:
        """Whether any joint is held or moved by its coordinates."""
        return self.joints is not None and not bool(np.isnan(self.joints).all())

    def whole(self, usual: Mapping[str, Floats]) -> Inputs:
        """The same with what is as in the model in numbers, which `as_in` tells."""
        outside: dict[str, Any] = {**usual, **self.outside}
        return replace(self, **outside)

    def towards(self, other: Inputs, s: float) -> Inputs:
        """The inputs a fraction `s` of the way to `other`."""
        return Inputs(
            (1 - s) * self.time + s * other.time,
            (1 - s) * self.excitation + s * other.excitation,
            interpolate_poses(self.poses, other.poses, s),
            **{name: _between(getattr(self, name), getattr(other, name), s) for name in OUTSIDE},
        )


def as_in(model: Model) -> dict[str, Floats]:
    """What acts on a model from outside unless inputs say otherwise, by name."""
    return {
        "torques": np.zeros(len(model.joints)),
        "loads": np.array([load.force for load in model.loads], float).reshape(-1, 3),
        "shifts": np.array([pin.shift for pin in model.pins], float).reshape(-1, 3),
        "gravity": np.asarray(model.gravity, float),
        "joints": np.full(model.n_coordinates, np.nan),
        "pressures": np.array([cavity.pressure for cavity in model.cavities], float),
        "tensions": np.array([cable.tension for cable in model.cables], float),
        "shortenings": np.array([cable.shortening for cable in model.cables], float),
    }


def _between(a: Floats | None, b: Floats | None, s: float) -> Floats | None:
    """Numbers a fraction `s` of the way; what was not known before is there at once."""
    if a is None or b is None:
        return b
    # Nothing is known of a joint that moved freely before.
    return np.where(np.isnan(a), b, (1 - s) * a + s * b)


class Schedule(Sequence[Inputs]):
    """Inputs in the order of their times, which drive a model whatever its state."""

    def __init__(self, inputs: Sequence[Inputs]) -> None:
        self._inputs = tuple(inputs)
        self.times = tuple(item.time for item in self._inputs)
        for before, after in zip(self.times, self.times[1:], strict=False):
            require(before <= after, f"inputs at {after:g} s come after those at {before:g} s")

    def __len__(self) -> int:
        return len(self._inputs)

    @overload
    def __getitem__(self, index: int) -> Inputs: ...

    @overload
    def __getitem__(self, index: slice) -> Schedule: ...

    def __getitem__(self, index: int | slice) -> Inputs | Schedule:
        return Schedule(self._inputs[index]) if isinstance(index, slice) else self._inputs[index]

    def inputs(self, time: float, state: State | None = None) -> Inputs:
        """The inputs at a time [s]: those given for it, between two of them, or the nearest end."""
        require(len(self) > 0, "a schedule without inputs drives nothing")
        after = bisect_right(self.times, time)
        if after == 0:
            return self._inputs[0]
        before = self._inputs[after - 1]
        if before.time == time or after == len(self):
            return before
        ahead = self._inputs[after]
        return before.towards(ahead, (time - before.time) / (ahead.time - before.time))
