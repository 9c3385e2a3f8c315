"""Numbers that look as if they were in other units than metre, kilogram, second."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vastus.checks.finding import Finding, error, warning
from vastus.model import Model
from vastus.parts import Tissue

LONGEST, SHORTEST = 10.0, 1e-3  # [m] sizes that a model may have
SOFTEST, STIFFEST = 100.0, 3e9  # [Pa] shear moduli that tissue may have
# Bones of models often carry the mass of all the flesh around them.
LIGHTEST, HEAVIEST = 200.0, 3e4  # [kg/m^3] densities that tissue may have
WEAKEST, STRONGEST = 1e4, 2e6  # [Pa] active stresses that muscle may have
OPTIMAL = (0.4, 2.5)  # optimal over rest length; sarcomeres hardly work over a wider range


def size(model: Model) -> Iterator[Finding]:
    """A model of the size of a house, or of a grain of salt."""
    length = float(np.ptp(model.mesh.X, axis=0).max())
    if length > LONGEST:
        yield error(
            "the model",
            f"is {length:.3g} m long, which looks like millimetres or centimetres read as metres",
            "set 'units' of the mesh to 'mm' or 'cm', or scale the vertices to metres",
        )
    if length < SHORTEST:
        yield warning(
            "the model",
            f"is {length * 1000:.3g} mm long, which looks like metres scaled down once too often",
            "set 'units' of the mesh to 'm', or ignore this if it is meant",
        )


def stiffness(model: Model) -> Iterator[Finding]:
    """Regions softer than jelly or stiffer than bone."""
    for region in model.regions:
        modulus = sum(law.stiffness() for law in region.laws)
        if region.laws and 0 < modulus < SOFTEST:
            yield _odd(region.name, f"a shear modulus of {modulus:.3g} Pa", "kPa or MPa")
        if modulus > STIFFEST:
            yield _odd(region.name, f"a shear modulus of {modulus:.3g} Pa", "a unit below Pa")


def density(model: Model) -> Iterator[Finding]:
    """Regions lighter than foam or heavier than stone, if gravity pulls at them."""
    for region in model.regions:
        if model.gravity.any() and not LIGHTEST <= region.density <= HEAVIEST:
            given = f"a density of {region.density:.3g} kg/m^3"
            yield _odd(region.name, given, "g/cm^3" if region.density < LIGHTEST else "g/m^3")


def _odd(region: str, given: str, unit: str) -> Finding:
    return warning(
        f"region '{region}'", f"has {given}, which looks like {unit}", "give it in SI units"
    )


def strength(model: Model) -> Iterator[Finding]:
    """Muscles whose active stress no muscle reaches; raw activations are left alone."""
    for muscle, stress, optimal in zip(model.muscles, model.stress, model.optimal, strict=True):
        given = stress * optimal  # over the section at optimal length, as muscles are compared
        if np.isfinite(muscle.limit) and not WEAKEST <= given <= STRONGEST:
            yield warning(
                f"muscle '{muscle.name}'",
                f"has strength {given:.3g} Pa, outside {WEAKEST:g} to {STRONGEST:g} Pa",
                "muscle reaches about 3e5 Pa",
            )


def optimal(model: Model) -> Iterator[Finding]:
    """Muscles whose optimal fibre length is far from their length at rest."""
    least, most = OPTIMAL
    for muscle, stretch in zip(model.muscles, model.optimal, strict=True):
        if not least <= stretch <= most:
            yield warning(
                f"muscle '{muscle.name}'",
                f"has its optimal fibre length at {stretch:.3g} times the length at rest",
                f"`optimal` is that ratio, about 1 ({least:g} to {most:g}), and "
                "`fibre_length` is in metres",
            )


def gravity(model: Model) -> Iterator[Finding]:
    """Gravity of no planet."""
    size = float(np.linalg.norm(model.gravity))
    if size > 30 or 0 < size < 1:
        yield warning(
            "gravity",
            f"is {size:.3g} m/s^2",
            "give [0, 0, -9.81] for the Earth, or [0, 0, 0] for none",
        )


def poisson(model: Model) -> Iterator[Finding]:
    """Materials so incompressible that linear tets lock."""
    for region in model.regions:
        ratios = [float(getattr(law, "poisson", 0.0)) for law in region.laws]
        if region.tissue is not Tissue.BONE and max(ratios, default=0.0) > 0.499:
            yield warning(
                f"region '{region.name}'",
                f"has Poisson's ratio {max(ratios):g}: linear tets lock above 0.499",
                "use 0.49 to 0.495",
            )


CHECKS = (size, stiffness, density, strength, optimal, gravity, poisson)
