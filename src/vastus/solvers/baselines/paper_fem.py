"""The finite elements that EMU's paper compares itself with: projected Newton, affine bones."""

from __future__ import annotations

from dataclasses import dataclass

from vastus.numerics.types import Floats
from vastus.skeleton.affine import Affine, AffineChart, moved_straight
from vastus.skeleton.skeleton import Chart, Skeleton
from vastus.solvers.newton import Newton
from vastus.solvers.problem import Reduction


@dataclass(frozen=True)
class StraightAffine(Affine):
    """Affine bones whose every point moves along a straight line: stiff bones resist turning."""

    def chart(self, skeleton: Skeleton, poses: Floats) -> Chart:
        """Coordinates around these poses."""
        return StraightChart(skeleton, poses)


class StraightChart(AffineChart):
    """Coordinates of affine bones that are taken literally."""

    def move(self, z: Floats) -> Floats:
        """Poses at coordinates z; joints are linear and stay closed."""
        return moved_straight(self._skeleton, self._poses, self.lift(z).reshape(-1, 3))


def paper_fem(
    *, young: float = 1e10, tolerance: float = 1e-8, max_iterations: int = 1000
) -> Newton:
    """Newton's method with an always projected Hessian and affine bones of modulus `young` [Pa]."""
    reduction = Reduction(StraightAffine(young))
    return Newton(tolerance, max_iterations, reduction, always_project=True)
