"""The shape at rest: a parameter that moves some vertices of the mesh, in no stress."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

import numpy as np

from vastus.errors import ModelError
from vastus.geometry.tetmesh import TetMesh
from vastus.inputs import Inputs
from vastus.model import Model
from vastus.numerics.types import Floats, Ints
from vastus.sensitivity.parameters.parameter import AXES, Parameter, reach
from vastus.sensitivity.parameters.vector import axis_of


class RestShape(Parameter):
    """A shift [m] of some vertices of the rest mesh along an axis; it begins at zero.

    All that a model says of tets and vertices by number stays; what follows from the shape, such
    as volumes and how densely fibres lie, changes with it.
    """

    unit, of_model = "m", True

    @abstractmethod
    def vertices(self, model: Model) -> Ints:
        """The vertices that it moves."""

    def check(self, model: Model, inputs: Inputs) -> None:
        """Refuse models whose contact was prepared for the present shape."""
        if model.contact is not None:
            raise ModelError(
                f"'{self.path}' moves vertices of bodies in contact, whose surfaces are prepared "
                "anew for each shape; take contact out of the model"
            )

    def value(self, model: Model, inputs: Inputs) -> float:
        """Zero: the present shape is where it begins."""
        self.check(model, inputs)
        self.vertices(model)
        return 0.0

    def varied(self, model: Model, inputs: Inputs, value: float) -> tuple[Model, Inputs]:
        """The model with the vertices elsewhere."""
        X: Floats = model.mesh.X.copy()
        X[self.vertices(model), axis_of(self.names["axis"])] += value
        return model.with_(mesh=TetMesh(X, model.mesh.T)), inputs

    def scale(self, model: Model, inputs: Inputs) -> float:
        """A part of an edge."""
        return reach(model)


class RestVertex(RestShape):
    """The place [m] of one vertex at rest."""

    kind, form = "rest", "rest.{vertex}.{axis}"

    @classmethod
    def all_of(cls, model: Model) -> Iterator[dict[str, str]]:
        """Three for each vertex that a tet uses; adjoint fields have all at once."""
        used = np.unique(model.mesh.T)
        return ({"vertex": str(vertex), "axis": axis} for vertex in used for axis in AXES)

    def vertices(self, model: Model) -> Ints:
        """The vertex."""
        name, n = self.names["vertex"], model.mesh.n_vertices
        if not name.isdigit() or int(name) >= n:
            raise ModelError(f"no vertex '{name}'; the mesh has {n}, counted from 0")
        return np.array([int(name)])
