"""The table of a result with what is only worth its time when it is asked for.

To the columns of `table.csv` come the smallest and largest fibre stretch of each muscle, and the
moments and arms of muscles about joints.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from vastus.errors import ModelError
from vastus.export.formats import Watch
from vastus.measure.moments import Arms, excursion_arms
from vastus.measure.outputs import Outputs
from vastus.model import Model, Tissue
from vastus.numerics.types import Floats
from vastus.results.playback import Playback, Snapshot
from vastus.state import State

Row = dict[str, float]
Value = TypeVar("Value")


def columns(playback: Playback, watch: Watch) -> dict[str, Floats]:
    """The columns (frames,) by name; nan where a quantity has no value."""
    if not len(playback):
        return {}
    arms, table = Arms(playback.model), playback.result.table
    rows = []
    for moment in playback:
        row = {name: float(column[moment.index]) for name, column in table.items()}
        rows.append(_row(playback.model, arms, moment, row))
        watch(moment.index + 1, len(playback))
    found = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    return _joined(found, excursion_arms(playback.model, found))


def _row(model: Model, arms: Arms, moment: Snapshot, row: Row) -> Row:
    state = State.still(moment.time, moment.x, moment.poses, moment.activation)
    # Frames that were not made by `simulate` may have no outputs.
    missing = any(f"{muscle.name}_force_N" not in row for muscle in model.muscles)
    whole = Outputs(model).of(state) | row if missing else row
    return _joined(_joined(whole, _stretches(model, moment)), arms.of(state, whole))


def _stretches(model: Model, moment: Snapshot) -> Row:
    out = {}
    for index, muscle in enumerate(model.muscles):
        own = (model.muscle_of_tet == index) & model.is_tissue(Tissue.MUSCLE)
        values = moment.fields["fibre_stretch"][own]
        out[f"{muscle.name}_stretch_min"] = float(values.min())
        out[f"{muscle.name}_stretch_max"] = float(values.max())
    return out


def _joined(one: dict[str, Value], two: dict[str, Value]) -> dict[str, Value]:
    """Both, unless names of muscles and joints are such that two columns would be called alike."""
    both = sorted(one.keys() & two.keys())
    if both:
        raise ModelError(f"two columns would be called '{both[0]}'; rename a muscle or a joint")
    return one | two
