"""A model from three closed surfaces, what the builder decided, and how far the muscle bends it.

Usage: python examples/two_bones.py
"""

from pathlib import Path

import vastus
from vastus.modelling.build import built
from vastus.modelling.surfaces.record import record_of

scene = vastus.read(Path(__file__).with_suffix(".yaml"))
made = built(scene, watch=print)
record = record_of(made.anatomy, made.model)
for a in record.anchors:
    how = "given" if a.given else "proposed"
    print(f"{a.muscle}: {a.end} on {a.to}, {how}, {a.vertices} shared vertices")
for m in record.muscles:
    origin, insertion = m.tendons
    print(f"{m.name}: {1000 * m.length:.0f} mm long, {origin:.0%} and {insertion:.0%} tendon")
for joint in record.joints:
    print(f"{joint.name}: {joint.sentence}")

for frame in vastus.simulate(made.model, vastus.QuasiNewton(), scene.inputs(made.model)):
    angle, force = frame.outputs["elbow_angle_deg"], frame.outputs["flexor_force_N"]
    print(f"{frame.time:.1f} s  elbow {angle:6.1f} deg  flexor {force:6.1f} N")
