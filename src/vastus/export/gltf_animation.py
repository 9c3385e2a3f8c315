"""The animation of a glTF file: weights of frames, and poses of bones."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from vastus.export.glb import Buffer, Json
from vastus.export.gltf_bones import quaternions
from vastus.export.gltf_parts import Part, single
from vastus.io.tape import Tape
from vastus.numerics.types import Floats


@dataclass
class Motion:
    """Curves over common times, and the nodes that they move."""

    buffer: Buffer
    times: int
    samplers: list[Json] = field(default_factory=list)
    channels: list[Json] = field(default_factory=list)

    def curve(self, values: Floats) -> int:
        """Add a curve: (frames, c), or (frames * c,) for weights."""
        self.samplers.append({"input": self.times, "output": self.buffer.add(single(values))})
        return len(self.samplers) - 1

    def play(self, node: int, path: str, curve: int) -> None:
        """Let a curve move a property of a node."""
        self.channels.append({"sampler": curve, "target": {"node": node, "path": path}})


def animations(tape: Tape, parts: list[Part], buffer: Buffer) -> Json:
    """One animation of all nodes, which follow the root in order; a single frame has none."""
    if len(tape) == 1:
        return {}
    motion = Motion(buffer, buffer.add(single(tape.times)))
    # In frame i only its own target counts; between frames a viewer blends two.
    if any(part.bone is None for part in parts):
        weights = motion.curve(np.eye(len(tape))[:, 1:].ravel())
    for node, part in enumerate(parts, 1):
        if part.bone is None:
            motion.play(node, "weights", weights)
        else:
            poses = tape.result.poses[:, part.bone]
            motion.play(node, "rotation", motion.curve(quaternions(poses)))
            motion.play(node, "translation", motion.curve(poses[:, :, 3]))
    played = {"name": "motion", "samplers": motion.samplers, "channels": motion.channels}
    return {"animations": [played]}
