"""Outputs that know their own derivative, so that one solve gives a field: their registry."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from vastus.energies.belly import heads_of
from vastus.errors import ModelError, known
from vastus.measure.ends import ends_of, own_tets
from vastus.measure.fibre_tension import FibreLaws, FibreTension
from vastus.measure.muscle_line import MuscleLine
from vastus.measure.outputs import joint_columns
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.sensitivity.equilibrium import STENCIL, StableEquilibrium
from vastus.sensitivity.influence import Slope
from vastus.sensitivity.parameters.parameter import AXES

STEP = 1e-4


class Differentiable(ABC):
    """An output of one part of a model, called PART and what it is; it knows its derivative."""

    ending: ClassVar[str]

    def __init__(self, part: str) -> None:
        self.part = part

    @staticmethod
    @abstractmethod
    def parts(model: Model) -> list[str]:
        """The parts that have such an output."""

    @abstractmethod
    def at(self, here: StableEquilibrium) -> Slope:
        """Its value and derivative."""


class JointAngle(Differentiable):
    """The angle of a joint [deg]: a function of the bones alone."""

    ending = "_angle_deg"

    @staticmethod
    def parts(model: Model) -> list[str]:
        """Joints."""
        return [joint.name for joint in model.joints]

    def at(self, here: StableEquilibrium) -> Slope:
        """By differences along each coordinate of the bones, which are few."""
        name, k = f"{self.part}{self.ending}", here.q.chart.size
        h = 1e-3 * float(here.problem.skeleton.size.max(initial=1.0))
        bones = np.zeros(k)
        for i in range(k):
            for far, weight in STENCIL:
                for side in (far, -far):
                    step = np.zeros(k + len(here.problem.unknowns.free))
                    step[i] = side * h
                    state = here.objective.retract(here.q, step).state(here.inputs)
                    value = joint_columns(here.model, state)[name]
                    bones[i] += np.sign(side) * weight / h * value
        value = joint_columns(here.model, here.state)[name]
        return Slope(value, bones, np.zeros_like(here.q.x))


class OfMuscle(Differentiable):
    """An output of a muscle."""

    @staticmethod
    def parts(model: Model) -> list[str]:
        """Muscles."""
        return [muscle.name for muscle in model.muscles]


class MuscleLength(OfMuscle):
    """The length of a muscle [m] along its middle."""

    ending = "_length_m"

    def at(self, here: StableEquilibrium) -> Slope:
        """The directions of the line's pieces, shared out to the vertices that they average."""
        model, index = here.model, here.model.muscle(self.part)
        tets = own_tets(model, index)
        line = MuscleLine(model, tets, ends_of(model, tets))
        nodes = np.zeros_like(here.q.x)
        value, nodes[line.vertices] = line.slope(here.q.x)
        return Slope(value, np.zeros(here.q.chart.size), nodes, rest=_follows_shape)


class MuscleStretch(OfMuscle):
    """The mean stretch of a muscle's fibres."""

    ending = "_stretch"

    def at(self, here: StableEquilibrium) -> Slope:
        """The directions of the fibres, weighed by their number."""
        fibres = _Fibres(here, self.part)
        weights = fibres.tension.volumes * here.model.density[fibres.tension.tets]
        share = weights / weights.sum()
        mean = float(share @ fibres.stretch)

        def rest() -> Floats:
            grown = share * (fibres.stretch - mean)
            mesh, out = here.model.mesh, np.zeros_like(here.q.x)
            tets = fibres.tension.tets
            np.add.at(out, mesh.T[tets], grown[:, None, None] * mesh.gradients[tets])
            return out

        return fibres.slope(mean, share, np.zeros(len(share)), rest=rest)


class MuscleForce(OfMuscle):
    """The tension of a muscle's fibres [N]."""

    ending = "_force_N"

    def at(self, here: StableEquilibrium) -> Slope:
        """By what the laws of the fibres, and the belly, answer to stretch and volume."""
        fibres, model = _Fibres(here, self.part), here.model
        weights = fibres.tension.volumes / fibres.tension.fibre_length
        stress = fibres.tension.stress(fibres.F, here.inputs.excitation)
        by_stretch, by_volume, by_tension = (weights * part for part in fibres.law_slopes())
        strength = np.zeros(len(here.problem.elastic.T))
        for head in heads_of(model):
            if head.muscle == model.muscle(self.part):
                pull = head.pull(here.q.F[head.tets], float(here.inputs.excitation[head.muscle]))
                o = head.optimal
                rise = head.curve.slope(pull.stretch / o) / o
                mine = np.searchsorted(fibres.soft, head.tets)
                scale = pull.active / fibres.tension.fibre_length
                by_stretch[mine] += scale * head.weights * rise
                own = weights[mine] * pull.tension
                strength[head.tets] += own / model.strength[model.soft[head.tets]]
        value = float(weights @ stress.total)
        return fibres.slope(value, by_stretch, by_volume, by_tension, strength, _follows_shape)


class Point(Differentiable):
    """A coordinate [m] of a vertex: `VERTEX_x_m`."""

    ending = "_m"

    @staticmethod
    def parts(model: Model) -> list[str]:
        """`vertex_NUMBER_AXIS` of all vertices."""
        return [f"vertex_{i}_{axis}" for i in range(model.mesh.n_vertices) for axis in AXES]

    def at(self, here: StableEquilibrium) -> Slope:
        """One."""
        _, vertex, axis = self.part.split("_")
        nodes = np.zeros_like(here.q.x)
        nodes[int(vertex), AXES.index(axis)] = 1.0
        value = float(here.q.x[int(vertex), AXES.index(axis)])
        return Slope(value, np.zeros(here.q.chart.size), nodes)


SLOPES: tuple[type[Differentiable], ...] = (
    JointAngle,
    MuscleLength,
    MuscleStretch,
    MuscleForce,
    Point,
)


def slope_of(here: StableEquilibrium, output: str) -> Slope:
    """The derivative of an output by its name."""
    for kind in SLOPES:
        part = output.removesuffix(kind.ending)
        if output.endswith(kind.ending) and part in kind.parts(here.model):
            return kind(part).at(here)
    able = [
        f"{p}{kind.ending}" for kind in SLOPES if kind is not Point for p in kind.parts(here.model)
    ]
    raise known("output with a field of derivatives", output, [*able, "vertex_0_x_m"])


def _follows_shape() -> Floats:
    raise ModelError(
        "the line and the mean fibre length of a muscle follow from the whole of its shape; the "
        "field over rest places is there for angles, stretches and places of vertices"
    )


class _Fibres:
    """The fibres of a muscle at an equilibrium."""

    def __init__(self, here: StableEquilibrium, muscle: str) -> None:
        model, index = here.model, here.model.muscle(muscle)
        tets = own_tets(model, index)
        length = MuscleLine(model, tets, ends_of(model, tets)).of(model.mesh.X)["_belly"]
        self._here, self.tension = here, FibreTension(model, index, length)
        self.soft = np.searchsorted(model.soft, self.tension.tets)
        self.F = np.ascontiguousarray(here.q.F[self.soft])
        self._d = model.fibre[self.tension.tets]
        self._y = np.einsum("kij,kj->ki", self.F, self._d)
        self.stretch = np.linalg.norm(self._y, axis=1)

    def law_slopes(self) -> tuple[Floats, Floats, Floats]:
        """(k,) the derivatives of the laws' fibre stress by stretch, volume ratio and tension."""
        laws, J = FibreLaws(self._here.model, self.tension.tets), np.linalg.det(self.F)
        T0 = self._here.tissue.tension[self.soft]
        whole = self._here.tissue.stress_scale
        found = np.zeros((3, len(J)))
        for row, scale in enumerate((1.0, 1.0, whole)):
            for far, weight in STENCIL:
                for side in (far, -far):
                    h = np.zeros(3)
                    h[row] = side * STEP * scale
                    F = laws.pure(self.stretch + h[0], J + h[1])
                    total = laws.of(F, T0 + h[2]).total
                    found[row] += np.sign(side) * weight / (STEP * scale) * total
        return found[0], found[1], found[2]

    def slope(
        self, value: float, by_stretch: Floats, by_volume: Floats,
        by_tension: Floats | None = None, strength: Floats | None = None,
        rest: object = None,
    ) -> Slope:  # fmt: skip
        """The slope of a function of the fibres' stretches and of volume ratios (k,)."""
        here, F = self._here, self.F
        n = self._y / self.stretch[:, None]
        y_F = by_stretch[:, None, None] * n[:, :, None] * self._d[:, None, :]
        J = np.linalg.det(F)
        cofactor = J[:, None, None] * np.swapaxes(np.linalg.inv(F), 1, 2)
        y_F = y_F + by_volume[:, None, None] * cofactor
        size = len(here.problem.elastic.T)
        gradients, fibre = np.zeros((size, 3, 3)), np.zeros((size, 3))
        gradients[self.soft] = y_F / self.tension.volumes[:, None, None]
        fibre[self.soft] = by_stretch[:, None] * np.einsum("kji,kj->ki", F, n)
        tension = np.zeros(size)
        if by_tension is not None:
            tension[self.soft] = by_tension
        return Slope(
            value, np.zeros(here.q.chart.size), here.tissue.gather(gradients),
            gradients * here.problem.elastic.volumes[:, None, None], tension, strength, fibre,
            rest,  # type: ignore[arg-type]
        )  # fmt: skip
