"""The body as an author writes it: where the mesh comes from, regions, muscles, bones, joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import radians
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    model_validator,
)

from vastus.errors import ModelError
from vastus.muscle import Density, ForceLength
from vastus.parts import Drive, Tissue
from vastus.scene.fibres import FibreEntry
from vastus.scene.schema import (
    Direction,
    Named,
    Number,
    Positive,
    Section,
    Unit,
    Vector,
    Whole,
    Word,
    exactly_one,
)
from vastus.scene.selection import Selection
from vastus.skeleton.ball_range import BallRange, shortest_turn
from vastus.skeleton.freedoms import Freedom
from vastus.skeleton.joints import JOINTS, Ball, Joint
from vastus.skeleton.passive import Passive


class ModelPart(Section):
    """A procedural shape with its options, or a saved model."""

    model_config = ConfigDict(extra="allow", frozen=True)

    shape: Word | None = None
    file: Path | None = None
    tets: Annotated[Whole, Field(ge=1, le=5_000_000)] | None = None

    @model_validator(mode="after")
    def _one_source(self) -> ModelPart:
        exactly_one(self, "shape", "file")
        if self.file is not None and self.options:
            raise ValueError(f"a saved model has no option '{next(iter(self.options))}'")
        return self

    @property
    def options(self) -> dict[str, Any]:
        """What the shape is made with."""
        given = {} if self.tets is None else {"tets": self.tets}
        return given | (self.model_extra or {})


def _word_or_number(given: Any) -> str:
    return "number" if isinstance(given, int | float) else "word"


Units = Annotated[
    Annotated[Unit, Tag("word")] | Annotated[Positive, Tag("number")],
    Discriminator(_word_or_number),
]


class MeshFile(Section):
    """A tet mesh: a file, or a folder of DMAT files, that says which region each tet belongs to.

    It does so by its cell data `labels`, or by sets of tets that the regions name.
    """

    file: Path
    labels: Word = "label"
    units: Units  # a number is the unit's length in metres
    ignore: tuple[Whole | Word, ...] = ()  # labels and sets whose tets are left out

    @property
    def metres(self) -> float:
        """The unit of its coordinates in metres."""
        return self.units.metres if isinstance(self.units, Unit) else self.units


TABLE = ".csv"  # the suffix of a table that a law's parameter may name


class Term(Section):
    """One material law with its parameters, and the direction that its fibres run along."""

    model_config = ConfigDict(extra="allow", frozen=True)

    law: Word
    along: Word | None = None  # a direction of the scene, in place of the fibre

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the law, by name."""
        return dict(self.model_extra or {})


def _one_or_more(given: Any) -> str:
    return "several" if isinstance(given, list | tuple) else "one"


Terms = Annotated[tuple[Term, ...], Field(min_length=1)]
Material = Annotated[
    Annotated[Term, Tag("one")] | Annotated[Terms, Tag("several")], Discriminator(_one_or_more)
]


def terms(material: Term | Terms) -> Terms:
    """The laws of a material, to be summed."""
    return (material,) if isinstance(material, Term) else material


class RegionPart(Section):
    """A region: which label or set of tets it is in the mesh, and what it is made of."""

    label: Whole | None = None
    set: Word | None = None
    tissue: Tissue | None = None
    muscle: Word | None = None
    material: Material | None = None
    density: Annotated[Number, Field(ge=0)] | None = None

    @model_validator(mode="after")
    def _one_name(self) -> RegionPart:
        if self.label is not None and self.set is not None:
            raise ValueError("a region is either a 'label' or a 'set' of the mesh, not both")
        return self


class MusclePart(Section):
    """A muscle: how strong it is, its architecture, and its fibres; in SI units and degrees."""

    strength: Positive | None = None
    limit: Positive | None = None
    force: Positive | None = None
    optimal: Positive | None = None
    density: Density | None = None
    force_length: ForceLength | None = None
    curve: Word | tuple[tuple[Number, Number], ...] | None = None
    pcsa: Positive | None = None
    fibre_length: Positive | None = None
    pennation: Annotated[Number, Field(ge=0, lt=90)] | None = None
    tendon_length: Annotated[Number, Field(ge=0)] | None = None
    volume: Positive | None = None
    force_velocity: Word | tuple[tuple[Number, Number], ...] | None = None
    max_velocity: Positive | None = None
    activation_rise: Positive | None = None
    activation_fall: Positive | None = None
    fibres: FibreEntry | None = None

    @model_validator(mode="after")
    def _not_both(self) -> MusclePart:
        for one, other in (("strength", "force"), ("optimal", "fibre_length")):
            if getattr(self, one) is not None and getattr(self, other) is not None:
                raise ValueError(f"give either '{one}' or '{other}', not both")
        return self

    @property
    def told(self) -> dict[str, Any]:
        """What is said of the muscle itself, by name."""
        return {n: v for n, v in self if v is not None and n != "fibres"}


class BonePart(Section):
    """A bone: the regions it consists of, who drives it, and further vertices that follow it."""

    regions: tuple[Word, ...] | None = None
    drive: Drive | None = None
    attached: Selection | None = None


def _each_a_pair(given: Any) -> Any:
    """One pair of numbers is that of the only coordinate."""
    alone = isinstance(given, list | tuple) and not any(isinstance(g, list | tuple) for g in given)
    return [given] if alone else given


def _each(given: Any) -> Any:
    """One number is that of the only coordinate."""
    return given if isinstance(given, list | tuple) else [given]


Ranges = Annotated[tuple[tuple[Number, Number], ...], BeforeValidator(_each_a_pair)]
Numbers = Annotated[tuple[Number, ...], BeforeValidator(_each)]
OF_COORDINATES = ("range", "stiffness", "neutral", "damping")
OF_BALLS = ("swing", "twist", "turn", "swing_axis", "neutral_axis")
RESISTANCE = OF_COORDINATES + OF_BALLS


class Resistance(Section):
    """How a joint of the model resists by itself, for each of its coordinates, or as a ball.

    Ranges and neutral coordinates are in degrees from rest, or in metres for a slider; stiffness is
    in N m/rad or N/m, damping in N m s/rad or N s/m. Swing, twist and turn are in degrees.
    """

    range: Ranges | None = None
    stiffness: Numbers | None = None
    neutral: Numbers | None = None
    damping: Numbers | None = None
    swing: Positive | None = None
    twist: tuple[Number, Number] | None = None
    turn: Positive | None = None
    swing_axis: Direction | None = None
    neutral_axis: Direction | None = None

    def resisting(self, joint: Joint) -> Joint:
        """The joint with what is said here; what is not said stays as it is."""
        passive = self._passive(type(joint), joint.freedoms, joint.passive)
        if isinstance(joint, Ball):
            return replace(joint, passive=passive, range=self._range(joint.range))
        return replace(joint, passive=passive)

    def _range(self, before: BallRange | None) -> BallRange | None:
        """The limits of a ball."""
        if all(getattr(self, key) is None for key in OF_BALLS):
            return before
        old = before or BallRange()
        said: dict[str, Any] = {
            key: radians(getattr(self, key))
            for key in ("swing", "turn")
            if getattr(self, key) is not None
        }
        if self.twist is not None:
            said["twist"] = tuple(radians(end) for end in self.twist)
        if self.swing_axis is not None:
            said["axis"] = self.swing_axis
        if self.neutral_axis is not None:
            axis = said.get("axis", old.axis)
            if axis is None:
                raise ModelError("'neutral_axis' is where 'swing_axis' may point, which is missing")
            said["neutral"] = shortest_turn(axis, self.neutral_axis)
        return replace(old, **said)

    def _passive(
        self, kind: type[Joint], freedoms: Sequence[Freedom], before: Sequence[Passive] = ()
    ) -> tuple[Passive, ...]:
        """How each coordinate resists; what is not said stays as it was before, if it was."""
        self.require_each(kind)
        if all(getattr(self, key) is None for key in OF_COORDINATES):
            return tuple(before)
        found = []
        for k, freedom in enumerate(freedoms):
            said = {key: getattr(self, key)[k] for key in OF_COORDINATES if getattr(self, key)}
            if "range" in said:
                said["range"] = tuple(end / freedom.scale for end in said["range"])
            if "neutral" in said:
                said["neutral"] = said["neutral"] / freedom.scale
            found.append(replace(before[k] if before else Passive(), **said))
        return tuple(found)

    def require_each(self, kind: type[Joint]) -> None:
        """Refuse what is not given once for each coordinate, and what is another kind's."""
        count = kind.coordinates
        for key in OF_BALLS:
            if kind is not Ball and getattr(self, key) is not None:
                raise ModelError(f"a joint of kind '{kind.kind}' has no '{key}', which is a ball's")
        for key in OF_COORDINATES:
            values = getattr(self, key)
            if values is not None and len(values) != count:
                has = f"a {kind.kind} has {count or 'no'} coordinate{'s' * (count != 1)}"
                hint = "; it has 'swing', 'twist' and 'turn'" if kind is Ball else ""
                raise ModelError(f"{has}, but '{key}' is given for {len(values)}{hint}")


class JointPart(Resistance):
    """A joint between two bones at a centre [m], its axes, and how it resists by itself.

    A wheel also has the point at which it touches [m] what it rolls on.

    Between bones that are given as surfaces, the centre of a ball or hinge that is left out is
    found from their shape.
    """

    kind: Annotated[type[Joint], Named(JOINTS)]
    bones: tuple[Word, Word]
    centre: Vector | None = None
    axis: Direction | None = None
    second_axis: Direction | None = None
    touch: Vector | None = None

    @model_validator(mode="after")
    def _axis_if_any(self) -> JointPart:
        placed = self.kind.placed_by()
        for key in ("axis", "second_axis", "touch"):
            if getattr(self, key) is not None and key not in placed:
                raise ValueError(f"a joint of kind '{self.kind.kind}' has no '{key}'")
        given = [key for key in placed if getattr(self, key) is not None]
        if self.kind.findable and len(given) not in (0, len(placed)):
            raise ValueError(
                f"a {self.kind.kind} needs an axis and a centre, or neither if they are to be found"
            )
        if not self.kind.findable and "axis" in placed and len(given) < len(placed):
            lost = ", ".join(f"'{key}'" for key in placed if key not in given)
            raise ValueError(f"a joint of kind '{self.kind.kind}' needs {lost} as well")
        return self

    @model_validator(mode="after")
    def _one_for_each_coordinate(self) -> JointPart:
        try:
            self.require_each(self.kind)
        except ModelError as error:
            raise ValueError(str(error)) from None
        return self


def _whole_or_change(given: Any) -> str:
    alone = isinstance(given, Resistance) and not isinstance(given, JointPart)
    change = isinstance(given, Mapping) and given and set(given) <= set(RESISTANCE)
    return "change" if alone or change else "whole"


# A joint that the author places, or what the author changes of one that the model has.
JointEntry = Annotated[
    Annotated[JointPart, Tag("whole")] | Annotated[Resistance, Tag("change")],
    Discriminator(_whole_or_change),
]
