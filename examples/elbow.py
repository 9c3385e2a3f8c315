"""A biceps bends an elbow, and a table says by how much.

Usage: python examples/elbow.py [tets]
"""

import sys

import vastus

tets = int(sys.argv[1]) if len(sys.argv) > 1 else 12_000
model = vastus.shapes.elbow(tets=tets)
inputs = vastus.ramp(model, biceps=1.0, seconds=1.0, fps=10)
for frame in vastus.simulate(model, vastus.Newton(), inputs):
    angle, force = frame.outputs["elbow_angle_deg"], frame.outputs["biceps_force_N"]
    print(f"{frame.time:.1f} s  elbow {angle:6.1f} deg  biceps {force:6.1f} N")
