"""Blender shows exported results where they are, if `VASTUS_BPY` names a Python that has `bpy`."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from bent_elbow import bent_elbow
from vastus.export.formats import FORMATS

BLENDER = os.environ.get("VASTUS_BPY", "")
TOOLS = Path(__file__).parents[2] / "tools"
NEEDED = {"usd": "pxr", "alembic": "alembic3d", "gltf": "numpy"}

pytestmark = pytest.mark.skipif(
    not BLENDER, reason="VASTUS_BPY does not name a Python with Blender's module bpy"
)


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bent_elbow(tmp_path_factory.mktemp("blender") / "result", np.arange(7) / 25)


@pytest.mark.parametrize("name", NEEDED)
def test_blender_puts_all_vertices_in_place(name: str, result: Path, tmp_path: Path) -> None:
    if not find_spec(NEEDED[name]):
        pytest.skip(f"{NEEDED[name]} is not installed")
    file, places = tmp_path / f"motion{FORMATS[name].suffix}", tmp_path / "places.npz"
    exported = [sys.executable, "-m", "vastus", "export", result, "--to", name, "-o", file]
    subprocess.run(exported, check=True, timeout=120)
    subprocess.run([sys.executable, TOOLS / "places.py", result, places], check=True, timeout=120)
    done = subprocess.run(
        [BLENDER, TOOLS / "check_in_blender.py", file, places],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
