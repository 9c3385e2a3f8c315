"""Moments and results made by hand, for pages that draw them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from vastus.measure.outputs import Outputs
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.results.playback import FIELDS, Playback, Snapshot
from vastus.results.result import Result
from vastus.results.writer import ResultWriter
from vastus.state import Frame, Report, rest

HOSTILE = "<img src=x onerror=window.broken=1>"


def moment(
    model: Model,
    index: int = 0,
    time: float = 0.0,
    *,
    x: Floats | None = None,
    poses: Floats | None = None,
) -> Snapshot:
    """The model at rest, or elsewhere, with fields that are the numbers of the tets."""
    m = model.mesh.n_tets
    state = rest(model)
    return Snapshot(
        index,
        time,
        state.x if x is None else x,
        state.poses if poses is None else poses,
        np.zeros(len(model.muscles)),
        {name: np.linspace(0.0, 1.0, m) for name in FIELDS},
    )


class StillPlayback(Playback):
    """A playback of a model that stands still, and of how often each moment was read."""

    def __init__(
        self, model: Model, times: Floats, table: Mapping[str, Floats] | None = None
    ) -> None:
        times = np.asarray(times, float)
        columns = {"time_s": times} | dict(table or {})
        poses = np.tile(rest(model).poses, (len(times), 1, 1, 1))
        files = tuple(Path(f"frame_{i}") for i in range(len(times)))
        super().__init__(Result(model, times, columns, files, None, (), {}, poses))
        self.read: list[int] = []

    def __getitem__(self, index: int, /) -> Snapshot:
        self.read.append(index)
        return moment(self.model, index, float(self.times[index]))


def write_motion(folder: Path, model: Model, times: Floats) -> Path:
    """Write a result in which the model rises by a tenth of its extent a frame."""
    state, outputs = rest(model), Outputs(model)
    step = 0.1 * float(np.ptp(model.mesh.X, axis=0).max())
    with ResultWriter(folder, model) as writer:
        for index, time in enumerate(times):
            x, poses = state.x.copy(), state.poses.copy()
            x[:, 2] += index * step
            poses[:, 2, 3] += index * step
            now = replace(state, x=x, poses=poses, time=float(time))
            writer.add(Frame(index, now, Report(True, 3, 1e-9, 1.0, 0.5), outputs.of(now)))
    return folder
