"""Where the bones were, frame by frame: one JSON text a line, a pose (3, 4) for each bone."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from vastus.errors import FileError
from vastus.io.files import append_text
from vastus.io.limits import DAMAGED, read_text
from vastus.model import Model
from vastus.numerics.types import Floats


def append_poses(path: Path, model: Model, poses: Floats) -> None:
    """Add the poses (bones, 3, 4) of one more frame."""
    named = {bone.name: pose.tolist() for bone, pose in zip(model.bones, poses, strict=True)}
    append_text(path, json.dumps(named) + "\n")


def read_poses(path: Path, model: Model, count: int) -> Floats:
    """(count, bones, 3, 4) the poses of the first `count` frames."""
    try:
        lines = read_text(path).split("\n")[:count] if count else []
        named = [json.loads(line) for line in lines]
        given = [[frame[bone.name] for bone in model.bones] for frame in named]
        poses = np.array(given, float).reshape(count, len(model.bones), 3, 4)
    except DAMAGED:
        raise FileError(f"the poses '{path}' are missing or damaged") from None
    if not np.isfinite(poses).all():
        raise FileError(f"the poses '{path}' hold a number that is not finite")
    return poses
