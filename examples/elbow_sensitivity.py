"""What the strength of an elbow depends on: cross-sections, attachments, tendon, angle.

The joint is held at 40 degrees with the biceps active; its reaction is the moment of all muscles.
Each derivative is exact, and costs one solve with a factor that is there already.
"""

from dataclasses import replace

import numpy as np

import vastus
from vastus import Inputs, shapes

OUTPUT = "elbow_reaction_Nm"
PATHS = (
    "muscles.biceps.force",
    "muscles.triceps.force",
    "inputs.activation.biceps",
    "materials.tendon.modulus",
    "inputs.joints.elbow",
)
SITES = [f"muscles.biceps.attachments.forearm.{axis}" for axis in "xyz"]

model = shapes.elbow(tets=2000)
held = replace(
    Inputs.rest(model, 1.0),
    excitation=np.array([0.5, 0.0]),
    joints=np.radians([40.0]),
)
(frame,) = vastus.simulate(model, vastus.Newton(), [held])
d = vastus.derivatives(model, frame, by=[*PATHS, *SITES], of=[OUTPUT])

print(f"the elbow at 40 degrees is held with {d.outputs[OUTPUT]:.3f} N m")
for path in PATHS:
    change = 0.1 * d.values[path] * d[OUTPUT, path]
    print(f"{path:<40}{d.values[path]:>12.4g}  10 % more: {change:+.4f} N m")
for path in SITES:
    print(f"{path:<40}{'':>12}  1 mm along it: {1e-3 * d[OUTPUT, path]:+.4f} N m")
