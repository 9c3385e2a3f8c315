"""A fibre law along another direction than the fibres: a second family of fibres, and a third."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from vastus.materials.base import Law, PointLaw, require


@dataclass(frozen=True)
class Along(Law):
    """A fibre law along the direction of this name in `Model.directions`.

    A muscle's density of fibres is that of its own fibres and does not count for these.
    """

    law: Law
    direction: str

    def __post_init__(self) -> None:
        require(
            self.law.fibrous,
            f"the law '{self.law.name}' has no fibres that could run along '{self.direction}'",
        )

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name of the law."""
        return self.law.name

    @property
    def point(self) -> PointLaw:  # type: ignore[override]
        """The law's functions, with the direction in place of the fibre."""
        # The compiler is loaded only when a law is used.
        redirect = import_module("vastus.materials.redirect")
        made: PointLaw = redirect.redirected(self.law.point, self.law.slots)
        return made

    @property
    def active(self) -> bool:  # type: ignore[override]
        """Whether the law is."""
        return self.law.active

    @property
    def prestressed(self) -> bool:  # type: ignore[override]
        """Whether the law is."""
        return self.law.prestressed

    @property
    def per_tet(self) -> tuple[tuple[str, int], ...]:  # type: ignore[override]
        """What the law reads of each tet, then the direction."""
        return (*self.law.per_tet, (self.direction, 3))

    def parameters(self) -> tuple[float, ...]:
        """Those of the law."""
        return self.law.parameters()

    def fingerprint(self) -> str:  # type: ignore[override]
        """That of the law, and the direction."""
        return f"{self.law.fingerprint()} along {self.direction}"
