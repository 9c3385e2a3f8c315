"""Small models, made of boxes, that several tests share."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np

from vastus.energies.loads import external_force
from vastus.geometry.tetmesh import TetMesh, together
from vastus.inputs import Inputs
from vastus.materials import ActiveFibre, StableNeoHookean
from vastus.materials.base import Law
from vastus.measure.fields import Fields
from vastus.model import Model, Muscle
from vastus.muscle import Density
from vastus.numerics.types import Floats, Ints
from vastus.parts import Bone, Drive, Load, Pin, Region, Tissue
from vastus.skeleton.joints import JOINTS, Hinge, Joint
from vastus.solvers.newton import Newton
from vastus.solvers.problem import Reduction
from vastus.state import Report, State, rest

WEIGHTLESS = np.zeros(3)
SOFT: tuple[Law, ...] = (StableNeoHookean(young=6e4, poisson=0.45), ActiveFibre())
PASSIVE: tuple[Law, ...] = (StableNeoHookean(young=6e4, poisson=0.45),)


def box(cells: tuple[int, int, int], size: tuple[float, float, float]) -> TetMesh:
    """A box from the origin, six tets a cell."""
    nodes = np.array(cells) + 1
    X = np.indices(nodes).reshape(3, -1).T * (np.array(size) / cells)
    corner = np.indices(cells).reshape(3, -1).T
    T = []
    for order in permutations(range(3)):
        steps = np.cumsum(np.vstack([np.zeros(3, int), np.eye(3, dtype=int)[list(order)]]), axis=0)
        T.append(np.ravel_multi_index(tuple((corner[:, None] + steps).T), nodes).T)
    return TetMesh(X, np.concatenate(T)).oriented()


def shaken(mesh: TetMesh, amount: float, seed: int = 0) -> TetMesh:
    """The mesh with its inner vertices moved at random by up to `amount` [m]."""
    inner = np.setdiff1d(np.arange(mesh.n_vertices), mesh.boundary)
    X = mesh.X.copy()
    X[inner] += np.random.default_rng(seed).uniform(-amount, amount, (len(inner), 3))
    return TetMesh(X, mesh.T)


def solid(mesh: TetMesh, laws: tuple[Law, ...], **fields: object) -> Model:
    """A weightless body of one region, with fibres along x; the muscle 'body' if it is active."""
    active = any(law.active for law in laws)
    tissue = Tissue.MUSCLE if active else Tissue.PASSIVE
    given: dict[str, object] = {
        "fibre": np.tile([1.0, 0.0, 0.0], (mesh.n_tets, 1)),
        "muscles": (Muscle("body", strength=1e5, density=Density.UNIFORM),) if active else (),
        "gravity": WEIGHTLESS,
    }
    region = Region("body", tissue, laws, muscle="body" if active else None)
    return Model(mesh, np.zeros(mesh.n_tets, np.int64), (region,), **(given | fields))  # type: ignore[arg-type]


def heap(*meshes: TetMesh, laws: tuple[Law, ...] = PASSIVE, **fields: object) -> Model:
    """Weightless passive solids 'a', 'b', ... that share nothing."""
    mesh = together(*meshes)
    return Model(
        mesh,
        np.repeat(np.arange(len(meshes)), [m.n_tets for m in meshes]),
        tuple(Region("abcdefghij"[i], Tissue.PASSIVE, laws) for i in range(len(meshes))),
        np.zeros((mesh.n_tets, 3)),
        **({"gravity": WEIGHTLESS} | fields),  # type: ignore[arg-type]
    )


def rollers(mesh: TetMesh) -> tuple[Pin, ...]:
    """Pins that hold the lowest face of each axis along that axis."""
    low = mesh.X.min(axis=0)
    axes = np.eye(3, dtype=bool)
    return tuple(
        Pin(f"roller {a}", np.flatnonzero(mesh.X[:, a] == low[a]), tuple(axes[a].tolist()))
        for a in range(3)
    )


def face_load(mesh: TetMesh, axis: int, force: Floats, name: str = "traction") -> Load:
    """A force [N] spread evenly over the highest face of an axis."""
    top = mesh.X[:, axis].max()
    faces = mesh.boundary[(mesh.X[mesh.boundary, axis] == top).all(axis=1)]
    corners = mesh.X[faces]
    areas = np.linalg.norm(
        np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1
    )
    weights = np.bincount(faces.ravel(), np.repeat(areas, 3), minlength=mesh.n_vertices)
    vertices = np.flatnonzero(weights)
    return Load(name, vertices, weights[vertices] / weights.sum(), np.asarray(force, float))


def carve(mesh: TetMesh, labels: np.ndarray, **fields: object) -> Model:
    """A model of the tets with a label; upper case is a bone, lower case a muscle of that name.

    The first bone is pinned and the others are free; fibres run along x.
    """
    kept = np.flatnonzero(labels != "")
    piece, _ = mesh.submesh(kept)
    names, region = np.unique(labels[kept], return_inverse=True)
    regions = tuple(
        Region(n, Tissue.BONE, density=1900.0)
        if n.isupper()
        else Region(n, Tissue.MUSCLE, SOFT, muscle=n)
        for n in names.tolist()
    )
    bones = [n for n in names.tolist() if n.isupper()]
    given: dict[str, object] = {
        "fibre": np.tile([1.0, 0.0, 0.0], (piece.n_tets, 1)),
        "muscles": tuple(Muscle(n, 1e5) for n in names.tolist() if not n.isupper()),
        "bones": tuple(
            Bone(n, (n,), Drive.FREE if i else Drive.PINNED) for i, n in enumerate(bones)
        ),
    }
    return Model(piece, region, regions, **(given | fields))  # type: ignore[arg-type]


def pair(
    joint: Joint | None = None, cells: tuple[int, int, int] = (8, 2, 2), **fields: object
) -> Model:
    """Bone A, muscle 'm' and bone B in a row along x, 24 cm long; A is pinned."""
    mesh = box(cells, (0.24, 0.03, 0.03))
    labels = np.array(["A", "m", "B"])[np.searchsorted([0.06, 0.18], mesh.centroids[:, 0])]
    return carve(mesh, labels, joints=(joint,) if joint else (), **fields)


def hinge(bones: tuple[str, str] = ("A", "B"), x: float = 0.12, z: float = -0.03) -> Hinge:
    """A hinge along y at (x, z), named by its bones."""
    return Hinge("".join(bones), bones, np.array([x, 0.015, z]), np.array([0.0, 1.0, 0.0]))


# The numbers that place a joint of any kind.
GIVEN: dict[str, Any] = {
    "name": "joint",
    "bones": ("A", "B"),
    "centre": np.array([0.12, 0.015, -0.03]),
    "axis": np.array([0.3, 2.0, -0.2]),
    "second_axis": np.array([2.0, -0.3, 0.0]),
    "touch": np.array([0.1, 0.02, -0.16]),
}


def made(kind: str) -> Joint:
    """A joint of a kind between bones A and B, with the numbers that it has."""
    wanted = {"name", "bones", *JOINTS[kind].placed_by()}
    return JOINTS[kind](**{name: value for name, value in GIVEN.items() if name in wanted})


def row(joints: tuple[Joint, ...] = (), **fields: object) -> Model:
    """Three bones A, B, C and two muscles 'm', 'n' in a row along x, 40 cm long; A is pinned."""
    mesh = box((10, 2, 2), (0.4, 0.03, 0.03))
    cuts = np.searchsorted([0.08, 0.16, 0.24, 0.32], mesh.centroids[:, 0])
    return carve(mesh, np.array(["A", "m", "B", "n", "C"])[cuts], joints=joints, **fields)


def ladder(biarticular: bool = False, **fields: object) -> Model:
    """Bones A, B, C in a row with hinges between, and muscles above them, clear of what they skip.

    Either one muscle 'm' from A to C, or two muscles: 'm' from A to B and 'n' from A to C.
    """
    mesh = box((12, 2, 4), (0.36, 0.02, 0.06))
    x, _, z = mesh.centroids.T
    labels = np.full(mesh.n_tets, "", dtype="<U1")
    for name, low, high in (("A", 0.0, 0.09), ("B", 0.15, 0.21), ("C", 0.27, 0.36)):
        labels[(x > low) & (x < high) & (z < 0.03)] = name
    labels[(x < 0.03) & (z > 0.03)] = "A"
    labels[(x > 0.33) & (z > 0.03)] = "C"
    labels[(x > 0.03) & (x < 0.33) & (z > 0.045)] = "n" if not biarticular else "m"
    if not biarticular:
        labels[(x > 0.09) & (x < 0.15) & (z > 0.015) & (z < 0.03)] = "m"
    joints = (hinge(("A", "B"), 0.12, 0.0), hinge(("B", "C"), 0.24, 0.0))
    return carve(mesh, labels, joints=joints, **fields)


def inputs_of(model: Model, poses: Floats | None = None, **activation: float) -> Inputs:
    """Inputs at 1 s with the named activations."""
    base = Inputs.rest(model, time=1.0)
    level = np.array([activation.get(m.name, 0.0) for m in model.muscles])
    return Inputs(1.0, level, base.poses if poses is None else poses)


def solve(
    model: Model,
    *,
    tolerance: float = 1e-12,
    reduction: Reduction | None = None,
    **activation: float,
) -> tuple[State, Report]:
    """The equilibrium at the named activations, from rest."""
    stepper = Newton(tolerance=tolerance, reduction=reduction or Reduction()).prepare(model)
    return stepper.step(rest(model), inputs_of(model, **activation))


def nodal_forces(model: Model, state: State) -> Floats:
    """(n, 3) the forces [N] that hold each vertex in place, loads taken into account."""
    mesh = model.mesh
    P = Fields(model).stress(mesh.deformation(state.x), state)
    f = -external_force(model)
    np.add.at(f, mesh.T, np.einsum("m,mij,maj->mai", mesh.volumes, P, mesh.gradients))
    return f


def vertices_of(model: Model, bone: str) -> Ints:
    """The vertices that a bone carries."""
    return np.flatnonzero(model.bone_of_vertex == model.bone(bone))
