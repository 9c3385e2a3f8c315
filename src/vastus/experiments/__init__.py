"""Experiments on any model, one file each: what is held, driven and measured, and its curve."""

from __future__ import annotations

from vastus.experiments.force_length import ForceLength, Passive
from vastus.experiments.isometric import Isometric
from vastus.experiments.moment_angle import MomentAngle
from vastus.experiments.quick_release import QuickRelease
from vastus.experiments.trial import Trial

EXPERIMENTS: dict[str, type[Trial]] = {
    trial.name: trial for trial in (Isometric, ForceLength, Passive, MomentAngle, QuickRelease)
}
