"""The layers of a body in motion, from a folder of an exercise or of flesh.

Bones and lines of muscle are carried by poses, volumes of muscle and skin are those of the frames.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from vastus.bodies.upper.dumbbells import Dumbbells
from vastus.bodies.upper.shape import Bone, Paths, carried
from vastus.errors import FileError, VastusError
from vastus.flesh.build import Flesh
from vastus.flesh.flesh_file import load_flesh
from vastus.flesh.frames import FLESH, MOTION, frame_path, read_frame, skin_positions
from vastus.flesh.motion import Motion, read_motion
from vastus.flesh.solver import STILL
from vastus.geometry.surface import Surface, joined
from vastus.numerics.types import Floats, Ints
from vastus.results.exercise_motion import ExerciseMotion, is_exercise, read_exercise

IVORY = (0.93, 0.88, 0.76)  # of bones whose colour is not known
ROOM = 300e6  # [bytes] of surfaces that are kept
SAME = 1e-6  # by which poses of one motion may differ


class Layer(StrEnum):
    """What can be shown of a body."""

    BONES = "bones"
    LINES = "lines"
    MUSCLES = "muscles"
    SKIN = "skin"
    LOADS = "loads"


@dataclass(frozen=True, eq=False)
class Lines:
    """Lines of muscle and their activations (k, m) in each frame."""

    paths: Paths
    activations: Floats


class FleshSurfaces:
    """The skin and the volumes of muscles in some frames (k,) of a folder; without any, at rest."""

    def __init__(self, folder: Path, flesh: Flesh, rows: Ints) -> None:
        self._folder, self._flesh, self._rows = folder, flesh, rows
        each = 4 * 3 * (self.skin_rest.n_vertices + len(self.muscle_of_point))
        self._kept = lru_cache(max(1, int(ROOM // each)))(self._read)

    def at(self, rows: Ints) -> FleshSurfaces:
        """Only these frames, in this order."""
        mine = self._rows[rows] if len(self._rows) else self._rows
        return FleshSurfaces(self._folder, self._flesh, mine)

    @property
    def skin_rest(self) -> Surface:
        """The skin at rest."""
        return self._flesh.skin.surface

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the volumes."""
        return self._flesh.muscle_names

    @cached_property
    def volumes_rest(self) -> tuple[Surface, ...]:
        """The surfaces of the volumes at rest."""
        return tuple(muscle.surface for muscle in self._flesh.muscles)

    @cached_property
    def volume_faces(self) -> Ints:
        """(f, 3) the triangles of all volumes, one after another."""
        return joined(self.volumes_rest).faces

    @cached_property
    def muscle_of_point(self) -> Ints:
        """(p,) the volume that each point belongs to."""
        sizes = [surface.n_vertices for surface in self.volumes_rest]
        return np.repeat(np.arange(len(sizes)), sizes)

    @cached_property
    def activations(self) -> Floats:
        """(k, volumes)"""
        if not len(self._rows):
            return np.zeros((1, len(self.names)))
        return np.array([read_frame(self._path(k)).activation for k in range(len(self._rows))])

    def skin(self, index: int) -> Floats:
        """(v, 3) [m] the vertices of the skin in a frame, of single precision."""
        return self._kept(index, "skin")

    def volumes(self, index: int) -> Floats:
        """(p, 3) [m] the points of all volumes in a frame, one after another."""
        return self._kept(index, "volumes")

    def _path(self, index: int) -> Path:
        return frame_path(self._folder, int(self._rows[index]))

    def _read(self, index: int, what: str) -> Floats:
        if what == "skin":
            rest = self.skin_rest.X
            found = skin_positions(self._path(index)) if len(self._rows) else rest
        else:
            y = read_frame(self._path(index)).y if len(self._rows) else self._flesh.rest
            found = self._embedding @ y
        return np.asarray(found, np.float32)

    @cached_property
    def _embedding(self) -> sparse.csr_array:
        """(p, free) what takes free nodes to the points of all volumes."""
        T, P = self._flesh.mesh.T, self._flesh.P
        none = sparse.csr_array((0, P.shape[1]))
        rows = [muscle.places.matrix(T, P) for muscle in self._flesh.muscles]
        return sparse.csr_array(sparse.vstack([none, *rows]))


@dataclass(frozen=True, eq=False)
class BodyLayers:
    """A body at times (k,) [s]: poses (k, b, 3, 4) of its bodies carry bones and lines at rest."""

    name: str
    times: Floats
    bodies: tuple[str, ...]
    poses: Floats
    bones: tuple[Bone, ...]
    lines: Lines | None = None
    flesh: FleshSurfaces | None = None
    loads: Dumbbells | None = None
    angles: Mapping[str, Floats] = field(default_factory=dict)  # (k,) [deg] of joints
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.times)

    def at(self, rows: Sequence[int] | Ints) -> BodyLayers:
        """Only these frames, in this order."""
        k = np.asarray(rows, np.int64)
        lines, flesh = self.lines, self.flesh
        return replace(
            self,
            times=self.times[k],
            poses=self.poses[k],
            lines=None if lines is None else Lines(lines.paths, lines.activations[k]),
            flesh=None if flesh is None else flesh.at(k),
            loads=None if self.loads is None else self.loads.frames(k),
            angles={joint: values[k] for joint, values in self.angles.items()},
        )

    @property
    def present(self) -> tuple[Layer, ...]:
        """The layers that there are."""
        there = {
            Layer.BONES: bool(self.bones),
            Layer.LINES: self.lines is not None,
            Layer.MUSCLES: self.flesh is not None and bool(self.flesh.names),
            Layer.SKIN: self.flesh is not None,
            Layer.LOADS: self.loads is not None,
        }
        return tuple(layer for layer, is_there in there.items() if is_there)

    @cached_property
    def bone_points(self) -> Floats:
        """(p, 3) [m] the points of all bones at rest, one after another."""
        return np.concatenate([np.zeros((0, 3)), *(bone.surface.X for bone in self.bones)])

    @cached_property
    def body_of_point(self) -> Ints:
        """(p,) the body that carries each of them."""
        sizes = [bone.surface.n_vertices for bone in self.bones]
        return np.repeat([bone.body for bone in self.bones], sizes).astype(np.int64)

    def places(self, rows: Ints, thinned: int) -> Floats:
        """(p, 3) [m] where all layers are in some frames; of their points one of so many."""
        X, body = self.bone_points[::thinned], self.body_of_point[::thinned]
        found = [carried(X, self.poses[row][body]) for row in rows]
        if self.lines is not None:
            found += [self.lines.paths.at(self.poses[row]) for row in rows]
        if self.flesh is not None:
            found += [self.flesh.skin(int(row))[::thinned] for row in rows]
        if self.loads is not None:
            found += [self.loads.at(int(row), self.poses[row]).X for row in rows]
        return np.concatenate(found)


def is_layered(folder: Path) -> bool:
    """Whether a folder holds an exercise of the upper body, or flesh."""
    return is_exercise(folder) or (folder / FLESH).is_file()


def read_layers(folder: str | Path) -> BodyLayers:
    """What a folder of `vastus upper-body` or `vastus flesh` shows."""
    folder = Path(folder)
    if (folder / FLESH).is_file():
        return _of_flesh(folder)
    if not is_exercise(folder):
        raise FileError(
            f"'{folder}' is neither an exercise of 'vastus upper-body' (motion.npz and shape.npz) "
            f"nor flesh of 'vastus flesh' ({FLESH})"
        )
    return layers_of(read_exercise(folder))


def layers_of(exercise: ExerciseMotion) -> BodyLayers:
    """The bones and lines of an exercise."""
    turns = np.flatnonzero(~exercise.slides)
    return BodyLayers(
        exercise.name,
        exercise.times,
        exercise.shape.bodies,
        exercise.poses,
        exercise.shape.bones,
        Lines(exercise.shape.paths, exercise.activations),
        loads=exercise.loads,
        angles={exercise.joints[k]: np.degrees(exercise.q[:, k]) for k in turns},
        provenance=exercise.provenance,
    )


def _of_flesh(folder: Path) -> BodyLayers:
    flesh, name = load_flesh(folder / FLESH), folder.resolve().name
    bones = tuple(
        Bone(f"bone_{k}", body, surface, IVORY) for k, (body, surface) in enumerate(flesh.bones)
    )
    if not (folder / MOTION).is_file():
        poses = np.tile(STILL, (1, len(flesh.bodies), 1, 1))
        still = FleshSurfaces(folder, flesh, np.zeros(0, np.int64))
        return BodyLayers(name, np.zeros(1), flesh.bodies, poses, bones, flesh=still)
    motion = read_motion(folder / MOTION)
    solved = [k for k in range(len(motion)) if frame_path(folder, k).exists()]
    if not solved:
        raise FileError(f"'{folder}' has no frame yet; 'vastus flesh' solves them")
    rows = np.array(solved)
    surfaces = FleshSurfaces(folder, flesh, rows)
    exercise = exercise_of(folder, motion)
    if exercise is not None:
        return _beside(exercise, motion, surfaces, rows, name)
    poses = np.array([read_frame(frame_path(folder, k)).poses for k in solved])
    return BodyLayers(name, motion.times[rows], flesh.bodies, poses, bones, flesh=surfaces)


def _beside(
    exercise: ExerciseMotion, motion: Motion, surfaces: FleshSurfaces, rows: Ints, name: str
) -> BodyLayers:
    """The bones and lines of an exercise at the times of some frames of flesh."""
    times, own = motion.times[rows], layers_of(exercise)
    moved = _as_motion(exercise).at_times(times)
    assert moved.activation is not None
    angles = {joint: np.interp(times, own.times, values) for joint, values in own.angles.items()}
    lines, loads = Lines(exercise.shape.paths, moved.activation), own.loads
    if loads is not None:
        now = np.searchsorted(own.times, times + SAME, side="right") - 1
        loads = loads.frames(np.clip(now, 0, len(own) - 1))
    return BodyLayers(
        name, times, own.bodies, moved.poses, own.bones, lines, surfaces, loads, angles,
        own.provenance,
    )  # fmt: skip


def exercise_of(folder: Path, motion: Motion) -> ExerciseMotion | None:
    """The exercise that the motion of flesh is from: in the folder around it, or beside it."""
    for place in _places(folder.resolve()):
        try:
            exercise = read_exercise(place)
            if _same(exercise, motion):
                return exercise
        except VastusError:
            continue
    return None


def _places(folder: Path) -> Iterator[Path]:
    around = folder.parent
    beside = sorted(path for path in around.iterdir() if path.is_dir() and path != folder)
    yield from (path for path in (around, *beside) if is_exercise(path))


def _same(exercise: ExerciseMotion, motion: Motion) -> bool:
    bodies, first, last = exercise.shape.bodies, exercise.times[0], exercise.times[-1]
    known = set(motion.bodies) <= set(bodies)
    if not known or motion.times[0] < first - SAME or motion.times[-1] > last + SAME:
        return False
    mine = [bodies.index(name) for name in motion.bodies]
    poses = _as_motion(exercise).at_times(motion.times).poses[:, mine]
    return bool(np.abs(poses - motion.poses).max() < SAME)


def _as_motion(exercise: ExerciseMotion) -> Motion:
    shape = exercise.shape
    return Motion(
        exercise.times, shape.bodies, exercise.poses, shape.paths.names, exercise.activations
    )
