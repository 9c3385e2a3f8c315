"""Equilibria inside JAX and PyTorch: their gradients are those of the equilibria."""

from __future__ import annotations

import numpy as np
import pytest

from builders import hinge, pair
from vastus.sensitivity.interop import EquilibriumFunction, jax_function, torch_function

BY, OF = ["inputs.activation.m", "muscles.m.strength"], ["AB_angle_deg", "m_length_m"]
HERE = np.array([0.3, 1e5])


@pytest.fixture(scope="module")
def jacobian() -> np.ndarray:
    return EquilibriumFunction(pair(hinge()), BY, OF)(HERE)[1]


def test_a_gradient_of_jax_is_exact(jacobian: np.ndarray) -> None:
    jax = pytest.importorskip("jax", reason="needs the extra 'jax'")
    jax.config.update("jax_enable_x64", True)
    outputs = jax_function(pair(hinge()), BY, OF)
    at = jax.numpy.asarray(HERE)
    slope = jax.grad(lambda v: (outputs(v) ** 2).sum())
    wanted = 2 * EquilibriumFunction(pair(hinge()), BY, OF)(HERE)[0] @ jacobian
    np.testing.assert_allclose(slope(at), wanted, rtol=1e-9)
    np.testing.assert_allclose(jax.jit(slope)(at), wanted, rtol=1e-9)
    both = jax.vmap(outputs)(jax.numpy.stack([at, 0.9 * at]))
    assert both.shape == (2, 2)


def test_a_gradient_of_torch_is_exact(jacobian: np.ndarray) -> None:
    torch = pytest.importorskip("torch", reason="needs the extra 'torch'")
    outputs = torch_function(pair(hinge()), BY, OF)
    values = torch.tensor(HERE, dtype=torch.float64, requires_grad=True)
    outputs(values)[0].backward()
    np.testing.assert_allclose(values.grad.numpy(), jacobian[0], rtol=1e-9)
