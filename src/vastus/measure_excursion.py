"""Lever arms from how muscles shorten while joints turn: a second opinion on moment arms.

A string that keeps its tension does the work of its moment, so that its arm is minus the change of
its length with the angle. For a muscle this holds as far as its length is that of such a string.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from vastus.measure_arms import crossings
from vastus.model import Model
from vastus.numerics.types import Bools, Floats
from vastus.skeleton.joints import Hinge

LEAST = np.radians(0.1)  # [rad] that a joint must turn from the frame before to the one after
ALONE = 0.1  # of its turn, that other joints may turn meanwhile


def excursion_arms(model: Model, table: Mapping[str, Floats]) -> dict[str, Floats]:
    """`<muscle>_<joint>_excursion_m`: -dL/dtheta (frames,) [m] for the hinges that muscles cross.

    It is taken between the frames before and after, and nan where the joint hardly turns or is
    not the only one that turns.
    """
    columns = {j.name: table.get(f"{j.name}_angle_deg") for j in model.joints}
    turns = {n: np.radians(_change(c)) for n, c in columns.items() if c is not None}
    out = {}
    for crossing in crossings(model):
        if isinstance(crossing.joint, Hinge):
            length = table[f"{model.muscles[crossing.muscle].name}_length_m"]
            turn = turns[crossing.joint.name]
            others = [np.abs(t) for name, t in turns.items() if name != crossing.joint.name]
            most = np.max(others, axis=0, initial=0.0) if others else np.zeros(len(turn))
            usable = (np.abs(turn) > LEAST) & (most < ALONE * np.abs(turn))
            out[f"{crossing.name}_excursion_m"] = -_ratio(_change(length), turn, usable)
    return out


def _change(values: Floats) -> Floats:
    """(frames,) from the frame before to the one after, or as much of that as there is."""
    index = np.arange(len(values))
    return values[np.minimum(index + 1, len(values) - 1)] - values[np.maximum(index - 1, 0)]


def _ratio(above: Floats, below: Floats, usable: Bools) -> Floats:
    return np.divide(above, below, out=np.full(len(above), np.nan), where=usable)
