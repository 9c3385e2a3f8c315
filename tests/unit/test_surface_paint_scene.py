"""How an author writes painted attachments in a scene."""

from __future__ import annotations

from pathlib import Path

import pytest

import vastus
from limb import SCENE, limb, write_limb
from vastus.errors import VastusError
from vastus.modelling.surfaces.anatomy import metric_shells, parts_of
from vastus.modelling.surfaces.body_parts import Spot
from vastus.scene.fibres import End

DAB = "{centre: [0.01, 0, 0.24], radius: 0.01}"


def written(folder: Path, said: str, part: str = "flexor", kind: str = "muscle") -> Path:
    old = f"{{file: {part}.obj, tissue: {kind}"
    assert old in SCENE
    return write_limb(folder, limb(), SCENE.replace(old, f"{old}, {said}"))


def test_dabs_are_read_in_metres(tmp_path: Path) -> None:
    scene = vastus.read(written(tmp_path, f"origin_at: [{DAB}], caps: [null, 0.2]"))
    parts = parts_of(scene, metric_shells(scene, scene.source))  # type: ignore[arg-type]
    ends = parts[2].ends
    assert ends.painted == ((Spot((0.01, 0.0, 0.24), 0.01),), ())
    caps = [ends.cap(end) for end in End]
    assert (*caps, ends.fibre_cap(End.ORIGIN)) == (None, 0.2, None)


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("origin_at: []", "at least 1 value is needed"),
        ("origin_at: [{centre: [0, 0], radius: 1}]", "three numbers"),
        ("origin_at: [{centre: [0, 0, 0], radius: 0}]", "greater than 0"),
        ("insertion_at: [{centre: [0, 0, 0]}]", "missing"),
        (
            f"origin_at: [{DAB}], caps: [0.3, 0.15]",
            "'caps' says 0.3 at the origin, but 'origin_at'",
        ),
        (f"insertion_at: [{DAB}], caps: [0.3, 0]", "'caps' says 0 at the insertion"),
        ("fibre_caps: [0.1, 1.5]", "less than or equal to 1"),
    ],
)
def test_paint_that_makes_no_sense_is_refused(said: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(VastusError, match=r"surfaces\.parts\.flexor") as refusal:
        vastus.read(written(tmp_path, said))
    assert sentence in str(refusal.value)


@pytest.mark.parametrize("said", [f"origin_at: [{DAB}]", "fibre_caps: [0.1, 0.1]", "gap: 0.001"])
def test_only_muscles_are_painted(said: str, tmp_path: Path) -> None:
    with pytest.raises(VastusError, match="is for muscles, but this is bone"):
        vastus.read(written(tmp_path, said, "upper", "bone"))
