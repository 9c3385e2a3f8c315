"""The bodies of the experiments, with the materials of the paper."""

from __future__ import annotations

import numpy as np

from vastus.geometry.tetmesh import TetMesh
from vastus.materials import ActiveFibre, StableNeoHookean
from vastus.materials.base import Law
from vastus.model import Bone, Drive, Model, Muscle, Pin, Region, Tissue
from vastus.modelling.bar import box
from vastus.modelling.fusiform import fusiform
from vastus.modelling.tissues import Materials, bone_region
from vastus.numerics.types import Floats, Ints
from vastus.reproduce import paper
from vastus.skeleton.joints import Hinge

ACTIVE = paper.MUSCLE_YOUNG  # [Pa] the active stress at activation 1; the paper gives none
MUSCLE: tuple[Law, ...] = (StableNeoHookean(paper.MUSCLE_YOUNG, paper.POISSON), ActiveFibre())
TENDON: tuple[Law, ...] = (StableNeoHookean(paper.TENDON_YOUNG, paper.POISSON),)
STIFF: tuple[Law, ...] = (StableNeoHookean(paper.BONE_YOUNG, paper.POISSON),)
_Y = np.array([0.0, 1.0, 0.0])


def heterogeneous(tets: int) -> Model:
    """The fusiform muscle with tendons and two bones, the lower one free, hanging."""
    return fusiform(tets, materials=Materials(MUSCLE, TENDON, ACTIVE))


def homogeneous(tets: int) -> Model:
    """The same shape of muscle only, held at its upper end."""
    shape = heterogeneous(tets)
    top = np.unique(shape.mesh.T[shape.tets_of(["upper"])])
    fibre = shape.fibre.copy()
    fibre[~fibre.any(axis=1)] = [0.0, 0.0, -1.0]
    return Model(
        mesh=shape.mesh,
        region=np.zeros(shape.mesh.n_tets, np.int64),
        regions=(Region("belly", Tissue.MUSCLE, MUSCLE, muscle="belly"),),
        fibre=fibre,
        muscles=(Muscle("belly", ACTIVE),),
        pins=(Pin("upper", top),),
        name="homogeneous",
    )


def hinged_bones() -> Model:
    """Two bones on a hinge: `upper` stands and is pinned, `lower` lies and will fall.

    The top of the upper one is flesh, so that there are elements other than bones.
    """
    mesh, part = _corner(joined=False)
    top = mesh.centroids[:, 2] > 0.15
    flesh = Region("top", Tissue.PASSIVE, (StableNeoHookean(paper.MUSCLE_YOUNG, paper.POISSON),))
    return Model(
        mesh=mesh,
        region=np.where(top, 2, part),
        regions=(bone_region("upper"), bone_region("lower"), flesh),
        fibre=np.zeros((mesh.n_tets, 3)),
        bones=(Bone("upper", ("upper",), Drive.PINNED), Bone("lower", ("lower",))),
        joints=(Hinge("hinge", ("upper", "lower"), np.zeros(3), _Y),),
        name="hinge joint",
    )


def shared_edge() -> Model:
    """The same two bodies as elastic tets as stiff as bone that share only an edge."""
    mesh, part = _corner(joined=True)
    names = ("upper", "lower")
    return Model(
        mesh=mesh,
        region=part,
        regions=tuple(Region(name, Tissue.PASSIVE, STIFF, density=1900.0) for name in names),
        fibre=np.zeros((mesh.n_tets, 3)),
        pins=(Pin("top", np.flatnonzero(mesh.X[:, 2] > 0.19)),),
        name="shared edge",
    )


def _corner(*, joined: bool) -> tuple[TetMesh, Ints]:
    """An upright and a lying bar that meet at the edge x = z = 0, and the bar of each tet."""
    bar = box((4, 2, 2), (0.2, 0.05, 0.05))
    X = np.vstack([bar.X[:, [2, 1, 0]] - [0.025, 0.0, 0.0], bar.X - [0.0, 0.0, 0.025]])
    T = np.vstack([bar.T, bar.T + bar.n_vertices])
    if joined:
        X, place = np.unique(X.round(9), axis=0, return_inverse=True)
        T = place.ravel()[T]
    return TetMesh(X, T).oriented(), np.repeat([0, 1], bar.n_tets)


def hinged_muscle() -> Model:
    """Two bones in a row with a muscle between them that bends a hinge below."""
    mesh = box((12, 3, 3), (0.24, 0.03, 0.03))
    part = np.searchsorted([0.06, 0.18], mesh.centroids[:, 0])
    return Model(
        mesh=mesh,
        region=part,
        regions=(
            bone_region("A"),
            Region("m", Tissue.MUSCLE, MUSCLE, muscle="m"),
            bone_region("B"),
        ),
        fibre=np.tile([1.0, 0.0, 0.0], (mesh.n_tets, 1)),
        muscles=(Muscle("m", ACTIVE),),
        bones=(Bone("A", ("A",), Drive.PINNED), Bone("B", ("B",))),
        joints=(Hinge("hinge", ("A", "B"), np.array([0.12, 0.0, -0.045]), _Y),),
        name="hinged muscle",
    )


def resting_on_feet(mesh: TetMesh, up: int = 1) -> Model:
    """A soft homogeneous body that sags under its weight on its lowest tenth, held fixed.

    Its modulus is seven times the pressure of its height: the paper names no load.
    """
    height = float(np.ptp(mesh.X[:, up]))
    gravity: Floats = np.zeros(3)
    gravity[up] = -9.81
    law = StableNeoHookean(7 * 1060.0 * 9.81 * height, paper.POISSON)
    low = np.flatnonzero(mesh.X[:, up] < mesh.X[:, up].min() + 0.1 * height)
    return Model(
        mesh=mesh,
        region=np.zeros(mesh.n_tets, np.int64),
        regions=(Region("body", Tissue.PASSIVE, (law,)),),
        fibre=np.zeros((mesh.n_tets, 3)),
        pins=(Pin("feet", low),),
        gravity=gravity,
        name="homogeneous body",
    )
