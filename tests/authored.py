"""A scene with something in every section that refers to a name, and a folder with surfaces."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from vastus.files.meshes import write_surface
from vastus.geometry.surface import Surface

SCENE = """\
# By a person, with a comment.
vastus: 1
name: limb
surfaces:
  units: mm
  parts:
    humerus: {file: humerus.obj, tissue: bone}
    ulna: {file: ulna.obj, tissue: bone}
    radius: {file: radius.obj, tissue: bone}
    biceps: {file: biceps.obj, tissue: muscle, origin: humerus, insertion: [radius, ulna]}
    sinew: {file: sinew.obj, tissue: tendon, muscle: biceps}
    triceps: {file: triceps.obj, tissue: muscle, insertion: ulna, caps: [0.5, 0.1]}
    fat: {file: fat.obj, tissue: passive}
materials:
  muscle: {law: stable_neo_hookean, young: 9e4, poisson: 0.49}
  biceps tendon: {law: tendon, K: 2e7}
  fat: {law: mooney_rivlin, c1: 2e3}
regions:
  biceps: {density: 1100}
muscles:
  biceps:
    strength: 2e5
    fibres: {from: humerus, to: [forearm, fat], pennation: {angle: 20, aponeurosis: sinew}}
  triceps: {limit: 0.5}
bones:
  humerus: {drive: pinned}
  forearm: {regions: [radius, ulna], attached: {region: fat}}
joints:
  elbow: {kind: hinge, bones: [humerus, forearm]}
pins:
  held: {region: fat}
loads:
  weight: {bone: forearm, force: [0, 0, -5]}
  push: {faces: {region: biceps}, traction: [1, 0, 0]}
inputs:
  seconds: 2
  activation:
    biceps: [[0, 0], [2, 1]]
    triceps: 0.2
  bones:
    forearm:
      - {time: 0}
      - {time: 1, axis: [1, 0, 0], angle_deg: 30}
solver: {kind: newton}
"""


def write_limb(folder: Path, scene: str = SCENE) -> Path:
    """Write the scene and its surfaces to a folder."""
    for name in ("humerus", "ulna", "radius", "biceps", "sinew", "triceps", "fat"):
        write_surface(folder / f"{name}.obj", tetrahedron())
    (folder / "scene.yaml").write_text(scene)
    return folder


def tetrahedron() -> Surface:
    """The smallest closed surface."""
    faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
    return Surface(np.vstack([np.zeros(3), 100 * np.eye(3)]), faces)


def mentions(data: Any, name: str) -> int:
    """How often a name stands in plain data, as a key or a value."""
    if isinstance(data, dict):
        return sum(mentions(k, name) + mentions(v, name) for k, v in data.items())
    if isinstance(data, list):
        return sum(mentions(item, name) for item in data)
    return int(data == name)
