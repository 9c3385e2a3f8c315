"""What is solved: a muscle that contracts at once, and an elbow that bends frame by frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from vastus.materials import ActiveFibre, StableNeoHookean
from vastus.model import Model
from vastus.modelling.elbow import elbow
from vastus.modelling.fusiform import fusiform
from vastus.modelling.tissues import Materials
from vastus.motion import Inputs, ramp

YOUNG = 8e4  # [Pa] of the muscle where tendons are a multiple of it


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
        materials = Materials() if self.contrast is None else contrasting(self.contrast)
        return KINDS[self.kind].shape(tets=self.tets, materials=materials)

    def inputs(self, model: Model) -> list[Inputs]:
        """The frames: activation rises evenly from rest, which is not one of them, to 1."""
        kind = KINDS[self.kind]
        return ramp(model, seconds=1.0, fps=kind.frames, **{kind.muscle: 1.0})[1:]


def contrasting(contrast: float) -> Materials:
    """Isotropic tissues with tendons `contrast` times as stiff as muscle."""
    muscle = (StableNeoHookean(YOUNG, 0.49), ActiveFibre())
    return Materials(muscle=muscle, tendon=(StableNeoHookean(contrast * YOUNG, 0.4),))
