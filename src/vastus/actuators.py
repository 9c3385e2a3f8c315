"""What moves a soft robot from outside: cavities under pressure, and cables that are drawn."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from vastus.errors import ModelError
from vastus.geometry.indices import counts
from vastus.geometry.surface import Surface
from vastus.materials.base import require
from vastus.numerics.types import Floats, Ints
from vastus.parts import set_fields
from vastus.validate import numbers, whole

if TYPE_CHECKING:
    from vastus.model import Model

ATMOSPHERE = 101_325.0  # [Pa]
WEIGHTS = 1e-6  # by which the weights of a point may miss 1


@dataclass(frozen=True, eq=False)
class Cavity:
    """A hollow with a closed wall, and the pressure [Pa] in it above that around the model.

    Faces are counter-clockwise seen from outside of the hollow, in the wall; a model turns those
    that are all the other way round. With `gas` it is sealed: `pressure` is what the gas in it has
    at the volume of rest, and it changes with the volume as Boyle's law says, at constant
    temperature, above an `ambient` pressure [Pa]. Without, the pressure is held whatever the
    volume, as by a pump or a large tank.
    """

    name: str
    faces: Ints  # (k, 3) vertices
    pressure: float = 0.0
    gas: bool = False
    ambient: float = ATMOSPHERE

    def __post_init__(self) -> None:
        who = f"cavity '{self.name}'"
        faces = whole(self.faces, f"the faces of {who} hold")
        right = faces.ndim == 2 and faces.shape[1] == 3 and len(faces) > 0
        require(right, f"the faces of {who} have shape {faces.shape}, not (k, 3)")
        set_fields(
            self,
            faces=faces,
            pressure=_number(self.pressure, f"the pressure of {who}", "Pa"),
            gas=bool(self.gas),
            ambient=_number(self.ambient, f"the ambient pressure of {who}", "Pa"),
        )
        require(
            self.ambient > 0, f"{who} has an ambient pressure of {self.ambient:g} Pa, not above 0"
        )
        self.require_pressures(np.array([self.pressure]))

    def require_pressures(self, pressures: Floats) -> None:
        """Refuse pressures (k,) [Pa] that gas cannot have."""
        least = float(np.min(pressures, initial=inf))
        require(
            not self.gas or least > -self.ambient,
            f"cavity '{self.name}' is sealed with gas at {least:g} Pa, which is below vacuum; its "
            f"ambient pressure is {self.ambient:g} Pa",
        )


@dataclass(frozen=True, eq=False)
class Cable:
    """A cable from its first point, where it is drawn, through others to its last, where it ends.

    A point is a vertex, or the mean of vertices by `weights`. Without a `stiffness` the cable pulls
    with its `tension` [N] however long it is. With a stiffness [N/m] it is on a spool that has
    drawn in `shortening` [m] of its length at rest: it pulls with the stiffness times what it is
    longer than the rest of it, and hangs `slack` where it is shorter, unless it is a rod. By
    `friction`, the coefficient of Coulomb's law, each bend leaves less of the tension.
    """

    name: str
    points: Ints  # (k,) vertices, or (k, w) of which each point is a mean; (k, w) in the end
    weights: Floats = field(default_factory=lambda: np.zeros(0))  # (k, w), rows summing to 1
    tension: float = 0.0
    stiffness: float | None = None
    shortening: float = 0.0
    friction: float = 0.0
    slack: bool = True

    def __post_init__(self) -> None:
        who = f"cable '{self.name}'"
        points = whole(self.points, f"the points of {who} hold")
        points = points[:, None] if points.ndim == 1 else points
        require(points.ndim == 2, f"the points of {who} have shape {points.shape}, not (k, w)")
        require(len(points) >= 2, f"{who} has {len(points)} points; it needs two at least")
        given = self.weights if np.size(self.weights) else np.ones((len(points), 1))
        weights = numbers(given, f"the weights of {who}").reshape(len(points), -1)
        require(
            weights.shape == points.shape,
            f"the weights of {who} have shape {weights.shape}, not {points.shape}",
        )
        sums = weights.sum(axis=1)
        worst = float(sums[np.argmax(np.abs(sums - 1))])
        told = f"the weights of a point of {who} sum to {worst:g}, not 1"
        require(abs(worst - 1) < WEIGHTS, told)
        set_fields(self, points=points, weights=weights, slack=bool(self.slack))
        for name, unit in (("tension", "N"), ("shortening", "m"), ("friction", "")):
            value = _number(getattr(self, name), f"the {name} of {who}", unit)
            set_fields(self, **{name: value})
        self._require_drive(who)

    def _require_drive(self, who: str) -> None:
        require(self.friction >= 0, f"{who} has a friction of {self.friction:g}, below 0")
        if self.stiffness is None:
            self.require_tensions(np.array([self.tension]))
            require(self.shortening == 0.0, f"{who} has a shortening, which needs a 'stiffness'")
            return
        value = _number(self.stiffness, f"the stiffness of {who}", "N/m")
        set_fields(self, stiffness=value)
        require(value > 0, f"{who} has a stiffness of {value:g} N/m; it must be above 0")
        self.require_tensions(np.array([self.tension]))

    @property
    def spooled(self) -> bool:
        """Whether it is driven by its length."""
        return self.stiffness is not None

    def require_tensions(self, tensions: Floats) -> None:
        """Refuse tensions (k,) [N] that the cable cannot be told."""
        least = float(np.min(tensions, initial=0.0))
        require(least >= 0, f"cable '{self.name}' has a tension of {least:g} N; it cannot push")
        require(
            not self.spooled or not np.any(tensions),
            f"cable '{self.name}' has a stiffness, so that its length makes its tension: give its "
            "'shortening' instead",
        )

    def require_shortenings(self, shortenings: Floats) -> None:
        """Refuse shortenings (k,) [m] of a cable that is on no spool."""
        require(
            self.spooled or not np.any(shortenings),
            f"cable '{self.name}' has no stiffness, so that only a tension can draw it",
        )

    def at(self, x: Floats) -> Floats:
        """(k, 3) where its points are when vertices are at x (n, 3) [m]."""
        return np.asarray(np.einsum("kw,kwi->ki", self.weights, x[self.points]))


def _number(given: object, what: str, unit: str) -> float:
    value = float(numbers(given, what, ()))
    require(bool(np.isfinite(value)), f"{what} is {value:g} {unit}, not finite".replace(" ,", ","))
    return value


def sound_cavities(model: Model) -> tuple[Cavity, ...]:
    """The cavities of a model with their faces outward, if all can be simulated."""
    return tuple(_sound(model, cavity) for cavity in model.cavities)


def _sound(model: Model, cavity: Cavity) -> Cavity:
    who = f"cavity '{cavity.name}'"
    require_vertices(model, cavity.faces, who)
    surface = Surface(model.mesh.X, cavity.faces)
    odd = counts(np.sort(surface.runs, axis=1)) % 2 == 1
    if odd.any():
        raise ModelError(f"{who} is open: {odd.sum()} edges of its wall belong to one face only")
    require(surface.closed, f"the faces of {who} disagree about which side of them is inside")
    soft = model.bone_of_vertex[np.unique(cavity.faces)] < 0
    require(bool(soft.any()), f"{who} lies in bone only, which does not give; it needs a soft wall")
    used = surface.faces.ravel()
    volume = Surface(surface.X[used], np.arange(len(used)).reshape(-1, 3)).volume
    require(volume != 0.0, f"{who} encloses no volume")
    return cavity if volume > 0 else replace(cavity, faces=cavity.faces[:, ::-1])


def require_cables(model: Model) -> None:
    """Refuse cables that cannot be simulated."""
    for cable in model.cables:
        who = f"cable '{cable.name}'"
        require_vertices(model, cable.points, who)
        lengths = np.linalg.norm(np.diff(cable.at(model.mesh.X), axis=0), axis=1)
        short = np.flatnonzero(~(lengths > 0))
        if len(short):
            raise ModelError(f"points {short[0]} and {short[0] + 1} of {who} are at one place")


def require_vertices(model: Model, vertices: Ints, who: str) -> None:
    """Refuse vertices that the model does not have, or that nothing moves."""
    n = model.mesh.n_vertices
    bad = vertices[(vertices < 0) | (vertices >= n)]
    require(not len(bad), f"{who} names vertex {bad[:1]}, but there are {n}")
    loose = np.intersect1d(vertices, model.mesh.unused)
    require(not len(loose), f"{who} names vertex {loose[:1]}, which belongs to no tet")
