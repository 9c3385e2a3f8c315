"""Findings before and after disorders, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from vastus.control.disorders.examination import Examination, Sweep, Weight
from vastus.control.disorders.patient import Patient
from vastus.numerics.types import Floats


@dataclass(frozen=True)
class Finding:
    """One number of an examination, before and after."""

    measure: str
    subject: str  # a joint or a muscle
    unit: str
    before: float
    after: float


@dataclass(frozen=True, eq=False)
class Comparison:
    """All findings, and curves over the range of each joint by column: angles, torques, arms."""

    findings: tuple[Finding, ...]
    curves: dict[str, dict[str, Floats]]

    def finding(self, measure: str, subject: str) -> Finding:
        """One of them."""
        return next(f for f in self.findings if (f.measure, f.subject) == (measure, subject))


def compare(
    patient: Patient,
    joints: Sequence[str],
    *,
    before: Patient | None = None,
    pose: Floats | None = None,
    weight: Weight | None = None,
    gravity: bool = True,
) -> Comparison:
    """What an examination of joints finds in the healthy body and in the patient.

    `before` is compared with instead of the healthy body, as a patient before an operation. The
    weight is held by all these joints at once; the others are held by what is not examined.
    """
    both = [
        Examination(each, pose, gravity=gravity)
        for each in (before or Patient.of(patient.healthy, loft=patient.loft), patient)
    ]
    sweeps = [[one.sweep(joint) for one in both] for joint in joints]
    rows: list[Finding] = []
    for joint, pair in zip(joints, sweeps, strict=True):
        rows += _of_joint(both, joint, pair)
    if weight is not None:
        rows += _of_weight(both, joints, weight)
    names = patient.body.names
    curves = {j: _curves(pair, names) for j, pair in zip(joints, sweeps, strict=True)}
    return Comparison(tuple(rows), curves)


def _of_joint(
    both: Sequence[Examination], joint: str, sweeps: Sequence[Sweep]
) -> Iterator[Finding]:
    pairs = list(zip(both, sweeps, strict=True))

    def row(measure: str, unit: str, values: Sequence[float], subject: str = joint) -> Finding:
        return Finding(measure, subject, unit, *(float(value) for value in values))

    yield row("relaxed angle", "deg", [np.degrees(e.rest(joint, s)) for e, s in pairs])
    for kind, ranges in (
        ("passive", [e.passive_range(joint, s) for e, s in pairs]),
        ("active", [e.active_range(joint, s) for e, s in pairs]),
    ):
        yield row(f"{kind} range, least", "deg", [np.degrees(r[0]) for r in ranges])
        yield row(f"{kind} range, largest", "deg", [np.degrees(r[1]) for r in ranges])
    for k, word in enumerate(("raising", "lowering")):
        yield row(f"strength {word}", "N m", [abs(e.strength(joint)[k]) for e in both])
        curves = [np.abs(getattr(s, word)) for s in sweeps]
        yield row(f"greatest strength {word}", "N m", [c.max() for c in curves])
    dof = both[0].body.dof_names.index(joint)
    arms = [e.station().arms[:, dof] for e in both]
    for k, muscle in enumerate(both[0].body.names):
        if any(abs(a[k]) > 0 for a in arms):
            yield row(f"moment arm, {joint}", "mm", [1e3 * a[k] for a in arms], muscle)


def _of_weight(
    both: Sequence[Examination], joints: Sequence[str], weight: Weight
) -> Iterator[Finding]:
    held = [e.holding(joints, weight) for e in both]
    what = f"holding {weight.mass:g} kg"
    for k, muscle in enumerate(both[0].body.names):
        yield Finding(what, muscle, "activation", *(float(h.activations[k]) for h in held))
    for joint in joints:
        yield Finding(f"{what}, missing", joint, "N m", *(h.missing[joint] for h in held))


def _curves(pair: Sequence[Sweep], muscles: Sequence[str]) -> dict[str, Floats]:
    columns = {"angle_deg": np.degrees(pair[0].angles)}
    for word in ("raising", "lowering", "relaxed"):
        for when, sweep in zip(("before", "after"), pair, strict=True):
            columns[f"{word}_{when}_Nm"] = getattr(sweep, word)
    for k, muscle in enumerate(muscles):
        for when, sweep in zip(("before", "after"), pair, strict=True):
            if np.abs(sweep.arms[:, k]).max() > 0:
                columns[f"{muscle}_arm_{when}_mm"] = 1e3 * sweep.arms[:, k]
    return columns
