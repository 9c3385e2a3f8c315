"""The bones of the upper body: closed, clear of each other, where their landmarks are."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from vastus.errors import FileError, ModelError
from vastus.geometry.section import self_intersections
from vastus.geometry.signed_distance import libigl
from vastus.geometry.surface import Surface
from vastus.modelling.trunk.landmarks import LEVELS, SIDES, Landmarks
from vastus.modelling.trunk.proportions import proportions
from vastus.modelling.trunk.scanned import scanned
from vastus.modelling.trunk.skeleton import BONES, Skeleton, parametric
from vastus.numerics.types import Floats

DATA = Path(__file__).parents[3] / "shared" / "data" / "upper_body"
SCANS = pytest.mark.skipif(not DATA.is_dir(), reason="the surfaces of BodyParts3D are not here")
NEAR = 0.004  # [m] between boxes of bones that are compared


def distances(surface: Surface, points: Floats) -> Floats:
    """(n,) signed distances [m] of points from a closed surface, negative inside."""
    igl = libigl()
    kind = igl.SIGNED_DISTANCE_TYPE_FAST_WINDING_NUMBER
    X = np.ascontiguousarray(np.atleast_2d(points))
    return np.asarray(igl.signed_distance(X, surface.X, surface.faces, sign_type=kind)[0])


@pytest.mark.slow
def test_surfaces_are_closed_and_do_not_cross_themselves() -> None:
    bones = parametric().bones
    assert set(bones) == set(BONES)
    assert len(bones) == 107
    for name, surface in bones.items():
        assert not len(surface.boundary_edges), name
        assert surface.volume > 0, name
        if not name.endswith("R"):
            assert not len(self_intersections(surface)), name


@pytest.mark.slow
def test_no_two_bones_overlap() -> None:
    """Vertices and middles of faces of each bone lie outside its neighbours."""
    bones = parametric().bones
    names = [name for name in bones if not name.endswith("R")] + ["hipR", "cart1R", "cart7R"]
    pairs = 0
    for a, b in combinations(names, 2):
        low = np.maximum(bones[a].X.min(axis=0), bones[b].X.min(axis=0))
        high = np.minimum(bones[a].X.max(axis=0), bones[b].X.max(axis=0))
        if (low > high + NEAR).any():
            continue
        pairs += 1
        for one, two in ((bones[a], bones[b]), (bones[b], bones[a])):
            points = np.concatenate([one.X, one.X[one.faces].mean(axis=1)])
            close = ((points > low - NEAR) & (points < high + NEAR)).all(axis=1)
            if close.any():
                assert distances(two, points[close]).min() > 0, (a, b)
    assert pairs > 100


@pytest.mark.slow
def test_the_other_side_is_the_mirror_image() -> None:
    bones = parametric().bones
    for name in BONES:
        if name.endswith("L"):
            twin = bones[name[:-1] + "R"]
            np.testing.assert_array_equal(bones[name].X * [-1, 1, 1], twin.X)


def marked(marks: Landmarks) -> dict[str, list[Floats]]:
    """Landmarks that must lie on the surface of a bone."""
    named = {
        "skull": ("mastoidL", "mastoidR", "nuchalL", "styloidL", "cheekL", "inion", "basion"),
        "mandible": ("chin", "jaw_angleL"), "sternum": ("jugular", "manubriumL", "xiphoid"),
        "hyoid": ("hyoid", "hyoid_hornL"), "thyroid": ("thyroid",), "sacrum": ("sacrum",),
        "humerusL": ("epicondyleL", "epitrochleaL"),
    }  # fmt: skip
    on = {bone: [marks.points[name] for name in names] for bone, names in named.items()}
    for level in LEVELS:
        vertebra = marks.vertebrae[level]
        on[level] = [vertebra.spinous, *vertebra.transverse.values()]
    for side in SIDES:
        for k in range(1, 12):
            rib = marks.ribs[k, side]
            on[f"rib{k}{side}"] = [rib.head, rib.tubercle]
        hip = ("asis", "crest", "crest_back", "psis", "pubis", "ischium")
        on[f"hip{side}"] = [marks.point(n, side) for n in hip]
        on[f"clavicle{side}"] = [marks.point("sternal", side)]
        on[f"scapula{side}"] = [
            marks.point(n, side) for n in ("acromion", "coracoid", "inferior_angle", "spine_root")
        ]
    return on


@pytest.mark.slow
def test_landmarks_lie_on_their_bones() -> None:
    skeleton = parametric()
    for name, points in marked(skeleton.landmarks).items():
        surface = skeleton.bones[name]
        far = np.abs(distances(surface, np.array(points)))
        assert far.max() < 0.0025, (name, far)


def test_a_skeleton_without_a_bone_is_refused() -> None:
    with pytest.raises(ModelError, match="the skeleton has no surface of C1, C2, C3, C4, C5"):
        Skeleton(proportions(), {})


def test_a_folder_without_a_rib_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"has no surface of sacrum: it must have sacrum\.obj"):
        scanned(tmp_path)
    with pytest.raises(FileError, match="is not a folder of surfaces"):
        scanned(tmp_path / "nowhere")


@SCANS
def test_rules_find_the_landmarks_of_scanned_bones() -> None:
    """Decimated surfaces move landmarks by a few millimetres from those of the originals."""
    marks = scanned(DATA).landmarks
    known = json.loads((DATA / "landmarks_mm.json").read_text())
    off: dict[str, list[float]] = {}

    def compare(kind: str, point: Floats, wanted: list[float]) -> None:
        off.setdefault(kind, []).append(float(np.linalg.norm(1e3 * point - wanted)))

    for level, vertebra in marks.vertebrae.items():
        compare("disc", vertebra.below, known[level]["below"])
        compare("spinous", vertebra.spinous, known[level]["sp"])
        for side in SIDES:
            compare("transverse", vertebra.transverse[side], known[level][f"tp{side}"])
    for (number, side), rib in marks.ribs.items():
        wanted = known[f"rib{number}{side}"]
        compare("head", rib.head, wanted["head"])
        compare("tubercle", rib.tubercle, wanted["tub"])
        compare("tip", rib.tip, wanted["tip"])
    limits = {"disc": (1.5, 4), "spinous": (1.5, 5), "transverse": (1.5, 3), "head": (2, 3),
              "tubercle": (1.5, 4), "tip": (3.5, 6)}  # fmt: skip
    for kind, (mean, most) in limits.items():
        assert np.mean(off[kind]) < mean, kind
        assert max(off[kind]) < most, kind
