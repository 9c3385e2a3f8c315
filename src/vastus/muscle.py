"""A muscle by itself: how strong it is, how densely its fibres lie, where its fibres end."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from vastus.geometry.flux import Flux, conserved, uniform
from vastus.geometry.indices import components
from vastus.materials.fibres.activation import Activation
from vastus.materials.fibres.curves import Rows
from vastus.numerics.types import Floats, Ints

if TYPE_CHECKING:
    from vastus.model import Model


class Density(StrEnum):
    """How densely fibres lie in a muscle: so that none ends inside, or everywhere alike."""

    CONSERVED = "conserved"
    UNIFORM = "uniform"


class ForceLength(StrEnum):
    """Whose stretch the active force follows: that of the whole belly, of each tet, or none.

    `local` is what the active laws of the tets say, or `curve` where they have none.
    """

    BELLY = "belly"
    LOCAL = "local"
    NONE = "none"


@dataclass(frozen=True)
class Muscle:
    """A muscle that can be activated; its greatest force is strength times cross-section.

    The cross-section is the physiological one, volume over optimal fibre length, which the mesh and
    its fibres tell unless `pcsa` is given. `force` [N] is the greatest force instead of either.
    `optimal` is the stretch, from rest, at which the fibres have their optimal length; given that
    `fibre_length` [m], it is found. `curve` is the active force over the fibres' length, by the
    name of one that was published, or as rows. Which length that is, `force_length` says: that of
    the belly, unless the tissue has an active law of its own, which is then asked. The `density` of
    fibres in each tet scales active and passive ones. A `volume` counts instead of the mesh's, and
    a clearance between muscles takes some of that. `pennation` and `tendon_length` are only
    compared with the mesh.

    In motion the active force follows the velocity of the fibres too, if `force_velocity` names a
    curve or gives rows of it, over velocities in `max_velocity`; statics knows none. Where
    `activation_rise` or `activation_fall` is given, activation follows what the muscle is told in
    those times; else, and in statics, it is that at once.

    The raw activation `a` of the papers, with energy `a |F d|^2`, is `strength=2` (T0 = 2 a) and
    `limit=inf` at uniform density; see `Muscle.raw`.
    """

    name: str
    strength: float = 3e5  # [Pa] active stress at activation 1 and optimal length
    limit: float = 1.0  # the largest activation that makes sense
    force: float | None = None  # [N] at activation 1 and optimal length
    optimal: float | None = None  # 1 unless it or `fibre_length` is given
    density: Density = Density.CONSERVED
    force_length: ForceLength | None = None
    curve: str | Rows = "blemker"
    pcsa: float | None = None  # [m^2]
    fibre_length: float | None = None  # [m] optimal
    pennation: float | None = None  # [deg]
    tendon_length: float | None = None  # [m] slack
    volume: float | None = None  # [m^3] of its muscle tissue
    force_velocity: str | Rows | None = None
    max_velocity: float = 10.0  # optimal fibre lengths a second, at which no force is left
    activation_rise: float | None = None  # [s] 10 ms if only the other is given
    activation_fall: float | None = None  # [s] 40 ms if only the other is given

    @property
    def delay(self) -> Activation | None:
        """How activation follows excitation; None if it is that at once."""
        given = {"rise": self.activation_rise, "fall": self.activation_fall}
        told = {name: value for name, value in given.items() if value is not None}
        return Activation(**told) if told else None

    @classmethod
    def raw(cls, name: str) -> Muscle:
        """A muscle whose activation is the papers' raw number in pascal."""
        return cls(
            name,
            strength=2.0,
            limit=float("inf"),
            density=Density.UNIFORM,
            force_length=ForceLength.LOCAL,
        )


# What a muscle was before it could say so: of files that do not, and left out of descriptions.
ARCHITECTURE = ("pcsa", "fibre_length", "pennation", "tendon_length", "volume")
BEFORE: dict[str, Any] = {
    **dict.fromkeys(("force", "optimal", *ARCHITECTURE)),
    "density": Density.UNIFORM,
    "force_length": ForceLength.LOCAL,
    "curve": "blemker",
    "force_velocity": None,
    "max_velocity": 10.0,
    "activation_rise": None,
    "activation_fall": None,
}


def described(muscle: Muscle) -> dict[str, Any]:
    """What a muscle says as JSON values, but for what it could not always say and does not."""
    values = {f.name: getattr(muscle, f.name) for f in fields(muscle)}
    return {k: v for k, v in values.items() if k not in BEFORE or v != BEFORE[k]}


def muscle_of(text: dict[str, Any]) -> Muscle:
    """The muscle that `described` told of."""
    given = BEFORE | text
    follows = given["force_length"]
    words = {
        "density": Density(given["density"]),
        "force_length": follows and ForceLength(follows),
        **{name: _rows(given[name]) for name in ("curve", "force_velocity")},
    }
    return Muscle(**given | words)


def _rows(curve: Any) -> str | Rows | None:
    """A curve as JSON has it: a name, or rows."""
    named = curve is None or isinstance(curve, str)
    return curve if named else tuple((x, y) for x, y in curve)


def flux_of(model: Model, index: int) -> Flux:
    """The flux along the fibres of a muscle's contractile tets, in the order of `belly_of`."""
    tets = belly_of(model, index)
    part, kept = model.mesh.submesh(tets)
    find = uniform if model.muscles[index].density is Density.UNIFORM else conserved
    return find(part, model.fibre[tets], holders(model, index)[kept])


def belly_of(model: Model, index: int) -> Ints:
    """The contractile tets of a muscle."""
    return np.flatnonzero((model.muscle_of_tet == index) & model.contractile)


def holders(model: Model, index: int, *, tendons: bool = True) -> Ints:
    """(n,) who holds the ends of fibres at each vertex: a piece of tendon, a bone, a pin, or -1.

    Tendons hold those of the muscle's tissue, not their own. A pin holds the fibres that run
    rather along its axes than across them.
    """
    holder = np.full(model.mesh.n_vertices, -1)
    direction = _line_at_vertices(model, belly_of(model, index))
    for k, pin in enumerate(model.pins):
        along = (direction[pin.vertices] * np.array(pin.axes)).sum(axis=1) > 0.5
        holder[pin.vertices[along]] = len(model.bones) + k
    holder = np.where(model.bone_of_vertex >= 0, model.bone_of_vertex, holder)
    if not tendons:
        return holder
    own = model.muscle_of_tet == index
    tendon = model.mesh.T[own & ~model.contractile]
    piece = components(model.mesh.n_vertices, tendon[:, [0, 1, 0, 2, 0, 3]].reshape(-1, 2))
    sinewy = np.unique(tendon)
    holder[sinewy] = len(model.bones) + len(model.pins) + piece[sinewy]
    return holder


def _line_at_vertices(model: Model, tets: Ints) -> Floats:
    """(n, 3) the mean square of each component of the fibres around each vertex."""
    corners, squares = model.mesh.T[tets].ravel(), model.fibre[tets] ** 2
    count = np.maximum(np.bincount(corners, minlength=model.mesh.n_vertices), 1)
    return np.column_stack(
        [np.bincount(corners, np.repeat(c, 4), model.mesh.n_vertices) / count for c in squares.T]
    )
