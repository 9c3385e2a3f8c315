"""Every law of the package; importing this file fills the registry."""

from vastus.materials.active_fibre import ActiveFibre
from vastus.materials.base import LAWS, Law, PointLaw, find_law
from vastus.materials.stable_neo_hookean import StableNeoHookean

__all__ = ["LAWS", "ActiveFibre", "Law", "PointLaw", "StableNeoHookean", "find_law"]
