"""The snapshots of a result, one by one: the only way in which its frames are read back."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np

from vastus.errors import ModelError
from vastus.geometry.tetmesh import TetMesh
from vastus.model import Model, Plotted, overview, pictures
from vastus.numerics.types import Floats
from vastus.results.frame_file import ON_VERTICES, FrameFiles
from vastus.state import State

if TYPE_CHECKING:
    from vastus.pictures.picture import Picture
    from vastus.results.result import Result

FIELDS = ("activation", "fibre_stretch", "von_mises", "volume_ratio")  # one number a tet
POINT_FIELDS = tuple(ON_VERTICES)  # over vertices, if the model has contact or moves in time
ALL_FIELDS = ("fibre", *FIELDS, "tissue", "region")


@dataclass(frozen=True, eq=False, repr=False)
class Snapshot(Plotted):
    """A model at one time, as it is drawn and exported.

    `outputs` is the frame's row of the table; `model` is what moved.
    """

    index: int
    time: float  # [s]
    x: Floats  # (n, 3) vertices [m]
    poses: Floats  # (bones, 3, 4), x = A X + t
    activation: Floats  # (muscles,)
    fields: Mapping[str, Floats]  # (m,) or (m, 3) on tets, by name
    outputs: Mapping[str, float] = field(default_factory=dict)
    model: Model | None = None
    point_fields: Mapping[str, Floats] = field(default_factory=dict)  # (n,) or (n, 3) on vertices

    @property
    def mesh(self) -> TetMesh:
        """The deformed mesh."""
        return TetMesh(self.x, self._require_model().mesh.T)

    @property
    def cell_data(self) -> Mapping[str, Floats]:
        """The fields, as files call them."""
        return self.fields

    def _picture(self, **options: object) -> Picture:
        """The snapshot."""
        picture: Picture = pictures().plot_snapshot(self._require_model(), self, **options)
        return picture

    def __repr__(self) -> str:
        """The time, and the first of the outputs."""
        return overview(f"frame {self.index} at {self.time:g} s", self.outputs)

    def _require_model(self) -> Model:
        if self.model is None:
            raise ModelError("this snapshot has no 'model'; those of a result have")
        return self.model


class Snapshots(Protocol):
    """Snapshots in order: a tuple, or the playback of a result."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int, /) -> Snapshot: ...

    def __iter__(self) -> Iterator[Snapshot]: ...


def snapshot_of(
    state: State,
    *,
    index: int = 0,
    fields: Mapping[str, Floats] | None = None,
    point_fields: Mapping[str, Floats] | None = None,
) -> Snapshot:
    """The snapshot of a state that is in no file."""
    return Snapshot(
        index,
        state.time,
        state.x,
        state.poses,
        state.activation,
        fields or {},
        point_fields=point_fields or {},
    )


class Playback:
    """The snapshots of a result, in order; `fields` are read with each."""

    def __init__(self, result: Result, fields: Collection[str] = FIELDS) -> None:
        self.result = result
        self._fields, self._files = tuple(fields), FrameFiles(result.model)

    @property
    def model(self) -> Model:
        """The model that moves."""
        return self.result.model

    @property
    def times(self) -> Floats:
        """(frames,) [s]"""
        return self.result.times

    def __len__(self) -> int:
        return len(self.result.frames)

    def __iter__(self) -> Iterator[Snapshot]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: int, /) -> Snapshot:
        index = range(len(self))[index]
        path, poses = self.result.frames[index], self.result.poses[index]
        x, fields, points = self._files.read(path, self._fields, poses)
        row = {name: float(column[index]) for name, column in self.result.table.items()}
        # Frames that were not made by `simulate` may have no outputs.
        inputs = self.result.inputs
        driven = inputs[index].excitation if inputs else np.zeros(len(self.model.muscles))
        levels = [
            row.get(f"{muscle.name}_activation", float(level))
            for muscle, level in zip(self.model.muscles, driven, strict=True)
        ]
        return Snapshot(
            index,
            float(self.times[index]),
            x,
            poses,
            np.array(levels),
            fields,
            row,
            self.model,
            points,
        )
