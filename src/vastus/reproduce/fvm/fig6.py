"""Fig. 6: the activations of line muscles that hold three poses."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from vastus.files.html import Cell, Table
from vastus.model import Model
from vastus.parts import Drive, Tissue
from vastus.reproduce import style
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting
from vastus.reproduce.fvm.posture import Held, Lines
from vastus.reproduce.fvm.upper_arm import upper_arm

# Angles from rest [deg] of shoulder and elbow; the elbow is flexed by 20 at rest.
POSES = {
    "hanging, elbow bent": (0.0, 70.0),
    "raised forward": (60.0, 40.0),
    "overhead, elbow bent": (150.0, 70.0),
}
BALANCED = 1e-6  # [N m]
EDGE = 0.02  # [m] around what is drawn


def run(setting: Setting) -> Finding:
    """Share out the torque of the forearm's weight in three poses."""
    model = upper_arm(setting, forearm=Drive.FREE)
    lines = Lines(model)
    held = [lines.hold(*np.radians(pose)) for pose in POSES.values()]
    return Finding(
        agreement=agreement(model, held),
        sentence=sentence(model, held),
        tables=(_table(model, held),),
        figure=_drawn(model, held),
        caption="The arm from its outer side in three poses, muscles as straight lines between "
        "their attachments: from blue, not active, to red, the most active of all.",
    )


def agreement(model: Model, held: Sequence[Held]) -> Agreement:
    """Whether all torques are balanced, by muscles on the right side only."""
    flexors = np.array([m.name.startswith("biceps") for m in model.muscles])
    used = [(h.activations[flexors].max(), h.activations[~flexors].max()) for h in held]
    return Agreement.of(
        all(abs(h.reserve) < BALANCED for h in held),
        all((a > 0) != (b > 0) for a, b in used),
        any(a > 0 for a, _ in used) and any(b > 0 for _, b in used),
    )


def sentence(model: Model, held: Sequence[Held]) -> str:
    """Who is active in each pose."""
    parts = []
    for name, h in zip(POSES, held, strict=True):
        most = int(h.activations.argmax())
        moments = h.arms * h.activations
        group = model.muscles[most].name.split()[0]
        parts.append(
            f"{name}: the elbow needs {h.torque:+.2f} N m, given by the {group} with activations "
            f"up to {h.activations.max():.2f} ({model.muscles[most].name}, arm "
            f"{1e3 * h.arms[most]:.0f} mm; {int((moments != 0).sum())} heads pull)"
        )
    worst = max(abs(h.reserve) for h in held)
    told = "; ".join(parts)
    return f"{told[0].upper()}{told[1:]}. What muscles do not balance is {worst:.0e} N m."


def _table(model: Model, held: Sequence[Held]) -> Table:
    columns = ("pose", "shoulder [°]", "elbow [°]", "torque [N m]",
               *(m.name for m in model.muscles))  # fmt: skip
    rows: list[tuple[Cell, ...]] = [
        (name, shoulder, elbow + 20.0, h.torque, *(float(a) for a in h.activations))
        for (name, (shoulder, elbow)), h in zip(POSES.items(), held, strict=True)
    ]
    return Table("Activations that hold three poses", columns, rows)


def _drawn(model: Model, held: Sequence[Held]) -> Any:
    collection = import_module("matplotlib.collections").PolyCollection
    made, axes = style.figure(len(held), width=4.2, height=4.6)
    faces, tets = model.mesh.boundary, model.mesh.boundary_tets
    bony = faces[model.is_tissue(Tissue.BONE)[tets]]
    peak = max(float(h.activations.max()) for h in held)
    low = np.min([h.state.x[bony.ravel()].min(axis=0) for h in held], axis=0) - EDGE
    high = np.max([h.state.x[bony.ravel()].max(axis=0) for h in held], axis=0) + EDGE
    for each, name, h in zip(axes, POSES, held, strict=True):
        corners = h.state.x[bony]
        behind = np.argsort(corners[:, :, 0].mean(axis=1))
        each.add_collection(
            collection(
                corners[behind][:, :, 1:],
                facecolors=style.IVORY,
                edgecolors="#d3c6a4",
                linewidths=0.2,
            )
        )
        for level, ends in sorted(zip(h.activations / peak, h.ends, strict=True), key=_level):
            each.plot(ends[:, 1], ends[:, 2], "-", color=(level, 0.1, 1.0 - level), lw=4)
        each.set_aspect("equal")
        each.grid(visible=False)
        limits = {"xlim": (low[1], high[1]), "ylim": (low[2], high[2])}
        style.label(each, name, "forward [m]", "up [m]" if each is axes[0] else "", **limits)
    return made


def _level(line: tuple[float, Any]) -> float:
    """How active a line is: the most active are drawn last."""
    return line[0]


EXPERIMENT = Experiment(
    "fig6",
    "Fig. 6: activations for three poses",
    "Muscles as line segments that pull with activation times strength, and the least sum of "
    "squared activations that balances the joint torques of a static pose.",
    run,
    (0.2, 0.3),
)
