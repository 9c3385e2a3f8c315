"""Tendons that units pull come first in a model, so that unit i pulls tendon i."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from vastus.bodies.body import mujoco_package

_SETTINGS = (
    "actfrclimited", "actfrcrange", "armature", "damping", "frictionloss", "group", "limited",
    "margin", "material", "range", "rgba", "solimp_friction", "solimp_limit", "solref_friction",
    "solref_limit", "springlength", "stiffness", "width",
)  # fmt: skip


def move_last(spec: Any, numbers: Collection[int]) -> None:
    """Put the tendons of these numbers after all others: each is made again as it was."""
    for tendon in [t for k, t in enumerate(spec.tendons) if k in numbers]:
        name = tendon.name
        # MuJoCo has no way to reorder; what refers to a tendon does so by name.
        tendon.name = f"{name} (moved)"
        again = spec.add_tendon(name=name)
        for setting in _SETTINGS:
            setattr(again, setting, getattr(tendon, setting))
        for step in tendon.path:
            _add_step(again, step)
        spec.delete(tendon)


def _add_step(tendon: Any, step: Any) -> None:
    kinds = mujoco_package().mjtWrap
    if step.type == kinds.mjWRAP_JOINT:
        tendon.wrap_joint(step.target.name, step.coef)
    elif step.type == kinds.mjWRAP_PULLEY:
        tendon.wrap_pulley(step.divisor)
    elif step.type == kinds.mjWRAP_SITE:
        tendon.wrap_site(step.target.name)
    else:
        tendon.wrap_geom(step.target.name, step.sidesite.name if step.sidesite else "")
