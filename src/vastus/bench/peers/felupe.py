"""The cantilever by FElupe."""

from __future__ import annotations

import warnings
from importlib import import_module

import numpy as np

from vastus.bench.cases import TOLERANCE, Cantilever
from vastus.numerics.types import Floats


def displacement(case: Cantilever) -> Floats:
    """(n, 3) [m]."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _displacement(case)


def _displacement(case: Cantilever) -> Floats:
    fem = import_module("felupe")
    region = fem.RegionTetra(fem.Mesh(case.mesh.X, case.mesh.T, "tetra"))
    field = fem.FieldContainer([fem.Field(region, dim=3)])
    mu, lam = case.lame
    body = fem.SolidBody(fem.NeoHookeCompressible(mu=mu, lmbda=lam), field)
    clamp = {"clamp": fem.Boundary(field[0], fx=0.0)}
    fixed, free = fem.dof.partition(field, clamp)
    loaded = np.flatnonzero(case.forces.any(axis=1))
    for forces in case.steps():
        fem.newtonrhapson(
            items=[body, fem.PointLoad(field, loaded, forces[loaded])],
            dof0=fixed,
            dof1=free,
            ext0=fem.dof.apply(field, clamp, fixed),
            tol=TOLERANCE,
            verbose=0,
        )
    return np.array(field[0].values)
