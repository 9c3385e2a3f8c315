"""The cantilever by dolfinx, from its symbolic energy; Newton's loop is ours.

Debian has dolfinx for its own Python only. This file is therefore run by whichever Python has it,
as a script, and needs nothing of this package.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from vastus.bench.peers.elsewhere import Told

MOST = 30  # iterations a step


def displacement(case: Told) -> Any:
    """(n, 3) [m]."""
    dolfinx, ufl, petsc = map(import_module, ("dolfinx", "ufl", "petsc4py.PETSc"))
    space, order = _space(dolfinx, ufl, case)
    u = dolfinx.fem.Function(space)
    energy = _energy(ufl, u, case.mu, case.lam)
    first = ufl.derivative(energy, u)
    force, stiffness = dolfinx.fem.form(first), dolfinx.fem.form(ufl.derivative(first, u))
    clamped = np.flatnonzero(np.isin(order, case.clamped)).astype(np.int32)
    held = [dolfinx.fem.dirichletbc(np.zeros(3), clamped, space)]
    fixed = (3 * clamped[:, None] + np.arange(3)).ravel()
    assembly = import_module("dolfinx.fem.petsc")
    matrix = assembly.create_matrix(stiffness)
    solver = _cholesky(petsc, matrix)
    step = matrix.createVecRight()
    for forces in case.steps:
        external = forces[order].ravel()
        for _ in range(MOST):
            inner = assembly.assemble_vector(force)
            r = external - inner.array
            r[fixed] = 0.0
            if np.linalg.norm(r) <= case.tolerance * np.linalg.norm(external):
                break
            matrix.zeroEntries()
            assembly.assemble_matrix(matrix, stiffness, bcs=held)
            matrix.assemble()
            inner.array[:] = r
            solver.setOperators(matrix)
            solver.solve(inner, step)
            u.x.array[:] += step.array
        else:
            raise ArithmeticError(f"{MOST} iterations were not enough")
    moved = np.empty((len(order), 3))
    moved[order] = u.x.array.reshape(-1, 3)
    return moved


def _space(dolfinx: Any, ufl: Any, case: Told) -> tuple[Any, Any]:
    """Linear vectors on the mesh, and (n,) our vertex at each of its nodes."""
    mpi = import_module("mpi4py.MPI")
    element = ufl.VectorElement("Lagrange", ufl.Cell("tetrahedron", 3), 1)
    mesh = dolfinx.mesh.create_mesh(mpi.COMM_SELF, case.T, case.X, ufl.Mesh(element))
    space = dolfinx.fem.VectorFunctionSpace(mesh, ("Lagrange", 1))
    # Nodes of the space stand where points of its mesh stand, in an order of their own.
    order = np.empty(len(case.X), np.int64)
    points = np.asarray(mesh.geometry.input_global_indices)
    cells = range(len(case.T))
    nodes = np.array([space.dofmap.cell_dofs(c) for c in cells])
    corners = np.array([mesh.geometry.dofmap.links(c) for c in cells])
    order[nodes] = points[corners]
    return space, order


def _energy(ufl: Any, u: Any, mu: float, lam: float) -> Any:
    F = ufl.Identity(3) + ufl.grad(u)
    log_J = ufl.ln(ufl.det(F))
    psi = mu / 2 * (ufl.tr(F.T * F) - 3) - mu * log_J + lam / 2 * log_J**2
    return psi * ufl.dx(metadata={"quadrature_degree": 0})


def _cholesky(petsc: Any, matrix: Any) -> Any:
    """MUMPS, for a symmetric positive definite matrix."""
    matrix.setOption(petsc.Mat.Option.SPD, True)
    solver = petsc.KSP().create(matrix.comm)
    solver.setType("preonly")
    solver.getPC().setType("cholesky")
    solver.getPC().setFactorSolverType("mumps")
    return solver
