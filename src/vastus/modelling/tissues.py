"""The materials that the procedural models are made of unless told otherwise."""

from __future__ import annotations

from dataclasses import dataclass, field

from vastus.materials import ActiveFibre, StableNeoHookean, TendonTissue
from vastus.materials.base import Law
from vastus.model import Muscle, Region, Tissue
from vastus.muscle import Density

BONE_DENSITY = 1900.0  # [kg/m^3]


def _muscle() -> tuple[Law, ...]:
    # Bulk modulus 3 MPa: an active stress of 0.3 MPa changes the volume by about a per cent.
    return (StableNeoHookean(young=8e4, poisson=0.4955), ActiveFibre())


def _tendon() -> tuple[Law, ...]:
    # 60 to 110 MPa along the fibre: a few per cent of strain under a muscle's full strength.
    # Soft in shear: a tendon that is stiff in all directions bends like a rod, and its couple, not
    # its pull, would turn the bone. A larger K locks the thin sections.
    return (TendonTissue(G1=5e5, G2=5e5, L1=4e6, L2=15.0, lam_max=1.04, K=1e7),)


@dataclass(frozen=True)
class Materials:
    """The laws of muscle and tendon, and the active stress at activation 1 [Pa]."""

    muscle: tuple[Law, ...] = field(default_factory=_muscle)
    tendon: tuple[Law, ...] = field(default_factory=_tendon)
    strength: float = 3e5
    density: Density = Density.CONSERVED

    def named(self, name: str) -> Muscle:
        """The muscle called `name`."""
        return Muscle(name, strength=self.strength, density=self.density)

    def belly(self, name: str) -> Region:
        """The contractile region of the muscle called `name`."""
        return Region(name, Tissue.MUSCLE, self.muscle, muscle=name)

    def sinew(self, name: str, muscle: str) -> Region:
        """A tendon region of a muscle."""
        return Region(name, Tissue.TENDON, self.tendon, muscle=muscle)


def bone_region(name: str, density: float = BONE_DENSITY) -> Region:
    """A region of bone."""
    return Region(name, Tissue.BONE, density=density)


def usual_density(tissue: Tissue) -> float:
    """The density of a tissue [kg/m^3] unless an author says otherwise."""
    return BONE_DENSITY if tissue is Tissue.BONE else Region.density


def usual_laws(tissue: Tissue) -> tuple[Law, ...]:
    """What a tissue is made of unless an author says otherwise."""
    usual = Materials()
    passive = tuple(law for law in usual.muscle if not law.active)
    return {
        Tissue.MUSCLE: usual.muscle,
        Tissue.TENDON: usual.tendon,
        Tissue.PASSIVE: passive,
        Tissue.BONE: (),
    }[tissue]
