"""A bar whose far bone turns about a hinge below it: results without a solve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from vastus.measure.outputs import Outputs
from vastus.model import Model
from vastus.numerics.rotation import exp_map
from vastus.parts import Bone
from vastus.results.writer import ResultWriter
from vastus.skeleton.joints import Hinge
from vastus.state import Frame, Report, State, rest

BELOW = np.array([0.07, 0.01, -0.05])  # under the bar's far end; the bar's middle is at z = 0.01
Y = np.array([0.0, 1.0, 0.0])
ODD = ("a b/c", 'q"uo<script>te', "fibré 肌", "???", "!!!")


def hinged(model: Model) -> Model:
    """The bar with a hinge 6 cm below its middle."""
    return model.with_(joints=(Hinge("knee", ("base", "tip"), BELOW, Y),))


def oddly_named(model: Model) -> Model:
    """The bar with names that no format can take as they are."""
    new = dict(zip([r.name for r in model.regions], ODD, strict=True))
    muscle = 'b,i"ceps/\n=1'
    return model.with_(
        name="odd/\x01 name",
        regions=tuple(
            replace(r, name=new[r.name], muscle=r.muscle and muscle) for r in model.regions
        ),
        muscles=tuple(replace(m, name=muscle) for m in model.muscles),
        bones=tuple(Bone(b.name, tuple(new[r] for r in b.regions), b.drive) for b in model.bones),
    )


def bent(model: Model, angle: float, activation: float = 0.5) -> State:
    """The tip turned about the hinge [rad], and what is between pulled along with it evenly."""
    R, X = exp_map(angle * Y), model.mesh.X
    share = np.clip((X[:, :1] - 0.01) / 0.06, 0.0, 1.0)
    poses = rest(model).poses.copy()
    poses[1] = np.column_stack([R, BELOW - R @ BELOW])
    x = (1 - share) * X + share * ((X - BELOW) @ R.T + BELOW)
    return State.still(0.0, x, poses, np.array([activation]))


def write_bent(folder: Path, model: Model, degrees: Sequence[float]) -> Path:
    """A result with one frame an angle, 0.1 s apart, the muscle ever more active."""
    outputs = Outputs(model)
    with ResultWriter(folder, model) as writer:
        for number, angle in enumerate(np.radians(degrees)):
            state = bent(model, angle, number / len(degrees))
            state = replace(state, time=0.1 * number)
            report = Report(True, 1, 0.0, 1.0, 0.0)
            writer.add(Frame(number, state, report, outputs.of(state)))
    return folder
