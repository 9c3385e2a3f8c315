"""What pictures show: a model, and where its vertices were at some times.

The shots of a result folder are read when they are asked for, because a long motion does not fit
into memory; the last `HELD` stay there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import numpy as np

from vastus.errors import FileError
from vastus.measure import fields
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.results.result import Result, read_result
from vastus.state import Frame, State

HELD = 64


@dataclass(frozen=True, eq=False)
class Shot:
    """One moment: vertices x (n, 3) [m], activation of each tet (m,), and a line of text."""

    x: Floats
    activation: Floats
    caption: str = ""


class Shots(Protocol):
    """Shots in order: a tuple, or those of a result folder."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int, /) -> Shot: ...

    def __iter__(self) -> Iterator[Shot]: ...


@dataclass(frozen=True, eq=False)
class Clip:
    """A model and its shots; `fps` is their real number a second."""

    model: Model
    shots: Shots
    fps: float = 10.0

    def __post_init__(self) -> None:
        if not len(self.shots):
            raise FileError("there is no finished frame to draw")

    def chosen(self, count: int) -> Clip:
        """At most `count` of the shots, evenly spread, with the first and the last."""
        picked = np.linspace(0, len(self.shots) - 1, min(count, len(self.shots))).round()
        return Clip(self.model, tuple(self.shots[int(i)] for i in picked), self.fps)


class StoredShots:
    """The shots of a result, each with its line of text."""

    def __init__(self, result: Result, texts: Sequence[str]) -> None:
        self._result, self._texts = result, texts
        self._held = lru_cache(HELD)(self._read)

    def __len__(self) -> int:
        return len(self._texts)

    def __getitem__(self, index: int, /) -> Shot:
        return self._held(range(len(self))[index])

    def __iter__(self) -> Iterator[Shot]:
        return (self._held(i) for i in range(len(self)))

    def _read(self, index: int) -> Shot:
        frame = self._result.frame(index)
        return Shot(frame.mesh.X, frame.cell_data["activation"], self._texts[index])


def clip(model: Model, frames: Iterable[Frame]) -> Clip:
    """The clip of a model's frames."""
    kept = list(frames)
    texts = captions(model, [{"time_s": f.time, **f.outputs} for f in kept])
    shots = [shot(model, f.state, text) for f, text in zip(kept, texts, strict=True)]
    return Clip(model, tuple(shots), _fps(np.array([f.time for f in kept])))


def read_clip(folder: str | Path) -> Clip:
    """The clip of a result folder."""
    return stored_clip(read_result(folder))


def stored_clip(result: Result) -> Clip:
    """The clip of a result."""
    columns = zip(*result.table.values(), strict=True)
    rows = [dict(zip(result.table, row, strict=True)) for row in columns]
    shots = StoredShots(result, captions(result.model, rows))
    return Clip(result.model, shots, _fps(result.times))


def shot(model: Model, state: State, text: str = "") -> Shot:
    """The shot of one state."""
    return Shot(state.x, fields.activation(model, state), text)


def captions(model: Model, rows: Sequence[Mapping[str, float]]) -> list[str]:
    """Time, activation of up to three muscles (those ever active) and up to two joint angles.

    Angles are those from rest, so that none is read as an anatomical one.
    """
    levels = {m.name: f"{m.name}_activation" for m in model.muscles}
    active = {k: v for k, v in levels.items() if any(row.get(v, 0.0) > 0 for row in rows)}
    muscles = list((active or levels).items())[:3]
    angles = [(joint.name, f"{joint.name}_angle_deg") for joint in model.joints[:2]]
    return [
        "   ".join(
            [f"{row['time_s']:.2f} s"]
            + [f"{name} {row[key]:.2f}" for name, key in muscles if key in row]
            + _turned({name: row[key] for name, key in angles if key in row})
        )
        for row in rows
    ]


def _turned(angles: Mapping[str, float]) -> list[str]:
    signs = {name: "+" if round(angle) else "" for name, angle in angles.items()}
    texts = [f"{name} {round(angle):{signs[name]}d}°" for name, angle in angles.items()]
    return [f"{', '.join(texts)} from rest"] if texts else []


def _fps(times: Floats) -> float:
    step = np.median(np.diff(times)) if len(times) > 1 else 0.0
    return float(np.clip(1.0 / step, 1.0, 60.0)) if step > 0 else 10.0
