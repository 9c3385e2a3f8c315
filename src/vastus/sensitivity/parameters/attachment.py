"""Where a muscle is attached to a bone: the vertices of its tissue that the bone carries."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vastus.errors import ModelError
from vastus.model import Model
from vastus.numerics.types import Ints
from vastus.sensitivity.parameters.parameter import AXES
from vastus.sensitivity.parameters.rest_shape import RestShape


class Attachment(RestShape):
    """A shift [m] at rest of the site at which a muscle, or its tendon, is attached to a bone."""

    kind, form = "attachment", "muscles.{muscle}.attachments.{bone}.{axis}"

    @classmethod
    def all_of(cls, model: Model) -> Iterator[dict[str, str]]:
        """Three for each muscle and bone that share vertices."""
        for index, muscle in enumerate(model.muscles):
            for bone in _bones(model, index):
                yield from ({"muscle": muscle.name, "bone": bone, "axis": axis} for axis in AXES)

    def vertices(self, model: Model) -> Ints:
        """Those of the muscle that the bone carries."""
        index, bones = model.muscle(self.names["muscle"]), [bone.name for bone in model.bones]
        held = _bones(model, index)
        if self.names["bone"] not in held:
            raise ModelError(
                f"muscle '{self.names['muscle']}' is not attached to '{self.names['bone']}'; it is "
                f"to: {', '.join(held) or 'no bone'}"
            )
        own = _vertices(model, index)
        return own[model.bone_of_vertex[own] == bones.index(self.names["bone"])]


def _vertices(model: Model, muscle: int) -> Ints:
    return np.unique(model.mesh.T[model.muscle_of_tet == muscle])


def _bones(model: Model, muscle: int) -> list[str]:
    carried = np.unique(model.bone_of_vertex[_vertices(model, muscle)])
    return [model.bones[bone].name for bone in carried if bone >= 0]
