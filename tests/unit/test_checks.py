"""What looks wrong in a model, one finding a test."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from vastus.checks import Finding, Severity, check
from vastus.geometry.tetmesh import TetMesh
from vastus.materials.library import (
    ActiveFibre,
    HillFibre,
    StableNeoHookean,
    TendonFibre,
    TendonTissue,
)
from vastus.model import Model, Muscle
from vastus.modelling.shapes.elbow import elbow
from vastus.modelling.shapes.simple import bar, fusiform
from vastus.muscle import ForceLength
from vastus.parts import Bone, Contact, Drive, Pin
from vastus.skeleton.joints import Ball


def only(model: Model) -> Finding:
    """The one finding about a model."""
    findings = check(model)
    assert len(findings) == 1, [str(f) for f in findings]
    return findings[0]


def about(model: Model, words: str) -> Finding:
    """The first finding that contains these words."""
    findings = [f for f in check(model) if words in str(f)]
    assert findings, [str(f) for f in check(model)]
    return findings[0]


def with_region(model: Model, name: str, **changes: object) -> Model:
    regions = [replace(r, **changes) if r.name == name else r for r in model.regions]  # type: ignore[arg-type]
    return model.with_(regions=tuple(regions))


def scaled(model: Model, factor: float) -> Model:
    return model.with_(mesh=TetMesh(model.mesh.X * factor, model.mesh.T))


def apart(model: Model) -> Model:
    """The bone 'tip' with vertices of its own."""
    n, tip = model.mesh.n_vertices, model.tets_of(["tip"])
    T = model.mesh.T.copy()
    T[tip] += n
    return model.with_(mesh=TetMesh(np.vstack([model.mesh.X, model.mesh.X]), T))


@pytest.mark.parametrize("make", [bar, fusiform])
def test_procedural_models_have_no_findings(make: type) -> None:
    assert check(make(tets=2000)) == []


def test_the_elbow_lacks_nothing_but_contact() -> None:
    assert "'humerus' and 'biceps'" in str(only(elbow(tets=2000)))


def test_the_small_bar_has_no_findings(bar_model: Model) -> None:
    assert check(bar_model) == []


def test_a_model_as_long_as_a_house_is_an_error(bar_model: Model) -> None:
    found = only(scaled(bar_model, 1000))
    assert found.severity is Severity.ERROR
    assert "millimetres" in found.sentence


def test_a_model_as_small_as_a_grain_is_a_warning(bar_model: Model) -> None:
    assert only(scaled(bar_model, 1e-3)).severity is Severity.WARNING


def test_a_modulus_in_kilopascal_is_found(bar_model: Model) -> None:
    soft = with_region(bar_model, "belly", laws=(StableNeoHookean(60.0, 0.4), ActiveFibre()))
    assert "kPa" in about(soft, "belly").sentence


def test_a_density_in_grams_is_found(bar_model: Model) -> None:
    assert "g/cm^3" in only(with_region(bar_model, "belly", density=1.06)).sentence
    weightless = with_region(bar_model, "belly", density=0.0).with_(gravity=np.zeros(3))
    assert check(weightless) == []


def test_a_ratio_near_one_half_locks(bar_model: Model) -> None:
    stiff = with_region(bar_model, "belly", laws=(StableNeoHookean(6e4, 0.4999), ActiveFibre()))
    assert "lock" in only(stiff).sentence


def test_an_odd_strength_is_found_unless_raw(bar_model: Model) -> None:
    weak = bar_model.with_(muscles=(Muscle("belly", strength=30.0),))
    assert "30 Pa" in only(weak).sentence
    assert check(bar_model.with_(muscles=(Muscle.raw("belly"),))) == []


def test_an_optimal_length_in_per_cent_is_found(bar_model: Model) -> None:
    told = [f.sentence for f in check(bar_model.with_(muscles=(Muscle("belly", optimal=96.0),)))]
    assert any("96 times the length at rest" in sentence for sentence in told)
    assert check(bar_model.with_(muscles=(Muscle("belly", optimal=0.96),))) == []


def test_gravity_in_millimetres_is_found(bar_model: Model) -> None:
    assert only(bar_model.with_(gravity=np.array([0, 0, -9810.0]))).where == "gravity"


def test_stiffness_too_far_apart_is_found(bar_model: Model) -> None:
    hard = with_region(bar_model, "origin", laws=(StableNeoHookean(1e9, 0.3),))
    hard = with_region(hard, "belly", laws=(StableNeoHookean(400.0, 0.3), ActiveFibre()))
    assert "times as stiff" in only(hard).sentence


def test_slivers_are_counted_and_placed(bar_model: Model) -> None:
    X = bar_model.mesh.X.copy()
    squeezed = np.isclose(X[:, 0], 0.04)
    X[squeezed, 0] = 0.0300004
    found = about(bar_model.with_(mesh=TetMesh(X, bar_model.mesh.T)), "slivers")
    assert "near" in found.sentence


def test_unused_vertices_are_counted(bar_model: Model) -> None:
    mesh = TetMesh(np.vstack([bar_model.mesh.X, np.zeros((3, 3))]), bar_model.mesh.T)
    assert "3 vertices" in only(bar_model.with_(mesh=mesh)).sentence


def test_stray_labels_are_found() -> None:
    model = fusiform(tets=4000)
    region = model.region.copy()
    belly, tendon = 2, 1
    far = np.argmax(np.where(model.region == belly, model.mesh.centroids[:, 2], -1))
    region[far] = tendon
    assert "apart from the rest" in only(model.with_(region=region)).sentence


def test_a_muscle_without_an_active_law_follows_its_belly(bar_model: Model) -> None:
    bare = with_region(bar_model, "belly", laws=(StableNeoHookean(6e4, 0.4),))
    assert not check(bare)
    assert bare.force_length(0) is ForceLength.BELLY


def test_force_that_falls_with_the_length_of_tets_is_found(bar_model: Model) -> None:
    bare = with_region(bar_model, "belly", laws=(StableNeoHookean(6e4, 0.4),))
    local = Muscle("belly", strength=1e5, force_length=ForceLength.LOCAL)
    found = only(bare.with_(muscles=(local,)))
    assert found.severity is Severity.WARNING
    assert "muscle 'belly' has a force that falls with the length of each tet" in str(found)
    stiff = with_region(bar_model, "belly", laws=(StableNeoHookean(1e6, 0.4),))
    assert not check(stiff.with_(muscles=(local,)))


def test_tendon_that_swells_rather_than_stretches_is_found(bar_model: Model) -> None:
    belly = next(r for r in bar_model.regions if r.name == "belly")
    swelling = TendonTissue(G1=5e5, G2=5e5, K=1e7)
    made = with_region(bar_model, "belly", laws=(swelling, *belly.laws))
    found = [f for f in check(made) if "times its volume" in f.sentence]
    assert [f.where for f in found] == ["region 'belly'"]
    true = with_region(bar_model, "belly", laws=(TendonFibre(), *belly.laws))
    assert not [f for f in check(true) if "times its volume" in f.sentence]


def test_what_begins_inside_a_bone_is_named(bar_model: Model) -> None:
    mesh = bar_model.mesh
    inside = apart(bar_model)
    X = inside.mesh.X.copy()
    X[mesh.n_vertices :, 0] -= 5e-3  # the bone, moved into the tissue
    sunk = inside.with_(mesh=TetMesh(X, inside.mesh.T), contact=Contact())
    said = [f.sentence for f in check(sunk) if "at rest" in f.sentence]
    assert any("lies 5 mm deep in" in sentence for sentence in said)


def test_a_muscle_with_two_active_laws_is_found(bar_model: Model) -> None:
    laws = (StableNeoHookean(2e6, 0.4), ActiveFibre(), HillFibre())
    found = only(with_region(bar_model, "belly", laws=laws))
    assert found.severity is Severity.WARNING
    assert "active_fibre and hill_fibre" in found.sentence


def test_tendon_without_fibres_is_an_error(bar_model: Model) -> None:
    fibre = bar_model.fibre.copy()
    fibre[bar_model.tets_of(["origin"])] = 0.0
    found = about(bar_model.with_(fibre=fibre), "without a fibre direction")
    assert found.severity is Severity.ERROR


def test_fibres_in_disorder_are_found(bar_model: Model) -> None:
    rng = np.random.default_rng(0)
    wild = rng.normal(size=bar_model.fibre.shape)
    wild /= np.linalg.norm(wild, axis=1, keepdims=True)
    fibre = np.where(bar_model.fibre.any(axis=1)[:, None], wild, 0.0)
    leaking, astray = check(bar_model.with_(fibre=fibre))
    assert "of its tension where fibres end on nothing" in leaking.sentence
    assert "45 degrees" in astray.sentence


def test_a_muscle_that_touches_nothing_is_an_error() -> None:
    model = bar(tets=1000).with_(pins=())
    found = about(model, "touches no bone")
    assert found.severity is Severity.ERROR


def test_a_muscle_on_one_bone_only_is_found(bar_model: Model) -> None:
    assert "touches only bone 'base'" in about(apart(bar_model), "only").sentence


def test_an_attachment_of_few_vertices_is_found() -> None:
    model = bar(tets=1000).with_(pins=())
    attached = np.flatnonzero(model.mesh.X[:, 0] == 0)[:3]
    found = check(model.with_(bones=(Bone("wall", (), Drive.PINNED, attached),)))
    assert any("by 3 vertices only" in f.sentence for f in found)


def test_bones_that_nothing_holds_are_an_error(bar_model: Model) -> None:
    loose = tuple(replace(b, drive=Drive.FREE) for b in bar_model.bones)
    found = only(bar_model.with_(bones=loose))
    assert found.severity is Severity.ERROR
    assert str(found).startswith("bones 'base' and 'tip' are held by nothing")


def test_a_pin_holds_what_it_touches(bar_model: Model) -> None:
    loose = tuple(replace(b, drive=Drive.FREE) for b in bar_model.bones)
    middle = np.flatnonzero(np.isclose(bar_model.mesh.X[:, 0], 0.04))
    assert check(bar_model.with_(bones=loose, pins=(Pin("middle", middle),))) == []


def test_a_bone_apart_is_held_by_a_joint_only(bar_model: Model) -> None:
    alone = apart(bar_model)
    assert about(alone, "bone 'tip' is held by nothing").severity is Severity.ERROR
    joint = Ball("knee", ("base", "tip"), np.array([0.05, 0.01, 0.01]))
    found = check(alone.with_(joints=(joint,)))
    assert not [f for f in found if f.severity is Severity.ERROR]
    assert [f.where for f in found if "no muscle" in f.sentence] == ["bone 'tip'"]


def test_a_joint_far_from_its_bones_is_found(bar_model: Model) -> None:
    joint = Ball("knee", ("base", "tip"), np.array([0.04, 0.5, 0.0]))
    found = check(bar_model.with_(joints=(joint,)))
    assert [f.where for f in found] == ["joint 'knee'"] * 2


def test_findings_say_where_they_can_be_seen(bar_model: Model) -> None:
    mesh = TetMesh(np.vstack([bar_model.mesh.X, np.full((3, 3), 0.7)]), bar_model.mesh.T)
    fibre = bar_model.fibre.copy()
    bare = bar_model.tets_of(["origin"])
    fibre[bare] = 0.0
    bones = tuple(replace(b, drive=Drive.FREE) for b in bar_model.bones)
    joint = Ball("knee", ("base", "tip"), np.array([0.04, 0.5, 0.0]))
    model = bar_model.with_(mesh=mesh, fibre=fibre, bones=bones, joints=(joint,))
    seen = {f.where: f.at for f in check(model)}
    bony = mesh.X[model.bone_of_vertex >= 0]
    for who, points in {
        "bones 'base' and 'tip' are": bony,
        "muscle 'belly'": mesh.centroids[bare],
        "the mesh": mesh.X[-3:],
        "joint 'knee'": joint.points(0.0)[:1],
    }.items():
        assert seen[who] in [tuple(point) for point in points.tolist()]


def test_errors_come_first(bar_model: Model) -> None:
    loose = tuple(replace(b, drive=Drive.FREE) for b in bar_model.bones)
    found = check(bar_model.with_(bones=loose, gravity=np.array([0, 0, -9810.0])))
    assert [f.severity for f in found] == [Severity.ERROR, Severity.WARNING]
