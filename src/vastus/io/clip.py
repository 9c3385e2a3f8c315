"""What pictures show: a model, and where its vertices were at some times."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vastus import fields
from vastus.errors import FileError
from vastus.io.meshes import LabelledMesh
from vastus.io.result import read_result
from vastus.model import Model
from vastus.motion import Frame, State
from vastus.numerics.types import Floats


@dataclass(frozen=True, eq=False)
class Shot:
    """One moment: vertices x (n, 3) [m], activation of each tet (m,), and a line of text."""

    x: Floats
    activation: Floats
    caption: str = ""


@dataclass(frozen=True, eq=False)
class Clip:
    """A model and its shots; `fps` is their real number a second."""

    model: Model
    shots: tuple[Shot, ...]
    fps: float = 10.0

    def __post_init__(self) -> None:
        if not self.shots:
            raise FileError("there is no finished frame to draw")

    def chosen(self, count: int) -> tuple[Shot, ...]:
        """At most `count` shots, evenly spread, with the first and the last."""
        picked = np.linspace(0, len(self.shots) - 1, min(count, len(self.shots))).round()
        return tuple(self.shots[int(i)] for i in picked)


def clip(model: Model, frames: Iterable[Frame]) -> Clip:
    """The clip of a model's frames."""
    kept = list(frames)
    texts = captions(model, [{"time_s": f.time, **f.outputs} for f in kept])
    shots = [shot(model, f.state, text) for f, text in zip(kept, texts, strict=True)]
    return Clip(model, tuple(shots), _fps(np.array([f.time for f in kept])))


def read_clip(folder: str | Path) -> Clip:
    """The clip of a result folder."""
    result = read_result(folder)
    columns = zip(*result.table.values(), strict=True)
    rows = [dict(zip(result.table, row, strict=True)) for row in columns]
    texts = enumerate(captions(result.model, rows))
    shots = [_stored(result.frame(i), text) for i, text in texts]
    return Clip(result.model, tuple(shots), _fps(result.times))


def shot(model: Model, state: State, text: str = "") -> Shot:
    """The shot of one state."""
    return Shot(state.x, fields.activation(model, state), text)


def captions(model: Model, rows: Sequence[Mapping[str, float]]) -> list[str]:
    """Time, activation of up to three muscles (those ever active) and up to two joint angles."""
    levels = {m.name: f"{m.name}_activation" for m in model.muscles}
    active = {k: v for k, v in levels.items() if any(row.get(v, 0.0) > 0 for row in rows)}
    muscles = list((active or levels).items())[:3]
    angles = [(joint.name, f"{joint.name}_angle_deg") for joint in model.joints[:2]]
    return [
        "   ".join(
            [f"{row['time_s']:.2f} s"]
            + [f"{name} {row[key]:.2f}" for name, key in muscles if key in row]
            + [f"{name} {round(row[key])}°" for name, key in angles if key in row]
        )
        for row in rows
    ]


def _stored(frame: LabelledMesh, text: str) -> Shot:
    return Shot(frame.mesh.X, frame.cell_data["activation"], text)


def _fps(times: Floats) -> float:
    step = np.median(np.diff(times)) if len(times) > 1 else 0.0
    return float(np.clip(1.0 / step, 1.0, 60.0)) if step > 0 else 10.0
