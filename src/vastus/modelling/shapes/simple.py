"""Single muscles: a clamped bar, a spindle and a feather, the latter two between two bones."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import permutations

import numpy as np

from vastus.errors import ModelError
from vastus.geometry.tetmesh import TetMesh
from vastus.materials.base import check_positive
from vastus.model import Model
from vastus.modelling.fibres.laplace import gradient_fibres, harmonic, laplace_fibres
from vastus.modelling.shapes.arguments import checked
from vastus.modelling.shapes.assembly import TubePart, check_tets, meshed
from vastus.modelling.shapes.tube import Disc, SweptSolid, Tube, ringed
from vastus.modelling.tissues import Materials, bone_region
from vastus.muscle import Density
from vastus.numerics.types import Floats, Ints
from vastus.parts import Bone, Drive, Pin, Region, Tissue

# Height from the lower end and radius, as fractions of the belly's length and radius.
_FUSIFORM_PROFILE = np.array(
    [
        [-0.50, 0.75], [-0.42, 0.85], [-0.34, 0.55],  # bone
        [-0.29, 0.30], [-0.10, 0.25], [0.00, 0.42],  # tendon
        [0.18, 0.80], [0.35, 0.98], [0.50, 1.00], [0.65, 0.98], [0.82, 0.80], [1.00, 0.42],
        [1.10, 0.25], [1.29, 0.30],  # tendon
        [1.34, 0.55], [1.42, 0.85], [1.50, 0.75],  # bone
    ]
)  # fmt: skip
_FUSIFORM_CUTS = (3, 5, 11, 13)
_BIPENNATE_PROFILE = np.array(
    [
        [-0.45, 0.62], [-0.38, 0.70], [-0.30, 0.50],  # bone
        [-0.25, 0.36], [-0.12, 0.32], [0.00, 0.42],  # tendon
        [0.12, 0.64], [0.235, 0.85], [0.50, 1.00], [0.765, 0.90], [0.88, 0.70], [1.00, 0.46],
        [1.12, 0.32], [1.25, 0.36],  # tendon
        [1.30, 0.50], [1.38, 0.70], [1.45, 0.62],  # bone
    ]
)  # fmt: skip
# Below the sheets is muscle only around the cord. If it is shorter, it is folded into a collar when
# the cord moves up by a tenth of the belly's length.
_BIPENNATE_CUTS = (3, 5, 7, 9, 11, 13)
_LOWER_BONE, _LOWER_TENDON, _LOW, _MIDDLE, _HIGH, _UPPER_TENDON, _UPPER_BONE = range(7)
_FLATNESS = np.array([1.25, 0.85])
_CORD, _SHEET = 0.3, 0.85  # the radii where cord and sheets meet the muscle, of the section's
_LOWER, _LOWER_SINEW, _BELLY, _UPPER_SINEW, _UPPER = range(5)


@checked
def bar(
    tets: int = 2_000,
    *,
    length: float = 0.2,
    width: float = 0.04,
    active: bool = True,
    materials: Materials | None = None,
) -> Model:
    """A square bar [m] along x of about `tets` tets, pinned where x = 0.

    Its fibres run along x and lie evenly: at its free end they hold on to nothing. It is the muscle
    `bar`, or passive tissue if not `active`.
    """
    check_tets(tets)
    check_positive("bar", length=length, width=width)
    materials = materials or Materials()
    edge = (length * width**2 * 6 / tets) ** (1 / 3)
    across = max(1, round(width / edge))
    mesh = box((max(1, round(tets / (6 * across**2))), across, across), (length, width, width))
    plain = tuple(law for law in materials.muscle if not (law.active or law.fibrous))
    passive = Region("bar", Tissue.PASSIVE, plain)
    return Model(
        mesh=mesh,
        region=np.zeros(mesh.n_tets, np.int64),
        regions=(materials.belly("bar") if active else passive,),
        fibre=np.tile([1.0, 0.0, 0.0], (mesh.n_tets, 1)),
        muscles=(replace(materials.named("bar"), density=Density.UNIFORM),) if active else (),
        pins=(Pin("clamp", np.flatnonzero(mesh.X[:, 0] == 0)),),
        name="bar",
        volume=materials.volume,
    )


def box(cells: tuple[int, int, int], size: tuple[float, float, float]) -> TetMesh:
    """A box of `size` [m] from x = 0, centred in y and z; six tets fill each cell."""
    nodes = tuple(n + 1 for n in cells)
    X = _grid(nodes) / cells * size - np.array([0.0, size[1] / 2, size[2] / 2])
    corner = _grid(cells)
    T = np.concatenate([_path(corner, order, nodes) for order in permutations(range(3))])
    return TetMesh(X, T).oriented()


def _path(corner: Ints, order: tuple[int, ...], nodes: tuple[int, ...]) -> Ints:
    """The tets from the low corner of each cell to the high one, along the axes in some order."""
    steps = np.cumsum(np.vstack([np.zeros(3, np.int64), np.eye(3, dtype=np.int64)[list(order)]]), 0)
    return np.ravel_multi_index(np.moveaxis(corner[:, None] + steps, -1, 0), nodes)


def _grid(counts: tuple[int, ...]) -> Ints:
    return np.stack(np.meshgrid(*map(np.arange, counts), indexing="ij"), axis=-1).reshape(-1, 3)


@checked
def fusiform(
    tets: int = 10_000,
    *,
    length: float = 0.15,
    radius: float = 0.02,
    materials: Materials | None = None,
) -> Model:
    """A muscle `belly` of `length` and `radius` [m] hanging along z between two bones by tendons.

    The bone `upper` is pinned and `lower` is free. Bones, tendons and belly are one mesh.
    """
    check_positive("fusiform", length=length, radius=radius)
    materials = materials or Materials()
    radii = _FUSIFORM_PROFILE[:, 1:] * radius
    tube = _along_z(_FUSIFORM_PROFILE[:, 0] * length, radii, 0.16 * length, _FUSIFORM_CUTS)
    (solid,) = meshed([TubePart(tube)], tets)
    mesh = TetMesh(solid.X, solid.T)
    soft = np.flatnonzero((solid.segment > 0) & (solid.segment < 4))
    upper, lower = (np.unique(mesh.T[solid.segment == k]) for k in (4, 0))
    fibre = np.zeros((mesh.n_tets, 3))
    fibre[soft] = laplace_fibres(mesh, soft, upper, lower)
    sinews = (materials.sinew("lower tendon", "belly"), materials.sinew("upper tendon", "belly"))
    return _hanging("fusiform", mesh, solid.segment, fibre, materials, sinews)


@checked
def bipennate(
    tets: int = 12_000,
    *,
    length: float = 0.15,
    radius: float = 0.02,
    pennation: float = 20.0,
    materials: Materials | None = None,
) -> Model:
    """A muscle `belly` of `length` and `radius` [m] hanging along z between two bones.

    A tendon from the free bone `lower` runs up inside the belly as a cord; one from the pinned bone
    `upper` covers it on both sides (in x) as sheets, which close to a cup above the cord; both are
    aponeuroses. Fibres run down from the sheets to the cord, in the mean over the belly's volume at
    `pennation` [deg] from the axis.
    """
    if not 5 <= pennation <= 45:
        raise ModelError(f"the pennation is {pennation} deg; it must be between 5 and 45")
    check_positive("bipennate", length=length, radius=radius)
    materials = materials or Materials()
    radii = _BIPENNATE_PROFILE[:, 1:] * radius * _FLATNESS
    tube = _along_z(_BIPENNATE_PROFILE[:, 0] * length, radii, 0.15 * length, _BIPENNATE_CUTS)
    (solid,) = meshed([TubePart(tube, _section)], tets)
    mesh = TetMesh(solid.X, solid.T)
    region = _labelled(solid)
    sinews = (materials.sheet("lower tendon", "belly"), materials.sheet("upper tendon", "belly"))
    fibre = _fibres(mesh, region, pennation)
    return _hanging("bipennate", mesh, region, fibre, materials, sinews)


def _along_z(height: Floats, radii: Floats, cap: float, cuts: tuple[int, ...]) -> Tube:
    """A tube along z through heights (k,) [m], both ends of which close over `cap` [m]."""
    line = np.column_stack([np.zeros((len(height), 2)), height])
    return Tube(line, radii, rounded=(cap, cap), cuts=cuts)


def _hanging(
    name: str,
    mesh: TetMesh,
    region: Ints,
    fibre: Floats,
    materials: Materials,
    sinews: tuple[Region, Region],
) -> Model:
    """A muscle `belly` between a pinned and a free bone, in regions (m,) from the lower end up."""
    return Model(
        mesh=mesh,
        region=region,
        regions=(
            bone_region("lower"),
            sinews[0],
            materials.belly("belly"),
            sinews[1],
            bone_region("upper"),
        ),
        fibre=fibre,
        muscles=(materials.named("belly"),),
        bones=(Bone("upper", ("upper",), Drive.PINNED), Bone("lower", ("lower",))),
        name=name,
        volume=materials.volume,
    )


@cache
def _section(rings: int) -> Disc:
    """Rings for the cord, the muscle and the sheets: three at least, coarse ones if need be."""
    ring = np.arange(1, max(rings, 3) + 1)
    cord, sheet = _tendon_rings(len(ring))
    radii = np.interp(ring, [0, cord, len(ring) - sheet, len(ring)], [0.0, _CORD, _SHEET, 1.0])
    return ringed((6 * np.minimum(ring, rings)).tolist(), radii.tolist())


def _tendon_rings(rings: int) -> tuple[int, int]:
    return max(1, round(_CORD * rings)), max(1, round((1 - _SHEET) * rings))


def _labelled(solid: SweptSolid) -> Ints:
    """(m,) the region of each tet."""
    disc, part = solid.disc, solid.segment
    cord, sheet = _tendon_rings(int(disc.layer.max()) + 1)
    x, y = np.abs(disc.points[disc.triangles].mean(axis=1)).T
    within = (disc.layer < cord)[solid.triangle]
    rim = disc.layer > disc.layer.max() - sheet
    outside = (rim & (x > 0.7 * y))[solid.triangle]
    closed = rim[solid.triangle] & (part == _HIGH)
    region = np.full(len(part), _BELLY)
    region[(part == _LOWER_TENDON) | within & np.isin(part, (_LOW, _MIDDLE))] = _LOWER_SINEW
    region[(part == _UPPER_TENDON) | outside & (part == _MIDDLE) | closed] = _UPPER_SINEW
    region[part == _LOWER_BONE], region[part == _UPPER_BONE] = _LOWER, _UPPER
    return region


def _fibres(mesh: TetMesh, region: Ints, pennation: float) -> Floats:
    """(m, 3) fibres of the tendons along the muscle, of the belly from the sheets to the cord.

    The potential of the belly also falls with height on sheets and cord. Without that fibres would
    cross from one to the other at right angles.
    """
    of = [np.unique(mesh.T[region == k]) for k in range(5)]
    soft = np.flatnonzero((region != _LOWER) & (region != _UPPER))
    belly = np.flatnonzero(region == _BELLY)
    side = np.full(mesh.n_vertices, np.nan)
    side[of[_UPPER_SINEW]], side[of[_LOWER_SINEW]] = -1.0, 1.0
    height = np.where(np.isnan(side), np.nan, mesh.X[:, 2])
    slope = _slope(mesh, belly, (side, height), pennation)
    fibre = np.zeros((mesh.n_tets, 3))
    fibre[soft] = laplace_fibres(mesh, soft, of[_UPPER], of[_LOWER])
    fibre[belly] = gradient_fibres(mesh, belly, side - slope * height)
    return fibre


def _slope(mesh: TetMesh, belly: Ints, parts: tuple[Floats, Floats], pennation: float) -> float:
    """By how much [1/m] the potential falls with height for a mean angle of `pennation` [deg].

    `parts` are the values (n,) of the potential on sheets and cord: its sign, and the height.
    """
    from scipy.optimize import brentq  # as heavy as the rest of the package

    part, kept = mesh.submesh(belly)
    across, along = ((part.D @ harmonic(part, v[kept])).reshape(-1, 3) for v in parts)

    def excess(log_slope: float) -> float:
        d = across - np.exp(log_slope) * along
        cosine = np.clip(-d[:, 2] / np.linalg.norm(d, axis=1), -1.0, 1.0)
        return float(np.average(np.degrees(np.arccos(cosine)), weights=part.volumes)) - pennation

    typical = float(np.log(np.median(np.linalg.norm(across, axis=1))))
    return float(np.exp(brentq(excess, typical - 3, typical + 5, xtol=1e-4)))
