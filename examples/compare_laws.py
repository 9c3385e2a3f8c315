"""The same muscle with the papers' active stress, and with a bell-shaped force-length curve.

Usage: python examples/compare_laws.py [tets]
"""

import sys

import vastus
from vastus.materials import ActiveFibre, HillFibre, StableNeoHookean

tets = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
passive = StableNeoHookean(young=2e5, poisson=0.49)
stretches = {}
for active in (ActiveFibre(), HillFibre(optimal=1.0, width=0.45)):
    materials = vastus.shapes.Materials(muscle=(passive, active))
    model = vastus.shapes.fusiform(tets=tets, materials=materials)
    inputs = vastus.ramp(model, belly=1.0, seconds=1.0, fps=5)
    frames = vastus.simulate(model, vastus.Newton(), inputs)
    stretches[active.name] = [frame.outputs["belly_stretch"] for frame in frames]

print("activation  " + "  ".join(f"{name:>12}" for name in stretches))
for given, *found in zip(inputs, *stretches.values(), strict=True):
    print(f"{given.excitation[0]:10.1f}  " + "  ".join(f"{s:12.3f}" for s in found))
