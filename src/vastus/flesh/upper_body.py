"""The upper body as a source of flesh: its bones, muscles and skin, and motions of exercises.

A folder that `vastus upper-body` wrote has activations of lines of muscle; muscles get the mean of
theirs by cross-section.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from vastus.bodies.upper.assembly import LINE_ROWS
from vastus.bodies.upper.joint_table import PAPER_CAGE, joint_table
from vastus.bodies.upper.lines import Line, lines_of
from vastus.bodies.upper.muscle_volumes import muscle_volumes
from vastus.files.npz import read_npz
from vastus.flesh.motion import Motion, read_motion
from vastus.flesh.parts import BonePart, FibreSamples, FillPart, FleshParts, MusclePart
from vastus.flesh.skin import SkinGroup, SkinSettings
from vastus.geometry.surface import Surface
from vastus.modelling.trunk.proportions import proportions
from vastus.modelling.trunk.skeleton import parametric
from vastus.results.upper_body_files import ARRAYS

UPPER_BODY = "upper-body"  # the source that is no file

_ARMS = (
    "humerus*", "ulna*", "radius*", "biceps*", "triceps*", "brach*", "coracobrachialis*",
    "flexor*", "extensor*", "pronator*", "supinator*",
)  # fmt: skip
UPPER_BODY_SKIN = SkinSettings(
    cell=0.0025,
    groups=(
        SkinGroup(("hand*", "palm*"), closing=0.003, offset=0.0035),
        SkinGroup(_ARMS, closing=0.012, offset=0.004),
        SkinGroup(("skull", "mandible", "face", "ear*", "masseter*"), closing=0.008, offset=0.0035),
        SkinGroup(("*",), closing=0.022, offset=0.005),
    ),
    blend=0.012,
)


def is_upper_body(path: Path) -> bool:
    """Whether a source is the upper body by name, or a folder of an exercise of it."""
    if not path.exists():
        return str(path) == UPPER_BODY
    file = path / ARRAYS
    return path.is_dir() and file.is_file() and "activations" in read_npz(file)


def upper_body_parts(*, skin: Surface | None = None) -> FleshParts:
    """Bones, muscles and fillings of the parametric upper body at rest."""
    bones, volumes = parametric().bones, muscle_volumes()
    carrier = {bone: row.name for row in joint_table(PAPER_CAGE) for bone in row.bones}
    return FleshParts(
        [BonePart(name, surface, carrier[name]) for name, surface in bones.items()],
        [
            MusclePart(each.name, each.surface, FibreSamples(each.points, each.fibres), density)
            for each, density in zip(volumes.muscles, volumes.densities(_lines()), strict=True)
        ],
        [FillPart(name, surface) for name, surface in volumes.fillings.items()],
        skin,
        UPPER_BODY,
    )


def exercise_motion(folder: Path) -> Motion:
    """Poses of all bodies and activations of muscles from a folder of an exercise."""
    return on_volumes(read_motion(folder / ARRAYS))


def on_volumes(motion: Motion) -> Motion:
    """The motion with activations of muscles, if it has those of lines; else the motion itself."""
    if motion.activation is None or motion.muscles != tuple(line.name for line in _lines()):
        return motion
    volumes = muscle_volumes()
    levels = volumes.activations(motion.activation, _lines())
    return Motion(motion.times, motion.bodies, motion.poses, volumes.names, levels)


@cache
def _lines() -> tuple[Line, ...]:
    return lines_of(LINE_ROWS, proportions())
