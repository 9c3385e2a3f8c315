"""The bodies of Fig. 10: two muscles side by side, and one that is bent round a corner."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vastus.geometry.tetmesh import TetMesh
from vastus.model import Model, Muscle
from vastus.modelling.shapes.simple import box
from vastus.modelling.tissues import bone_region
from vastus.muscle import Density
from vastus.numerics.types import Floats
from vastus.parts import Bone, Contact, ContactKind, Drive, Load, Region, Tissue
from vastus.reproduce.emu import paper

# All [m]. Along the bent muscle: what is held, the way to the corner, from it, and the bone.
HELD, TO, FROM, BONE = 0.012, 0.06, 0.05, 0.03
WIDTH, THICK, CLEARANCE, PLATE = 0.02, 0.012, 0.001, 0.007
CORNER = 0.018  # radius of the muscle's middle line
WEIGHT = 10.0  # [N] that hangs from the square bone
BESIDE = 0.0405  # from one middle of the muscles to the other, 0.5 mm more than their width
BEYOND = 0.02  # of the bracket below the corner


def side_by_side(tets: int, *, released: bool) -> Model:
    """Two fusiform muscles between the same two bones, the lower one free if `released`."""
    model = paper.beside_itself(paper.heterogeneous(tets // 2), BESIDE)
    upper, lower = model.bones
    drive = Drive.FREE if released else Drive.PINNED
    return model.with_(bones=(upper, replace(lower, drive=drive)), contact=Contact())


def round_a_corner(tets: int) -> Model:
    """A muscle over the edge of a fixed bracket of bone, a square bone hanging from its end."""
    length = HELD + TO + 0.5 * np.pi * CORNER + FROM + BONE
    under = HELD + TO + 0.5 * np.pi * CORNER + BEYOND
    edge = (6 * WIDTH * (length * THICK + 1.6 * under * PLATE) / tets) ** (1 / 3)
    wide, thick = max(2, round(WIDTH / edge)), max(2, round(THICK / edge))
    belt = box((round(length / edge), wide, thick), (length, WIDTH, THICK))
    rows = max(1, round(PLATE / edge))
    plate = box((round(under / edge), wide + 1, rows), (under, 1.6 * WIDTH, PLATE))
    part = np.searchsorted([HELD, length - BONE], belt.centroids[:, 0])
    X = _widened(belt.X, length - BONE)
    low = plate.X - np.array([0.0, 0.0, 0.5 * (THICK + PLATE) + CLEARANCE])
    mesh = TetMesh(
        np.concatenate([_bent(X), _bent(low)]),
        np.concatenate([belt.T, plate.T + belt.n_vertices]),
    ).oriented()
    region = np.concatenate([part, np.full(plate.n_tets, 3)])
    ahead = np.array([1e-6, 0.0, 0.0])
    ends = _bent(belt.centroids + ahead) - _bent(belt.centroids - ahead)
    fibre = np.zeros((mesh.n_tets, 3))
    fibre[region == 1] = (ends / np.linalg.norm(ends, axis=1, keepdims=True))[part == 1]
    hung = np.unique(mesh.T[region == 2])
    weight = Load("weight", hung, np.full(len(hung), 1 / len(hung)), np.array([0, 0, -WEIGHT]))
    return Model(
        mesh=mesh,
        region=region,
        regions=(
            bone_region("anchor"),
            Region("muscle", Tissue.MUSCLE, paper.MUSCLE, muscle="muscle"),
            bone_region("square"),
            bone_region("bracket"),
        ),
        fibre=fibre,
        muscles=(Muscle("muscle", paper.ACTIVE, density=Density.UNIFORM),),
        bones=(
            Bone("base", ("anchor", "bracket"), Drive.PINNED),
            Bone("square", ("square",)),
        ),
        loads=(weight,),
        contact=Contact(bones=ContactKind.BARRIER),
        name="round a corner",
    )


def _widened(X: Floats, start: float) -> Floats:
    """A straight bar X (n, 3) with its end, from `start` on, wider, but not towards the bracket."""
    X = X.copy()
    end = X[:, 0] > start + 1e-9
    X[end, 1] *= BONE / WIDTH
    X[end, 2] = (X[end, 2] + 0.5 * THICK) * BONE / THICK - 0.5 * THICK
    return X


def _bent(X: Floats) -> Floats:
    """Points X (n, 3) of a bar along x, bent down by a right angle beyond the held and straight."""
    s, y, n = X.T
    start, arc = HELD + TO, 0.5 * np.pi * CORNER
    angle = np.clip((s - start) / CORNER, 0.0, 0.5 * np.pi)
    straight, down = np.minimum(s, start), np.maximum(s - start - arc, 0.0)
    x = straight + (CORNER + n) * np.sin(angle)
    z = (CORNER + n) * np.cos(angle) - CORNER - down
    return np.column_stack([x, y, z])
