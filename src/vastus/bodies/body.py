"""Articulated bodies on MuJoCo: a skeleton, and units that pull along paths over it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from vastus.bellies.law import MotorUnit
from vastus.errors import MissingExtra, ModelError, known
from vastus.numerics.types import Floats

if TYPE_CHECKING:
    import mujoco


def mujoco_package() -> ModuleType:
    """MuJoCo, or an error that names the extra which brings it."""
    try:
        import mujoco
    except ImportError:
        raise MissingExtra("mujoco", "skeleton") from None
    return mujoco


@dataclass(frozen=True)
class Unit(MotorUnit):
    """What pulls along one path: fibres in series with a tendon.

    Force and area are two numbers: published greatest forces are larger than 0.35 MPa times the
    area that images of the same muscles show. The belly's strength is their ratio.
    """

    slack: float = field()  # [m] length of the tendon, which must be told here
    area: float  # [m^2] cross-section of the belly

    def __post_init__(self) -> None:
        super().__post_init__()
        self._above_zero("area")

    @property
    def strength(self) -> float:
        """The greatest stress of the belly [Pa]."""
        return self.force / self.area

    @property
    def volume(self) -> float:
        """The volume of the belly [m^3]."""
        return self.area * self.optimal


@dataclass(frozen=True)
class Arm:
    """A limb that ends in a hand: its degrees of freedom and the units that move them.

    `dofs` are indices of velocities, from the trunk to the hand; `hand` names a body of the model
    and `palm` a site of it, where the centre of a held ball is.
    """

    name: str
    dofs: tuple[int, ...]
    units: tuple[int, ...]
    hand: str
    palm: str


@dataclass(frozen=True, eq=False)
class Body:
    """A MuJoCo model without actuators; unit i pulls along tendon i.

    `home` (nq,) is the pose to begin from. `spec` is what the model was compiled from, to attach
    balls or further bodies to a copy of it.
    """

    model: mujoco.MjModel
    units: tuple[Unit, ...]
    arms: tuple[Arm, ...]
    home: Floats
    spec: mujoco.MjSpec = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.units) > self.model.ntendon:
            raise ModelError(
                f"a body of {self.model.ntendon} paths has {len(self.units)} units: each needs one"
            )
        if np.shape(self.home) != (self.model.nq,):
            raise ModelError(
                f"the home pose has {np.size(self.home)} values; the body has {self.model.nq}"
            )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the units."""
        return tuple(unit.name for unit in self.units)

    @property
    def dof_names(self) -> tuple[str, ...]:
        """The name of the joint of each degree of freedom (nv)."""
        return tuple(self.model.joint(int(j)).name for j in self.model.dof_jntid)

    def unit(self, name: str) -> Unit:
        """The unit of that name."""
        return self.units[_index("unit", name, self.names)]

    def arm(self, name: str) -> Arm:
        """The arm of that name."""
        return self.arms[_index("arm", name, [arm.name for arm in self.arms])]

    def data(self, q: Floats | None = None) -> mujoco.MjData:
        """New MuJoCo data in the pose q (nq,), or at home, with positions and paths computed."""
        mujoco = mujoco_package()
        d = mujoco.MjData(self.model)
        d.qpos[:] = self.home if q is None else q
        mujoco.mj_forward(self.model, d)
        return d

    @property
    def forces(self) -> Floats:
        """(units,) greatest forces [N]."""
        return np.array([unit.force for unit in self.units])

    @property
    def optimal(self) -> Floats:
        """(units,) optimal fibre lengths [m]."""
        return np.array([unit.optimal for unit in self.units])

    @property
    def slack(self) -> Floats:
        """(units,) tendon lengths [m]."""
        return np.array([unit.slack for unit in self.units])


def _index(kind: str, name: str, names: Sequence[str]) -> int:
    if name not in names:
        raise known(kind, name, names)
    return list(names).index(name)
