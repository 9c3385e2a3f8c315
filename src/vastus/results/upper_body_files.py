"""The files of an exercise of the upper body: a table, arrays to go on from, where they come from.

`shape.npz` holds bones and lines at rest, `motion.npz` all that drives flesh: poses of bodies and
activations at 30 frames a second, with their names. It is written whole at every second of motion,
with the state to go on from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path

import numpy as np

from vastus.bodies.upper.shape import shape_of
from vastus.control.upper_body.articulated import Articulated
from vastus.control.upper_body.controller import BodyState
from vastus.control.upper_body.loads import Carried, Load
from vastus.control.upper_body.musculoskeleton import Musculoskeleton
from vastus.control.upper_body.recording import Recording
from vastus.control.upper_body.simulation import Frame, Moment
from vastus.errors import FileError
from vastus.files.motion_files import Motion, write_motion
from vastus.files.npz import read_npz, write_npz
from vastus.numerics.dual_newton import Optimum
from vastus.results.exercise_motion import SHAPE, write_shape
from vastus.results.provenance import Provenance, Record, Status

TABLE, ARRAYS, PROVENANCE = "motion.csv", "motion.npz", "provenance.json"
_STATE = ("q", "v", "felt", "activations")
_OPTIMUM = ("a", "multipliers", "slack")


class ExerciseFolder:
    """A folder that a run writes to, and may go on from."""

    def __init__(
        self,
        folder: Path,
        body: Musculoskeleton,
        settings: Mapping[str, object],
        loads: Sequence[Load] = (),
    ) -> None:
        self.folder, self.body, self.loads = folder, body, tuple(loads)
        self.digest = body_digest(body)
        self.record = Record.begin(folder / PROVENANCE, Provenance(dict(settings)), self.digest)

    @property
    def empty(self) -> bool:
        """Whether a run was begun here and ended before its first frame."""
        return (self.folder / PROVENANCE).exists() and not (self.folder / ARRAYS).exists()

    def require_free(self) -> None:
        """Raise a `FileError` if there is a result already."""
        if (self.folder / ARRAYS).exists():
            raise FileError(
                f"'{self.folder}' holds a result; --resume goes on with it, --overwrite replaces it"
            )

    def begin(self) -> None:
        """Say that a run has begun, and write what the body looks like at rest."""
        groups = [muscle.group for muscle in self.body.muscles]
        shape = shape_of(self.body.model, self.body.names, groups, self.body.areas)
        write_shape(self.folder / SHAPE, shape)
        self.record.mark(Status.RUNNING)

    def save(self, frames: Sequence[Frame], moment: Moment | None) -> None:
        """Write the frames up to a moment, whole or not at all; without one there is nothing."""
        if moment is None:
            return
        recording = Recording.of(frames[: moment.frames])
        arrays: dict[str, object] = {
            "joints": np.array(self.body.joints),
            "slides": self.body.slides,
            "muscles": np.array(self.body.names),
            "bodies": np.array(self.body.body_names),
            "driven": np.array([self.body.joints[int(d)] for d in self.body.driven]),
            "fps": 30.0,
            **vars(recording),
            "poses": recording.poses(Articulated(self.body)),
            **self._carried(recording),
            "state_time": moment.state.time,
            **{f"state_{key}": getattr(moment.state, key) for key in _STATE},
        }
        for name, optimum in moment.memory.items():
            arrays |= {f"program_{name}_{key}": getattr(optimum, key) for key in _OPTIMUM}
            arrays[f"program_{name}_held"] = optimum.held
        write_npz(self.folder / ARRAYS, arrays)

    def _carried(self, recording: Recording) -> dict[str, object]:
        """The bodies of loads, their points [m] in the world at rest, and masses [kg] in time."""
        skeleton = Articulated(self.body)
        skeleton.place(self.body.model.qpos_spring)
        carried = Carried(skeleton, self.loads)
        masses = [carried.masses(time) for time in recording.times]
        return {
            "load_bodies": np.array([load.body for load in self.loads], str),
            "load_points": skeleton.positions(carried.points),
            "load_masses": np.array(masses).reshape(len(masses), -1),
        }

    def load(self) -> tuple[list[Frame], Moment]:
        """The frames of a result and the moment to go on from."""
        former = Record.read(self.folder / PROVENANCE)
        same = ("model", "solver")
        if any(former.contents.get(key) != self.record.contents[key] for key in same):
            raise FileError(
                f"'{self.folder}' holds another exercise; --resume needs the same command"
            )
        arrays = read_npz(self.folder / ARRAYS)
        try:
            keys = Recording.__dataclass_fields__
            frames = Recording(**{key: arrays[key] for key in keys}).frames()
            state = BodyState(
                float(arrays["state_time"]), **{key: arrays[f"state_{key}"] for key in _STATE}
            )
            memory = {}
            for name in ("agonist", "antagonist", "repair"):
                if f"program_{name}_a" in arrays:
                    parts = {key: arrays[f"program_{name}_{key}"] for key in _OPTIMUM}
                    held = bool(arrays[f"program_{name}_held"])
                    memory[name] = Optimum(**parts, held=held, iterations=0)
        except (KeyError, TypeError, ValueError):
            raise FileError(f"'{self.folder / ARRAYS}' is not a result to go on with") from None
        return frames, Moment(len(frames), state, memory)

    def finish(self, recording: Recording, outcome: Mapping[str, object], sentence: str) -> None:
        """Write the table, and how it ended."""
        write_motion(self.folder / TABLE, self.table(recording))
        self.record.contents["outcome"] = dict(outcome)
        self.record.mark(Status.FAILED if recording.lacking else Status.FINISHED, sentence)

    def fail(self, sentence: str) -> None:
        """Note why the run ended early."""
        self.record.mark(Status.FAILED, sentence)

    def interrupt(self) -> None:
        """Note that the run was interrupted."""
        self.record.mark(Status.INTERRUPTED, "interrupted")

    def table(self, recording: Recording) -> Motion:
        """Joints [deg or m] and activations by name."""
        columns: dict[str, np.ndarray] = {}
        for k, name in enumerate(self.body.joints):
            values = recording.q[:, k]
            columns[name] = values if self.body.slides[k] else np.degrees(values)
        columns |= {
            f"{name}_activation": values
            for name, values in zip(self.body.names, recording.activations.T, strict=True)
        }
        return Motion(recording.times, columns)


def body_digest(body: Musculoskeleton) -> str:
    """A word for a body: its muscles, ties, springs and masses."""
    made = sha256(repr(body.muscles).encode())
    m = body.model
    for values in (
        m.body_mass,
        m.body_inertia,
        m.body_pos,
        m.jnt_axis,
        m.jnt_stiffness,
        m.site_pos,
    ):
        made.update(np.ascontiguousarray(values).tobytes())
    made.update(repr([asdict(tie) for tie in body.ties]).encode())
    return made.hexdigest()[:16]
