"""USD files: metres, z up, whole time codes, a skeleton that moves bones, and honest names."""

from __future__ import annotations

import signal
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bent_elbow import bent_elbow, elbow
from vastus import shapes
from vastus.errors import FileError, MissingExtra
from vastus.export import usd
from vastus.export.regions import clock
from vastus.export.usd import layer
from vastus.export.usd.prims import NAME
from vastus.export.usd.rig import skeleton
from vastus.model import Model
from vastus.pictures.skin import region_skins
from vastus.results.playback import Playback
from vastus.results.result import read_playback
from vastus.skeleton.joints import Ball

pxr = pytest.importorskip("pxr", reason="usd-core is not installed")
from pxr import Usd, UsdGeom, UsdShade, UsdSkel  # noqa: E402

TIMES = np.arange(5) / 30
HOSTILE = (
    "a b/c",
    "a_b_c",
    "A B C",
    "\"quoted\" 'name'",
    "<script>alert(1)</script>",
    "Ellenbogen ä 肘",
    "///",
    "3rd \0 head",
    "x" * 300,
)


def unwatched(done: int, count: int) -> None:
    """Say nothing."""


def written(playback: Playback, path: Path) -> Usd.Stage:
    usd.write(playback, path, unwatched)
    return Usd.Stage.Open(str(path))


@pytest.fixture(scope="module")
def playback(tmp_path_factory: pytest.TempPathFactory) -> Playback:
    return read_playback(bent_elbow(tmp_path_factory.mktemp("usd") / "result", TIMES))


@pytest.fixture(scope="module")
def stage(playback: Playback, tmp_path_factory: pytest.TempPathFactory) -> Usd.Stage:
    return written(playback, tmp_path_factory.mktemp("usd") / "motion.usdc")


def meshes(stage: Usd.Stage) -> dict[str, UsdGeom.Mesh]:
    found = [p for p in stage.Traverse() if p.IsA(UsdGeom.Mesh)]
    return {p.GetCustomDataByKey(NAME): UsdGeom.Mesh(p) for p in found}


def in_world(mesh: UsdGeom.Mesh, points: object, code: float) -> np.ndarray:
    M = np.array(mesh.ComputeLocalToWorldTransform(code))
    return np.array(points, float) @ M[:3, :3] + M[3, :3]


def test_the_stage_is_in_metres_with_z_up_and_says_where_it_is_from(
    playback: Playback, stage: Usd.Stage
) -> None:
    assert UsdGeom.GetStageMetersPerUnit(stage) == 1.0
    assert UsdGeom.GetStageUpAxis(stage) == UsdGeom.Tokens.z
    assert stage.GetDefaultPrim().GetPath() == "/Model"
    told = stage.GetRootLayer().customLayerData["vastus"]
    assert told["model"] == playback.result.provenance["model"]
    assert told["model"] in stage.GetRootLayer().documentation


def test_frames_are_at_whole_time_codes(stage: Usd.Stage) -> None:
    assert stage.GetTimeCodesPerSecond() == 30
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (0, 4)
    samples = meshes(stage)["biceps"].GetPointsAttr().GetTimeSamples()
    assert samples == [0, 1, 2, 3, 4]


def test_a_clock_keeps_uneven_times() -> None:
    times = np.array([0.0, 0.1, 0.1 + 1 / np.pi, 0.9])
    ticks = clock(times)
    assert np.allclose(ticks.codes / ticks.rate, times, rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("frames", "rate", "codes"),
    [([3, 5, 7], 10, [3, 5, 7]), ([0, 5, 9], 10, [0, 5, 9]), ([0, 2, 4, 6], 5, [0, 1, 2, 3])],
)
def test_some_frames_of_many_are_at_whole_time_codes(
    frames: list[int], rate: float, codes: list[int]
) -> None:
    ticks = clock(np.array(frames) / 10)
    assert ticks.rate == rate
    assert ticks.codes.tolist() == codes


def test_a_clock_of_one_frame_keeps_its_time() -> None:
    ticks = clock(np.array([0.5]))
    assert ticks.codes / ticks.rate == 0.5


def test_frames_that_do_not_follow_each_other_are_refused() -> None:
    with pytest.raises(FileError, match=r"frame 2 at 0\.1 s must be later than frame 1"):
        clock(np.array([0.0, 0.1, 0.1]))


def test_each_region_is_a_closed_mesh_below_its_tissue(
    playback: Playback, stage: Usd.Stage
) -> None:
    found = meshes(stage)
    assert set(found) == {region.name for region in playback.model.regions}
    groups = {str(m.GetPath().GetParentPath()) for m in found.values()}
    assert groups == {"/Model/Bones", "/Model/Muscles", "/Model/Tendons"}
    for mesh in found.values():
        assert mesh.GetSubdivisionSchemeAttr().Get() == "none"
        assert mesh.GetOrientationAttr().Get() == "rightHanded"
        assert not mesh.GetDoubleSidedAttr().Get()
        assert UsdShade.MaterialBindingAPI(mesh).ComputeBoundMaterial()[0]


def test_extents_hold_the_points(stage: Usd.Stage) -> None:
    mesh = meshes(stage)["biceps"]
    for code in range(5):
        x = np.array(mesh.GetPointsAttr().Get(code))
        assert np.array_equal(mesh.GetExtentAttr().Get(code), [x.min(axis=0), x.max(axis=0)])


def test_muscles_redden_and_carry_their_activation(stage: Usd.Stage) -> None:
    mesh = meshes(stage)["biceps"]
    red, green, _ = np.array([mesh.GetDisplayColorAttr().Get(c)[0] for c in (0, 4)]).T
    assert green[1] < 0.2 * green[0]
    assert red[1] > 0.5
    primvar = UsdGeom.PrimvarsAPI(mesh).GetPrimvar("activation")
    assert primvar.GetInterpolation() == UsdGeom.Tokens.vertex
    assert np.allclose(primvar.Get(2), 0.5)
    assert UsdGeom.PrimvarsAPI(mesh).GetPrimvar("stretch").GetTimeSamples() == [0, 1, 2, 3, 4]


def test_skinning_moves_the_bones_as_the_result_says(playback: Playback, stage: Usd.Stage) -> None:
    root = UsdSkel.Root(stage.GetPrimAtPath("/Model/Bones"))
    cache = UsdSkel.Cache()
    cache.Populate(root, Usd.PrimDefaultPredicate)
    (binding,) = cache.ComputeSkelBindings(root, Usd.PrimDefaultPredicate)
    query, found = cache.GetSkelQuery(binding.GetSkeleton()), set()
    for target in binding.GetSkinningTargets():
        name = target.GetPrim().GetCustomDataByKey(NAME)
        skin = region_skins(playback.model, split=False)[name]
        for code in range(5):
            points = UsdGeom.Mesh(target.GetPrim()).GetPointsAttr().Get()
            assert target.ComputeSkinnedPoints(query.ComputeSkinningTransforms(code), points, code)
            away = np.array(points) - playback[code].x[skin.vertices]
            assert np.abs(away).max() < 1e-6
        found.add(name)
    assert found == {"humerus", "scapula", "ulna", "radius", "hand"}


def test_bones_are_in_place_whether_or_not_a_program_skins(
    playback: Playback, tmp_path: Path
) -> None:
    plain = written(playback, tmp_path / "plain.usdc")
    skinned = written(playback, tmp_path / "skinned.usdc")
    assert UsdSkel.BakeSkinning(skinned.Traverse())
    for name, skin in region_skins(playback.model, split=False).items():
        for code in range(5):
            expected = playback[code].x[skin.vertices]
            for stage in (plain, skinned):
                mesh = meshes(stage)[name]
                x = in_world(mesh, mesh.GetPointsAttr().Get(code), code)
                assert np.abs(x - expected).max() < 1e-6


def test_joints_hang_on_the_bone_that_carries_them(stage: Usd.Stage) -> None:
    prim = UsdSkel.Skeleton(stage.GetPrimAtPath("/Model/Bones/Skeleton"))
    assert list(prim.GetJointsAttr().Get()) == ["humerus", "scapula", "humerus/forearm"]
    bind = np.array(prim.GetBindTransformsAttr().Get())
    assert np.allclose(bind[2, 3, :3], elbow().joints[0].centre)


@pytest.mark.parametrize(
    "pairs",
    [
        (("humerus", "forearm"), ("scapula", "forearm")),
        (("humerus", "forearm"), ("forearm", "humerus")),
    ],
)
def test_joints_that_are_no_tree_leave_bones_side_by_side(pairs: tuple) -> None:
    model = elbow()
    joints = tuple(Ball(f"{pair}", pair, np.zeros(3)) for pair in pairs)
    assert (skeleton(model.with_(joints=joints)).parents == -1).all()


def test_a_chain_is_in_order_of_its_parents() -> None:
    model = elbow()
    pairs = (("forearm", "humerus"), ("humerus", "scapula"))
    chain = skeleton(model.with_(joints=tuple(Ball(a, (a, b), np.ones(3)) for a, b in pairs)))
    assert [model.bones[b].name for b in chain.bones] == ["forearm", "humerus", "scapula"]
    assert chain.parents.tolist() == [-1, 0, 1]


def test_a_bone_that_deforms_has_points_in_every_frame(tmp_path: Path) -> None:
    playback = read_playback(bent_elbow(tmp_path / "result", TIMES, strain=0.01))
    copy = usd.read(_file(playback, tmp_path / "motion.usdc"))
    for name, skin in region_skins(playback.model, split=False).items():
        expected = np.array([moment.x[skin.vertices] for moment in playback])
        assert np.abs(copy.meshes[name].x - expected).max() < 1e-6


def test_what_is_read_is_what_was_written(playback: Playback, tmp_path: Path) -> None:
    for suffix in layer.SUFFIXES:
        copy = usd.read(_file(playback, tmp_path / f"motion{suffix}"))
        assert np.allclose(copy.times, playback.times, rtol=0, atol=1e-12)
        for name, skin in region_skins(playback.model, split=False).items():
            mesh = copy.meshes[name]
            assert np.array_equal(mesh.faces, skin.faces)
            for moment, x in zip(playback, mesh.x, strict=True):
                assert np.abs(x - moment.x[skin.vertices]).max() < 1e-6
                for field, values in moment.fields.items():
                    expected, found = skin.averaged(values), mesh.fields[field][moment.index]
                    largest = np.finfo(np.float32).max  # of which the file has its numbers
                    assert np.allclose(found, np.minimum(expected, largest), rtol=1e-6, atol=1e-6)


def test_hostile_names_arrive(tmp_path: Path) -> None:
    playback = read_playback(bent_elbow(tmp_path / "result", TIMES[:2], _renamed()))
    copy = usd.read(_file(playback, tmp_path / "motion.usda"))
    assert set(copy.meshes) == {name.replace("\0", "\ufffd") for name in HOSTILE}
    paths = [
        str(m.GetPath()) for m in meshes(Usd.Stage.Open(str(tmp_path / "motion.usda"))).values()
    ]
    assert len({path.rsplit("/", 1)[1].lower() for path in paths}) == len(HOSTILE)


def test_a_model_without_bones_has_no_skeleton(tmp_path: Path) -> None:
    model = shapes.bar(tets=1000, active=False)
    stage = written(
        read_playback(bent_elbow(tmp_path / "result", TIMES, model)), tmp_path / "bar.usd"
    )
    assert not stage.GetPrimAtPath("/Model/Bones")
    assert list(meshes(stage)) == ["bar"]


def test_a_half_written_file_does_not_stay(playback: Playback, tmp_path: Path) -> None:
    def stop(done: int, count: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        usd.write(playback, tmp_path / "motion.usdc", stop)
    assert not list(tmp_path.iterdir())


def test_a_file_is_replaced(playback: Playback, tmp_path: Path) -> None:
    path = tmp_path / "motion.usdc"
    path.write_text("something else")
    assert len(usd.read(_file(playback, path)).times) == 5


def test_progress_is_told_frame_by_frame(playback: Playback, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    usd.write(playback, tmp_path / "motion.usdc", lambda done, count: told.append((done, count)))
    assert told == [(i + 1, 5) for i in range(5)]


def test_another_suffix_is_refused(playback: Playback, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"must end in one of \.usdc, \.usda, \.usd"):
        usd.write(playback, tmp_path / "motion.obj", unwatched)


@pytest.mark.parametrize("contents", [b"", b"no USD", None])
def test_what_is_no_usd_is_refused(contents: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "motion.usdc"
    if contents is not None:
        path.write_bytes(contents)
    with pytest.raises(FileError, match=r"cannot read '.*motion\.usdc' as USD"):
        usd.read(path)


def test_usd_of_another_program_is_refused(tmp_path: Path) -> None:
    Usd.Stage.CreateNew(str(tmp_path / "other.usda")).Save()
    with pytest.raises(FileError, match="not a result that Vastus exported"):
        usd.read(tmp_path / "other.usda")


def test_a_full_disk_is_one_sentence(playback: Playback, tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="this system limits no files")
    limits, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.getsignal(signal.SIGXFSZ)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, limits[1]))
    try:
        with pytest.raises(FileError, match=r"cannot write '.*motion\.usdc': .*file too large$"):
            usd.write(playback, tmp_path / "motion.usdc", unwatched)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert not list(tmp_path.iterdir())


def test_without_the_package_its_extra_is_named(
    playback: Playback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layer, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"'usd-core': pip install 'vastus\[usd\]'"):
        usd.write(playback, tmp_path / "motion.usdc", unwatched)


def _file(playback: Playback, path: Path) -> Path:
    usd.write(playback, path, unwatched)
    return path


def _renamed() -> Model:
    """An elbow whose regions and bones have hostile names."""
    model = elbow()
    new = dict(zip((region.name for region in model.regions), HOSTILE, strict=True))
    regions = tuple(replace(region, name=new[region.name]) for region in model.regions)
    bones = tuple(
        replace(bone, name=f"{bone.name} / '\"ä", regions=tuple(new[r] for r in bone.regions))
        for bone in model.bones
    )
    joints = tuple(
        replace(joint, bones=tuple(f"{name} / '\"ä" for name in joint.bones))
        for joint in model.joints
    )
    return model.with_(regions=regions, bones=bones, joints=joints)
