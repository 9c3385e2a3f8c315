"""Every law of the package and what a user's own needs; importing this fills the registry."""

from vastus.materials.along import Along
from vastus.materials.base import LAWS, Law, PointLaw, find_law
from vastus.materials.consistency import LawReport, check_law
from vastus.materials.fibres.active_fibre import ActiveFibre
from vastus.materials.fibres.hill_fibre import HillFibre
from vastus.materials.fibres.isochoric_fibre import IsochoricFibre
from vastus.materials.fibres.table_fibre import TableFibre
from vastus.materials.fibres.taut_fibre import TautFibre
from vastus.materials.fibres.tendon_fibre import TendonFibre
from vastus.materials.fixed_corotated import FixedCorotated
from vastus.materials.functions import cofactor, det, erf, inv, maximum, minimum, where
from vastus.materials.mooney_rivlin import MooneyRivlin
from vastus.materials.muscle import MuscleTissue
from vastus.materials.neo_hookean import NeoHookean, StableNeoHookean
from vastus.materials.principal.hencky import Hencky
from vastus.materials.principal.ogden import Ogden
from vastus.materials.st_venant_kirchhoff import StVenantKirchhoff
from vastus.materials.tendon import TendonTissue
from vastus.materials.traced import law

__all__ = [
    "LAWS",
    "ActiveFibre",
    "Along",
    "FixedCorotated",
    "Hencky",
    "HillFibre",
    "IsochoricFibre",
    "Law",
    "LawReport",
    "MooneyRivlin",
    "MuscleTissue",
    "NeoHookean",
    "Ogden",
    "PointLaw",
    "StVenantKirchhoff",
    "StableNeoHookean",
    "TableFibre",
    "TautFibre",
    "TendonFibre",
    "TendonTissue",
    "check_law",
    "cofactor",
    "det",
    "erf",
    "find_law",
    "inv",
    "law",
    "maximum",
    "minimum",
    "where",
]
