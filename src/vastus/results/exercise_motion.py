"""The motion of an exercise of the upper body as a folder holds it, with the shape that moves.

`shape.npz` beside `motion.npz` has bones and lines at rest, so that who shows a motion needs not
build the body again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise, starmap
from pathlib import Path
from typing import Any

import numpy as np

from vastus.bodies.upper.dumbbells import Dumbbells
from vastus.bodies.upper.shape import BodyShape, Bone, Paths
from vastus.errors import FileError, VastusError
from vastus.files.npz import Arrays, read_npz, write_npz
from vastus.geometry.surface import Surface
from vastus.numerics.types import Floats
from vastus.results.provenance import Record

SHAPE, MOTION, PROVENANCE = "shape.npz", "motion.npz", "provenance.json"
_NONE = np.zeros((0, 3), int)  # a body may have no bones that are seen


@dataclass(frozen=True, eq=False)
class ExerciseMotion:
    """Times (k,) [s], coordinates q (k, n), poses (k, b, 3, 4) and activations (k, m)."""

    name: str
    shape: BodyShape
    joints: tuple[str, ...]
    slides: np.ndarray  # (n,) which joints are ways [m] and not angles [rad]
    times: Floats
    q: Floats
    poses: Floats
    activations: Floats
    loads: Dumbbells | None = None
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.times)


def write_shape(path: Path, shape: BodyShape) -> None:
    """Write the shape of a body to an `.npz` file; surfaces are of single precision."""
    surfaces, paths = [bone.surface for bone in shape.bones], shape.paths
    write_npz(path, {
        "bodies": np.array(shape.bodies),
        "bones": np.array([bone.name for bone in shape.bones]),
        "bone_body": np.array([bone.body for bone in shape.bones], np.int32),
        "bone_colour": np.array([bone.colour for bone in shape.bones]),
        "size": np.array([(s.n_vertices, s.n_faces) for s in surfaces], int).reshape(-1, 2),
        "X": np.concatenate([_NONE, *(s.X for s in surfaces)]).astype(np.float32),
        "faces": np.concatenate([_NONE, *(s.faces for s in surfaces)]).astype(np.int32),
        "muscles": np.array(paths.names), "groups": np.array(paths.groups), "areas": paths.areas,
        "points": paths.points, "point_body": paths.bodies, "starts": paths.starts,
    })  # fmt: skip


def read_shape(path: Path) -> BodyShape:
    """The shape of a body that `write_shape` wrote."""
    stored = read_npz(path)
    try:
        return _shape(stored)
    except (KeyError, ValueError, IndexError, TypeError, VastusError):
        raise FileError(f"'{path}' does not hold the shape of a body") from None


def _shape(stored: Arrays) -> BodyShape:
    ends = np.vstack([[[0, 0]], np.cumsum(stored["size"], axis=0)]).tolist()
    X, faces = stored["X"].astype(float), stored["faces"].astype(np.int64)
    surfaces = [Surface(X[a:b], faces[c:d]) for (a, c), (b, d) in pairwise(ends)]
    names, owners = stored["bones"].tolist(), stored["bone_body"].tolist()
    colours = [tuple(colour) for colour in stored["bone_colour"].tolist()]
    bodies = _words(stored["bodies"])
    bones = tuple(starmap(Bone, zip(names, owners, surfaces, colours, strict=True)))
    paths = Paths(
        _words(stored["muscles"]), _words(stored["groups"]), stored["areas"],
        stored["points"], stored["point_body"], stored["starts"],
    )  # fmt: skip
    carriers = [*owners, *paths.bodies.tolist()]
    whole = len(paths.starts) == len(paths.names) + 1 and paths.starts[-1] == len(paths.points)
    if not whole or min(carriers) < 0 or max(carriers) >= len(bodies):
        raise ValueError("arrays that do not fit each other")
    return BodyShape(bodies, bones, paths)


def _words(names: np.ndarray) -> tuple[str, ...]:
    return tuple(str(name) for name in names)


def is_exercise(folder: Path) -> bool:
    """Whether a folder holds an exercise that can be shown."""
    return (folder / MOTION).is_file() and (folder / SHAPE).is_file()


def read_exercise(folder: str | Path) -> ExerciseMotion:
    """The exercise that a folder of `vastus upper-body` holds."""
    folder = Path(folder)
    arrays, shape = read_npz(folder / MOTION), read_shape(folder / SHAPE)
    try:
        parts = {name: arrays[name] for name in ("times", "q", "poses", "activations")}
        joints, bodies, muscles = (_words(arrays[n]) for n in ("joints", "bodies", "muscles"))
        slides = arrays["slides"].astype(bool)
    except (KeyError, TypeError) as error:
        raise FileError(f"'{folder / MOTION}' has no {error}, so it is no exercise") from None
    if (bodies, muscles) != (shape.bodies, shape.paths.names):
        raise FileError(f"'{folder / MOTION}' moves another body than '{SHAPE}' beside it")
    k = parts["times"].size
    wanted = [(k,), (k, len(joints)), (k, len(bodies), 3, 4), (k, len(muscles))]
    fits = [part.shape for part in parts.values()] == wanted and slides.shape == (len(joints),)
    if not k or not fits:
        raise FileError(f"the arrays of '{folder / MOTION}' do not fit the body: {wanted} wanted")
    loads = _loads(arrays, bodies, k)
    told = folder / PROVENANCE
    provenance = Record.read(told).contents if told.is_file() else {}
    name = folder.resolve().name
    return ExerciseMotion(name, shape, joints, slides, **parts, loads=loads, provenance=provenance)


def _loads(arrays: Arrays, bodies: tuple[str, ...], frames: int) -> Dumbbells | None:
    """What hands carry in so many frames; folders of before have nothing about it."""
    names = _words(arrays.get("load_bodies", np.zeros(0, str)))
    if not names or not set(names) <= set(bodies):
        return None
    points, masses = arrays["load_points"], arrays["load_masses"]
    if points.shape != (len(names), 3) or masses.shape != (frames, len(names)):
        return None
    return Dumbbells(np.array([bodies.index(name) for name in names]), points, masses)
