"""How thick bellies are: volumes of muscles from magnetic resonance images.

Volumes [cm^3] of muscles, or of groups of heads, follow Holzbaur, Murray, Gold and Delp (2007). The
heads of a group share its volume as force times fibre length, so they have one strength. Muscles
without an entry have the strength that those with one have on the whole.
"""

from __future__ import annotations

from vastus.bodies.muscles import MUSCLES, Muscle

VOLUMES: dict[tuple[str, ...], float] = {
    ("DELT1", "DELT2", "DELT3"): 380,
    ("PECM1", "PECM2", "PECM3"): 290,
    ("LAT1", "LAT2", "LAT3"): 262,
    ("TRIlong", "TRIlat", "TRImed"): 372,
    ("BIClong", "BICshort"): 143,
    ("BRA",): 144,
    ("BRD",): 65,
    ("SUBSC",): 164,
    ("INFSP", "TMIN"): 147,
    ("SUPSP",): 50,
    ("PT",): 38,
    ("FDS",): 74,
    ("FDP",): 92,
    ("ECRL",): 38,
    ("SUP",): 20,
    ("FCU",): 37,
}
STRENGTH = 0.7e6  # [Pa] of muscles without a volume: 0.7 MPa is the mean of the others


def belly_areas() -> dict[str, float]:
    """The cross-section [m^2] of each muscle of the arm, by name."""
    muscles = {muscle.name: muscle for muscle in MUSCLES}
    areas = {name: muscle.force / STRENGTH for name, muscle in muscles.items()}
    for heads, volume in VOLUMES.items():
        works = {name: _work(muscles[name]) for name in heads}
        for name in heads:
            share = works[name] / sum(works.values())
            areas[name] = 1e-6 * volume * share / muscles[name].optimal
    return areas


def _work(muscle: Muscle) -> float:
    return muscle.force * muscle.optimal
