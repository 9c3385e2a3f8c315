"""The skeleton of a person whose bones are surfaces: landmarks are found on them by rule.

Bones must stand as at rest, x left, y back, z up.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import KDTree

from vastus.geometry.surface import Surface
from vastus.modelling.trunk.bone_files import BoneFiles, read_bones
from vastus.modelling.trunk.landmarks import (
    LEVELS,
    RIB_NUMBERS,
    SIDES,
    Cartilage,
    Landmarks,
    Rib,
    Side,
    Vertebra,
    sign,
)
from vastus.modelling.trunk.scanned_arm import arm_points
from vastus.modelling.trunk.skeleton import Skeleton
from vastus.numerics.types import Floats

_MIDDLE = 0.010  # [m] from the mid-plane within which spinous tips are looked for
_BIN = 0.010  # [m] of a rib's length
_DENS = 0.010  # [m] from the tip of the dens down to where the atlas turns
_TOUCH = 0.004  # [m]; vertices nearer than this to another bone are where they meet


def scanned(folder: str | Path, *, unit: float = 1e-3) -> Skeleton:
    """The skeleton of a folder of surfaces, one file a bone; `unit` [m] is that of the files."""
    bones = read_bones(BoneFiles(Path(folder), unit))
    return Skeleton(landmarks_of(bones), bones)


def landmarks_of(bones: Mapping[str, Surface]) -> Landmarks:
    """The landmarks of bones [m]."""
    vertebrae = {level: _vertebra(level, bones) for level in LEVELS}
    ribs = {
        (k, side): _rib(k, side, bones, vertebrae) for k in RIB_NUMBERS for side in SIDES
    }
    cartilages = {
        (k, side): _cartilage(k, side, bones, ribs[k, side])
        for k in range(1, 11)
        for side in SIDES
    }
    points = _middle_points(bones)
    for side in SIDES:
        named = _side_points(bones, side) | arm_points(bones, side)
        points |= {name + side: point for name, point in named.items()}
    return Landmarks(vertebrae, ribs, cartilages, points)


def highest(X: Floats, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Floats:
    """The point of X (n, 3) that is furthest along a direction."""
    return X[np.argmax(X @ np.array([x, y, z]))]


def _vertebra(level: str, bones: Mapping[str, Surface]) -> Vertebra:
    X = bones[level].X
    below, above = _below(level, bones), _above(level, bones)
    near = X[np.abs(X[:, 0] - below[0]) < _MIDDLE]
    lean = 0.3 if level.startswith("T") else 0.0
    tips = {side: highest(X, sign(side), lean) for side in SIDES}
    return Vertebra(below, above, highest(near, y=1.0, z=-0.35), tips)


def _below(level: str, bones: Mapping[str, Surface]) -> Floats:
    return _dens(bones) if level == "C1" else _centre(bones[f"disc{level}"])


def _above(level: str, bones: Mapping[str, Surface]) -> Floats:
    if level == "C1":
        return _condyles(bones)
    return _below(LEVELS[LEVELS.index(level) - 1], bones)


def _dens(bones: Mapping[str, Surface]) -> Floats:
    X = bones["C2"].X
    top = X[:, 2].max()
    tip = X[X[:, 2] > top - _DENS].mean(axis=0)
    return np.array([tip[0], tip[1], top - _DENS])


def _condyles(bones: Mapping[str, Surface]) -> Floats:
    """The middle of where the skull meets the atlas."""
    middles = []
    for side in SIDES:
        X = bones["C1"].X
        own = X[sign(side) * X[:, 0] > 0]
        middles.append(_meeting(own, bones["skull"].X))
    return np.mean(middles, axis=0)  # type: ignore[no-any-return]


def _meeting(X: Floats, Y: Floats) -> Floats:
    """The middle of the points of X that lie closest to those of Y."""
    far, _ = KDTree(Y).query(X)
    return X[far <= max(_TOUCH, far.min() + _TOUCH / 2)].mean(axis=0)


def _centre(surface: Surface) -> Floats:
    """The mean of a surface, its faces weighted by area."""
    middles = surface.X[surface.faces].mean(axis=1)
    return np.average(middles, axis=0, weights=surface.areas)  # type: ignore[no-any-return]


def _rib(
    number: int, side: Side, bones: Mapping[str, Surface], vertebrae: Mapping[str, Vertebra]
) -> Rib:
    """Head and tubercle are nearest to the disc above and to the transverse tip."""
    surface, vertebra = bones[f"rib{number}{side}"], vertebrae[f"T{number}"]
    target = vertebra.body if number in (1, 11, 12) else vertebra.above
    tree = KDTree(surface.X)
    first = int(tree.query(target)[1])
    tubercle = surface.X[int(tree.query(vertebra.transverse[side])[1])]
    return Rib(surface.X[first], tubercle, _middle_line(surface, first))


def _middle_line(surface: Surface, first: int) -> Floats:
    """(n, 3) means of rings at equal ways along the surface from a vertex."""
    a, b = surface.edges.T
    lengths = np.linalg.norm(surface.X[a] - surface.X[b], axis=1)
    links = sparse.coo_array((lengths, (a, b)), shape=(surface.n_vertices,) * 2)
    way = dijkstra(links.tocsr(), directed=False, indices=first)
    reached = np.isfinite(way)
    number = (way[reached] / _BIN).astype(int)
    X = surface.X[reached]
    return np.array([X[number == k].mean(axis=0) for k in np.unique(number)])


def _cartilage(number: int, side: Side, bones: Mapping[str, Surface], rib: Rib) -> Cartilage:
    X = bones[f"cart{min(number, 8)}{side}"].X
    inner = bones["sternum" if number < 8 else f"cart7{side}"].X
    near = X[np.argsort(np.linalg.norm(X - rib.tip, axis=1))[:12]]
    return Cartilage(_meeting(X, inner), near.mean(axis=0))


def _middle_points(bones: Mapping[str, Surface]) -> dict[str, Floats]:
    skull, jaw, sternum = bones["skull"].X, bones["mandible"].X, bones["sternum"].X
    hyoid, thyroid = bones["hyoid"].X, bones["thyroid"].X
    condyles = _condyles(bones)
    line = sternum[np.abs(sternum[:, 0] - np.median(sternum[:, 0])) < _MIDDLE / 2]
    top, low = line[:, 2].max(), line[:, 2].min()
    base = skull[(np.abs(skull[:, 0]) < _MIDDLE / 2) & (skull[:, 1] < condyles[1] - 0.01)]
    base = base[(base[:, 1] > condyles[1] - 0.03) & (base[:, 2] < condyles[2] + 0.02)]
    sacrum = bones["sacrum"].X
    crest = sacrum[(np.abs(sacrum[:, 0]) < _MIDDLE) & (sacrum[:, 2] > sacrum[:, 2].max() - 0.04)]
    level = low + 0.73 * (top - low)
    knob = skull[np.abs(skull[:, 2] - condyles[2] - 0.046) < 0.008]
    return {
        "jugular": highest(line, z=1.0),
        "sternum": (line.min(axis=0) + line.max(axis=0)) / 2,
        "angle": line[np.abs(line[:, 2] - level) < 0.008].mean(axis=0),
        "xiphoid": line[line[:, 2] < low + 0.02].mean(axis=0),
        "inion": highest(knob, y=1.0),
        "basion": highest(base, z=-1.0),
        "condyles": condyles,
        "chin": highest(jaw, y=-1.0, z=-0.5),
        "hyoid": _front(hyoid),
        "thyroid": _front(thyroid),
        "sacrum": highest(crest, y=1.0),
    }


def _front(X: Floats) -> Floats:
    """The middle of what lies furthest in front."""
    return X[X[:, 1] < X[:, 1].min() + 0.005].mean(axis=0)


def _side_points(bones: Mapping[str, Surface], side: Side) -> dict[str, Floats]:
    s = sign(side)
    hip, skull = bones[f"hip{side}"].X, bones["skull"].X
    middle = (hip[:, 2].min() + hip[:, 2].max()) / 2
    upper, lower = hip[hip[:, 2] > middle], hip[hip[:, 2] <= middle]
    psis = highest(upper, y=1.0)
    jaw, hyoid = (bones[name].X[s * bones[name].X[:, 0] > 0] for name in ("mandible", "hyoid"))
    own = skull[s * skull[:, 0] > 0]
    condyles = _condyles(bones)
    outer = own[np.abs(own[:, 0]) > 0.028]
    mastoid = highest(outer[np.abs(outer[:, 1] - condyles[1]) < 0.02], z=-1.0)
    inner = own[np.abs(np.abs(own[:, 0]) - 0.018) < 0.006]
    back = inner[np.abs(inner[:, 2] - condyles[2] - 0.027) < 0.008]
    ahead = mastoid[1] - outer[:, 1]
    styloid = outer[(ahead > 0.008) & (ahead < 0.03) & (np.abs(outer[:, 0]) < 0.046)]
    cheek = outer[(ahead > 0.045) & (ahead < 0.07) & (np.abs(outer[:, 2] - mastoid[2] - 0.018) < 0.01)]
    sternum = bones["sternum"].X
    top = sternum[sternum[:, 2] > sternum[:, 2].max() - 0.02]
    beside = top[np.abs(s * top[:, 0] - 0.012) < 0.004]
    return {
        "asis": highest(upper, y=-1.0),
        "crest": highest(hip, z=1.0),
        "crest_back": _crest_back(upper, psis),
        "psis": psis,
        "pubis": highest(lower, y=-1.0, z=0.3),
        "ischium": highest(hip, z=-1.0, y=0.3),
        "mastoid": mastoid,
        "nuchal": highest(back, y=1.0),
        "styloid": highest(styloid, z=-1.0),
        "cheek": highest(cheek, s),
        "jaw_condyle": highest(jaw, y=0.5, z=1.0),
        "jaw_angle": highest(jaw, y=1.0, z=-1.0),
        "hyoid_horn": highest(hyoid, 0.5 * s, 1.0),
        "manubrium": highest(beside, y=-1.0),
    }


def _crest_back(upper: Floats, psis: Floats) -> Floats:
    """The crest two fifths of the way up from the posterior spine."""
    top = upper[:, 2].max()
    level = psis[2] + 0.6 * (top - psis[2])
    ring = upper[np.abs(upper[:, 2] - level) < 0.008]
    return highest(ring, y=1.0)
