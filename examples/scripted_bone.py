"""The force of a muscle against its length: its lower bone is moved by a script.

Usage: python examples/scripted_bone.py [tets]
"""

import sys
from dataclasses import replace

import numpy as np

import vastus

tets = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
model = vastus.shapes.fusiform(tets=tets)
upper, lower = model.bones
model = model.with_(bones=(upper, replace(lower, drive=vastus.Drive.SCRIPTED)))

near = np.column_stack([np.eye(3), [0.0, 0.0, 0.01]])
far = np.column_stack([np.eye(3), [0.0, 0.0, -0.01]])
for activation in (0.0, 0.5, 1.0):
    inputs = vastus.keyframes(
        model,
        {"belly": [(0.0, activation), (1.0, activation)]},
        poses={"lower": [(0.0, near), (1.0, far)]},
        seconds=1.0,
        fps=4,
    )
    for frame in vastus.simulate(model, vastus.Newton(), inputs):
        length, force = frame.outputs["belly_length_m"], frame.outputs["belly_force_N"]
        print(f"activation {activation:.1f}  length {length:.4f} m  force {force:7.2f} N")
