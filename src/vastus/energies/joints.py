"""What resists in joints by itself: springs about a neutral coordinate, limits of a range, dampers.

At an end of its range a joint resists with a moment that grows with the square of the way from
where it begins, within the range, so that the energy has two continuous derivatives.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from math import inf, isfinite

import numpy as np

from vastus.energies.energy import Energy, Forces, Placement, Stiffness
from vastus.energies.loads import external_force
from vastus.inputs import Inputs
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.parts import Tissue
from vastus.skeleton.coordinates import numbered
from vastus.skeleton.freedoms import Freedom, Turn
from vastus.skeleton.passive import Passive

ZONE = np.radians(2.0)  # [rad] before its end in which an angle's limit begins to resist
THINNEST = 0.1  # of the zone, where the model is made in a pose at the end of the range
SHARE = 0.05  # of a range that this, or the zone of a slider, is at most


class JointResistance(Energy):
    """Springs and limits of the coordinates of a model's joints.

    What resists in a driven joint adds to its reaction, but nothing balances it: it counts neither
    for the energy nor for the size of the forces.
    """

    label = "a spring or a limit in a joint"
    always = False

    def __init__(self, model: Model) -> None:
        self._walls = walls(model)
        given = [passive_of(model, i) for i in range(len(self._walls))]
        self._stiffness = np.array([p.stiffness for p in given])
        self._neutral = np.array([p.neutral for p in given])
        self._reach = model.mesh.extent
        self._free = np.ones(len(given), bool)

    def at(self, inputs: Inputs) -> JointResistance:
        """The same where some coordinates are driven."""
        if inputs.joints is None or not inputs.drives_joints:
            return self
        driven = copy(self)
        driven._free = np.isnan(inputs.joints)
        return driven

    def moments(self, q: Placement) -> Floats:
        """(c,) the moments or forces [N m or N] that oppose the coordinates."""
        return np.asarray(self.derivatives(q.coordinates)[1])

    def resisting(self, q: Placement) -> list[tuple[int, str]]:
        """The joints that resist here, by number, and with how much."""
        given = zip(numbered(q.model.joints), self.moments(q), strict=True)
        return [(index, f"{abs(m):.3g} {freedom.effort}") for (index, freedom), m in given if m]

    def value(self, q: Placement) -> float:
        """The energy [J]."""
        return float(self.derivatives(q.coordinates)[0][self._free].sum())

    def add_forces(self, q: Placement, forces: Forces) -> float:
        """Add the moments; their size is that of forces on a lever as long as the model."""
        moments = self.moments(q)
        forces.joints += moments
        return float(np.abs(moments[self._free]).sum()) / self._reach

    def add_stiffness(self, q: Placement, stiffness: Stiffness) -> None:
        """Add the slopes of the moments."""
        own = self.derivatives(q.coordinates)[2]
        stiffness.joints = own if stiffness.joints is None else stiffness.joints + own

    def derivatives(self, q: Floats) -> Floats:
        """(3, c) energies, moments and their slopes at coordinates (c,)."""
        away = q - self._neutral
        springs = self._stiffness * np.array([0.5 * away**2, away, np.ones(len(q))])
        limits = np.zeros((len(q), 3))
        for row, own, value in zip(limits, self._walls, q, strict=True):
            row += sum(wall.derivatives(value) for wall in own)
        return np.asarray(springs + limits.T)


class JointDamping(Energy):
    """Dampers of the coordinates of a model's joints over a step: c s/2 (q - q0)^2.

    A rate is the `slope` s [1/s] times the change from the coordinates `zero` (c,). What dampens a
    driven joint adds to its reaction only, as what resists in it does.
    """

    label = "a damper in a joint"

    def __init__(self, model: Model, slope: float, zero: Floats) -> None:
        self._stiffness, self._zero = slope * dampers(model), zero
        self._reach = model.mesh.extent
        self._free = np.ones(len(zero), bool)

    def at(self, inputs: Inputs) -> JointDamping:
        """The same where some coordinates are driven."""
        if inputs.joints is None or not inputs.drives_joints:
            return self
        driven = copy(self)
        driven._free = np.isnan(inputs.joints)
        return driven

    def value(self, q: Placement) -> float:
        """The energy [J]."""
        away = (q.coordinates - self._zero)[self._free]
        return 0.5 * float(self._stiffness[self._free] @ away**2)

    def add_forces(self, q: Placement, forces: Forces) -> float:
        """Add the moments; their size is that of forces on a lever as long as the model."""
        moments = self._stiffness * (q.coordinates - self._zero)
        forces.joints += moments
        return float(np.abs(moments[self._free]).sum()) / self._reach

    def add_stiffness(self, q: Placement, stiffness: Stiffness) -> None:
        """Add the slopes of the moments."""
        own = self._stiffness
        stiffness.joints = own.copy() if stiffness.joints is None else stiffness.joints + own


def dampers(model: Model) -> Floats:
    """(c,) the damping of each coordinate of a model's joints [N m s/rad or N s/m]."""
    given = [passive_of(model, i).damping for i in range(len(numbered(model.joints)))]
    return np.array(given, float)


@dataclass(frozen=True)
class Wall:
    """One limit of a coordinate: where it begins to resist, and the moment `stop` one zone on.

    The energy is stop/3 e^3/zone^2 of the excess e [rad or m].
    """

    start: float
    zone: float  # signed: the way it resists
    stop: float  # [N m or N]

    def derivatives(self, q: float) -> Floats:
        """(3,) the energy, the moment and its slope."""
        sign = float(np.sign(self.zone))
        excess = max(sign * (q - self.start), 0.0)
        k = self.stop / self.zone**2
        return np.array([k * excess**3 / 3, sign * k * excess**2, 2 * k * excess])


def passive_of(model: Model, coordinate: int) -> Passive:
    """What resists a coordinate, by its number among all."""
    index, _ = numbered(model.joints)[coordinate]
    joint = model.joints[index]
    first = next(i for i, (j, _) in enumerate(numbered(model.joints)) if j == index)
    return joint.passive[coordinate - first] if joint.passive else Passive()


def resists(model: Model) -> bool:
    """Whether any joint has a spring or a limit."""
    given = [p for joint in model.joints for p in joint.passive]
    return any(p.stiffness or p.limited for p in given)


def walls(model: Model) -> list[list[Wall]]:
    """The limits of each coordinate.

    A wall ends where the range does, but never begins before the pose at rest, at which it would
    pull: there it is thinner, and where the pose is the end of the range, it begins at it.
    """
    strongest, moment = largest_efforts(model)
    found = []
    for i, (_, freedom) in enumerate(numbered(model.joints)):
        ends = passive_of(model, i).range
        zone = _zone(freedom, *ends)
        stop = moment if isinstance(freedom, Turn) else strongest
        given = zip(ends, (-1.0, 1.0), strict=True)
        found.append([wall(end, sign, zone, stop) for end, sign in given if isfinite(end)])
    return found


def wall(end: float, sign: float, zone: float, stop: float) -> Wall:
    """The limit at one end of a range."""
    width = min(zone, max(abs(end), THINNEST * zone))
    return Wall(sign * max(abs(end) - width, 0.0), sign * width, stop)


def _zone(freedom: Freedom, low: float, high: float) -> float:
    part = SHARE * (high - low)
    widest = ZONE if isinstance(freedom, Turn) else inf
    zone = min(widest, part)
    return zone if isfinite(zone) else 1.0  # a slider that ends on one side only, or nowhere


def largest_efforts(model: Model) -> tuple[float, float]:
    """Twice what all muscles and loads together can pull with [N], and turn with [N m]."""
    volume = model.mesh.volumes
    total = float(np.linalg.norm(external_force(model), axis=1).sum())
    for index, muscle in enumerate(model.muscles):
        tets = (model.muscle_of_tet == index) & model.is_tissue(Tissue.MUSCLE)
        X = model.mesh.X[np.unique(model.mesh.T[tets])]
        stress = muscle.strength * muscle.limit if isfinite(muscle.limit) else TYPICAL
        total += stress * float(volume[tets].sum()) / float(np.linalg.norm(np.ptp(X, axis=0)))
    force = 2.0 * total or 1.0
    return force, 0.1 * force * model.mesh.extent


TYPICAL = 3e5  # [Pa] the stress of a muscle whose activation has no limit
