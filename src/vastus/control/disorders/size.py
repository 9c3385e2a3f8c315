"""Disorders that scale numbers of a muscle: its area, its active force, its lengths."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from pydantic import model_validator

from vastus.bellies.belly import Belly
from vastus.bodies.body import Unit
from vastus.control.disorders.disorder import Disorder
from vastus.scene.schema import Number, Positive, exactly_one


class _Girth(Disorder):
    """The cross-section scaled, at the same length and stress: fibres are fewer or more.

    Given is the factor of the area, or of the width, whose square is that of the area. Active and
    passive force follow the area.
    """

    area: Positive | None = None
    width: Positive | None = None

    @property
    def factor(self) -> float:
        """Of the area."""
        return self.area if self.area is not None else (self.width or 1.0) ** 2

    @model_validator(mode="after")
    def _one_factor(self) -> _Girth:
        exactly_one(self, "area", "width")
        if (self.factor < 1.0) != (self.kind == "atrophy"):
            side = "below" if self.kind == "atrophy" else "above"
            word = "width" if self.area is None else "area"
            raise ValueError(f"{word} {getattr(self, word):g}: in {self.kind} it is {side} 1")
        return self

    def unit(self, unit: Unit) -> Unit:
        """Area and force scaled alike."""
        return replace(unit, area=self.factor * unit.area, force=self.factor * unit.force)

    def belly(self, belly: Belly) -> Belly:
        """As wide as the root of the factor."""
        return belly.thickened(self.factor)


class Atrophy(_Girth):
    """A muscle that has become thinner: `area` or `width` is what is left of it, below 1."""

    kind: Literal["atrophy"] = "atrophy"


class Hypertrophy(_Girth):
    """A muscle that has become thicker: `area` or `width` is its factor, above 1."""

    kind: Literal["hypertrophy"] = "hypertrophy"


class Weakness(Disorder):
    """Fibres, as many and as long, that contract with a share `force` of what they did."""

    kind: Literal["weakness"] = "weakness"
    force: Positive

    @model_validator(mode="after")
    def _less(self) -> Weakness:
        if self.force > 1.0:
            raise ValueError(f"force {self.force:g}: the share that is left is at most 1")
        return self

    @property
    def contractile(self) -> float:
        """The share that is left."""
        return self.force

    def belly(self, belly: Belly) -> Belly:
        """The same tets, that contract less."""
        return belly.weakened(self.force)


class Contracture(Disorder):
    """Fibres that have become shorter: `length` is the factor of the belly's; tendons stay."""

    kind: Literal["contracture"] = "contracture"
    length: Positive

    @model_validator(mode="after")
    def _shorter(self) -> Contracture:
        if self.length >= 1.0:
            raise ValueError(f"length {self.length:g}: in a contracture it is below 1")
        return self

    def unit(self, unit: Unit) -> Unit:
        """A shorter optimal length."""
        return replace(unit, optimal=self.length * unit.optimal)

    def belly(self, belly: Belly) -> Belly:
        """A shorter rest shape."""
        return belly.lengthened(self.length)


class Lengthening(Disorder):
    """An operation: the tendon is made longer `by` some metres, or shorter if it is negative."""

    kind: Literal["lengthening"] = "lengthening"
    by: Number

    def unit(self, unit: Unit) -> Unit:
        """Another length of the tendon."""
        return replace(unit, slack=unit.slack + self.by)
