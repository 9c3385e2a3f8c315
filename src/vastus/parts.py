"""The parts of a model: regions of tissue, bones, loads and pins."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from math import inf

import numpy as np

from vastus.materials.base import Law, require
from vastus.numerics.types import Floats, Ints
from vastus.validate import numbers, vertices


class Tissue(StrEnum):
    """What a region is made of."""

    MUSCLE = "muscle"
    TENDON = "tendon"
    BONE = "bone"
    PASSIVE = "passive"

    @property
    def code(self) -> int:
        """Its number in `Model.tissue` and in files: its position among all."""
        return list(Tissue).index(self)


class Drive(StrEnum):
    """Who moves a bone: the forces, nobody, or an animation."""

    FREE = "free"
    PINNED = "pinned"
    SCRIPTED = "scripted"


class Volume(StrEnum):
    """What resists a change of volume: each tet by itself, which locks, or patches of tets."""

    TET = "tet"
    AVERAGED = "averaged"

    @property
    def averaged(self) -> bool:
        """Whether tets share their volume with others."""
        return self is Volume.AVERAGED


class ContactKind(StrEnum):
    """How bodies are kept out of each other."""

    DISTANCE = "distance"
    BARRIER = "barrier"
    NONE = "none"


@dataclass(frozen=True)
class Contact:
    """What keeps soft bodies out of bones and out of each other (`muscles`).

    Bodies push each other within the `gap` [m], with the `pressure` [Pa] where they touch; both are
    found from the model unless given. Pairs of names in `exclude` are left alone. With `folds`, a
    barrier also keeps parts of one soft body apart. `friction` is the coefficient of Coulomb's law.
    """

    bones: ContactKind = ContactKind.DISTANCE
    gap: float | None = None
    pressure: float | None = None
    exclude: tuple[tuple[str, str], ...] = ()
    muscles: ContactKind = ContactKind.BARRIER
    folds: bool = False
    friction: float = 0.0

    def __post_init__(self) -> None:
        for name in ("bones", "muscles"):
            kind = getattr(self, name)
            require(
                kind in list(ContactKind),
                f"contact has {name} of kind '{kind}'; kinds: {', '.join(ContactKind)}",
            )
            object.__setattr__(self, name, ContactKind(kind))
        require(
            0 <= self.friction < inf,
            f"contact has a friction of {self.friction}; it must be 0 or above",
        )
        require(
            self.muscles is not ContactKind.DISTANCE,
            "soft bodies have no distance of their own: 'muscles' is 'barrier' or 'none'",
        )
        require(
            not self.folds or self.muscles is ContactKind.BARRIER,
            "'folds' needs 'muscles: barrier': nothing else keeps parts of one body apart",
        )
        for name, unit in (("gap", "m"), ("pressure", "Pa")):
            value = getattr(self, name)
            require(
                value is None or 0 < value < inf,
                f"contact has a {name} of {value} {unit}; it must be above 0",
            )

    @property
    def acts(self) -> bool:
        """Whether anything is kept apart."""
        return self.bones is not ContactKind.NONE or self.muscles is not ContactKind.NONE

    def kind(self, one_bony: bool, other_bony: bool) -> ContactKind:
        """What keeps two bodies apart, by whether they are bones."""
        if one_bony and other_bony:
            return ContactKind.NONE
        return self.bones if one_bony or other_bony else self.muscles

    def excludes(self, one: str, other: str) -> bool:
        """Whether two bodies are left alone."""
        return (one, other) in self.exclude or (other, one) in self.exclude


@dataclass(frozen=True)
class Floor:
    """A plane through a `point` [m] that nothing passes against its `normal`, which points up.

    It pushes within its `gap` [m], at about half of it with the `pressure` [Pa]; both are found
    from the model unless given.
    """

    point: tuple[float, float, float] = (0.0, 0.0, 0.0)
    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)
    gap: float | None = None
    pressure: float | None = None

    def __post_init__(self) -> None:
        for name in ("point", "normal"):
            value = tuple(np.asarray(getattr(self, name), float).tolist())
            require(
                len(value) == 3 and bool(np.isfinite(value).all()),
                f"the floor has the {name} {value}; it must be three numbers",
            )
            object.__setattr__(self, name, value)
        require(any(self.normal), "the floor has the normal (0, 0, 0); it must point up")
        for name, unit in (("gap", "m"), ("pressure", "Pa")):
            value = getattr(self, name)
            require(
                value is None or 0 < value < inf,
                f"the floor has a {name} of {value} {unit}; it must be above 0",
            )


@dataclass(frozen=True)
class Region:
    """Tets that share a tissue and a material; `laws` are summed, and are empty for bone."""

    name: str
    tissue: Tissue
    laws: tuple[Law, ...] = ()
    density: float = 1060.0  # [kg/m^3]
    muscle: str | None = None  # the muscle that a muscle or tendon region belongs to


@dataclass(frozen=True, eq=False)
class Bone:
    """A body of one or more bone regions; `attached` are further vertices that follow it."""

    name: str
    regions: tuple[str, ...]
    drive: Drive = Drive.FREE
    attached: Ints = field(default_factory=lambda: np.zeros(0, np.int64))  # (k,) vertices

    def __post_init__(self) -> None:
        set_fields(self, attached=vertices(self.attached, f"bone '{self.name}'"))


@dataclass(frozen=True, eq=False)
class Load:
    """A dead force [N] shared among vertices by weights: at a point, or over a surface."""

    name: str
    vertices: Ints  # (k,)
    weights: Floats  # (k,), summing to 1
    force: Floats  # (3,) [N]

    def __post_init__(self) -> None:
        who = f"load '{self.name}'"
        set_fields(
            self,
            vertices=vertices(self.vertices, who),
            weights=numbers(self.weights, f"'weights' of {who}"),
            force=numbers(self.force, f"'force' of {who}", (3,)),
        )


@dataclass(frozen=True, eq=False)
class Pin:
    """Vertices held along some axes at their rest place plus a shift (3,) [m]."""

    name: str
    vertices: Ints  # (k,)
    axes: tuple[bool, bool, bool] = (True, True, True)
    shift: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        who = f"pin '{self.name}'"
        shift = numbers(self.shift, f"'shift' of {who}", (3,))
        require(len(self.axes) == 3, f"{who} needs three axes, each true or false")
        set_fields(
            self,
            vertices=vertices(self.vertices, who),
            axes=tuple(bool(held) for held in self.axes),
            shift=tuple(shift.tolist()),
        )


def set_fields(item: object, **values: object) -> None:
    """Set fields of a frozen dataclass while it is made."""
    for name, value in values.items():
        object.__setattr__(item, name, value)
