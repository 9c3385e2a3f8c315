"""Moment against angle: a joint is driven through its range while muscles that cross it pull."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from vastus.errors import ModelError, known
from vastus.experiments.trial import Finding, Question, Run, Table, Trial
from vastus.inputs import Schedule
from vastus.measure.moments import middle_arm
from vastus.measure.outputs import Outputs
from vastus.measure.work_arms import WorkArms
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.parts import Drive
from vastus.schedules import from_arrays
from vastus.skeleton.joints import Ball, Hinge, Joint, Weld
from vastus.state import rest

LEAD = 4  # frames to activate, and at most so many degrees a frame on the way to the first angle
WIDEST = 15.0


class MomentAngle(Trial):
    """All other joints are held; the muscles' moments are measured, active and at rest."""

    name = "moment-angle"
    title = "joint moment against angle"
    says = (
        "A hinge is driven through its range, once with muscles active and once at rest; all other "
        "joints are held as the model has them. Positive moments enlarge the angle."
    )
    who = "An active muscle, repeatable; all that enlarge the angle unless given."
    jointed = True
    unit = "degrees"
    bounds = "that of the joint's limits if it has any, else"
    low, high, steps = 0.0, 130.0, 14

    def __init__(self, question: Question) -> None:
        """The range is that of the joint, where it has limits, unless another is asked for."""
        self.asked = question
        limits = self.joint.passive[0].range if self.joint.passive else (-np.inf, np.inf)
        first, last = np.degrees(limits) + question.rest_angle
        low, high = question.low, question.high
        if low is None and np.isfinite(first):
            low = float(first)
        if high is None and np.isfinite(last):
            high = float(last)
        super().__init__(replace(question, low=low, high=high))

    @cached_property
    def joint(self) -> Hinge:
        """The hinge: the one that is named, or the only one."""
        hinges = {j.name: j for j in self.asked.model.joints if isinstance(j, Hinge)}
        name = self.asked.joint
        if name is None and len(hinges) != 1:
            raise ModelError(f"name one hinge by --joint: {', '.join(hinges) or 'there is none'}")
        if name is not None and name not in hinges:
            raise known("hinge", name, list(hinges))
        return hinges[name] if name is not None else next(iter(hinges.values()))

    @cached_property
    def model(self) -> Model:
        """The model without weight, every other joint held and every loose bone pinned."""
        model = self.asked.model
        tied = {bone for joint in model.joints for bone in joint.bones}
        bones = tuple(
            b if b.name in tied or b.drive is not Drive.FREE else replace(b, drive=Drive.PINNED)
            for b in model.bones
        )
        joints = tuple(_held(j) if isinstance(j, Ball) else j for j in model.joints)
        return model.with_(bones=bones, joints=joints, loads=(), gravity=np.zeros(3))

    @cached_property
    def crossing(self) -> dict[str, float]:
        """The muscles that cross the joint, with their arms by excursion at rest [m]."""
        out = Outputs(self.model).of(rest(self.model))
        ending = f"_{self.joint.name}_excursion_m"
        return {
            m.name: out[f"{m.name}{ending}"]
            for m in self.model.muscles
            if f"{m.name}{ending}" in out
        }

    @cached_property
    def active(self) -> list[str]:
        """The muscles that are active: a head that ends on another pulls across the joint too."""
        for name in self.asked.muscles:
            self.model.muscle(name)
        raising = [name for name, arm in self.crossing.items() if self._arm(name, arm) > 0]
        chosen = list(self.asked.muscles) or raising
        if not chosen:
            raise ModelError(
                f"no muscle enlarges the angle of joint '{self.joint.name}'; name one by --muscle"
            )
        return chosen

    def _arm(self, muscle: str, straight: float) -> float:
        """The arm of a muscle at rest [m]: of its middle where guides tell it, else as given."""
        found = middle_arm(self.model, muscle, self.joint, self.joint.direction)
        return straight if found is None else found

    def runs(self) -> Sequence[Run]:
        """With the muscles active, and at rest."""
        level = self.asked.activation
        return [
            Run(name, self.model, self._schedule(level * sign), len(self.range), (self._arms,))
            for name, sign in (("active", 1.0), ("rest", 0.0))
        ]

    @cached_property
    def _arms(self) -> WorkArms:
        return WorkArms(self.model, self.joint)

    def _schedule(self, level: float) -> Schedule:
        degrees = self.range - self.asked.rest_angle
        count = max(LEAD, int(np.ceil(abs(degrees[0]) / WIDEST)))
        lead = np.linspace(0.0, degrees[0], count)
        angles = np.concatenate([np.zeros(LEAD), lead, degrees])
        levels = np.full(len(angles), level)
        levels[:LEAD] = np.linspace(0.0, level, LEAD)
        times = np.arange(len(angles), dtype=float) / 10
        others = {
            j.name: np.zeros((len(angles), len(j.freedoms)))
            for j in self.model.joints
            if j.name != self.joint.name and j.freedoms and self._free(j)
        }
        driven: dict[str, Floats] = {self.joint.name: angles, **others}
        return from_arrays(self.model, times, dict.fromkeys(self.active, levels), joints=driven)

    def _free(self, joint: Joint) -> bool:
        bones = [self.model.bones[self.model.bone(name)] for name in joint.bones]
        return any(bone.drive is Drive.FREE for bone in bones)

    def finding(self, tables: Mapping[str, Table]) -> Finding:
        """The moment of all muscles and of each active one, in newton metres.

        That of all has what they press on bones with; those of each are of their attachments.
        """
        name, found = self.joint.name, tables["active"]
        whole = {k: self._moment(tables[k]) for k in ("active", "rest")}
        table: dict[str, Floats] = {
            "angle_deg": self.range,
            "moment_Nm": whole["active"],
            "rest_moment_Nm": whole["rest"],
            "active_moment_Nm": whole["active"] - whole["rest"],
            "reaction_Nm": found[f"{name}_reaction_Nm"],
        }
        for muscle in self.crossing:
            for what in ("moment_Nm", "arm_m", "excursion_m"):
                table[f"{muscle}_{what}"] = found[f"{muscle}_{name}_{what}"]
            for what in ("force_N", "active_N", "passive_N", "length_m", "stretch"):
                table[f"{muscle}_{what}"] = found[f"{muscle}_{what}"]
            # Where a muscle runs over bone, its length tells what a straight line does not.
            shortening = -np.gradient(found[f"{muscle}_length_m"], np.radians(self.range))
            table[f"{muscle}_path_arm_m"] = shortening
        for muscle in {**self.crossing, **dict.fromkeys(self.active)}:
            table[f"{muscle}_work_arm_m"] = found[f"{muscle}_{name}_work_arm_m"]
        top = int(np.argmax(np.abs(whole["active"])))
        curves = {"moment_Nm": "all muscles", "rest_moment_Nm": "all muscles at rest"}
        drawn = [m for m in self.active if m in self.crossing]
        curves |= {f"{m}_moment_Nm": m for m in drawn if len(self.active) > 1}
        return Finding(
            table,
            "angle_deg",
            f"{name} angle [°]",
            "moment of muscles [N m]",
            curves,
            f"with {', '.join(self.active)} at activation {self.asked.activation:g}, the largest "
            f"moment about '{name}' is {whole['active'][top]:.4g} N m at {self.range[top]:.4g} deg",
        )

    def _moment(self, table: Table) -> Floats:
        """What muscles turn the joint with, by their attachments and by what they press on."""
        moments = [table[f"{m}_{self.joint.name}_moment_Nm"] for m in self.crossing]
        pressed = table.get(f"{self.joint.name}_contact_moment_Nm")
        return np.asarray(np.sum([*moments, *([] if pressed is None else [pressed])], axis=0))


def _held(joint: Ball) -> Weld:
    """A weld in place of a ball, which has no coordinate to be held by."""
    return Weld(joint.name, joint.bones, joint.centre)
