"""Roles guessed from file names."""

from __future__ import annotations

from pathlib import Path

import pytest

from vastus.app.author.names import Names
from vastus.app.author.roles import Confidence, likely_muscle, role_of, tidy_name
from vastus.parts import Tissue

DATA = Path(__file__).parents[3] / "shared" / "data" / "arm_bp3d"
NOBODY = Names({}, (), {})
BONE, MUSCLE, TENDON, PASSIVE = Tissue.BONE, Tissue.MUSCLE, Tissue.TENDON, Tissue.PASSIVE


@pytest.mark.parametrize(
    ("file", "name", "tissue"),
    [
        ("FMA13322_right_clavicle.obj", "right clavicle", BONE),
        ("FMA13395_right_scapula.obj", "right scapula", BONE),
        ("FMA23130_right_humerus.obj", "right humerus", BONE),
        ("FMA23464_right_radius.obj", "right radius", BONE),
        ("FMA23467_right_ulna.obj", "right ulna", BONE),
        ("FMA37665_right_coracobrachialis.obj", "right coracobrachialis", MUSCLE),
        ("FMA37668_right_brachialis.obj", "right brachialis", MUSCLE),
        (
            "FMA37684_short_head_of_right_biceps_brachii.obj",
            "short head of right biceps brachii",
            MUSCLE,
        ),
        (
            "FMA37695_medial_head_of_right_triceps_brachii.obj",
            "medial head of right triceps brachii",
            MUSCLE,
        ),
        ("ExtensorCarpiRadialisLongus.stl", "extensor carpi radialis longus", MUSCLE),
        ("C7_vertebra.ply", "C7 vertebra", BONE),
        ("12 rib.obj", "12 rib", BONE),
        ("1234_patella.vtp", "patella", BONE),
        ("flexor_carpi_ulnaris.obj", "flexor carpi ulnaris", MUSCLE),
        ("rectus femoris.obj", "rectus femoris", MUSCLE),
        ("tibialis-anterior.obj", "tibialis-anterior", MUSCLE),
        ("tensor_fasciae_latae.obj", "tensor fasciae latae", MUSCLE),
        ("fascia_lata.obj", "fascia lata", PASSIVE),
        ("ligament of head of femur.obj", "ligament of head of femur", PASSIVE),
        ("interosseous_membrane_of_forearm.obj", "interosseous membrane of forearm", PASSIVE),
        ("skin.glb", "skin", PASSIVE),
        ("head_of_femur (2).obj", "head of femur", BONE),
        ("/home/me/Trapezium.OBJ", "Trapezium", BONE),
        ("C:\\scans\\trapezius.obj", "trapezius", MUSCLE),
    ],
)
def test_names_tell_what_a_surface_is(file: str, name: str, tissue: Tissue) -> None:
    role = role_of(file, NOBODY)
    assert (role.name, role.tissue, role.confidence) == (name, tissue, Confidence.NAMED)
    assert role.why.startswith("its name has the word")


@pytest.mark.parametrize("file", ["mesh.obj", "Körper_3.obj", "肱.obj", "___.obj", "FMA123.obj"])
def test_what_no_word_tells_is_assumed_to_be_muscle(file: str) -> None:
    role = role_of(file, NOBODY)
    assert role.tissue is MUSCLE
    assert role.confidence is Confidence.ASSUMED
    assert role.name


def test_a_tendon_belongs_to_the_muscle_that_it_is_named_after() -> None:
    names = Names(
        {"left biceps": MUSCLE, "left triceps": MUSCLE}, ("left biceps", "left triceps"), {}
    )
    role = role_of("tendon_of_left_triceps.obj", names)
    assert (role.tissue, role.muscle) == (TENDON, "left triceps")
    unknown = role_of("left_tendon.obj", names)
    assert (unknown.tissue, unknown.confidence, unknown.named_tendon) == (
        PASSIVE,
        Confidence.ASSUMED,
        True,
    )
    assert likely_muscle("tendon", Names({}, (), {})) is None


def test_names_are_unique_among_all_that_a_scene_will_have() -> None:
    names = Names({"biceps": MUSCLE, "ulna": BONE}, ("flexor",), {"forearm": ("ulna",)})
    assert role_of("biceps.obj", names).name == "biceps 2"
    assert role_of("biceps_tendon.obj", names).name == "biceps tendon 2"
    assert role_of("forearm.obj", names).name == "forearm 2"
    assert role_of("flexor.obj", names).name == "flexor 2"
    assert role_of("calf.obj", Names({"calf tendon": PASSIVE}, (), {})).name == "calf 2"


def test_a_name_is_no_longer_than_a_document_takes() -> None:
    assert len(tidy_name("x" * 500 + ".obj")) == 200


def test_all_files_of_an_atlas_are_told_right() -> None:
    files = sorted(path.name for path in DATA.glob("*.obj"))
    if not files:
        pytest.skip("the atlas's arm is not on this machine")
    bones = {"clavicle", "scapula", "humerus", "radius", "ulna"}
    for file in files:
        role = role_of(file, NOBODY)
        assert role.tissue is (BONE if bones & set(role.name.split()) else MUSCLE)
        assert role.confidence is Confidence.NAMED
        assert not role.name.startswith("FMA")
