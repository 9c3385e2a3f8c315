"""What every disorder is: data that name muscles, and how these change."""

from __future__ import annotations

from dataclasses import replace

from vastus.bellies.belly import Belly
from vastus.bodies.body import Body, Unit
from vastus.errors import known
from vastus.scene.schema import Names, Section


class Disorder(Section):
    """A change of some muscles of a body; nothing that is given to it is altered.

    A kind overrides what it changes: the unit that pulls along a path, its belly, or the body.
    """

    kind: str
    muscles: Names

    def body(self, body: Body) -> Body:
        """The body after the change."""
        self.require_muscles(body)
        units = tuple(self.unit(u) if u.name in self.muscles else u for u in body.units)
        return replace(body, units=units)

    def unit(self, unit: Unit) -> Unit:
        """One of its muscles after the change, as what pulls along a path."""
        return unit

    def belly(self, belly: Belly) -> Belly:
        """One of its muscles after the change, as a volume whose tets keep their strength."""
        return belly

    @property
    def contractile(self) -> float:
        """The share of the active force that is left; passive fibres keep theirs."""
        return 1.0

    def require_muscles(self, body: Body) -> None:
        """Refuse names that are not those of units."""
        for name in self.muscles:
            if name not in body.names:
                raise known("muscle", name, body.names)

    def __str__(self) -> str:
        left_out = {"kind", "muscles"}
        given = self.model_dump(mode="json", exclude=left_out, exclude_defaults=True)
        values = ", ".join(f"{key} {value}" for key, value in given.items())
        return f"{self.kind} of {', '.join(self.muscles)}{': ' if values else ''}{values}"
