"""A material law of one's own, from its energy alone, against the built-in one.

Usage: python examples/own_law.py [tets]
"""

import sys

import numpy as np

import vastus
from vastus.materials import ActiveFibre, NeoHookean, det
from vastus.materials.base import lame
from vastus.parts import Volume


@vastus.law
def my_neo_hookean(F, young=2e5, poisson=0.49):
    mu, lam = lame(young, poisson)
    log_J = np.log(det(F))
    return mu / 2 * (np.sum(F * F) - 3) - mu * log_J + lam / 2 * log_J**2


print(vastus.check_law(my_neo_hookean))
tets = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
lengths = []
for passive in (my_neo_hookean(), NeoHookean(young=2e5, poisson=0.49)):
    materials = vastus.shapes.Materials(muscle=(passive, ActiveFibre()), volume=Volume.TET)
    model = vastus.shapes.fusiform(tets=tets, materials=materials)
    inputs = vastus.ramp(model, belly=1.0, seconds=0.5)
    *_, frame = vastus.simulate(model, vastus.Newton(), inputs)
    lengths.append(frame.outputs["belly_length_m"])
    print(f"{passive.name:16} {lengths[-1]:.12f} m  {frame.report.seconds:.2f} s")
print(f"difference       {abs(lengths[0] - lengths[1]):.1e} m")
