"""Importing the package is light, and every public name is there."""

from __future__ import annotations

import subprocess
import sys

import pytest

import vastus

HEAVY = {"click", "meshio", "numba", "pydantic", "pyvista", "rich", "scipy", "trimesh", "yaml"}


def loaded_by(code: str) -> set[str]:
    """The top-level modules that a fresh interpreter has after running some code."""
    report = f"{code}; import sys; print(*{{name.split('.')[0] for name in sys.modules}})"
    done = subprocess.run(
        [sys.executable, "-c", report], capture_output=True, text=True, check=True, timeout=60
    )
    return set(done.stdout.split())


def test_importing_vastus_loads_nothing_heavy() -> None:
    assert not loaded_by("import vastus") & HEAVY


def test_describing_a_model_does_not_load_the_compiler() -> None:
    assert "numba" not in loaded_by("import vastus; vastus.Model; vastus.Muscle; vastus.Pin")


def test_preparing_a_run_loads_nothing_that_few_scenes_need() -> None:
    rare = "scipy.optimize", "scipy.interpolate", "scipy.ndimage", "ssl", "pyvista", "matplotlib"
    code = f"import sys, vastus.job; print(*set({rare}) & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.mark.parametrize("name", vastus.__all__)
def test_every_public_name_resolves(name: str) -> None:
    assert getattr(vastus, name) is not None


def test_names_are_listed_and_unknown_ones_refused() -> None:
    assert set(vastus.__all__) <= set(dir(vastus))
    with pytest.raises(AttributeError, match="has no attribute 'bicep'"):
        vastus.bicep  # noqa: B018
