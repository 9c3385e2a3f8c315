"""Equilibria inside JAX and PyTorch: their gradients are those of the equilibria.

Both start threads that later forks would complain of, so that each has a process of its own.
"""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
SETUP = f"""
import sys
sys.path.insert(0, {str(TESTS)!r})
import numpy as np
from builders import hinge, pair
from vastus.sensitivity.interop import EquilibriumFunction, jax_function, torch_function

by, of = ["inputs.activation.m", "muscles.m.strength"], ["AB_angle_deg", "m_length_m"]
here, model = np.array([0.3, 1e5]), pair(hinge())
y, J = EquilibriumFunction(model, by, of)(here)
"""
JAX = """
import jax
jax.config.update("jax_enable_x64", True)
outputs, at = jax_function(model, by, of), jax.numpy.asarray(here)
slope = jax.grad(lambda v: (outputs(v) ** 2).sum())
np.testing.assert_allclose(slope(at), 2 * y @ J, rtol=1e-9)
np.testing.assert_allclose(jax.jit(slope)(at), 2 * y @ J, rtol=1e-9)
assert jax.vmap(outputs)(jax.numpy.stack([at, 0.9 * at])).shape == (2, 2)
"""
TORCH = """
import torch
values = torch.tensor(here, dtype=torch.float64, requires_grad=True)
torch_function(model, by, of)(values)[0].backward()
np.testing.assert_allclose(values.grad.numpy(), J[0], rtol=1e-9)
"""


@pytest.mark.parametrize(("package", "script"), [("jax", JAX), ("torch", TORCH)])
def test_gradients_are_those_of_equilibria(package: str, script: str) -> None:
    if find_spec(package) is None:
        pytest.skip(f"needs the extra '{package}'")
    done = subprocess.run(
        [sys.executable, "-c", SETUP + script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["jax_function", "torch_function"])
def test_a_package_that_is_missing_names_its_extra(name: str, monkeypatch) -> None:
    from vastus.errors import MissingExtra
    from vastus.sensitivity import interop

    def absent(package: str) -> None:
        raise ModuleNotFoundError(package)

    monkeypatch.setattr(interop, "import_module", absent)
    with pytest.raises(MissingExtra, match=rf"vastus\[{name.removesuffix('_function')}\]"):
        getattr(interop, name)(None, [], [])
