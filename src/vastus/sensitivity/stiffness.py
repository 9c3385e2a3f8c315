"""The stiffness of muscles and joints at an equilibrium: what one solve says, with no step.

A joint that moves freely has the stiffness with which everything together resists a torque about
it, other joints giving way. A joint that is driven has the change of its reaction. A muscle has
the change of its pull at the insertion as that moves away along the line of pull, all bones held.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

import numpy as np

from vastus.measure.ends import ends_of, own_tets
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.parts import Drive
from vastus.sensitivity.derivatives import derivatives_at
from vastus.sensitivity.equilibrium import StableEquilibrium
from vastus.skeleton.coordinates import numbered
from vastus.state import Frame, State


def stiffness(model: Model, state: State | Frame) -> dict[str, float]:
    """`JOINT_stiffness_Nm_per_rad` (`N_per_m` for a slider) and `MUSCLE_stiffness_N_per_m`.

    Muscles that nothing holds at two ends have none.
    """
    state = state.state if isinstance(state, Frame) else state
    here = StableEquilibrium(model, state)
    return joint_stiffness(here) | muscle_stiffness(model, here.state)


def joint_stiffness(here: StableEquilibrium) -> dict[str, float]:
    """The stiffness of each coordinate of the joints."""
    driven, out = here.inputs.joints, {}
    for k, (index, freedom) in enumerate(numbered(here.model.joints)):
        words = [here.model.joints[index].name, *([freedom.name] if freedom.name else [])]
        unit = "N_per_m" if freedom.unit == "m" else "Nm_per_rad"
        name = "_".join([*words, "stiffness", unit])
        if driven is not None and not np.isnan(driven[k]):
            effort = "_".join([*words, "reaction", freedom.effort])
            path = f"inputs.joints.{'.'.join(words)}"
            out[name] = derivatives_at(here, by=[path], of=[effort])[effort, path] * freedom.scale
            continue
        forces = here.problem.no_forces(here.q)
        forces.joints[k] = 1.0
        pull = here.reduced_forces(forces)
        yields = float(pull @ here.solve(pull))
        out[name] = 1.0 / yields if yields > 0 else np.inf
    return out


def muscle_stiffness(model: Model, state: State) -> dict[str, float]:
    """The stiffness of each muscle between its ends [N/m]."""
    held = model.with_(
        bones=tuple(
            replace(bone, drive=Drive.SCRIPTED if bone.drive is Drive.FREE else bone.drive)
            for bone in model.bones
        ),
        joints=(),
    )
    memory = {k: v for k, v in state.memory.items() if k not in ("joints", "reactions", "torques")}
    here, out = StableEquilibrium(held, replace(state, memory=memory)), {}
    for index, muscle in enumerate(model.muscles):
        ends = ends_of(model, own_tets(model, index))
        if ends.origin and ends.insertion:
            far = list(ends.insertion)
            ways = [_ways(h.name, h.bone) for h in far]
            names = [[f"{muscle.name}_on_{h.name}_{a}_N" for a in "xyz"] for h in far]
            found = derivatives_at(here, by=list(chain(*ways)), of=list(chain(*names)))
            K = -sum(found.J[3 * i : 3 * i + 3, 3 * j : 3 * j + 3]
                     for i in range(len(far)) for j in range(len(far)))  # fmt: skip
            along = _direction(found.outputs, names, here.state.x, ends)
            out[f"{muscle.name}_stiffness_N_per_m"] = float(along @ K @ along)
    return out


def _ways(name: str, bone: int) -> list[str]:
    """The paths by which a holder shifts along the axes."""
    return [f"inputs.bones.{name}.{a}" if bone >= 0 else f"pins.{name}.shift.{a}" for a in "xyz"]


def _direction(outputs: object, names: list[list[str]], x: Floats, ends: object) -> Floats:
    """(3,) the line of pull: that of the force, or between the ends where there is none."""
    force = np.sum([[outputs[n] for n in row] for row in names], axis=0)  # type: ignore[index]
    size = float(np.linalg.norm(force))
    if size > 1e-6:
        return np.asarray(force / size)
    middles = [
        np.concatenate([x[h.vertices] for h in side]).mean(axis=0)
        for side in (ends.origin, ends.insertion)  # type: ignore[attr-defined]
    ]
    way = middles[1] - middles[0]
    return np.asarray(way / np.linalg.norm(way))
