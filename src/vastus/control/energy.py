"""The account of a plant's energy: what acted on it, and what it has become.

Over a step of h from speeds v to v', a force f does the work h f (v + v')/2, which is what kinetic
energy gains of it. Forces that the integrator takes at the end of the step, dampers and what pulls
gain with speed, are counted as they are there. The balance that is left falls with the step: that
of the inertia, which changes meanwhile, and of the potential, which follows v'.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Energy:
    """Since the first step [J]: what kinetic and potential energy gained, and the works done."""

    kinetic: float
    potential: float  # of weights and springs
    muscles: float
    torques: float  # besides muscles
    dampers: float  # at joints
    holds: float  # of hands on balls, when they catch them too, and of limits of joints
    outside: float  # of forces on bodies
    brought: float  # by balls that came in from outside

    @property
    def gained(self) -> float:
        """[J] of kinetic and potential energy."""
        return self.kinetic + self.potential

    @property
    def balance(self) -> float:
        """[J] that is not accounted for: what was gained less all works."""
        return self.gained - (
            self.muscles + self.torques + self.dampers + self.holds + self.outside + self.brought
        )

    def __str__(self) -> str:
        return (
            f"energy: muscles {self.muscles:+.2f} J, dampers {self.dampers:+.2f} J, catches and"
            f" limits {self.holds:+.2f} J, brought by balls {self.brought:+.2f} J; gained"
            f" {self.gained:+.2f} J, {self.balance:+.2f} J is the integrator's"
        )
