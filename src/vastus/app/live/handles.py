"""A handle in the picture that moves a scripted bone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial.transform import Rotation

from vastus.model import Model
from vastus.numerics.types import Floats

if TYPE_CHECKING:
    import viser

SIZE = 0.25  # of the bone's extent
STILL = (1.0, 0.0, 0.0, 0.0)


class BoneHandle:
    """Turns and shifts a bone about its middle at rest."""

    def __init__(self, server: viser.ViserServer, model: Model, index: int) -> None:
        self.index = index
        X = model.mesh.X[model.bone_of_vertex == index]
        self._middle = X.mean(axis=0)
        self.handle = server.scene.add_transform_controls(
            f"/handles/{index}",
            scale=SIZE * float(np.ptp(X, axis=0).max()),
            position=tuple(self._middle),
            depth_test=False,
        )

    @property
    def pose(self) -> Floats:
        """(3, 4) the pose [R | t] of the bone: x = R X + t."""
        w, x, y, z = self.handle.wxyz
        R = Rotation.from_quat([x, y, z, w]).as_matrix()
        return np.column_stack([R, np.asarray(self.handle.position) - R @ self._middle])

    def back(self) -> None:
        """Put the bone back where it was modelled."""
        self.handle.wxyz, self.handle.position = STILL, tuple(self._middle)
