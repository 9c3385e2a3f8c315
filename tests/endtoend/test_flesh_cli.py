"""`vastus flesh` as it is used."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from vastus.cli import main
from vastus.files.meshes import write_surface
from vastus.flesh.motion import Motion, write_motion
from vastus.geometry.lattice.level_set import sampled
from vastus.geometry.surface import Surface
from vastus.numerics.rotation import exp_map
from vastus.numerics.types import Floats

SETTINGS = "levels: 1\nskin: {cell: 0.005, groups: [{names: '*', closing: 0.01, offset: 0.006}]}\n"


def flesh(*words: object) -> Result:
    return CliRunner().invoke(main, ["flesh", *map(str, words)])


def rod(low: float, high: float, radius: float, y: float = 0.0) -> Surface:
    """A rod along z in millimetres."""

    def distance(X: Floats) -> Floats:
        z = np.clip(X[:, 2], low, high)
        return np.linalg.norm(X - np.stack([0 * z, 0 * z + y, z], axis=1), axis=1) - radius

    pad = radius + 9.0
    ends = np.array([-pad, y - pad, low - pad]), np.array([pad, y + pad, high + pad])
    return sampled(distance, *ends, 3.0).surface()


@pytest.fixture
def limb(tmp_path: Path) -> Path:
    """A folder of surfaces, its settings and a motion of two frames."""
    for folder in ("bones", "muscles"):
        (tmp_path / "limb" / folder).mkdir(parents=True)
    write_surface(tmp_path / "limb" / "bones" / "humerus.obj", rod(8, 80, 8))
    write_surface(tmp_path / "limb" / "bones" / "ulna.obj", rod(-80, -8, 8))
    write_surface(tmp_path / "limb" / "muscles" / "biceps.obj", rod(-20, 60, 9, y=19))
    (tmp_path / "limb" / "bodies.yaml").write_text("forearm: [ulna]\n")
    (tmp_path / "settings.yaml").write_text(SETTINGS)
    turned = np.hstack([exp_map(np.array([0.2, 0, 0])), np.zeros((3, 1))])
    still = np.hstack([np.eye(3), np.zeros((3, 1))])
    poses = np.stack([still, turned])[:, None]
    write_motion(
        tmp_path / "motion.npz",
        Motion(np.array([0.0, 0.1]), ("forearm",), poses, ("biceps",), np.array([[0.0], [0.5]])),
    )
    return tmp_path


@pytest.mark.slow
def test_a_folder_of_surfaces_gets_flesh_and_moves(limb: Path) -> None:
    words = ("--units", "mm", "--spacing", 0.01, "--settings", limb / "settings.yaml")
    words = (*words, "--fps", 10, "--no-pictures", "--to", "ply", "-o", limb / "out")
    done = flesh(limb / "limb", "--motion", limb / "motion.npz", *words)
    assert done.exit_code == 0, done.output
    assert "2 bones, 1 muscles" in done.output
    assert {p.name for p in (limb / "out" / "frames").iterdir()} == {
        "frame_00000.npz",
        "frame_00001.npz",
    }
    assert len(list((limb / "out" / "skin_ply").iterdir())) == 2
    table = np.genfromtxt(limb / "out" / "table.csv", delimiter=",", names=True)
    assert (table["inverted"] == 0).all()
    before = (limb / "out" / "frames" / "frame_00001.npz").stat().st_mtime_ns
    again = flesh(limb / "limb", "--motion", limb / "motion.npz", *words)
    assert again.exit_code == 0, again.output
    assert (limb / "out" / "frames" / "frame_00001.npz").stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ("spacing: -1\n", "must be positive"),
        ("colour: red\n", "there is no key 'colour'"),
        ("skin: {groups: [{names: ulna}]}\n", "no group of the skin has part 'humerus'"),
    ],
)
def test_settings_that_cannot_be_used_are_one_sentence(
    limb: Path, settings: str, sentence: str
) -> None:
    (limb / "settings.yaml").write_text(settings)
    out = limb / "out"
    done = flesh(limb / "limb", "--units", "mm", "--settings", limb / "settings.yaml", "-o", out)
    assert done.exit_code == 2
    # What it was doing may stand before it.
    (said,) = [line for line in done.output.splitlines() if not line.endswith(" s)")]
    assert said.startswith("error: ")
    assert sentence in said
    assert not out.exists()


def test_a_skin_beside_the_bones_names_one_of_them(limb: Path) -> None:
    write_surface(limb / "skin.obj", rod(20, 120, 30))
    out = limb / "out"
    done = flesh(limb / "limb", "--units", "mm", "--skin", limb / "skin.obj", "-o", out)
    assert done.exit_code == 2
    assert "the skin does not enclose bone 'ulna'" in done.output
    assert not out.exists()


def test_what_is_no_source_is_told(tmp_path: Path) -> None:
    done = flesh(tmp_path, "-o", tmp_path / "out")
    assert done.exit_code == 2
    assert "neither a result nor a folder of surfaces" in done.output
