"""What forces owe to laws and strengths, all places held: a model varied in nothing of its shape.

Tissue answers through the numbers of its laws and its active stresses; bellies and shared volumes
by themselves. Contact and limits resist by as much as the model's laws and strengths suggest, and
are linear in that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from vastus.contact.barrier import BarrierContact
from vastus.contact.distance import DistanceContact
from vastus.contact.floor import FloorContact
from vastus.contact.prepare import FIRM, pressure_of, usual_pressure
from vastus.energies.belly import BellyForce, heads_of
from vastus.energies.collapse import Collapse
from vastus.energies.elastic import Term, strength_of
from vastus.energies.energy import Forces
from vastus.energies.joints import JointResistance
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.sensitivity.equilibrium import STENCIL, StableEquilibrium

if TYPE_CHECKING:
    from vastus.sensitivity.parameters.parameter import Parameter

ROUND_OFF = 1e-12  # of a number: what differences of it leave where it does not change
Pressure = Callable[[Model], float]
PRESSURES: dict[type, Pressure] = {
    DistanceContact: lambda model: pressure_of(model, FIRM),
    BarrierContact: pressure_of,
    FloorContact: lambda model: _floor_pressure(model),
}


def pull_of_laws(here: StableEquilibrium, parameter: Parameter) -> Floats:
    """(k + f,) g_p of a parameter that changes laws, strengths or fibres, and not the shape."""
    h, model = parameter.fine(here.model, here.inputs), here.model
    usual, soft = here.problem.elastic, here.model.soft
    level = np.append(here.inputs.excitation, 0.0)[model.muscle_of_tet[soft]]
    rows = [np.zeros_like(term.parameters) for term in usual.terms]
    fibre, tension = np.zeros_like(usual.fibre), np.zeros(len(usual.T))
    forces = here.problem.no_forces(here.q)
    for weight, other in beside(here, parameter, h):
        for total, term in zip(rows, usual.terms, strict=True):
            if _changed(model, other, term):
                total += weight * term.numbers(other)
        _add_volumes(here, other, weight, forces)
        turned = other.fibre is not model.fibre
        if turned:
            fibre += weight * other.fibre[soft]
        if turned or other.muscles is not model.muscles:
            tension += weight * strength_of(other) * level
            _add_bellies(here, other, weight, forces)
    for total, term in zip(rows, usual.terms, strict=True):
        # Of what does not depend on it, differences leave round-off.
        total[np.abs(total) * h < ROUND_OFF * np.abs(term.parameters)] = 0.0
    tension[np.abs(tension) * h < ROUND_OFF * here.tissue.stress_scale] = 0.0
    fibre[np.abs(fibre) * h < ROUND_OFF] = 0.0
    forces.nodes += here.tissue.change(rows=rows, tension=tension, fibre=fibre)
    return here.reduced_forces(forces) + pull_of_resistance(here, parameter)


def pull_of_resistance(here: StableEquilibrium, parameter: Parameter) -> Floats:
    """(k + f,) what contact, floors and limits of joints have to do with it."""
    total = here.problem.no_forces(here.q)
    h = parameter.fine(here.model, here.inputs)
    for energy in here.objective.energies:
        pressure = PRESSURES.get(type(energy))
        if pressure is not None:
            own = here.problem.no_forces(here.q)
            energy.add_forces(here.q, own)
            change = sum(weight * pressure(model) for weight, model in beside(here, parameter, h))
            _add(total, own, change / pressure(here.model))
        elif isinstance(energy, JointResistance) and energy.moments(here.q).any():
            for weight, model in beside(here, parameter, h):
                own = here.problem.no_forces(here.q)
                JointResistance(model).at(here.inputs).add_forces(here.q, own)
                _add(total, own, weight)
    return here.reduced_forces(total)


def beside(
    here: StableEquilibrium, parameter: Parameter, h: float
) -> Iterator[tuple[float, Model]]:
    """The models of a central difference, each with its weight."""
    value = parameter.value(here.model, here.inputs)
    for far, weight in STENCIL:
        for side in (far, -far):
            model, _ = here.variants.of(parameter, here.model, here.inputs, value + side * h)
            yield float(np.sign(side)) * weight / h, model


def _changed(model: Model, other: Model, term: Term) -> bool:
    """Whether the numbers of a term may be other ones; those that are not cancel."""
    alike = other.muscles is model.muscles and other.fibre is model.fibre
    return not alike or any(other.regions[r] is not model.regions[r] for r, _ in term.regions)


def _add_bellies(here: StableEquilibrium, model: Model, weight: float, into: Forces) -> None:
    """Add the forces of bellies as strong as those of a model, and along its fibres."""
    heads = here.problem.bellies.heads
    if heads:
        same = model.fibre is here.model.fibre
        theirs = (head.with_laws(model) for head in heads) if same else heads_of(model)
        own = here.problem.no_forces(here.q)
        BellyForce(tuple(theirs), here.inputs.excitation).add_forces(here.q, own)
        into.nodes += weight * own.nodes


def _add_volumes(here: StableEquilibrium, model: Model, weight: float, into: Forces) -> None:
    """Add the forces of shared volumes, and against collapse, with the laws of a model."""
    if here.problem.volume is None:
        return
    volume = here.problem.volume.with_laws(model)
    if not volume.resists_as(here.problem.volume):
        own = here.problem.no_forces(here.q)
        volume.add_forces(here.q, own)
        for energy in here.problem.energies:
            if isinstance(energy, Collapse):
                energy.with_laws(model).add_forces(here.q, own)
        into.nodes += weight * own.nodes


def _add(total: Forces, own: Forces, weight: float) -> None:
    for name in ("nodes", "tied", "turns", "shifts", "joints"):
        getattr(total, name)[...] += weight * getattr(own, name)


def _floor_pressure(model: Model) -> float:
    assert model.floor is not None
    return usual_pressure(model) if model.floor.pressure is None else model.floor.pressure
