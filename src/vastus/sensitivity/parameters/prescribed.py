"""Places that are prescribed: shifts of pins, poses of bones, coordinates of driven joints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from vastus.errors import ModelError, known
from vastus.inputs import Inputs, as_in
from vastus.model import Model, index_of
from vastus.numerics.rotation import exp_map
from vastus.numerics.types import Floats
from vastus.parts import Drive
from vastus.sensitivity.parameters.parameter import AXES, Parameter, reach
from vastus.sensitivity.parameters.vector import axis_of
from vastus.skeleton.bones import image
from vastus.skeleton.coordinates import numbered


class PinShift(Parameter):
    """A component of the shift [m] of a pin, along an axis that it holds."""

    kind, form, unit = "pin", "pins.{pin}.shift.{axis}", "m"

    @classmethod
    def all_of(cls, model: Model) -> Iterator[dict[str, str]]:
        """One for each axis that a pin holds."""
        for pin in model.pins:
            yield from (
                {"pin": pin.name, "axis": a} for a, h in zip(AXES, pin.axes, strict=True) if h
            )

    def _place(self, model: Model) -> tuple[int, int]:
        index, axis = index_of("pin", self.names["pin"], model.pins), axis_of(self.names["axis"])
        if not model.pins[index].axes[axis]:
            raise ModelError(f"pin '{self.names['pin']}' does not hold the axis {AXES[axis]}")
        return index, axis

    def _shifts(self, model: Model, inputs: Inputs) -> Floats:
        return np.array(as_in(model)["shifts"] if inputs.shifts is None else inputs.shifts, float)

    def value(self, model: Model, inputs: Inputs) -> float:
        """The shift [m]."""
        return float(self._shifts(model, inputs)[self._place(model)])

    def varied(self, model: Model, inputs: Inputs, value: float) -> tuple[Model, Inputs]:
        """The inputs with another shift."""
        shifts = self._shifts(model, inputs)
        shifts[self._place(model)] = value
        return model, replace(inputs, shifts=shifts)

    def scale(self, model: Model, inputs: Inputs) -> float:
        """A part of an edge."""
        return reach(model)


class BonePose(Parameter):
    """A shift [m] along an axis, or a turn [deg] about it, of a bone that is held or scripted.

    It begins at zero in the present pose; the bone turns about the middle of its vertices.
    """

    kind, form = "bone", "inputs.bones.{bone}.{way}"
    WAYS = (*AXES, *(f"turn_{axis}" for axis in AXES))

    @property
    def unit(self) -> str:  # type: ignore[override]
        """Degrees of turns, metres of shifts."""
        return "deg" if self.names["way"].startswith("turn") else "m"

    @classmethod
    def all_of(cls, model: Model) -> Iterator[dict[str, str]]:
        """Six for each bone that forces do not move."""
        held = [bone for bone in model.bones if bone.drive is not Drive.FREE]
        return ({"bone": bone.name, "way": way} for bone in held for way in cls.WAYS)

    def _bone(self, model: Model) -> int:
        held = [bone for bone in model.bones if bone.drive is not Drive.FREE]
        index_of("held bone", self.names["bone"], held)
        if self.names["way"] not in self.WAYS:
            raise known("way", self.names["way"], self.WAYS)
        return model.bone(self.names["bone"])

    def value(self, model: Model, inputs: Inputs) -> float:
        """Zero: the present pose is where it begins."""
        self._bone(model)
        return 0.0

    def varied(self, model: Model, inputs: Inputs, value: float) -> tuple[Model, Inputs]:
        """The inputs with another pose."""
        bone, way = self._bone(model), self.names["way"]
        poses, axis = inputs.poses.copy(), np.zeros(3)
        axis[axis_of(way[-1])] = 1.0
        if way.startswith("turn"):
            centre = image(poses[bone], self._vertices(model, bone).mean(axis=0)[None])[0]
            R = exp_map(np.radians(value) * axis)
            poses[bone] = np.column_stack(
                [R @ poses[bone, :, :3], centre + R @ (poses[bone, :, 3] - centre)]
            )
        else:
            poses[bone, :, 3] += value * axis
        return model, replace(inputs, poses=poses)

    def scale(self, model: Model, inputs: Inputs) -> float:
        """What moves the farthest of its vertices by as much."""
        if not self.names["way"].startswith("turn"):
            return reach(model)
        X = self._vertices(model, self._bone(model))
        far = float(np.linalg.norm(X - X.mean(axis=0), axis=1).max())
        return float(np.degrees(reach(model) / max(far, reach(model))))

    def _vertices(self, model: Model, bone: int) -> Floats:
        return model.mesh.X[model.bone_of_vertex == bone]


class JointCoordinate(Parameter):
    """A coordinate of a joint that is driven, in degrees, or metres for a slider."""

    kind, form = "joint", "inputs.joints.{joint}"

    @classmethod
    def all_of(cls, model: Model) -> Iterator[dict[str, str]]:
        """One for each coordinate: the joint's name, and the coordinate's if it has several."""
        return ({"joint": name} for name in cls._all(model))

    @staticmethod
    def _all(model: Model) -> list[str]:
        return [
            f"{model.joints[index].name}.{freedom.name}"
            if freedom.name
            else model.joints[index].name
            for index, freedom in numbered(model.joints)
        ]

    def _index(self, model: Model) -> int:
        names = self._all(model)
        if self.names["joint"] not in names:
            raise known("joint coordinate", self.names["joint"], names)
        return names.index(self.names["joint"])

    def _unit(self, model: Model) -> float:
        """How many of the author's units one of ours is."""
        return numbered(model.joints)[self._index(model)][1].scale

    def check(self, model: Model, inputs: Inputs) -> None:
        """Refuse a joint that moves freely."""
        index = self._index(model)
        if inputs.joints is None or np.isnan(inputs.joints[index]):
            raise ModelError(
                f"joint '{self.names['joint']}' moves freely, so that its coordinate is an output; "
                "drive it, or vary what moves it"
            )

    def value(self, model: Model, inputs: Inputs) -> float:
        """The coordinate [deg or m]."""
        self.check(model, inputs)
        assert inputs.joints is not None
        return float(inputs.joints[self._index(model)]) * self._unit(model)

    def varied(self, model: Model, inputs: Inputs, value: float) -> tuple[Model, Inputs]:
        """The inputs with the joint driven there."""
        self.check(model, inputs)
        joints = np.array(inputs.joints, float)
        joints[self._index(model)] = value / self._unit(model)
        return model, replace(inputs, joints=joints)

    def scale(self, model: Model, inputs: Inputs) -> float:
        """What moves a bone's far end by as much."""
        size = float(np.ptp(model.mesh.X, axis=0).max())
        unit = self._unit(model)
        return reach(model) * unit / (size if unit != 1.0 else 1.0)
