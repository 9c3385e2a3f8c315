"""A spindle-shaped muscle between two bones."""

from __future__ import annotations

import numpy as np

from vastus.geometry.tetmesh import TetMesh
from vastus.materials.base import check_positive
from vastus.model import Bone, Drive, Model
from vastus.modelling.fibres import laplace_fibres
from vastus.modelling.resolution import Part, meshed
from vastus.modelling.sweep import Tube
from vastus.modelling.tissues import Materials, bone_region

# Height from the lower end and radius, as fractions of the belly's length and radius.
_PROFILE = np.array(
    [
        [-0.50, 0.75], [-0.42, 0.85], [-0.34, 0.55],  # bone
        [-0.29, 0.30], [-0.10, 0.25], [0.00, 0.42],  # tendon
        [0.18, 0.80], [0.35, 0.98], [0.50, 1.00], [0.65, 0.98], [0.82, 0.80], [1.00, 0.42],
        [1.10, 0.25], [1.29, 0.30],  # tendon
        [1.34, 0.55], [1.42, 0.85], [1.50, 0.75],  # bone
    ]
)  # fmt: skip
_CUTS = (3, 5, 11, 13)


def fusiform(
    tets: int = 10_000,
    *,
    length: float = 0.15,
    radius: float = 0.02,
    materials: Materials | None = None,
) -> Model:
    """A muscle `belly` of `length` and `radius` [m] hanging along z between two bones by tendons.

    The bone `upper` is pinned and `lower` is free. Bones, tendons and belly are one mesh.
    """
    check_positive("fusiform", length=length, radius=radius)
    materials = materials or Materials()
    line = np.column_stack([np.zeros((len(_PROFILE), 2)), _PROFILE[:, 0] * length])
    cap = 0.16 * length
    tube = Tube(line, _PROFILE[:, 1:] * radius, rounded=(cap, cap), cuts=_CUTS)
    (solid,) = meshed([Part(tube)], tets)
    mesh = TetMesh(solid.X, solid.T)
    soft = np.flatnonzero((solid.segment > 0) & (solid.segment < 4))
    upper, lower = (np.unique(mesh.T[solid.segment == k]) for k in (4, 0))
    fibre = np.zeros((mesh.n_tets, 3))
    fibre[soft] = laplace_fibres(mesh, soft, upper, lower)
    return Model(
        mesh=mesh,
        region=solid.segment,
        regions=(
            bone_region("lower"),
            materials.sinew("lower tendon", "belly"),
            materials.belly("belly"),
            materials.sinew("upper tendon", "belly"),
            bone_region("upper"),
        ),
        fibre=fibre,
        muscles=(materials.named("belly"),),
        bones=(Bone("upper", ("upper",), Drive.PINNED), Bone("lower", ("lower",))),
        name="fusiform",
    )
