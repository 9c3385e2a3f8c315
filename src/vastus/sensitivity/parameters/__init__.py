"""The kinds of parameters that derivatives are taken by; listing one here makes it known."""

from __future__ import annotations

from vastus.sensitivity.parameters.attachment import Attachment
from vastus.sensitivity.parameters.fibre_turn import FibreTurn
from vastus.sensitivity.parameters.law_parameter import LawParameter
from vastus.sensitivity.parameters.level import Activation, Pressure, Shortening, Tension, Torque
from vastus.sensitivity.parameters.muscle_number import MuscleNumber
from vastus.sensitivity.parameters.parameter import Parameter
from vastus.sensitivity.parameters.prescribed import BonePose, JointCoordinate, PinShift
from vastus.sensitivity.parameters.rest_shape import RestVertex
from vastus.sensitivity.parameters.vector import Gravity, LoadForce

KINDS: dict[str, type[Parameter]] = {
    kind.kind: kind
    for kind in (
        Activation,
        FibreTurn,
        Attachment,
        MuscleNumber,
        LawParameter,
        LoadForce,
        Gravity,
        Torque,
        Pressure,
        Tension,
        Shortening,
        PinShift,
        BonePose,
        JointCoordinate,
        RestVertex,
    )
}
