"""What is solved: a muscle that contracts, an elbow that bends, and a bar for other packages.

The bar is clamped at one end and bent at the other: linear tets, psi = mu/2 (I - 3) - mu ln J +
lam/2 (ln J)^2, dead nodal forces that grow in equal steps, each solved to a relative force balance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from vastus.geometry.tetmesh import TetMesh
from vastus.inputs import Schedule
from vastus.materials import ActiveFibre, NeoHookean, StableNeoHookean
from vastus.materials.base import lame
from vastus.model import Model
from vastus.modelling.shapes.elbow import elbow
from vastus.modelling.shapes.simple import box, fusiform
from vastus.modelling.tissues import Materials
from vastus.muscle import Density
from vastus.numerics.types import Floats, Ints
from vastus.parts import Load, Pin, Region, Tissue, Volume
from vastus.schedules import ramp

YOUNG = 8e4  # [Pa] of the muscle where tendons are a multiple of it
SIZE = (0.2, 0.04, 0.04)  # [m] of the bar
BAR_YOUNG, POISSON = 6e4, 0.4
FORCE = -0.8  # [N] along z: the tip sinks by half the length
STEPS, TOLERANCE = 5, 1e-8


@dataclass(frozen=True)
class Kind:
    """A shape, the muscle that is activated fully, in how many frames, and the fewest tets."""

    shape: Callable[..., Model]
    muscle: str
    frames: int
    fewest: int


KINDS: Mapping[str, Kind] = {
    "fusiform": Kind(fusiform, "belly", frames=1, fewest=1_000),
    "elbow": Kind(elbow, "biceps", frames=5, fewest=2_000),
    "animation": Kind(elbow, "biceps", frames=25, fewest=2_000),
}


@dataclass(frozen=True)
class Case:
    """A model of about `tets` tets and what it does.

    Tissues are the usual ones, or, with a `contrast`, isotropic with tendons so many times as stiff
    as muscle.
    """

    kind: str
    tets: int
    contrast: float | None = None

    @property
    def name(self) -> str:
        """The case without its size."""
        return self.kind if self.contrast is None else f"{self.kind} {self.contrast:g}x"

    @property
    def frames(self) -> int:
        """How many frames it has."""
        return KINDS[self.kind].frames

    @property
    def small(self) -> Case:
        """The same with few tets, to compile kernels."""
        return replace(self, tets=KINDS[self.kind].fewest)

    def model(self) -> Model:
        """The model."""
        materials = Materials.early() if self.contrast is None else contrasting(self.contrast)
        return KINDS[self.kind].shape(tets=self.tets, materials=materials)

    def inputs(self, model: Model) -> Schedule:
        """The frames: activation rises evenly from rest, which is not one of them, to 1."""
        kind = KINDS[self.kind]
        return ramp(model, seconds=1.0, fps=kind.frames, **{kind.muscle: 1.0})[1:]


def contrasting(contrast: float) -> Materials:
    """Isotropic tissues with tendons `contrast` times as stiff as muscle."""
    muscle = (StableNeoHookean(YOUNG, 0.49), ActiveFibre())
    tendon = (StableNeoHookean(contrast * YOUNG, 0.4),)
    return Materials(muscle=muscle, tendon=tendon, density=Density.UNIFORM, volume=Volume.TET)


@dataclass(frozen=True)
class Cantilever:
    """A bar of about `tets` tets, loaded in `count` steps."""

    tets: int
    count: int = STEPS

    @cached_property
    def mesh(self) -> TetMesh:
        """Cubic cells of six tets each, five times as long as wide."""
        across = max(1, round((self.tets / 30) ** (1 / 3)))
        return box((5 * across, across, across), SIZE)

    @property
    def lame(self) -> tuple[float, float]:
        """mu and lam [Pa]."""
        return lame(BAR_YOUNG, POISSON)

    @cached_property
    def clamped(self) -> Ints:
        """(k,) the vertices that are held."""
        return np.flatnonzero(self.mesh.X[:, 0] == 0)

    @cached_property
    def forces(self) -> Floats:
        """(n, 3) [N] of the last step, spread over the free end by area."""
        faces = self.mesh.boundary[(self.mesh.X[self.mesh.boundary, 0] == SIZE[0]).all(axis=1)]
        a, b, c = (self.mesh.X[faces[:, k]] for k in range(3))
        areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
        share = np.bincount(faces.ravel(), np.repeat(areas, 3), minlength=self.mesh.n_vertices)
        return np.outer(share / share.sum(), [0.0, 0.0, FORCE])

    def steps(self) -> Iterator[Floats]:
        """(n, 3) [N] the forces of each step."""
        for share in np.linspace(0.0, 1.0, self.count + 1)[1:]:
            yield share * self.forces

    def model(self, forces: Floats) -> Model:
        """The bar under some forces, as a model."""
        loaded = np.flatnonzero(forces.any(axis=1))
        total = forces.sum(axis=0)
        load = Load("end", loaded, forces[loaded, 2] / total[2], total)
        return Model(
            mesh=self.mesh,
            region=np.zeros(self.mesh.n_tets, np.int64),
            regions=(Region("bar", Tissue.PASSIVE, (NeoHookean(BAR_YOUNG, POISSON),)),),
            fibre=np.zeros((self.mesh.n_tets, 3)),
            pins=(Pin("clamp", self.clamped),),
            loads=(load,),
            gravity=np.zeros(3),
            name="cantilever",
        )
