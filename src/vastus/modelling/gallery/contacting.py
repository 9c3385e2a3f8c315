"""Muscles that touch: two side by side between the same bones, and one over the edge of a bracket.

Lengths are in metres. Along the bent muscle: what is held, the way to the corner, from it, and the
square bone that hangs there.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vastus.geometry.tetmesh import TetMesh, together
from vastus.model import Model
from vastus.modelling.shapes.arguments import checked
from vastus.modelling.shapes.assembly import MIN_TETS, check_tets
from vastus.modelling.shapes.simple import box, fusiform
from vastus.modelling.tissues import Materials, bone_region
from vastus.muscle import Density
from vastus.numerics.rotation import exp_map
from vastus.numerics.types import Floats
from vastus.parts import Bone, Contact, ContactKind, Drive, Load

HELD, TO, FROM, BONE = 0.012, 0.06, 0.05, 0.03
WIDTH, THICK, CLEARANCE, PLATE = 0.02, 0.012, 0.001, 0.007
GAP = 0.95 * CLEARANCE  # so wide that the muscle slides over the bracket's corner smoothly
CORNER = 0.018  # radius of the muscle's middle line
WEIGHT = 10.0  # [N] that hangs from the square bone
BESIDE = 0.0405  # from one middle of the muscles to the other, 0.5 mm more than their width
BEYOND = 0.02  # of the bracket below the corner


@checked
def side_by_side(tets: int = 20_000, *, materials: Materials | None = None) -> Model:
    """Muscles `belly a` and `belly b` between the same two bones, `upper` pinned and `lower` free.

    They hang along z, half a millimetre apart, and are kept out of each other.
    """
    check_tets(tets)
    one = fusiform(tets=max(tets // 2, MIN_TETS), materials=materials)
    return beside_itself(one, BESIDE).with_(contact=Contact(), name="side_by_side")


def beside_itself(one: Model, apart: float, turn: float = 0.1) -> Model:
    """A model twice, on the same bones: the second is moved along x by `apart` [m].

    It is turned about z by `turn` [rad], so that the meshes do not match where they meet.
    """
    R = exp_map(np.array([0.0, 0.0, turn]))
    second = TetMesh(one.mesh.X @ R.T + np.array([apart, 0.0, 0.0]), one.mesh.T)
    regions = [
        replace(r, name=f"{r.name} {k}", muscle=f"{r.muscle} {k}" if r.muscle else None)
        for k in "ab"
        for r in one.regions
    ]
    return Model(
        together(one.mesh, second),
        np.concatenate([one.region, one.region + len(one.regions)]),
        tuple(regions),
        np.concatenate([one.fibre, one.fibre @ R.T]),
        tuple(replace(m, name=f"{m.name} {k}") for k in "ab" for m in one.muscles),
        tuple(
            replace(b, regions=tuple(f"{r} {k}" for k in "ab" for r in b.regions))
            for b in one.bones
        ),
        volume=one.volume,
    )


@checked
def curved(
    tets: int = 11_000, *, weight: float = WEIGHT, materials: Materials | None = None
) -> Model:
    """A muscle over the edge of a fixed bracket of bone, a `square` bone hanging from its end.

    The bracket and what holds the muscle are the pinned bone `base`; the square bone bears a
    `weight` [N].
    """
    check_tets(tets)
    materials = materials or Materials()
    length = HELD + TO + 0.5 * np.pi * CORNER + FROM + BONE
    under = HELD + TO + 0.5 * np.pi * CORNER + BEYOND
    edge = (6 * WIDTH * (length * THICK + 1.6 * under * PLATE) / tets) ** (1 / 3)
    wide, thick = max(2, round(WIDTH / edge)), max(2, round(THICK / edge))
    belt = box((round(length / edge), wide, thick), (length, WIDTH, THICK))
    rows = max(1, round(PLATE / edge))
    plate = box((round(under / edge), wide + 1, rows), (under, 1.6 * WIDTH, PLATE))
    # Parts end between cells of the belt, not inside them.
    along = np.unique(belt.X[:, 0])
    held, bone = (float(along[np.abs(along - at).argmin()]) for at in (HELD, length - BONE))
    part = np.searchsorted([held, bone], belt.centroids[:, 0])
    X = _widened(belt.X, bone)
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
    pull = Load("weight", hung, np.full(len(hung), 1 / len(hung)), np.array([0, 0, -weight]))
    return Model(
        mesh=mesh,
        region=region,
        regions=(
            bone_region("anchor"),
            materials.belly("muscle"),
            bone_region("square"),
            bone_region("bracket"),
        ),
        fibre=fibre,
        muscles=(replace(materials.named("muscle"), density=Density.UNIFORM),),
        bones=(
            Bone("base", ("anchor", "bracket"), Drive.PINNED),
            Bone("square", ("square",)),
        ),
        loads=(pull,),
        contact=Contact(bones=ContactKind.BARRIER, gap=GAP),
        name="curved",
        volume=materials.volume,
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
