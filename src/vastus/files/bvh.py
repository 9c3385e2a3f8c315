"""Motions of joints in the hierarchies of BVH: a column for each channel of each joint.

Columns are called by joint and channel, as `Forearm.Xrotation` [deg] or `Hips.Yposition`, which is
in the unit of the file. All angles are zero in the pose in which the hierarchy is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from vastus.errors import FileError
from vastus.files.motion_files import TIME, Motion, checked, finite_numbers
from vastus.files.safe import TEXT, read_bytes

CHANNELS = {f"{axis}{what}" for axis in "XYZ" for what in ("rotation", "position")}


def read_bvh(path: Path) -> Motion:
    """The channels of a file over time [s]."""
    lines = read_bytes(path, TEXT).decode("utf-8", "replace").splitlines()
    split = next((k for k, line in enumerate(lines) if line.strip() == "MOTION"), None)
    if split is None or not lines or lines[0].strip() != "HIERARCHY":
        raise FileError(f"'{path}' is no BVH file: 'HIERARCHY' and 'MOTION' must begin its parts")
    names = list(_channels(path, lines[:split]))
    written = [(n, line.split()) for n, line in enumerate(lines[split + 1 :], split + 2)]
    told = [(n, cells) for n, cells in written if cells]
    if len(told) < 2 or told[0][1][0] != "Frames:" or told[1][1][:2] != ["Frame", "Time:"]:
        raise FileError(f"'{path}', line {split + 2}: 'Frames:' and 'Frame Time:' must follow")
    line, cells = told[1]
    (step,) = finite_numbers(cells[2:], 1, f"'{path}', line {line}")
    if step <= 0:
        raise FileError(f"'{path}', line {line}: the time of a frame is {step:g} s")
    rows = [finite_numbers(cells, len(names), f"'{path}', line {n}") for n, cells in told[2:]]
    table = np.array(rows).reshape(len(rows), len(names))
    return checked(path, [TIME, *names], np.column_stack([step * np.arange(len(rows)), table]))


def _channels(path: Path, lines: list[str]) -> Iterator[str]:
    """The names of all channels, in the order of the rows."""
    joint = ""
    for number, line in enumerate(lines, 1):
        words = line.split()
        if words[:1] in (["ROOT"], ["JOINT"]) and len(words) > 1:
            joint = " ".join(words[1:])
        if words[:1] == ["CHANNELS"]:
            for channel in words[2:]:
                if channel not in CHANNELS:
                    raise FileError(
                        f"'{path}', line {number}: '{channel}' is no channel; channels are "
                        f"{', '.join(sorted(CHANNELS))}"
                    )
                yield f"{joint}.{channel}"
