"""Outputs that are wanted over time, and the activations of volumes with which they are had.

Where joints are driven, activations are sought that take the load off them (`volume_body`). Here
nothing is driven: joints, markers and forces go where muscles bring them, and a pose that is
reached is a stable one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial import cKDTree

from vastus.control.activations.inverse_equilibrium import InverseActivation, inverse_activations
from vastus.errors import ModelError
from vastus.files.motion_files import Motion
from vastus.inputs import Inputs
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.sensitivity.parameters.parameter import AXES


@dataclass(frozen=True, eq=False)
class Wanted:
    """Values (k,) of outputs by name at times (k,) [s].

    `markers` are vertices by name; their places are the outputs NAME_x_m, NAME_y_m and NAME_z_m.
    """

    times: Floats
    values: Mapping[str, Floats]
    markers: Mapping[str, int]

    @property
    def columns(self) -> dict[str, str]:
        """The column of the model's table that each output is."""
        places = {
            f"{name}_{axis}_m": f"vertex_{vertex}_{axis}_m"
            for name, vertex in self.markers.items()
            for axis in AXES
        }
        return {name: places.get(name, name) for name in self.values}


@dataclass(frozen=True, eq=False)
class FoundActivations:
    """What was found for each moment of what is wanted."""

    wanted: Wanted
    found: tuple[InverseActivation, ...]

    @property
    def muscles(self) -> tuple[str, ...]:
        """Those that were activated."""
        return tuple(self.found[0].activations)

    @property
    def activations(self) -> Floats:
        """(k, m) by muscle."""
        return np.array([list(one.activations.values()) for one in self.found])

    @property
    def missed(self) -> Floats:
        """(k, o) what the outputs are beside what was wanted."""
        return np.array([list(one.missed.values()) for one in self.found])

    def motion(self) -> Motion:
        """The activations as columns by muscle, as a scene takes them from a file.

        Those of a single moment rise to it from zero at the start.
        """
        times, rows = self.wanted.times, self.activations
        if len(times) == 1:
            times, rows = np.array([0.0, *times]), np.vstack([np.zeros_like(rows), rows])
        return Motion(times, dict(zip(self.muscles, rows.T, strict=True)), degrees=False)

    def account(self) -> Motion:
        """Each output as wanted and as had, and how many equilibria it took."""
        columns: dict[str, Floats] = {}
        for k, (name, values) in enumerate(self.wanted.values.items()):
            columns[f"{name}_wanted"], columns[name] = values, values + self.missed[:, k]
        columns["equilibria"] = np.array([float(one.equilibria) for one in self.found])
        return Motion(self.wanted.times, columns)


def nearest_vertex(model: Model, point: Sequence[float]) -> tuple[int, float]:
    """The vertex of tissue or bone that is nearest at rest to a point [m], and how far it is."""
    used = np.unique(model.mesh.T)
    far, place = cKDTree(model.mesh.X[used]).query(np.asarray(point, float))
    return int(used[place]), float(far)


def activations_for(
    model: Model,
    wanted: Wanted,
    inputs: Sequence[Inputs],
    *,
    muscles: Sequence[str] | None = None,
    least: float = 0.0,
    watch: Callable[[int, int], object] | None = None,
) -> FoundActivations:
    """The least activations with which outputs are as wanted, at each of the times.

    `inputs` say what else acts then; `muscles` are those that may be activated, all unless given.
    """
    columns = wanted.columns
    if len(set(columns.values())) < len(columns):
        raise ModelError("two of what is wanted are the same output")
    found = inverse_activations(
        model,
        {columns[name]: values for name, values in wanted.values.items()},
        inputs,
        muscles=muscles,
        least=least,
        watch=watch,
    )
    return FoundActivations(wanted, tuple(_named(one, columns) for one in found))


def _named(found: InverseActivation, columns: Mapping[str, str]) -> InverseActivation:
    """The same, whose sentence calls outputs as they were asked for."""
    sentence = found.sentence
    for name, column in columns.items():
        sentence = sentence.replace(column, name)
    return replace(found, sentence=sentence)
