"""A limb of two bones and two lines that bends, as an exercise folder, and flesh around it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from vastus.bodies.upper.shape import BodyShape, Bone, Paths
from vastus.files.npz import write_npz
from vastus.flesh import (
    BonePart,
    FleshParts,
    FleshSettings,
    Motion,
    MusclePart,
    SkinGroup,
    SkinSettings,
    build_flesh,
    save_flesh,
    solve_frames,
)
from vastus.geometry.lattice.level_set import sampled
from vastus.geometry.surface import Surface
from vastus.numerics.rotation import exp_map
from vastus.numerics.types import Floats
from vastus.results.exercise_motion import MOTION, SHAPE, write_shape

TIMES = np.arange(7) / 30.0
BODIES = ("world", "upper", "lower")
SETTINGS = FleshSettings(
    spacing=0.01,
    levels=1,
    skin=SkinSettings(cell=0.004, groups=(SkinGroup(closing=0.01, offset=0.006),)),
)


def rod(low: float, high: float, radius: float, y: float = 0.0) -> Surface:
    """A rod along z [m]."""

    def distance(X: Floats) -> Floats:
        z = np.clip(X[:, 2], low, high)
        return np.linalg.norm(X - np.stack([0 * z, 0 * z + y, z], axis=1), axis=1) - radius

    pad = radius + 0.01
    ends = np.array([-pad, y - pad, low - pad]), np.array([pad, y + pad, high + pad])
    return sampled(distance, *ends, 0.003).surface()


def shape() -> BodyShape:
    """Two rods that meet at the origin; a line across the joint, and one along the upper rod."""
    bones = (
        Bone("upper rod", 1, rod(0.008, 0.08, 0.008), (0.9, 0.8, 0.7)),
        Bone("lower rod", 2, rod(-0.08, -0.008, 0.008), (0.5, 0.6, 0.7)),
    )
    points = np.array([[0, -0.02, 0.06], [0, -0.025, 0.0], [0, -0.02, -0.04],
                       [0, 0.015, 0.07], [0, 0.015, 0.02]])  # fmt: skip
    paths = Paths(
        ("flexor_L0", "brace_L0"), ("flexor", "brace"), np.array([2e-4, 1e-4]),
        points, np.array([1, 1, 2, 1, 1]), np.array([0, 3, 5]),
    )  # fmt: skip
    return BodyShape(BODIES, bones, paths)


def poses() -> Floats:
    """(k, 3, 3, 4) the lower rod turns about x, by 0.3 rad at the end."""
    out = np.tile(np.eye(3, 4), (len(TIMES), len(BODIES), 1, 1))
    for pose, time in zip(out, TIMES, strict=True):
        pose[2, :, :3] = exp_map(np.array([0.3 * time / TIMES[-1], 0.0, 0.0]))
    return out


def levels() -> Floats:
    """(k, 2) the flexor becomes active, beyond 1 at the end."""
    return np.column_stack([np.linspace(0.0, 1.2, len(TIMES)), np.full(len(TIMES), 0.1)])


def write_exercise(folder: Path) -> Path:
    """Write the folder as `vastus upper-body` does."""
    folder.mkdir(parents=True, exist_ok=True)
    write_shape(folder / SHAPE, shape())
    angle = 0.3 * TIMES / TIMES[-1]
    write_npz(folder / MOTION, {
        "times": TIMES, "q": np.column_stack([angle, 0.01 * angle]), "poses": poses(),
        "activations": levels(), "joints": np.array(["elbow", "glide"]),
        "slides": np.array([False, True]), "bodies": np.array(BODIES),
        "muscles": np.array(shape().paths.names),
    })  # fmt: skip
    return folder


def write_flesh(folder: Path) -> Path:
    """Write flesh around the limb, at every other frame of the exercise."""
    made = shape()
    bones = [BonePart(bone.name, bone.surface, BODIES[bone.body]) for bone in made.bones]
    belly = MusclePart("belly", rod(-0.03, 0.05, 0.01, y=-0.022))
    folder.mkdir(parents=True, exist_ok=True)
    save_flesh(folder / "flesh.npz", build_flesh(FleshParts(bones, [belly]), SETTINGS))
    motion = Motion(TIMES, BODIES, poses(), ("belly",), np.minimum(levels()[:, :1], 1.0))
    solve_frames(folder, motion.sampled(15.0), tolerance=1e-2)
    return folder
