"""Every sentence with which a model is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from builders import PASSIVE, hinge, pair
from vastus.errors import ModelError
from vastus.geometry.tetmesh import TetMesh
from vastus.model import Model, Muscle
from vastus.parts import Bone, Drive, Load, Pin, Region, Tissue
from vastus.skeleton.joints import Ball, Hinge

Change = Callable[[Model], dict[str, object]]
TIP = Load("tip", np.array([0]), np.ones(1), np.array([0.0, 0.0, -1.0]))


def with_region(name: str, **changes: object) -> Change:
    """Change one region."""
    return lambda m: {
        "regions": tuple(replace(r, **changes) if r.name == name else r for r in m.regions)
    }


def with_bone(name: str, **changes: object) -> Change:
    """Change one bone."""
    return lambda m: {
        "bones": tuple(replace(b, **changes) if b.name == name else b for b in m.bones)
    }


def soft(m: Model) -> np.ndarray:
    """Some vertices that no bone carries."""
    return np.flatnonzero(m.bone_of_vertex < 0)[:2]


def inverted(m: Model) -> dict[str, object]:
    """The mesh with one tet turned inside out."""
    T = m.mesh.T.copy()
    T[3, :2] = T[3, 1::-1]
    return {"mesh": TetMesh(m.mesh.X, T)}


BROKEN: list[tuple[Change, str]] = [
    (lambda m: {"region": m.region[:-1]}, r"'region' has shape \(\d+,\), not \(\d+,\)"),
    (lambda m: {"fibre": m.fibre[:, :2]}, r"'fibre' has shape \(\d+, 2\), not \(\d+, 3\)"),
    (lambda m: {"fibre": m.fibre * np.nan}, "the fibre field has a value that is not finite"),
    (lambda m: {"fibre": 3 * m.fibre}, "the fibre of tet 0 has length 3, not 1"),
    (lambda m: {"fibre": "along x"}, "'fibre' must be numbers"),
    (lambda m: {"region": m.region + 0.0}, "'region' holds float64 values, not whole numbers"),
    (lambda m: {"region": m.region > 0}, "'region' holds bool values, not whole numbers"),
    (lambda m: {"region": m.region + 7}, r"\d+ tets belong to no region"),
    (inverted, r"1 of \d+ tets are inverted or flat"),
    (lambda m: {"regions": (*m.regions, m.regions[0])}, "two regions are called 'A'"),
    (lambda m: {"bones": (m.bones[0], m.bones[0])}, "two bones are called 'A'"),
    (lambda m: {"joints": (hinge(), hinge())}, "two joints are called 'AB'"),
    (lambda m: {"loads": (TIP, TIP)}, "two loads are called 'tip'"),
    (lambda m: {"muscles": (*m.muscles, m.muscles[0])}, "two muscles are called 'm'"),
    (lambda m: {"pins": 2 * (Pin("p", soft(m)),)}, "two pins are called 'p'"),
    (with_region("m", density=-1.0), r"region 'm' has density -1.0 kg/m\^3"),
    (
        lambda m: {"regions": (*m.regions, Region("fat", Tissue.PASSIVE, PASSIVE))},
        "region 'fat' has no tets",
    ),
    (with_region("m", laws=()), "region 'm' has no material law"),
    (with_region("m", muscle="bicep"), "no muscle 'bicep'; muscles: m"),
    (lambda m: {"fibre": 0 * m.fibre}, r"region 'm' has a fibre law, but \d+ tets without"),
    (lambda m: {"muscles": (Muscle("m", 0.0),)}, "muscle 'm' has strength 0.0 Pa"),
    (lambda m: {"muscles": (Muscle("m", np.inf),)}, "muscle 'm' has strength inf Pa"),
    (lambda m: {"muscles": (Muscle("m", np.nan),)}, "muscle 'm' has strength nan Pa"),
    (lambda m: {"muscles": (Muscle("m", limit=-1.0),)}, "muscle 'm' has limit -1.0"),
    (lambda m: {"muscles": (Muscle("m", limit=np.nan),)}, "muscle 'm' has limit nan"),
    (with_region("m", density=np.nan), r"region 'm' has density nan kg/m\^3"),
    (with_region("A", laws=PASSIVE), "region 'A' of bone has a material law, but bones are rigid"),
    (lambda m: {"muscles": (*m.muscles, Muscle("n"))}, "muscle 'n' has no muscle region"),
    (with_bone("B", regions=("C",)), "no region 'C'; regions: A, B, m"),
    (with_bone("B", regions=("B", "m")), "bone 'B' has region 'm' of tissue muscle"),
    (with_bone("B", regions=("B", "A")), "region 'A' belongs to two bones"),
    (lambda m: {"bones": m.bones[:1]}, "bone region 'B' belongs to no bone"),
    (
        with_bone("B", attached=np.array([10**6])),
        r"bone 'B' names vertex \[1000000\], but there are",
    ),
    (with_bone("B", attached=np.array([0])), "bones 'A' and 'B' share 1 vertices"),
    (lambda m: {"joints": (hinge(("A", "C")),)}, "no bone 'C'; bones: A, B"),
    (lambda m: {"joints": (hinge(("A", "A")),)}, "joint 'AA' ties bone 'A' to itself"),
    (
        lambda m: {"joints": (hinge(),)} | with_bone("B", drive=Drive.SCRIPTED)(m),
        "joint 'AB' ties 'A' and 'B', which are both moved by the script or pinned",
    ),
    (
        lambda m: {"joints": (Ball("b", ("A", "B"), np.full(3, np.nan)),)},
        "joint 'b' has no finite position",
    ),
    (
        lambda m: {"joints": (Hinge("h", ("A", "B"), np.zeros(3), np.zeros(3)),)},
        "joint 'h' has no finite position",
    ),
    (lambda m: {"gravity": np.array([0, 0, np.inf])}, r"gravity is \[.*\], not finite"),
    (lambda m: {"gravity": np.zeros(2)}, r"'gravity' has shape \(2,\), not \(3,\)"),
    (lambda m: {"gravity": 9.81}, r"'gravity' has shape \(\), not \(3,\)"),
    (
        lambda m: {"pins": (Pin("p", soft(m)), Pin("q", soft(m)[1:], shift=(0.0, 0.1, 0.0)))},
        r"pins 'p' and 'q' hold vertex \d+ at different places",
    ),
    (lambda m: {"pins": (Pin("p", np.array([-1])),)}, r"pin 'p' names vertex \[-1\]"),
    (lambda m: {"pins": (Pin("p", np.array([0])),)}, "pin 'p' holds vertices of bone 'A'"),
    (
        lambda m: {"pins": (Pin("p", soft(m), shift=(0.0, np.nan, 0.0)),)},
        "the shift of pin 'p' is not finite",
    ),
    (
        lambda m: {"loads": (replace(TIP, vertices=soft(m)),)},
        r"load 'tip' has weights \(1,\), not \(2,\)",
    ),
    (
        lambda m: {"loads": (replace(TIP, weights=np.array([2.0])),)},
        "the weights of load 'tip' sum to 2, not 1",
    ),
    (
        lambda m: {"loads": (replace(TIP, vertices=np.array([9999])),)},
        r"load 'tip' names vertex \[9999\]",
    ),
    (
        lambda m: {"loads": (replace(TIP, vertices=np.zeros(0, int), weights=np.zeros(0)),)},
        "load 'tip' acts on no vertex",
    ),
    (
        lambda m: {"loads": (replace(TIP, force=np.full(3, np.nan)),)},
        "load 'tip' is not finite",
    ),
    (
        lambda m: {"loads": (replace(TIP, weights=np.array([np.nan])),)},
        "the weights of load 'tip' sum to nan, not 1",
    ),
]

GARBLED: list[tuple[Callable[[], object], str]] = [
    (lambda: Pin("p", [0.5]), "the vertices of pin 'p' hold float64 values, not whole numbers"),
    (lambda: Pin("p", [True, False]), "the vertices of pin 'p' hold bool values"),
    (lambda: Pin("p", [[1, 2]]), r"the vertices of pin 'p' have shape \(1, 2\), not \(k,\)"),
    (lambda: Pin("p", [1], axes=(True, False)), "pin 'p' needs three axes, each true or false"),  # type: ignore[arg-type]
    (lambda: Pin("p", [1], shift=(0.0, 1.0)), r"'shift' of pin 'p' has shape \(2,\), not \(3,\)"),  # type: ignore[arg-type]
    (lambda: Bone("b", ("A",), attached=["x"]), "the vertices of bone 'b' hold"),
    (lambda: Load("w", [1], [1.0], [1.0]), r"'force' of load 'w' has shape \(1,\), not \(3,\)"),
    (lambda: Load("w", [1], ["all"], [0, 0, 1]), "'weights' of load 'w' must be numbers"),
]


@pytest.mark.parametrize(("make", "sentence"), GARBLED, ids=[s for _, s in GARBLED])
def test_a_garbled_part_is_refused_with_one_sentence(
    make: Callable[[], object], sentence: str
) -> None:
    with pytest.raises(ModelError, match=sentence):
        make()


def test_lists_are_as_good_as_arrays() -> None:
    model = pair()
    a, b = soft(model).tolist()
    changed = model.with_(
        region=model.region.tolist(),
        fibre=model.fibre.tolist(),
        gravity=[0, 0, -1],
        pins=(Pin("p", [a], axes=[1, 0, 0], shift=[0, 0, 0]),),  # type: ignore[arg-type]
        loads=(Load("w", [b], [1], [0, 0, -1]),),
        bones=(model.bones[0], replace(model.bones[1], attached=[])),
    )
    assert changed.held[a].tolist() == [True, False, False]
    assert changed.loads[0].force.dtype == changed.gravity.dtype == changed.fibre.dtype == float
    assert changed.bones[1].attached.dtype == np.int64


def test_two_pins_may_hold_a_vertex_at_one_place_or_along_other_axes() -> None:
    model = pair()
    low = Pin("p", soft(model), (True, False, False), (0.1, 0.2, 0.3))
    other = Pin("q", soft(model), (False, True, False), (0.5, 0.0, 0.0))
    same = Pin("r", soft(model), shift=(0.1, 0.0, 0.4))
    assert model.with_(pins=(low, other, same)).held[soft(model)].all()


def test_a_model_cannot_be_changed_in_place() -> None:
    model = pair()
    mine = model.mesh.X.copy()
    again = model.with_(mesh=TetMesh(mine, model.mesh.T))
    mine[:] = 0.0
    assert again.mesh.X.any()
    for array in (again.mesh.X, again.mesh.T, again.region, again.fibre, again.gravity):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


@pytest.mark.parametrize(("change", "sentence"), BROKEN, ids=[s for _, s in BROKEN])
def test_a_broken_model_is_refused_with_one_sentence(change: Change, sentence: str) -> None:
    model = pair()
    with pytest.raises(ModelError, match=sentence) as caught:
        model.with_(**change(model))
    assert "\n" not in str(caught.value)


def test_a_mesh_without_tets_is_refused() -> None:
    with pytest.raises(ModelError):
        Model(
            TetMesh(np.zeros((0, 3)), np.zeros((0, 4), int)), np.zeros(0, int), (), np.zeros((0, 3))
        )


def test_two_pinned_bones_may_share_a_joint() -> None:
    model = pair(hinge())
    held = model.with_(bones=tuple(replace(b, drive=Drive.PINNED) for b in model.bones))
    assert len(held.joints) == 1


def test_a_bone_of_attached_vertices_only_is_accepted() -> None:
    model = pair()
    free = np.flatnonzero(model.bone_of_vertex < 0)[-3:]
    more = model.with_(bones=(*model.bones, Bone("C", (), attached=free)))
    assert (more.bone_of_vertex[free] == 2).all()
