"""Curves of an exercise of the upper body: joints that move, the sternum, the busiest muscles."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import numpy as np

from vastus.control.upper_body.articulated import Articulated
from vastus.control.upper_body.musculoskeleton import Musculoskeleton
from vastus.control.upper_body.recording import Recording
from vastus.files.safe import replacing
from vastus.numerics.types import Floats
from vastus.pictures.renderer import load_pyvista

SHOWN = 8  # curves in a panel
STILL = np.radians(0.2)  # a joint that moves less is not drawn
AXES = {"to the left": 1.0, "forward": -1.0, "up": 1.0}
# The letter of a side in names such as rib5L, wristL_flex and scalenes_L6.
SIDE = re.compile(r"(?<=[a-z0-9_])[LR](?=[_\d ]|$)")
WITHIN = 0.02  # of its range, by which the curves of two sides may differ and be one


def exercise_plot(body: Musculoskeleton, recording: Recording, path: Path) -> None:
    """Draw what moved, how the sternum went, and the busiest groups and muscles, to a PNG file."""
    load_pyvista()  # brings the package that draws, or says which extra does
    panels = [
        ("joint from the start [°]", _joints(body, recording)),
        ("sternum from the start [mm]", _sternum(body, recording)),
        ("mean activation of a group", _groups(body, recording)),
        ("activation", _muscles(body, recording)),
    ]
    panels = [(label, curves) for label, curves in panels if curves]
    figure = import_module("matplotlib.figure").Figure((9.5, 2.5 * len(panels)), dpi=130)
    for number, (label, curves) in enumerate(panels, 1):
        axes = figure.add_subplot(len(panels), 1, number)
        for name, values in curves.items():
            axes.plot(recording.times, values, label=name, linewidth=1.1)
        axes.set(ylabel=label, xlabel="time [s]" if number == len(panels) else "")
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.25)
        axes.legend(frameon=False, fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))
        if label == "activation" and max(v.max() for v in curves.values()) > 1.0:
            axes.axhline(1.0, color="black", linewidth=0.8, linestyle=":")
    figure.tight_layout()
    with replacing(path) as part:
        figure.savefig(part)


def _joints(body: Musculoskeleton, recording: Recording) -> dict[str, Floats]:
    turned = recording.q - recording.q[0]
    turned[:, body.slides] = 0.0
    reach = np.abs(turned).max(axis=0)
    moved = [k for k in np.argsort(-reach) if reach[k] > STILL]
    passive = set(body.followers.tolist())
    return _shown({
        body.joints[k] + (" (passive)" if k in passive else ""): np.degrees(turned[:, k])
        for k in moved
    })  # fmt: skip


def _sternum(body: Musculoskeleton, recording: Recording) -> dict[str, Floats]:
    if "sternum" not in body.body_names:
        return {}
    way = recording.centre(Articulated(body), "sternum")
    moved = 1e3 * (way - way[0])
    return {axis: sign * moved[:, k] for k, (axis, sign) in enumerate(AXES.items())}


def _groups(body: Musculoskeleton, recording: Recording) -> dict[str, Floats]:
    groups = dict.fromkeys(line.group for line in body.muscles)
    means = {name: recording.activations[:, body.group(name)].mean(axis=1) for name in groups}
    changing = sorted(means, key=lambda name: -np.ptp(means[name]))
    return _shown({name: means[name] for name in changing})


def _muscles(body: Musculoskeleton, recording: Recording) -> dict[str, Floats]:
    busiest = np.argsort(-recording.activations.max(axis=0))[: 4 * SHOWN]
    return _shown({body.names[k]: recording.activations[:, k] for k in busiest})


def _shown(curves: dict[str, Floats]) -> dict[str, Floats]:
    """The first curves; those of two sides that coincide are one, which says so."""
    found: dict[str, Floats] = {}
    drawn: set[str] = set()
    for name, values in curves.items():
        other = SIDE.sub(lambda letter: "R" if letter[0] == "L" else "L", name)
        both = other != name and other in curves
        if both and np.ptp(values - curves[other]) <= WITHIN * np.ptp(values):
            if other in drawn:
                continue
            drawn.add(name)
            found[f"{SIDE.sub('', name)}, both sides"] = values
        else:
            found[name] = values
    return dict(list(found.items())[:SHOWN])
