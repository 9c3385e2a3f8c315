"""Whether muscles can pull as they say: fibres that end nowhere, numbers that contradict."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from vastus.checks.finding import Finding, error, middle_of, warning
from vastus.energies.elastic import laws_of
from vastus.materials.base import Law
from vastus.measure.architecture import architecture, contradictions
from vastus.model import Model
from vastus.muscle import Density, ForceLength, belly_of

LEAK, MUCH = 0.01, 0.1  # of the tension of a muscle
STRETCHES = np.linspace(0.7, 1.4, 15)
PULLED, SWOLLEN = 1.1, 0.1  # stretch of fibres, and the change of volume that is too much
PRECISE = 1e-5  # of the stretch across that is sought


def leaks(model: Model) -> Iterator[Finding]:
    """Muscles part of whose tension ends nowhere, because their fibres do."""
    for index, muscle in enumerate(model.muscles):
        leak = model.fluxes[index].leak if muscle.density is not Density.UNIFORM else 0.0
        if leak > LEAK:
            say = error if leak > MUCH else warning
            vertices = model.mesh.T[belly_of(model, index)]
            yield say(
                f"muscle '{muscle.name}'",
                f"loses {leak:.1%} of its tension where fibres end on nothing",
                "let its fibres run from a tendon, bone or pin to another, or give it "
                "'density: uniform', with which its force is not its strength times its section",
                middle_of(model.mesh.X[vertices.ravel()]),
            )


def given(model: Model) -> Iterator[Finding]:
    """Muscles of which something is said that the mesh contradicts."""
    for index, muscle in enumerate(model.muscles):
        for sentence in contradictions(muscle, architecture(model, index)):
            remedy = "correct it, or the mesh and its scale"
            yield warning(f"muscle '{muscle.name}'", sentence, remedy)


def local_force_length(model: Model) -> Iterator[Finding]:
    """Muscles in which tets in series part, since their force falls with length faster than
    passive fibres rise."""
    for index, muscle in enumerate(model.muscles):
        if model.force_length(index) is not ForceLength.LOCAL:
            continue
        for region in np.unique(model.region[belly_of(model, index)]):
            modulus, stretch = _least_modulus(model, int(region), float(model.stress[index]))
            if modulus < 0:
                yield warning(
                    f"muscle '{muscle.name}'",
                    f"has a force that falls with the length of each tet: at stretch {stretch:.2f} "
                    f"and activation 1 the fibres have the modulus {modulus / 1e3:.3g} kPa, so "
                    "that tets in series part, some longer and some shorter",
                    "give it 'force_length: belly' and no active law, or passive fibres that are "
                    "stiffer than its force falls",
                )
                break


def swelling(model: Model) -> Iterator[Finding]:
    """Tissue that swells or shrinks when its fibres are pulled, since they outweigh its bulk."""
    for region in model.regions:
        if not any(law.fibrous for law in region.laws):
            continue
        across = _lowest(partial(_energy(region.laws, 0.0), PULLED), 0.5, 2.0)
        J = PULLED * across**2
        if abs(J - 1.0) > SWOLLEN:
            yield warning(
                f"region '{region.name}'",
                f"would have {J:.3g} times its volume if its fibres were stretched to {PULLED:g}",
                "give it a bulk modulus of the order of its fibres' modulus, or fibres of the true "
                "stretch, as those of tendon_fibre or taut_fibre, in an elastic law",
            )


def _least_modulus(model: Model, region: int, stress: float) -> tuple[float, float]:
    """The least second derivative [Pa] of the energy by stretch at constant volume, and where."""
    energy, h = _energy(laws_of(model, region), stress), 1e-3
    moduli = []
    for stretch in STRETCHES.tolist():
        at = [energy(x, x**-0.5) for x in (stretch - h, stretch, stretch + h)]
        moduli.append(((at[0] - 2 * at[1] + at[2]) / h**2, stretch))
    return min(moduli)


def _energy(laws: Sequence[Law], stress: float) -> Callable[[float, float], float]:
    """The energy [J/m^3] of a tissue by the stretches along and across its fibres."""
    d = np.array([1.0, 0.0, 0.0])
    alike = [law for law in laws if not law.per_tet]
    points = [(law.point.energy, np.array(law.parameters())) for law in alike]

    def energy(along: float, across: float) -> float:
        F = np.diag([along, across, across])
        return float(sum(psi(F, d, stress, p) for psi, p in points))

    return energy


def _lowest(value: Callable[[float], float], low: float, high: float) -> float:
    """Where a function that falls, then rises between bounds is lowest, by golden sections."""
    part = 0.5 * (5**0.5 - 1)
    inner = [high - part * (high - low), low + part * (high - low)]
    found = [value(x) for x in inner]
    while high - low > PRECISE:
        if found[0] < found[1]:
            high, inner[1], found[1] = inner[1], inner[0], found[0]
            inner[0] = high - part * (high - low)
            found[0] = value(inner[0])
        else:
            low, inner[0], found[0] = inner[0], inner[1], found[1]
            inner[1] = low + part * (high - low)
            found[1] = value(inner[1])
    return 0.5 * (low + high)


CHECKS = (leaks, given, local_force_length, swelling)
