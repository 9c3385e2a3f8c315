"""What the EMU paper (Modi et al. 2020) gives: its numbers, and the bodies of its experiments.

The paper writes errors as the Hausdorff distance over the rest length, with values such as 12.095:
they are read as per cent. Bodies are shapes, cubes of six tets, or surfaces filled with those.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from vastus.errors import FileError
from vastus.files.meshes import MESH_FORMATS, SURFACE_FORMATS, read_mesh, read_surface
from vastus.geometry.queries import inside
from vastus.geometry.tetmesh import TetMesh
from vastus.materials import ActiveFibre, StableNeoHookean
from vastus.materials.base import Law
from vastus.model import Model, Muscle
from vastus.modelling.shapes.simple import box, fusiform
from vastus.modelling.tissues import Materials, bone_region
from vastus.muscle import Density
from vastus.numerics.types import Bools, Floats, Ints
from vastus.parts import Bone, Drive, Pin, Region, Tissue, Volume
from vastus.skeleton.joints import Hinge

# Section 3.6
MUSCLE_YOUNG, TENDON_YOUNG, BONE_YOUNG = 6e6, 1.2e9, 1e10  # [Pa]; tendons from 4.5e8
POISSON = 0.49

# Section 4: iterations stop where the energy changes by less
STOP = 1e-2  # [J]

# Fig. 4 and section 3.2.1: vector modes, and the part of the spectrum that they cover
MODES, MODES_SHARE = 48, 0.9

# Section 3.7, on Fig. 8: iterations by alpha on a homogeneous muscle of 22,000 tets
FIG8_TETS = (2_000, 22_000)
FIG8_ITERATIONS = {1.0: 21, 1e8: 42_151}

# Table 2: error [%] by number of tets
TABLE2_FEM = 0.0
TABLE2_ADMM = {12_184: 7.048, 51_271: 7.381}
TABLE2_EMU = {
    12_184: {1e0: 12.095, 1e1: 8.214, 1e2: 2.143, 1e3: 2.381, 1e4: 1.667, 1e5: 8.095},
    51_271: {1e0: 11.119, 1e1: 6.428, 1e2: 1.500, 1e3: 3.214, 1e4: 3.119, 1e5: 5.786},
}

# Section 4 on Fig. 20: speed over the paper's own finite elements, and cores
FIG20_SPEEDUP = 20.0  # "over 20x" on medium to large meshes
FIG20_CORES, FIG20_CORES_GAIN = 12, 3.0
FIG1_TETS, FIG1_SPEEDUP = 47_000, 10.0  # "10x faster on a mesh size similar to" that of Fig. 1

# Section 4: the bunny, up to 40,000 tets
BUNNY_TETS = 40_000
BUNNY_SPEEDUP = (5.0, 6.0)


ACTIVE = MUSCLE_YOUNG  # [Pa] the active stress at activation 1; the paper gives none
MUSCLE: tuple[Law, ...] = (StableNeoHookean(MUSCLE_YOUNG, POISSON), ActiveFibre())
TENDON: tuple[Law, ...] = (StableNeoHookean(TENDON_YOUNG, POISSON),)
STIFF: tuple[Law, ...] = (StableNeoHookean(BONE_YOUNG, POISSON),)
_Y = np.array([0.0, 1.0, 0.0])
_ROUNDING = 1e-9
Inside = Callable[[Floats], Bools]


def heterogeneous(tets: int) -> Model:
    """The fusiform muscle with tendons and two bones, the lower one free, hanging."""
    return fusiform(
        tets, materials=Materials(MUSCLE, TENDON, ACTIVE, Density.UNIFORM, volume=Volume.TET)
    )


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
        muscles=(Muscle("belly", ACTIVE, density=Density.UNIFORM),),
        pins=(Pin("upper", top),),
        name="homogeneous",
    )


def hinged_bones() -> Model:
    """Two bones on a hinge: `upper` stands and is pinned, `lower` lies and will fall.

    The top of the upper one is flesh, so that there are elements other than bones.
    """
    mesh, part = _corner(joined=False)
    top = mesh.centroids[:, 2] > 0.15
    flesh = Region("top", Tissue.PASSIVE, (StableNeoHookean(MUSCLE_YOUNG, POISSON),))
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
        muscles=(Muscle("m", ACTIVE, density=Density.UNIFORM),),
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
    law = StableNeoHookean(7 * 1060.0 * 9.81 * height, POISSON)
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


def egg(tets: int) -> TetMesh:
    """An egg of 15 cm that stands on its blunt end, y up."""

    def holds(points: Floats) -> Bools:
        height = points[:, 1] / 0.075
        radius = 0.055 * (1.0 - 0.15 * height)
        return points[:, 0] ** 2 + points[:, 2] ** 2 < radius**2 * np.clip(1 - height**2, 0, None)

    return filled(holds, np.array([[-0.07, -0.075, -0.07], [0.07, 0.075, 0.07]]), tets)


def body_from(path: Path, sizes: Sequence[int]) -> list[TetMesh]:
    """The tet mesh of a file, or a closed surface filled to several sizes."""
    if path.suffix.lower() in MESH_FORMATS:
        mesh = read_mesh(path).mesh.oriented()
        _require_volume(path, mesh.X, mesh.volumes.sum())
        return [_largest_piece(mesh)]
    if path.suffix.lower() not in SURFACE_FORMATS:
        known = ", ".join([*MESH_FORMATS, *SURFACE_FORMATS])
        raise FileError(f"'{path}' is neither a tet mesh nor a surface; known are {known}")
    surface = read_surface(path)
    if not surface.closed:
        edges = len(surface.boundary_edges)
        raise FileError(f"'{path}' is not closed: {edges} of its edges belong to one face only")
    _require_volume(path, surface.X, surface.volume)
    ends = np.array([surface.X.min(axis=0), surface.X.max(axis=0)])
    return [filled(lambda points: inside(surface, points), ends, tets) for tets in sizes]


def _require_volume(path: Path, X: Floats, volume: float) -> None:
    """Refuse a body of points X (n, 3) and a volume [m³] that is flat or nothing, to rounding."""
    sides = np.ptp(X, axis=0)
    if sides.min() <= _ROUNDING * sides.max():
        told = " x ".join(f"{side:g}" for side in sides)
        raise FileError(f"'{path}' is flat, {told} m; a body has three dimensions")
    if abs(volume) <= _ROUNDING * sides.prod():
        raise FileError(f"'{path}' encloses no volume; its faces must surround a body")


def filled(holds: Inside, ends: Floats, tets: int) -> TetMesh:
    """About so many tets in cubes whose middle `holds` contains, within the box `ends` (2, 3)."""
    size = ends[1] - ends[0]
    edge = float(np.cbrt(6 * size.prod() / tets))
    for _ in range(3):  # the box is fuller than the body
        mesh = _cubes(holds, ends, edge)
        edge *= float(np.cbrt(mesh.n_tets / tets))
    return _largest_piece(_cubes(holds, ends, edge))


def _cubes(holds: Inside, ends: Floats, edge: float) -> TetMesh:
    size = ends[1] - ends[0]
    nx, ny, nz = (max(2, round(side / edge)) for side in size)
    whole = box((nx, ny, nz), (float(size[0]), float(size[1]), float(size[2])))
    shift = ends.mean(axis=0) - (whole.X.min(axis=0) + whole.X.max(axis=0)) / 2
    middles = np.floor((whole.centroids - whole.X.min(axis=0)) / (size / (nx, ny, nz))) + 0.5
    places = middles * (size / (nx, ny, nz)) + ends[0]
    kept = np.flatnonzero(holds(places))
    if not len(kept):
        raise FileError("the body is too thin to be filled with cubes")
    mesh, _ = whole.submesh(kept)
    return TetMesh(mesh.X + shift, mesh.T)


def _largest_piece(mesh: TetMesh) -> TetMesh:
    pieces = np.bincount(mesh.components)
    return mesh.submesh(mesh.components == pieces.argmax())[0]
