"""The cantilever by scikit-fem, which assembles and solves; the law and Newton's loop are ours."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from vastus.bench.cases import TOLERANCE, Cantilever
from vastus.numerics.types import Floats

MOST = 30  # iterations a step


def displacement(case: Cantilever) -> Floats:
    """(n, 3) [m]."""
    skfem = import_module("skfem")
    mesh = skfem.MeshTet(np.ascontiguousarray(case.mesh.X.T), np.ascontiguousarray(case.mesh.T.T))
    basis = skfem.Basis(mesh, skfem.ElementVector(skfem.ElementTetP1()), intorder=1)
    dofs = basis.nodal_dofs  # (3, n)
    clamped = dofs[:, case.clamped].ravel()
    stiffness, force = _forms(skfem, *case.lame)
    u = basis.zeros()
    for forces in case.steps():
        external = basis.zeros()
        external[dofs] = forces.T
        for _ in range(MOST):
            now = basis.interpolate(u)
            r = external - force.assemble(basis, u=now)
            r[clamped] = 0.0
            if np.linalg.norm(r) <= TOLERANCE * np.linalg.norm(external):
                break
            u = u + skfem.solve(*skfem.condense(stiffness.assemble(basis, u=now), r, D=clamped))
        else:
            raise ArithmeticError(f"{MOST} iterations were not enough")
    return np.array(u[dofs].T)


def _forms(skfem: Any, mu: float, lam: float) -> tuple[Any, Any]:
    """The second and the first variation of the energy."""
    helpers = import_module("skfem.helpers")
    grad, ddot, inv, det = helpers.grad, helpers.ddot, helpers.inv, helpers.det
    transpose, mul = helpers.transpose, helpers.mul

    def kinematics(w: Any) -> tuple[Any, Any, Any]:
        F = grad(w["u"]) + np.eye(3)[:, :, None, None]
        return F, transpose(inv(F)), np.log(det(F))

    def second(u: Any, v: Any, w: Any) -> Any:
        _, G, log_J = kinematics(w)
        dF = grad(u)
        dP = mu * dF + (mu - lam * log_J) * mul(mul(G, transpose(dF)), G) + lam * ddot(G, dF) * G
        return ddot(dP, grad(v))

    def first(v: Any, w: Any) -> Any:
        F, G, log_J = kinematics(w)
        return ddot(mu * (F - G) + lam * log_J * G, grad(v))

    return skfem.BilinearForm(second), skfem.LinearForm(first)
