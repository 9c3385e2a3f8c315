"""Bodies with line muscles in MJCF files, placed by MuJoCo."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from vastus.control.activations.inverse_dynamics import Chain, joined_masses
from vastus.control.activations.line_body import (
    Coordinate,
    LineBody,
    chosen_coordinates,
    shortening,
)
from vastus.errors import FileError
from vastus.modelling.lines.lines import chosen
from vastus.modelling.lines.mjcf import muscle_actuators, open_mjcf, peak_force, posed
from vastus.numerics.types import Floats


def mjcf_coordinates(path: Path) -> dict[str, Coordinate]:
    """The hinges and sliders that follow no other, by name."""
    mujoco, m = open_mjcf(path)
    kinds = mujoco.mjtJoint
    ties = np.flatnonzero((m.eq_type == mujoco.mjtEq.mjEQ_JOINT) & (m.eq_active0 != 0))
    followers = {int(m.eq_obj1id[k]) for k in ties}
    found = {}
    for j in range(m.njnt):
        kind = kinds(m.jnt_type[j])
        if kind in (kinds.mjJNT_HINGE, kinds.mjJNT_SLIDE) and j not in followers:
            found[m.joint(j).name] = Coordinate(m.joint(j).name, kind == kinds.mjJNT_HINGE)
    return found


def mjcf_body(path: Path, driven: Sequence[str], muscles: Sequence[str]) -> LineBody:
    """The body, some of whose joints are driven; arms are how much tendons shorten."""
    mujoco, m = open_mjcf(path)
    free = mjcf_coordinates(path)
    coordinates = chosen_coordinates(driven, free)
    actuators = {m.actuator(a).name: a for a in muscle_actuators(mujoco, m)}
    if not actuators:
        raise FileError(f"'{path}' has no muscle: no actuator of it is a muscle on a tendon")
    names = chosen(tuple(muscles), list(actuators))
    used = [actuators[name] for name in names]
    tendons = m.actuator_trnid[used, 0]

    def data(q: Floats) -> Any:
        return posed(mujoco, m, dict(zip(driven, q.tolist(), strict=True)))

    def places(q: Floats) -> tuple[Floats, Floats]:
        d = data(q)  # with frames at the centres, along the principal axes
        return d.ximat.reshape(-1, 3, 3).copy(), d.xipos.copy()

    def lengths(q: Floats) -> Floats:
        return np.array(data(q).ten_length[tendons])

    rows = [(m.body_mass[b], np.zeros(3), np.diag(m.body_inertia[b])) for b in range(m.nbody)]
    return LineBody(
        coordinates,
        tuple(names),
        np.array([peak_force(m, a) for a in used]),
        np.zeros(len(used)),
        Chain(joined_masses(rows), places, np.array(m.opt.gravity)),
        lambda q: shortening(lengths, q),
        tuple(name for name in free if name not in driven),
    )
