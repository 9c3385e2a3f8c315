"""A damaged mesh is repaired: tets wound the wrong way or of no region, and a vertex out of place.

Usage: python examples/repair_mesh.py [tets]
"""

import sys

import numpy as np

import vastus
from vastus.geometry.tetmesh import TetMesh
from vastus.modelling.labelled.repair_mesh import repair

tets = int(sys.argv[1]) if len(sys.argv) > 1 else 12_000
model = vastus.shapes.fusiform(tets=tets)
X, T, labels = model.mesh.X.copy(), model.mesh.T.copy(), model.region.copy()

T[::200] = T[::200, [1, 0, 2, 3]]
labels[50::100] = -1
belly = model.tets_of(["belly"])
inside = np.setdiff1d(T[belly], np.union1d(model.mesh.boundary, np.delete(T, belly, axis=0)))
X[inside[0]] = X[inside[-1]]
broken = TetMesh(X, T)
print(f"{(broken.volumes <= 0).sum()} of {broken.n_tets} tets are inverted or flat")
print(f"{(labels < 0).sum()} belong to no region")

bones = np.array([0, -1, -1, -1, 1])  # the body of each region, if it is a bone
repaired = repair(broken, labels, body=bones)
for what, count in repaired.done.items():
    print(f"{count:6}  {what}")
print(f"now {repaired.folded} are inverted or flat")
print(f"{(repaired.labels != model.region[repaired.tets]).sum()} got another region than they had")
