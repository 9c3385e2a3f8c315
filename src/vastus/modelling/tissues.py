"""The materials that the procedural models are made of unless told otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vastus.materials import (
    ActiveFibre,
    NeoHookean,
    StableNeoHookean,
    TautFibre,
    TendonFibre,
    TendonTissue,
)
from vastus.materials.base import Law
from vastus.model import Muscle
from vastus.muscle import Density
from vastus.parts import Region, Tissue, Volume

BONE_DENSITY = 1900.0  # [kg/m^3]


# A bulk modulus of 3 MPa: an active stress of 0.3 MPa changes the volume by about a per cent.
MATRIX = StableNeoHookean(young=2e4, poisson=0.4989)
# Soft in shear: a tendon that is stiff in all directions bends like a rod, and its couple, not its
# pull, would turn the bone. A larger bulk modulus locks the thin sections. The fibres' stretch is
# the true one, or the tissue would swell to many times its volume rather than stretch them.
TENDON = (NeoHookean(young=1.5e6, poisson=0.475), TendonFibre())
# Muscle fibres pull on a sheet at an angle: if its ground substance were soft, it would give way.
SHEET = (NeoHookean(young=5.6e7, poisson=0.4), TendonFibre())


@dataclass(frozen=True)
class Materials:
    """The laws of muscle, tendon and aponeurosis, and what all muscles have in common.

    `strength` is the active stress at activation 1 and optimal length [Pa].
    """

    muscle: tuple[Law, ...] = (MATRIX, TautFibre())
    tendon: tuple[Law, ...] = TENDON
    strength: float = 3e5
    density: Density = Density.CONSERVED
    aponeurosis: tuple[Law, ...] = SHEET
    volume: Volume = Volume.AVERAGED

    @classmethod
    def early(cls, strength: float = 3e5) -> Materials:
        """Those of version 0.1: the same active stress at any length, and compliant tendon."""
        tendon = TendonTissue(G1=5e5, G2=5e5, L1=4e6, L2=15.0, lam_max=1.04, K=1e7)
        return cls(
            muscle=(StableNeoHookean(young=8e4, poisson=0.4955), ActiveFibre()),
            tendon=(tendon,),
            strength=strength,
            density=Density.UNIFORM,
            aponeurosis=(tendon,),
            volume=Volume.TET,
        )

    def named(self, name: str, **said: Any) -> Muscle:
        """The muscle called `name`, of which more may be said."""
        given: dict[str, Any] = {"strength": self.strength, "density": self.density, **said}
        return Muscle(name, **given)

    def belly(self, name: str) -> Region:
        """The contractile region of the muscle called `name`."""
        return Region(name, Tissue.MUSCLE, self.muscle, muscle=name)

    def sinew(self, name: str, muscle: str) -> Region:
        """A tendon region of a muscle."""
        return Region(name, Tissue.TENDON, self.tendon, muscle=muscle)

    def sheet(self, name: str, muscle: str) -> Region:
        """A tendon region of a muscle that its fibres pull at from the side."""
        return Region(name, Tissue.TENDON, self.aponeurosis, muscle=muscle)


def bone_region(name: str, density: float = BONE_DENSITY) -> Region:
    """A region of bone."""
    return Region(name, Tissue.BONE, density=density)


def usual_density(tissue: Tissue) -> float:
    """The density of a tissue [kg/m^3] unless an author says otherwise."""
    return BONE_DENSITY if tissue is Tissue.BONE else Region.density


def usual_laws(tissue: Tissue) -> tuple[Law, ...]:
    """What a tissue is made of unless an author says otherwise."""
    usual = Materials()
    passive = tuple(law for law in usual.muscle if not (law.active or law.fibrous))
    return {
        Tissue.MUSCLE: usual.muscle,
        Tissue.TENDON: usual.tendon,
        Tissue.PASSIVE: passive,
        Tissue.BONE: (),
    }[tissue]
