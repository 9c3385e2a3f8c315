"""Equilibria as functions of JAX and PyTorch, with exact gradients.

Each takes parameters (p,), in the order of their paths, and gives outputs (o,). The gradient is the
Jacobian of `vastus.derivatives`, found with the equilibrium and kept for the backward pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from vastus.errors import MissingExtra
from vastus.inputs import Inputs
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.sensitivity.derivatives import derivatives_at
from vastus.sensitivity.equilibrium import StableEquilibrium
from vastus.sensitivity.parameters.paths import parameters_of
from vastus.solvers.newton import Newton
from vastus.state import rest


class EquilibriumFunction:
    """Outputs (o,) of the equilibrium that is reached from rest, and their Jacobian (o, p)."""

    def __init__(
        self, model: Model, by: Sequence[str], of: Sequence[str], inputs: Inputs | None = None
    ) -> None:
        self.model, self.inputs = model, inputs or Inputs.rest(model, 1.0)
        self.parameters = parameters_of(by, model, self.inputs)
        self.of, self._last = list(of), (b"", np.zeros(0), np.zeros((0, 0)))
        self.solved = 0  # equilibria

    def __call__(self, values: Floats) -> tuple[Floats, Floats]:
        """Outputs and Jacobian at values (p,); those of the last call are kept."""
        values = np.asarray(values, float)
        if self._last[0] != values.tobytes():
            model, inputs = self.model, self.inputs
            for parameter, value in zip(self.parameters, values, strict=True):
                model, inputs = parameter.varied(model, inputs, float(value))
            stepper = Newton(1e-11).prepare(model)
            state, _ = stepper.step(rest(model), inputs)
            self.solved += 1
            here = StableEquilibrium(model, state, stepper.problem, stepper.hessian)
            found = derivatives_at(here, by=self.parameters, of=self.of)
            y = np.array([found.outputs[name] for name in self.of])
            self._last = (values.tobytes(), y, found.J)
        return self._last[1], self._last[2]


def jax_function(model: Model, by: Sequence[str], of: Sequence[str], **given: Any) -> Any:
    """The function for JAX: `grad`, `jit` and `vmap` work, `jacfwd` does not (use `jacrev`)."""
    jax = _package("jax")
    function = EquilibriumFunction(model, by, of, **given)
    o, p = len(of), len(by)

    def solved(values: Any) -> Any:
        kind = jax.numpy.result_type(float)
        shapes = jax.ShapeDtypeStruct((o,), kind), jax.ShapeDtypeStruct((o, p), kind)
        told = lambda v: tuple(np.asarray(a, kind) for a in function(v))  # noqa: E731
        return jax.pure_callback(told, shapes, values, vmap_method="sequential")

    outputs = jax.custom_vjp(lambda values: solved(values)[0])
    outputs.defvjp(solved, lambda J, slope: (slope @ J,))
    return outputs


def torch_function(model: Model, by: Sequence[str], of: Sequence[str], **given: Any) -> Any:
    """The function for PyTorch, in double precision."""
    torch = _package("torch")
    function = EquilibriumFunction(model, by, of, **given)

    class Outputs(torch.autograd.Function):  # type: ignore[name-defined]
        @staticmethod
        def forward(context: Any, values: Any) -> Any:
            y, J = function(values.detach().cpu().numpy())
            context.save_for_backward(torch.as_tensor(J, dtype=values.dtype))
            return torch.as_tensor(y, dtype=values.dtype)

        @staticmethod
        def backward(context: Any, slope: Any) -> Any:
            return slope @ context.saved_tensors[0]

    return Outputs.apply


def _package(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise MissingExtra(name, name) from None
