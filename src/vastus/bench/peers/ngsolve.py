"""The cantilever by NGSolve, from its symbolic energy."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from vastus.bench.cases import TOLERANCE, Cantilever
from vastus.numerics.types import Floats

MOST = 30  # iterations a step


def displacement(case: Cantilever) -> Floats:
    """(n, 3) [m]."""
    ngs = import_module("ngsolve")
    space = ngs.VectorH1(_mesh(ngs, case), order=1)
    free = np.ones(space.ndof, bool)
    n = case.mesh.n_vertices
    for axis in range(3):
        free[axis * n + case.clamped] = False
    energy = _energy(ngs, space, *case.lame)
    u, step = ngs.GridFunction(space), ngs.GridFunction(space)
    kept = ngs.BitArray([bool(f) for f in free])
    r = u.vec.CreateVector()
    for forces in case.steps():
        external = forces.T.ravel()
        for _ in range(MOST):
            energy.Apply(u.vec, r)
            r.FV().NumPy()[:] = np.where(free, external - r.FV().NumPy(), 0.0)
            if np.linalg.norm(r.FV().NumPy()) <= TOLERANCE * np.linalg.norm(external):
                break
            energy.AssembleLinearization(u.vec)
            step.vec.data = energy.mat.Inverse(kept, inverse="sparsecholesky") * r
            u.vec.data += step.vec
        else:
            raise ArithmeticError(f"{MOST} iterations were not enough")
    return np.array(u.vec.FV().NumPy().reshape(3, n).T)


def _mesh(ngs: Any, case: Cantilever) -> Any:
    net = import_module("netgen.meshing")
    mesh = net.Mesh(dim=3)
    points = [mesh.Add(net.MeshPoint(net.Pnt(*x))) for x in case.mesh.X.tolist()]
    mesh.Add(net.FaceDescriptor(surfnr=1, domin=1, bc=1))
    for tet in case.mesh.T.tolist():
        mesh.Add(net.Element3D(1, [points[v] for v in tet]))
    for face in case.mesh.boundary.tolist():
        mesh.Add(net.Element2D(1, [points[v] for v in face]))
    return ngs.Mesh(mesh)


def _energy(ngs: Any, space: Any, mu: float, lam: float) -> Any:
    u = space.TrialFunction()
    F = ngs.Id(3) + ngs.Grad(u)
    log_J = ngs.log(ngs.Det(F))
    psi = mu / 2 * (ngs.Trace(F.trans * F) - 3) - mu * log_J + lam / 2 * log_J * log_J
    form = ngs.BilinearForm(space, symmetric=True)
    form += ngs.Variation(psi.Compile() * ngs.dx)
    return form
