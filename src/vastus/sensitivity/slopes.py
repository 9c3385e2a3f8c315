"""Outputs that know their own derivative by the placement: their registry.

One solve gives a field of what such an output owes to each place. By a parameter, it follows by
what the placement does, and by what laws, fibres and active stress do where everything is held.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import ClassVar

import numpy as np

from vastus.errors import ModelError, known
from vastus.measure.muscle_outputs import MuscleOutputs
from vastus.measure.outputs import Outputs, joint_columns
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.sensitivity.equilibrium import STENCIL, Placed, StableEquilibrium
from vastus.sensitivity.influence import Slope, at_vertices
from vastus.sensitivity.parameters.parameter import AXES

# Of stretches and volume ratios. Laws have kinks, as where fibres get taut: of a long step they
# would make more than round-off makes of a short one.
STEP = 1e-5
POINT = re.compile(r"vertex_(\d+)_[xyz]")  # the place of a vertex, as that of a marker


class Differentiable(ABC):
    """An output of one part of a model, called PART and what it is; it knows its derivative."""

    ending: ClassVar[str]

    def __init__(self, part: str) -> None:
        self.part = part

    @staticmethod
    @abstractmethod
    def parts(model: Model) -> Iterable[str]:
        """The parts that have such an output."""

    @classmethod
    def has(cls, model: Model, part: str) -> bool:
        """Whether a part has it."""
        return part in cls.parts(model)

    @abstractmethod
    def at(self, here: StableEquilibrium, outputs: Outputs) -> Slope:
        """Its value and derivative; the outputs are those of the model."""

    @abstractmethod
    def of(self, placed: Placed, outputs: Outputs) -> float:
        """Its value in a placement; the outputs are those of its model."""

    def same(self, here: Placed, there: Placed, outputs: tuple[Outputs, Outputs]) -> bool:
        """Whether it is the same in two placements, since all that it goes by is."""
        return here.q is there.q and here.model.mesh is there.model.mesh


class JointAngle(Differentiable):
    """The angle of a joint [deg]: a function of the bones alone."""

    ending = "_angle_deg"

    @staticmethod
    def parts(model: Model) -> list[str]:
        """Joints."""
        return [joint.name for joint in model.joints]

    def of(self, placed: Placed, outputs: Outputs) -> float:
        """By the poses of its bones."""
        return float(joint_columns(placed.model, placed.state)[f"{self.part}{self.ending}"])

    def at(self, here: StableEquilibrium, outputs: Outputs) -> Slope:
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

    def muscle(self, outputs: Outputs) -> MuscleOutputs:
        """What is measured of it."""
        return outputs.muscle(self.part)


class MuscleLength(OfMuscle):
    """The length of a muscle [m] along its middle."""

    ending = "_length_m"

    def of(self, placed: Placed, outputs: Outputs) -> float:
        """Of its line."""
        return self.muscle(outputs).shape.line.of(placed.q.x)[""]

    def at(self, here: StableEquilibrium, outputs: Outputs) -> Slope:
        """The directions of the line's pieces, shared out to the vertices that they average."""
        line = self.muscle(outputs).shape.line
        nodes = np.zeros_like(here.q.x)
        value, nodes[line.vertices] = line.slope(here.q.x)
        return Slope(value, np.zeros(here.q.chart.size), nodes, rest=_follows_shape)


class MuscleStretch(OfMuscle):
    """The mean stretch of a muscle's fibres."""

    ending = "_stretch"

    def of(self, placed: Placed, outputs: Outputs) -> float:
        """The mean over its tets."""
        muscle = self.muscle(outputs)
        y = np.einsum("kij,kj->ki", placed.q.F[muscle.belly], muscle.tension.laws.d)
        return float(muscle.tension.share @ np.linalg.norm(y, axis=1))

    def same(self, here: Placed, there: Placed, outputs: tuple[Outputs, Outputs]) -> bool:
        """Fibres and their density count too."""
        alike = here.model.fibre is there.model.fibre
        return alike and super().same(here, there, outputs)

    def at(self, here: StableEquilibrium, outputs: Outputs) -> Slope:
        """The directions of the fibres, weighed by their number."""
        fibres = _Fibres(here, self.muscle(outputs))
        share = fibres.tension.share
        mean = float(share @ fibres.stretch)

        def rest() -> Floats:
            grown = share * (fibres.stretch - mean)
            mesh, tets = here.model.mesh, fibres.tension.tets
            corners = grown[:, None, None] * mesh.gradients[tets]
            return at_vertices(here.model, mesh.T[tets], corners)

        return fibres.slope(mean, share, np.zeros(len(share)), rest=rest)


class MuscleForce(OfMuscle):
    """The tension of a muscle's fibres [N]."""

    ending = "_force_N"

    def of(self, placed: Placed, outputs: Outputs) -> float:
        """The mean over its fibres."""
        muscle = self.muscle(outputs)
        stress = muscle.tension.stress(placed.q.F[muscle.belly], placed.inputs.excitation)
        return sum(muscle.tension.of(stress))

    def same(self, here: Placed, there: Placed, outputs: tuple[Outputs, Outputs]) -> bool:
        """Its laws, its strength and its activation count too."""
        index = here.model.muscle(self.part)
        one, other = (o.muscle(self.part).tension for o in outputs)
        level = here.inputs.excitation[index] == there.inputs.excitation[index]
        return bool(level) and one is other and super().same(here, there, outputs)

    def at(self, here: StableEquilibrium, outputs: Outputs) -> Slope:
        """By what the laws of the fibres, and the belly, answer to stretch and volume."""
        fibres, model = _Fibres(here, self.muscle(outputs)), here.model
        weights = fibres.tension.volumes / fibres.tension.fibre_length
        stress = fibres.tension.stress(fibres.F, here.inputs.excitation)
        by_stretch, by_volume, by_tension = (weights * part for part in fibres.law_slopes())
        strength = np.zeros(len(here.problem.elastic.T))
        for head, mine in fibres.tension.heads:
            pull = head.pull(fibres.F[mine], float(here.inputs.excitation[head.muscle]))
            o = head.optimal
            rise = head.curve.slope(pull.stretch / o) / o
            scale = pull.active / fibres.tension.fibre_length
            by_stretch[mine] += scale * head.weights * rise
            own = weights[mine] * pull.tension
            strength[head.tets] += own / model.strength[model.soft[head.tets]]
        value = sum(fibres.tension.of(stress))
        return fibres.slope(value, by_stretch, by_volume, by_tension, strength, _follows_shape)


class Point(Differentiable):
    """A coordinate [m] of a vertex: `VERTEX_x_m`."""

    ending = "_m"

    @staticmethod
    def parts(model: Model) -> list[str]:
        """`vertex_NUMBER_AXIS` of all vertices."""
        return [f"vertex_{i}_{axis}" for i in range(model.mesh.n_vertices) for axis in AXES]

    @classmethod
    def has(cls, model: Model, part: str) -> bool:
        """Whether it is a vertex of the mesh."""
        found = POINT.fullmatch(part)
        if found is None:
            return False
        if int(found[1]) >= model.mesh.n_vertices:
            raise ModelError(
                f"no vertex {found[1]}; the mesh has {model.mesh.n_vertices}, counted from 0"
            )
        return True

    @property
    def place(self) -> tuple[int, int]:
        """The vertex and the axis."""
        _, vertex, axis = self.part.split("_")
        return int(vertex), AXES.index(axis)

    def of(self, placed: Placed, outputs: Outputs) -> float:
        """Where it is."""
        return float(placed.q.x[self.place])

    def at(self, here: StableEquilibrium, outputs: Outputs) -> Slope:
        """One."""
        nodes = np.zeros_like(here.q.x)
        nodes[self.place] = 1.0
        return Slope(float(here.q.x[self.place]), np.zeros(here.q.chart.size), nodes)


SLOPES: tuple[type[Differentiable], ...] = (
    JointAngle,
    MuscleLength,
    MuscleStretch,
    MuscleForce,
    Point,
)


def differentiable(model: Model, output: str) -> Differentiable | None:
    """The output of this name, if it knows its derivative."""
    for kind in SLOPES:
        part = output.removesuffix(kind.ending)
        if output.endswith(kind.ending) and kind.has(model, part):
            return kind(part)
    return None


def slope_of(here: StableEquilibrium, output: str) -> Slope:
    """The derivative of an output by its name."""
    found = differentiable(here.model, output)
    if found is None:
        able = [
            f"{p}{kind.ending}"
            for kind in SLOPES
            if kind is not Point
            for p in kind.parts(here.model)
        ]
        raise known("output with a field of derivatives", output, [*able, "vertex_0_x_m"])
    return found.at(here, Outputs(here.model))


def _follows_shape() -> Floats:
    raise ModelError(
        "the line and the mean fibre length of a muscle follow from the whole of its shape; the "
        "field over rest places is there for angles, stretches and places of vertices"
    )


class _Fibres:
    """The fibres of a muscle at an equilibrium."""

    def __init__(self, here: StableEquilibrium, muscle: MuscleOutputs) -> None:
        self._here, self.tension, self.soft = here, muscle.tension, muscle.belly
        self.F = np.ascontiguousarray(here.q.F[self.soft])
        self._d = self.tension.laws.d
        self._y = np.einsum("kij,kj->ki", self.F, self._d)
        self.stretch = np.linalg.norm(self._y, axis=1)

    def law_slopes(self) -> tuple[Floats, Floats, Floats]:
        """(k,) the derivatives of the laws' fibre stress by stretch, volume ratio and tension."""
        laws, J = self.tension.laws, np.linalg.det(self.F)
        T0 = self._here.tissue.tension[self.soft]
        found = np.zeros((3, len(J)))
        for row, scale in enumerate((1.0, 1.0, self._here.tissue.stress_scale)):
            for side in (1.0, -1.0):
                h = np.zeros(3)
                h[row] = side * STEP * scale
                F = laws.pure(self.stretch + h[0], J + h[1])
                found[row] += side * laws.of(F, T0 + h[2]).total / (2 * STEP * scale)
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
