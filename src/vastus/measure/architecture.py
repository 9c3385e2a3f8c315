"""The architecture of a muscle: what its mesh and fibres say, beside what its author gave."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

import numpy as np

from vastus.geometry.flux import conserved
from vastus.measure.ends import ends_of, own_tets
from vastus.measure.muscle_line import MuscleLine
from vastus.model import Model
from vastus.muscle import Muscle, belly_of, holders
from vastus.numerics.rotation import unit
from vastus.numerics.types import Floats

LEAKY = 0.1  # share of the flux beyond which a length along the tendon's fibres means nothing
# What may differ between what is given and what is found.
TOLERANCES = {"pcsa": 0.2, "fibre_length": 0.2, "tendon_length": 0.2, "volume": 0.1}
ANGLE = 10.0  # [deg]
LENGTHS = 0.005  # [m] that a tendon may differ in any case
USUAL = (1e5, 1e6)  # [Pa] the specific tension of muscle, with what lines stand for
WEAKEST, STRONGEST = 1e5, 1.5e6  # [Pa] of muscle, force over cross-section


@dataclass(frozen=True)
class Architecture:
    """What a muscle's mesh and fibres say, in SI units.

    `pcsa` is the volume over the optimal fibre length, and `force` what acts at activation 1 and
    that length. `fibre_length` is the mean length of the fibres at rest. `tendon_length`, the mean
    length of tendon that is in series with a fibre, is None where that cannot be told.
    """

    muscle: str
    volume: float
    fibre_length: float
    optimal_length: float
    pcsa: float
    strength: float
    force: float
    pennation: float  # [deg] mean angle to its tendons, or to the line between its ends
    tendon_length: float | None
    leak: float  # share of the tension that ends nowhere
    most: float = 1.0  # the largest activation; without one, strength is no stress of muscle
    meshed: float = 0.0  # the volume that the mesh has, less than `volume` by a clearance

    def __str__(self) -> str:
        tendon = "unknown" if self.tendon_length is None else f"{1e3 * self.tendon_length:.3g} mm"
        return (
            f"muscle '{self.muscle}': {self.force:.4g} N = {self.strength / 1e3:.4g} kPa x "
            f"{1e4 * self.pcsa:.3g} cm2; volume {1e6 * self.volume:.4g} cm3, fibres "
            f"{1e3 * self.fibre_length:.3g} mm (optimal {1e3 * self.optimal_length:.3g} mm) at "
            f"{self.pennation:.2g} deg, tendon {tendon}, leak {self.leak:.1%}{self._doubt}"
        )

    @property
    def _doubt(self) -> str:
        """What is said of a strength that muscle does not have."""
        low, high = USUAL
        if low <= self.strength <= high or self.most == inf:
            return ""
        size, much = ("small", "large") if self.strength > high else ("large", "small")
        return (
            f"; muscle has {low / 1e3:.0f} to {high / 1e3:.0f} kPa: its volume over its optimal "
            f"fibre length is too {size} for its force, or its force too {much}"
        )


def architecture(model: Model, index: int) -> Architecture:
    """The architecture of the muscle with this position."""
    flux, meshed = model.fluxes[index], model.belly_volume(index)
    volume = model.muscles[index].volume or meshed
    fuller = volume / meshed if meshed else 1.0
    optimal, stress = float(model.optimal[index]), float(model.stress[index])
    length = meshed / flux.area if flux.area > 0 else inf
    return Architecture(
        muscle=model.muscles[index].name,
        volume=volume,
        fibre_length=length,
        optimal_length=optimal * length,
        pcsa=fuller * flux.area / optimal,
        strength=stress * optimal / fuller,
        force=stress * flux.area,
        pennation=_pennation(model, index),
        tendon_length=_tendon_length(model, index, length),
        leak=flux.leak,
        most=model.muscles[index].limit,
        meshed=meshed,
    )


def architectures(model: Model) -> list[Architecture]:
    """The architecture of every muscle."""
    return [architecture(model, index) for index in range(len(model.muscles))]


def contradictions(muscle: Muscle, found: Architecture) -> Iterator[str]:
    """A sentence for each thing that is given and that the mesh contradicts."""
    told = {
        "pcsa": (found.pcsa, 1e4, "cm2"),
        "fibre_length": (found.optimal_length, 1e3, "mm"),
        "tendon_length": (found.tendon_length, 1e3, "mm"),
        "volume": (found.meshed, 1e6, "cm3"),
    }
    for name, (seen, scale, unit_name) in told.items():
        given = getattr(muscle, name)
        if given is None or seen is None:
            continue
        most = TOLERANCES[name] * given + (LENGTHS if name == "tendon_length" else 0.0)
        if not abs(given - seen) <= most:
            numbers = f"{scale * given:.3g} {unit_name}, but the mesh says {scale * seen:.3g}"
            yield f"has {name} {numbers} {unit_name}"
    if muscle.pennation is not None and abs(muscle.pennation - found.pennation) > ANGLE:
        yield (
            f"has pennation {muscle.pennation:.3g} deg, but the fibres say "
            f"{found.pennation:.3g} deg"
        )
    if muscle.force and muscle.pcsa:
        tension = muscle.force / muscle.pcsa
        if not WEAKEST <= tension <= STRONGEST:
            yield (
                f"has force {muscle.force:.4g} N over pcsa {1e4 * muscle.pcsa:.3g} cm2, which is "
                f"{tension / 1e3:.3g} kPa: no muscle has that strength"
            )


def _pennation(model: Model, index: int) -> float:
    """The mean angle [deg] between fibres and the muscle's line, weighted by what they carry."""
    tets, flux = belly_of(model, index), model.fluxes[index]
    d, weight = model.fibre[tets], model.mesh.volumes[tets] * flux.density
    cosine = np.clip(np.abs(d @ _line(model, index)), 0.0, 1.0)
    return float(np.average(np.degrees(np.arccos(cosine)), weights=weight))


def _line(model: Model, index: int) -> Floats:
    """(3,) the main direction of the tendons' fibres, or else the way between the ends."""
    tendon = np.flatnonzero((model.muscle_of_tet == index) & ~model.contractile)
    d = model.fibre[tendon]
    if d.any():
        spread = np.einsum("e,ei,ej->ij", model.mesh.volumes[tendon], d, d)
        return np.asarray(np.linalg.eigh(spread)[1][:, -1])
    ends = model.fluxes[index].ends
    X = model.mesh.submesh(belly_of(model, index))[0].X
    sides = [np.average(X, axis=0, weights=np.maximum(w, 0) + 1e-300) for w in (ends, -ends)]
    return np.asarray(unit((sides[0] - sides[1])[None])[0])


def _tendon_length(model: Model, index: int, fibres: float) -> float | None:
    """How much longer the way along all fibres from bone to bone is than the belly's [m].

    Where fibres end beside what holds the tendon, it is what of the muscle's line is not belly.
    """
    own = np.flatnonzero(model.muscle_of_tet == index)
    if model.contractile[own].all():
        return 0.0
    held = holders(model, index, tendons=False)
    own = own[(held[model.mesh.T[own]] < 0).any(axis=1)]
    if not np.linalg.norm(model.fibre[own], axis=1).all():
        return None
    part, kept = model.mesh.submesh(own)
    flux = conserved(part, model.fibre[own], held[kept])
    if flux.area <= 0 or flux.leak > LEAKY:
        return _by_line(model, index)
    return max(float(part.volumes.sum()) / flux.area - fibres, 0.0)


def _by_line(model: Model, index: int) -> float | None:
    """The length of the tendons on the muscle's line [m]; None if it is held at one end only."""
    tets = own_tets(model, index)
    ends = ends_of(model, tets)
    if not ends.origin or not ends.insertion:
        return None
    lengths = MuscleLine(model, tets, ends).of(model.mesh.X)
    return lengths[""] - lengths["_belly"]
