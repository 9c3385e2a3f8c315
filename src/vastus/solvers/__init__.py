"""Methods that find the state at given inputs; each is frozen settings with `prepare(model)`."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from vastus.energies.finite_volumes.forces import Form
from vastus.skeleton.bones import BoneModel
from vastus.solvers.emu.emu import Emu, EmuContact
from vastus.solvers.motion.dynamic import Dynamic
from vastus.solvers.motion.explicit import Explicit
from vastus.solvers.motion.integrators import Scheme
from vastus.solvers.newton import Newton
from vastus.solvers.problem import Reduction
from vastus.solvers.quasi_newton import QuasiNewton

# Scenes choose by the name; a solver's fields of these types are keys of `solver:`.
SOLVERS: dict[str, type[Any]] = {
    "quasi_newton": QuasiNewton,
    "newton": Newton,
    "emu": Emu,
    "dynamic": Dynamic,
    "explicit": Explicit,
}
PLAIN: dict[str, type] = {
    "float": float,
    "int": int,
    "bool": bool,
    "EmuContact": EmuContact,
    "Scheme": Scheme,
    "Form": Form,
}


def plain_settings(solver: type[Any]) -> dict[str, type]:
    """The settings of a solver that are numbers, switches or words, and what kind each is."""
    kinds = {f.name: str(f.type).removesuffix(" | None") for f in fields(solver)}
    return {name: PLAIN[kind] for name, kind in kinds.items() if kind in PLAIN}


def configured(solver: type[Any], bones: BoneModel, settings: dict[str, Any]) -> Any:
    """A solver with these settings, for bones that move in this way."""
    if any(f.name == "reduction" for f in fields(solver)):
        return solver(reduction=Reduction(bones), **settings)
    return solver(bones=bones, **settings)
