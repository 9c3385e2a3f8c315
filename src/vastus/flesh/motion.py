"""Motions of flesh: poses of bodies and activations of muscles at times, by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vastus.errors import FileError, ModelError
from vastus.files.npz import read_npz, write_npz
from vastus.numerics.rotation import interpolate_poses
from vastus.numerics.types import Floats
from vastus.results.result import Result


@dataclass(frozen=True, eq=False)
class Motion:
    """Poses and activations over time; bodies and muscles that are not named stay as at rest."""

    times: Floats  # (k,) [s] ascending
    bodies: tuple[str, ...]
    poses: Floats  # (k, bodies, 3, 4), x = R X + t
    muscles: tuple[str, ...] = ()
    activation: Floats | None = None  # (k, muscles)

    def __post_init__(self) -> None:
        count = len(self.times)
        if not count or (np.diff(self.times) <= 0).any():
            raise ModelError("the times of a motion must ascend, and there must be one at least")
        if self.poses.shape != (count, len(self.bodies), 3, 4):
            raise ModelError(
                f"a motion of {count} times and {len(self.bodies)} bodies has poses of the shape "
                f"{self.poses.shape}; it must be ({count}, {len(self.bodies)}, 3, 4)"
            )
        levels = (0, 0) if self.activation is None else self.activation.shape
        if self.muscles and levels != (count, len(self.muscles)):
            raise ModelError(
                f"a motion of {count} times and {len(self.muscles)} muscles has activations of the "
                f"shape {levels}; it must be ({count}, {len(self.muscles)})"
            )

    def __len__(self) -> int:
        return len(self.times)

    def at(self, index: int) -> tuple[dict[str, Floats], dict[str, float]]:
        """The poses and activations of one time by name."""
        poses = dict(zip(self.bodies, self.poses[index], strict=True))
        levels = () if self.activation is None else self.activation[index]
        return poses, dict(zip(self.muscles, (float(v) for v in levels), strict=True))

    def sampled(self, fps: float) -> Motion:
        """The motion at so many times a second, from the first to the last of its own."""
        first, last = float(self.times[0]), float(self.times[-1])
        count = int(np.floor((last - first) * fps + 1e-9)) + 1
        return self.at_times(first + np.arange(count) / fps)

    def at_times(self, times: Floats) -> Motion:
        """The motion at other times (k,) [s], between its own; beyond them it stays as it is."""
        place = np.clip(np.searchsorted(self.times, times, side="right") - 1, 0, len(self) - 1)
        after = np.minimum(place + 1, len(self) - 1)
        span = np.where(after > place, self.times[after] - self.times[place], 1.0)
        part = np.clip((times - self.times[place]) / span, 0.0, 1.0)
        poses = np.stack([interpolate_poses(self.poses[i], self.poses[j], float(s))
                          for i, j, s in zip(place, after, part, strict=True)])  # fmt: skip
        levels = self.activation
        if levels is not None:
            levels = levels[place] + part[:, None] * (levels[after] - levels[place])
        return Motion(times, self.bodies, poses, self.muscles, levels)

    def among(self, bodies: Sequence[str], muscles: Sequence[str]) -> Motion:
        """The motion of those bodies and muscles alone that a flesh has."""
        b = [i for i, name in enumerate(self.bodies) if name in set(bodies)]
        m = [i for i, name in enumerate(self.muscles) if name in set(muscles)]
        if not b:
            raise ModelError(
                f"the motion moves none of the bodies of the flesh: it has "
                f"{_some(self.bodies)}, the flesh has {_some(bodies)}"
            )
        levels = None if self.activation is None else self.activation[:, m]
        return Motion(
            self.times,
            tuple(self.bodies[i] for i in b),
            self.poses[:, b],
            tuple(self.muscles[i] for i in m),
            levels,
        )


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return f"{', '.join(names[:5]) or 'none'}{more}"


def motion_of(result: Result) -> Motion:
    """What a result's bones and muscles did."""
    model = result.model
    names = tuple(muscle.name for muscle in model.muscles)
    driven = [inputs.excitation for inputs in result.inputs]
    levels = np.array(driven, float) if driven else np.zeros((len(result.times), len(names)))
    for index, name in enumerate(names):
        column = result.table.get(f"{name}_activation")
        if column is not None:
            levels[:, index] = column
    bodies = tuple(bone.name for bone in model.bones)
    return Motion(result.times, bodies, result.poses, names, np.maximum(levels, 0.0))


def read_motion(path: str | Path) -> Motion:
    """The motion of an `.npz` file with times, bodies, poses and, maybe, muscles and activation."""
    stored = read_npz(path)
    missing = [name for name in ("times", "bodies", "poses") if name not in stored]
    if missing:
        raise FileError(
            f"'{path}' has no array '{missing[0]}'; a motion has times (k,), bodies (b,), poses "
            "(k, b, 3, 4) and, maybe, muscles (m,) and activation (k, m)"
        )
    muscles = tuple(str(name) for name in stored.get("muscles", ()))
    levels = stored.get("activation", stored.get("activations"))
    return Motion(
        np.asarray(stored["times"], float),
        tuple(str(name) for name in stored["bodies"]),
        np.asarray(stored["poses"], float),
        muscles,
        np.asarray(levels, float) if muscles and levels is not None else None,
    )


def write_motion(path: str | Path, motion: Motion) -> None:
    """Write a motion to an `.npz` file."""
    arrays = {"times": motion.times, "bodies": np.array(motion.bodies), "poses": motion.poses}
    if motion.activation is not None:
        arrays |= {"muscles": np.array(motion.muscles), "activation": motion.activation}
    write_npz(path, arrays)
